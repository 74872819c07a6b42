package impl

import (
	"cmp"
	"context"
	"fmt"
	"math/big"

	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/stopping"
)

// designBoth returns charges that are enough for neighbours in both orders. In most cases those for one order are enough for the other; if not, the
// larger one of both is taken at each stop, as OptDel does not rise with any charge.
func designBoth(ctx context.Context, orders []Pipeline, delta *big.Rat, o ScheduleOptions) (*Schedule, error) {
	s, err := stopping.Design(ctx, orders[0].problem(), delta, o.kernel(0, 0.5))
	if err != nil {
		return nil, err
	}
	results := make([]*Result, 2)
	results[0] = newResult(s.Solution)
	if isEnough(ctx, orders[1], s, delta, results) {
		return newSchedule(orders[0], s, Worst(results...), o), nil
	}
	t, err := stopping.Design(ctx, orders[1].problem(), delta, o.kernel(0.5, 0.9))
	if err != nil {
		return nil, err
	}
	s.Charges, s.Lemma11, s.SingleStop = largerOfEach(s.Charges, t.Charges), largerOfEach(s.Lemma11, t.Lemma11), largerOfEach(s.SingleStop, t.SingleStop)
	s.MeanAtLeast = max(s.MeanAtLeast, t.MeanAtLeast)
	if s.Shortfall == "" {
		s.Shortfall = t.Shortfall
	}
	for i, q := range orders {
		if results[i], err = narrowEnough(ctx, q.charged(s.Charges), delta, o.Slack); err != nil {
			return nil, err
		}
		if _, upper := results[i].OptDel.Rats(); upper.Cmp(delta) > 0 && s.Shortfall == "" {
			s.Shortfall = fmt.Sprintf("for neighbours %s OptDel is at most δ, as it is with the lower charges that are enough for them, but that is not seen here: %s", Orders[i], cmp.Or(results[i].Shortfall, "the two are too close"))
		}
	}
	worst := Worst(results...)
	unused := func(atLeast *big.Float) string { return stopping.Unused(atLeast, rational.Float64(delta), o.Slack) }
	if s.Shortfall == "" && (unused(s.OptDel.Lower) == "" || unused(t.OptDel.Lower) == "") { // the larger ones of both may be more than is needed
		s.Shortfall = unused(worst.OptDel.Lower)
	}
	return newSchedule(orders[0], s, worst, o), nil
}

// narrowEnough returns the result for charges with which OptDel is at most delta for these neighbours: so narrowly that it says so, if that can be had.
func narrowEnough(ctx context.Context, q Pipeline, delta *big.Rat, slack float64) (*Result, error) {
	for width := slack / 2; ; width /= 4 {
		s, err := stopping.Solve(ctx, q.problem(), stopping.Options{RelWidth: width})
		if err != nil {
			return nil, err
		}
		r := newResult(s)
		if _, upper := r.OptDel.Rats(); upper.Cmp(delta) <= 0 || s.Shortfall != "" || width < slack/1e4 {
			return r, nil
		}
	}
}

// isEnough reports whether all charges of a schedule are enough for other neighbours, and has the result for those of the schedule itself.
func isEnough(ctx context.Context, q Pipeline, s *stopping.Schedule, delta *big.Rat, results []*Result) bool {
	most := func(charges []*big.Rat, k stopping.Options) *stopping.Solution {
		r, err := stopping.Solve(ctx, q.charged(charges).problem(), k)
		if err != nil {
			return nil
		}
		return r
	}
	enough := new(big.Float).SetMode(big.ToNegativeInf).SetPrec(64).SetRat(delta)
	k := stopping.Options{RelWidth: roughly, Enough: &stopping.Enough{OptDel: enough, Lemma11: enough}}
	singles := k
	singles.Need = stopping.NeedLemma11
	isAtMost := func(x *big.Float) bool {
		r, _ := x.Rat(nil)
		return r.Cmp(delta) <= 0
	}
	r := most(s.Charges, k)
	if r == nil || !isAtMost(r.OptDel.Upper) {
		return false
	}
	results[1] = newResult(r)
	if s.Lemma11 != nil {
		if r = most(s.Lemma11, singles); r == nil || !isAtMost(r.Lemma11.Upper) {
			return false
		}
	}
	if s.SingleStop == nil {
		return true
	}
	r = most(s.SingleStop, singles)
	for i := range s.SingleStop {
		if r == nil || !isAtMost(r.SingleStop[i].Upper) {
			return false
		}
	}
	return true
}

// largerOfEach returns the larger number of each pair; nil if one of the lists is.
func largerOfEach(xs, ys []*big.Rat) (most []*big.Rat) {
	if xs == nil || ys == nil {
		return nil
	}
	for i, x := range xs {
		most = append(most, larger(x, ys[i]))
	}
	return most
}
