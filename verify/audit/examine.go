package audit

import "fmt"

// Examination is what the laws of a mechanism on several pairs of inputs say about a claim.
type Examination struct {
	Laws     []Law
	Findings []Finding // by law
	Worst    int       // the law with the largest δ that is certain
	// Losses are the largest losses that are certain, by part, and InLaw where they are.
	Losses  []PartLoss
	InLaw   []int
	Parts   []int // by part, the law with the largest δ that the part needs by itself
	Refuted bool  // by a law
	Proved  int   // how many laws prove the claim for their inputs
}

// Examine checks laws against a claim; see [Law.Check].
func Examine(laws []Law, claim Claim) (*Examination, error) {
	if len(laws) == 0 {
		return nil, fmt.Errorf("there are no laws, must be at least one")
	}
	e := &Examination{Laws: laws}
	for i, l := range laws {
		f, err := l.Check(claim)
		if err != nil {
			return nil, fmt.Errorf("inputs %s and %s: %w", l.Inputs[0], l.Inputs[1], err)
		}
		e.Findings = append(e.Findings, f)
		e.Refuted = e.Refuted || f.Refuted
		if f.Proved {
			e.Proved++
		}
		if f.Delta.Lower.Cmp(e.Findings[e.Worst].Delta.Lower) > 0 {
			e.Worst = i
		}
		e.addLosses(i, f)
		e.addParts(i, f)
	}
	return e, nil
}

// addLosses keeps the larger losses.
func (e *Examination) addLosses(law int, f Finding) {
	if e.Losses == nil {
		e.Losses, e.InLaw = append(e.Losses, f.Losses...), make([]int, len(f.Losses))
	}
	for part, loss := range f.Losses {
		if loss.Loss.Lower.Cmp(e.Losses[part].Loss.Lower) > 0 {
			e.Losses[part], e.InLaw[part] = loss, law
		}
	}
}

// addParts keeps where the larger δ of every part are.
func (e *Examination) addParts(law int, f Finding) {
	if e.Parts == nil {
		e.Parts = make([]int, len(f.Parts))
	}
	for part, x := range f.Parts {
		if x.Delta.Lower.Cmp(e.Findings[e.Parts[part]].Parts[part].Delta.Lower) > 0 {
			e.Parts[part] = law
		}
	}
}

// Covers reports whether the claim is proved for all these pairs of inputs.
func (e *Examination) Covers(pairs []Pair) bool {
	for _, p := range pairs {
		proved := false
		for i, l := range e.Laws {
			proved = proved || l.Inputs == p.Inputs && e.Findings[i].Proved
		}
		if !proved {
			return false
		}
	}
	return true
}
