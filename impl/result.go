package impl

import (
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
	Method     Method              // Lattice or Bracket
	Arithmetic string              // "float64", or "big.Float" with its precision
	Shortfall  string              // why the requested width was not reached; empty if it was

	Certified *certify.Bounds // the intervals again, with all that is needed to check them
}

// newResult returns what the kernel found.
func newResult(s *stopping.Solution) *Result {
	r := &Result{
		OptDel: interval.Interval(s.OptDel), Lemma11: interval.Interval(s.Lemma11),
		Method: Method(s.Way()), Arithmetic: s.Arithmetic(), Shortfall: s.Shortfall, Certified: s.Certified,
	}
	for _, x := range s.SingleStop {
		r.SingleStop = append(r.SingleStop, interval.Interval(x))
	}
	for _, t := range s.Rule {
		r.Rule = append(r.Rule, Threshold(t))
	}
	return r
}
