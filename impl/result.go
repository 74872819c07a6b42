package impl

import (
	"context"
	"errors"
	"fmt"

	"checkrr/impl/certify"
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

// fallShort says that, and why, the requested width was not reached.
func (r *Result) fallShort(format string, args ...any) {
	r.Shortfall = fmt.Sprintf("relative width %.2g of OptDel, %.2g of Lemma 11: ", r.OptDel.RelWidth(), r.Lemma11.RelWidth()) +
		fmt.Sprintf(format, args...)
}

// ending says in plain words what ended the work.
func ending(err error) string {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "time ran out"
	case errors.Is(err, context.Canceled):
		return "interrupted"
	}
	return err.Error()
}
