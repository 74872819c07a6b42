package impl

import (
	"context"
	"errors"
	"fmt"
	"math/big"
)

// Threshold is one line of a stopping rule: stop here if the privacy loss
// ln P0(outputs)/P1(outputs) is at least LossAtLeast.
type Threshold struct {
	LossAtLeast float64 // +Inf where stopping never pays
	Probability float64 // P0-probability that a run under this rule ends here
}

// Result is what [OptDel] found.
type Result struct {
	OptDel     Interval    // ODP-T15
	Lemma11    Interval    // ODP-E4: the sum of SingleStop
	SingleStop []Interval  // smallest δ if the pipeline could end at this stop only
	Rule       []Threshold // the worst stopping rule, one line a stop; nil if time ran out before it was found
	Method     Method      // Lattice or Bracket
	Arithmetic string      // "float64", or "big.Float" with its precision
	Shortfall  string      // why the requested width was not reached; empty if it was
}

// fallShort says that, and why, the requested width was not reached.
func (r *Result) fallShort(format string, args ...any) {
	r.Shortfall = fmt.Sprintf("relative width %.2g of OptDel, %.2g of Lemma 11: ", r.OptDel.RelWidth(), r.Lemma11.RelWidth()) +
		fmt.Sprintf(format, args...)
}

// check returns an error if an interval is empty: then no bound can be trusted.
func (r *Result) check() error {
	for _, x := range append([]Interval{r.OptDel, r.Lemma11}, r.SingleStop...) {
		if x.Lower.Cmp(x.Upper) > 0 {
			return fmt.Errorf("internal error: empty interval [%g, %g], please report this problem", x.Lower, x.Upper)
		}
	}
	return nil
}

// scale returns a lower bound of OptDel.
func (r *Result) scale() float64 {
	v, _ := r.OptDel.Lower.Float64()
	return v
}

// cut returns r with the reason why it was interrupted.
func (r *Result) cut(err error) (*Result, error) {
	r.fallShort("%s", ending(err))
	return r, nil
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

// result returns a result with everything that follows from the single stops.
func (s *solver) result(m Method, singles []bounds) *Result {
	intervals := make([]Interval, len(singles))
	for i, b := range singles {
		intervals[i] = b.interval()
	}
	r := &Result{Method: m, Arithmetic: "float64"}
	r.setSingles(intervals)
	return r
}

// setSingles sets SingleStop, Lemma11, and what they say about OptDel: it lies
// between the largest of them and their sum.
func (r *Result) setSingles(singles []Interval) {
	prec := singles[0].Lower.Prec()
	lower := new(big.Float).SetPrec(prec).SetMode(big.ToZero)
	upper := new(big.Float).SetPrec(prec).SetMode(big.AwayFromZero)
	largest := singles[0].Lower
	for _, x := range singles {
		if x.Lower.Cmp(largest) > 0 {
			largest = x.Lower
		}
		lower.Add(lower, x.Lower)
		upper.Add(upper, x.Upper)
	}
	r.SingleStop, r.Lemma11 = singles, Interval{lower, upper}
	r.OptDel = Interval{largest, upper}
	if upper.Cmp(big.NewFloat(1)) > 0 {
		r.OptDel.Upper = big.NewFloat(1)
	}
}

// pairs returns the intervals with the given ends.
func pairs(lower, upper []*big.Float) []Interval {
	xs := make([]Interval, len(lower))
	for i := range xs {
		xs[i] = Interval{lower[i], upper[i]}
	}
	return xs
}
