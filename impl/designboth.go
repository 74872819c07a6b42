package impl

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"slices"

	"checkrr/impl/certify"
	"checkrr/impl/internal/stopping"
)

// designBoth returns charges that are enough for neighbours in both orders. In most cases those for one order are enough for the other; if not, charges are sought of which the larger δ
// of both orders is at most delta. So are those with which they are compared.
func designBoth(ctx context.Context, orders []Pipeline, delta *big.Rat, o ScheduleOptions) (*Schedule, error) {
	s, err := stopping.Design(ctx, orders[0].problem(), delta, o.kernel(0, 0.4))
	if err != nil {
		return nil, err
	}
	results := []*Result{newResult(s.Solution), nil}
	other := otherOrder{orders[1], delta, o.Slack}
	q := other.problem()
	both := o.kernel(0.4, 0.9)
	both.Other = &q
	if r := other.enough(ctx, s.Charges, stopping.NeedBoth, ofOptDel); r != nil {
		if results[1] = newResult(r); !other.isComparable(ctx, s) {
			c, err := stopping.Compare(ctx, orders[0].problem(), delta, both)
			if err != nil && s.Shortfall == "" {
				s.Shortfall = stopping.Incomparable(err)
			}
			s.Narrow(c)
		}
		return newSchedule(orders[0], s, Worst(results...), o), nil
	}
	if s, err = stopping.Design(ctx, orders[0].problem(), delta, both); err != nil {
		return nil, err
	}
	for i, q := range orders {
		if results[i], err = narrowEnough(ctx, q.charged(s.Charges), delta, o.Slack); err != nil {
			return nil, err
		}
		if _, upper := results[i].OptDel.Rats(); upper.Cmp(delta) > 0 && s.Shortfall == "" {
			s.Shortfall = fmt.Sprintf("for neighbours %s OptDel was at most δ, but that is not seen again: %s", Orders[i], cmp.Or(results[i].Shortfall, "the two are too close"))
		}
	}
	return newSchedule(orders[0], s, Worst(results...), o), nil
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

// otherOrder is neighbours in another order than those whose charges are known.
type otherOrder struct {
	Pipeline
	delta *big.Rat
	slack float64
}

// enough returns what is certified of charges for these neighbours, if what is sought of it is at most delta; otherwise nil. Both orders may need almost the same, so that a rough
// answer does not tell.
func (o otherOrder) enough(ctx context.Context, charges []*big.Rat, need stopping.Need, sought func(*stopping.Solution) []certify.Interval) *stopping.Solution {
	enough := new(big.Float).SetMode(big.ToNegativeInf).SetPrec(64).SetRat(o.delta)
	exceeds := func(x *big.Float) bool {
		r, _ := x.Rat(nil)
		return r.Cmp(o.delta) > 0
	}
	mayBeMore := func(x certify.Interval) bool { return exceeds(x.Upper) }
	isMore := func(x certify.Interval) bool { return exceeds(x.Lower) }
	for _, width := range [...]float64{roughly, o.slack} {
		k := stopping.Options{RelWidth: width, Need: need, Enough: &stopping.Enough{OptDel: enough, Lemma11: enough}}
		r, err := stopping.Solve(ctx, o.charged(charges).problem(), k)
		switch {
		case err != nil || slices.ContainsFunc(sought(r), isMore):
			return nil
		case !slices.ContainsFunc(sought(r), mayBeMore):
			return r
		}
	}
	return nil
}

// What is sought of a solution.
func ofOptDel(r *stopping.Solution) []certify.Interval  { return []certify.Interval{r.OptDel} }
func ofLemma11(r *stopping.Solution) []certify.Interval { return []certify.Interval{r.Lemma11} }
func ofSingles(r *stopping.Solution) []certify.Interval { return r.SingleStop }

// isComparable reports whether what a schedule is compared with is enough for these neighbours, too.
func (o otherOrder) isComparable(ctx context.Context, s *stopping.Schedule) bool {
	return (s.Lemma11 == nil || o.enough(ctx, s.Lemma11, stopping.NeedLemma11, ofLemma11) != nil) &&
		(s.SingleStop == nil || o.enough(ctx, s.SingleStop, stopping.NeedLemma11, ofSingles) != nil)
}
