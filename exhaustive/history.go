package exhaustive

import (
	"context"
	"errors"
	"fmt"
	"math/big"
)

// maxRules is the largest number of stopping rules that [WorstRule] goes through, after any outputs.
const maxRules = 1 << 20

// Branch is one step of a pipeline, after certain outputs: its laws, and the step that follows each of its own outputs.
type Branch struct {
	Laws [2][]*big.Rat // by database and output: its probability
	Then []*Branch     // by output; nil where no step follows
}

// History is what has happened so far.
type History struct {
	Steps int      // how many have run
	A, B  *big.Rat // its probability on two databases
	Next  *Branch  // the step that comes; nil at the end
}

// WorstRule goes through all deterministic stopping rules from a history on, and returns the largest
// Σ_i (Pr_0(S_i) − e^(E_i)·Pr_1(S_i)) over all of them and all events S = S_1 ∪ … ∪ S_n, and the number of rules. A rule says
// at each history at which the pipeline may end whether it does. Each one is added up to its end: nothing is said about which are
// good, and the laws after different outputs need have nothing in common.
//
// Source: docs/dominating-pairs.md, The statement; OUR-D2.
// Also in the checks of OUR-T1, OUR-T2, OUR-X1, OUR-T1.s1, OUR-T1.s2 and OUR-X4.
// Symbols: k_i, E_i = stops; with x and x' the probabilities are those of two databases.
// Domain: every E_i is given as e^(E_i), or is 0; the pipeline ends at a stop. Laws that are laws; at most 2^20 rules.
// Accuracy: exact.
// Deviation from print: of all events only the best is taken, which holds the outputs with a > e^(E_i)·b; no coins.
// Cost: the number of rules times the number of steps.
func WorstRule(ctx context.Context, from History, stops []Stop) (worst *big.Rat, rules int, err error) {
	gains, err := from.gains(ctx, stops)
	if err != nil {
		return nil, 0, fmt.Errorf("WorstRule: %w", err)
	}
	worst = gains[0]
	for _, gain := range gains {
		worst = rational{}.max(worst, gain)
	}
	return worst, len(gains), nil
}

// gains returns what each rule gains from h on.
func (h History) gains(ctx context.Context, stops []Stop) (gains []*big.Rat, err error) {
	for _, s := range stops {
		if s.After != h.Steps {
			continue
		}
		expE, err := rational{}.exp(s.Eps)
		if err != nil {
			return nil, err
		}
		gain := new(big.Rat).Sub(h.A, new(big.Rat).Mul(expE, h.B))
		gains = append(gains, rational{}.max(gain, new(big.Rat)))
	}
	if h.Next == nil && gains == nil {
		return nil, fmt.Errorf("there is no stop after %d steps, must be one at the end", h.Steps)
	}
	if h.Next == nil {
		return gains, nil
	}
	onward, err := h.onward(ctx, stops)
	return append(gains, onward...), err
}

// onward returns what each rule gains that does not end at h: one after each output, in all combinations.
func (h History) onward(ctx context.Context, stops []Stop) ([]*big.Rat, error) {
	if err := h.Next.validate(); err != nil {
		return nil, err
	}
	sums := []*big.Rat{new(big.Rat)}
	for z, then := range h.Next.Then {
		laws := h.Next.Laws
		after := History{h.Steps + 1, new(big.Rat).Mul(h.A, laws[0][z]), new(big.Rat).Mul(h.B, laws[1][z]), then}
		gains, err := after.gains(ctx, stops)
		if err != nil {
			return nil, err
		}
		if n := len(sums) * len(gains); n > maxRules {
			return nil, fmt.Errorf("there are at least %d rules, must be at most %d", n, maxRules)
		}
		if sums, err = combined(ctx, sums, gains); err != nil {
			return nil, err
		}
	}
	return sums, nil
}

// combined returns the sums of one number of each list.
func combined(ctx context.Context, xs, ys []*big.Rat) (sums []*big.Rat, err error) {
	for _, x := range xs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, y := range ys {
			sums = append(sums, new(big.Rat).Add(x, y))
		}
	}
	return sums, nil
}

// validate returns an error for the first rule that a step breaks, not those after it.
func (b *Branch) validate() error {
	for i, law := range b.Laws {
		if len(law) != len(b.Then) {
			return fmt.Errorf("law %d has %d outputs, must be %d", i, len(law), len(b.Then))
		}
		for z, pr := range law {
			if pr == nil || pr.Sign() < 0 {
				return fmt.Errorf("law %d: probability of output %d is %s, must be at least 0", i, z, show(pr))
			}
		}
		if num, denom := total(law); num.Cmp(denom) != 0 {
			return errors.New("a law does not sum to 1")
		}
	}
	return nil
}
