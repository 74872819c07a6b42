package audit

import (
	"cmp"
	"fmt"
	"math/big"
)

// Outcome is an output of a mechanism whose law is finite and known: a row of a table.
type Outcome struct {
	Output string      // as it is shown
	Value  string      // what it is: the same for outputs that are, however they are written; Output if empty
	Part   string      // of the output partition; "" if there is none
	P      [2]*big.Rat // its probability on either input
}

// maxLawBits bounds the common denominator of a law's probabilities: sums of fractions that
// have little in common take for ever.
const maxLawBits = 1 << 16

// FiniteLaw returns the law of a mechanism that is written out: every output with its
// probabilities on two neighbouring inputs. [Examine] decides exactly what it says about a claim.
//
// Domain: probabilities in [0, 1] that sum to 1, exactly, on either input; parts of the claim; no
// output twice in a part.
// Errors: an [OutcomeError] that says which row is at fault.
// Cost: O(rows) additions of rational numbers.
func FiniteLaw(claim Claim, inputs [2]string, table []Outcome) (Law, error) {
	law := Law{Inputs: inputs, Complete: true}
	type name struct{ part, output string }
	seen := map[name]bool{}
	var sums [2]exactSum
	for i, o := range table {
		part, err := claim.Part(o.Part)
		if err != nil {
			return Law{}, &OutcomeError{i, "part", fmt.Sprintf("is %q, must be a part of the claim", brief(o.Part))}
		}
		if n := (name{o.Part, cmp.Or(o.Value, o.Output)}); seen[n] {
			return Law{}, &OutcomeError{i, "output", fmt.Sprintf("is %q, must not be there twice", brief(o.Output))}
		} else {
			seen[n] = true
		}
		for b, p := range o.P {
			if rule := sums[b].add(p); rule != "" {
				return Law{}, &OutcomeError{i, pNames[b], rule}
			}
		}
		law.Cells = append(law.Cells, ExactCell(o.Output, part, o.P[0], o.P[1]))
	}
	for b := range sums {
		if rule := sums[b].whole(); rule != "" {
			return Law{}, &OutcomeError{-1, pNames[b], rule}
		}
	}
	return law, nil
}

// exactSum is the sum of probabilities that are to be a law.
type exactSum struct{ big.Rat }

// add adds a probability. It returns what is wrong with it, and which rule it breaks, or "".
func (s *exactSum) add(p *big.Rat) (rule string) {
	if p == nil || p.Sign() < 0 || p.Cmp(one) > 0 {
		return fmt.Sprintf("is %s, must be between 0 and 1", shownRat(p))
	}
	if s.Add(&s.Rat, p); s.Denom().BitLen() > maxLawBits {
		return fmt.Sprintf("and those before have no common denominator below 2^%d, must have one", maxLawBits)
	}
	return ""
}

// whole returns what is wrong with the sum of all, or "".
func (s *exactSum) whole() (rule string) {
	if s.Cmp(one) == 0 {
		return ""
	}
	return fmt.Sprintf("sums to %s, must sum to 1", shownRat(&s.Rat))
}

// ExactProbability returns the probability of several cells on an input, or nil if that is not known as a
// rational number.
func (l Law) ExactProbability(cells []int, input int) *big.Rat {
	sum := new(big.Rat)
	for _, c := range cells {
		if l.Cells[c].Exact == nil {
			return nil
		}
		sum.Add(sum, l.Cells[c].Exact[input])
	}
	return sum
}

var pNames = [2]string{"p0", "p1"}

// shownRat writes a number for a message: exactly if that is short.
func shownRat(r *big.Rat) string {
	if r == nil {
		return "missing"
	}
	if text := r.RatString(); len(text) <= 40 {
		return text
	}
	return "about " + r.FloatString(20)
}

// OutcomeError says what is wrong with a table of outcomes.
type OutcomeError struct {
	Row   int    // its number, from 0; −1 if it is all of them
	Field string // output, p0, p1 or part
	Rule  string // what it is, and must be
}

func (e *OutcomeError) Error() string {
	if e.Row < 0 {
		return fmt.Sprintf("%s %s", e.Field, e.Rule)
	}
	return fmt.Sprintf("output %d: %s %s", e.Row+1, e.Field, e.Rule)
}
