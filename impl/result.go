package impl

import (
	"cmp"
	"slices"

	"checkrr/impl/certify"
	"checkrr/impl/internal/stopping"
	"checkrr/impl/interval"
)

// Threshold is one line of a stopping rule: stop here if the privacy loss
// ln P0(outputs)/P1(outputs) is at least LossAtLeast.
type Threshold struct {
	LossAtLeast float64 // +Inf where stopping never pays
	Probability float64 // P0-probability that a run under this rule ends here
}

// Result is what [OptDel] found.
type Result struct {
	OptDel     interval.Interval   // ODP-T15
	Lemma11    interval.Interval   // ODP-E4: the sum of SingleStop
	SingleStop []interval.Interval // smallest δ if the pipeline could end at this stop only
	Rule       []Threshold         // the worst stopping rule, one line a stop; nil if time ran out before it was found
	RelWidth   float64             // that was requested, or taken if none was
	Method     Method              // Lattice or Bracket
	Arithmetic string              // "float64", or "big.Float" with its precision
	Shortfall  string              // why the requested width was not reached; empty if it was

	// Certified is the intervals again, with all that is needed to check them: for each order of neighbours,
	// if the mechanisms have laws for which they differ.
	Certified []*certify.Bounds
}

// Or returns the result for neighbours in both orders, where r, which may be nil, is that for one and s for the
// other: the larger δ counts, and the rule that needs it.
func (r *Result) Or(s *Result) *Result {
	if r == nil {
		return s
	}
	most := *r
	if s.OptDel.Upper.Cmp(r.OptDel.Upper) > 0 {
		most = *s
	}
	most.OptDel, most.Lemma11 = interval.Max(r.OptDel, s.OptDel), interval.Max(r.Lemma11, s.Lemma11)
	most.SingleStop = nil
	for i, x := range r.SingleStop[:min(len(r.SingleStop), len(s.SingleStop))] {
		most.SingleStop = append(most.SingleStop, interval.Max(x, s.SingleStop[i]))
	}
	most.Shortfall = cmp.Or(r.Shortfall, s.Shortfall)
	most.Certified = slices.Concat(r.Certified, s.Certified)
	return &most
}

// newResult returns what the kernel found.
func newResult(s *stopping.Solution) *Result {
	r := &Result{
		OptDel: interval.Interval(s.OptDel), Lemma11: interval.Interval(s.Lemma11),
		RelWidth: s.RelWidth, Method: Method(s.Way()), Arithmetic: s.Arithmetic(), Shortfall: s.Shortfall, Certified: []*certify.Bounds{s.Certified},
	}
	for _, x := range s.SingleStop {
		r.SingleStop = append(r.SingleStop, interval.Interval(x))
	}
	for _, t := range s.Rule {
		r.Rule = append(r.Rule, Threshold(t))
	}
	return r
}
