package impl

import (
	"context"
	"math/big"
	"slices"

	"checkrr/impl/certify"
	"checkrr/impl/internal/stopping"
	"checkrr/impl/interval"
)

// design returns charges that are enough for neighbours in both orders. In most cases those for one order are enough
// for the other; if not, charges are sought of which the larger δ of both orders is at most delta. So are those with
// which they are compared.
func design(ctx context.Context, p Pipeline, delta *big.Rat, o ScheduleOptions) (*Schedule, error) {
	orders, part := p.orders(), 1.0
	if len(orders) == 2 {
		part = 0.4
	}
	one, err := stopping.NewScheduler(ctx, orders[0], delta, o.kernel(0, part))
	if err != nil {
		return nil, err
	}
	if !o.isTogether {
		if s, err := designOne(ctx, one, p, orders, delta, o); s != nil || err != nil {
			return s, err
		}
	}
	both, err := one.With(ctx, orders[1], o.kernel(0.4, 1))
	if err != nil {
		return nil, err
	}
	s, err := both.Schedule(ctx)
	if err != nil {
		return nil, err
	}
	o.compare(ctx, both, s)
	all := newSchedule(p, s, s.Result, o)
	all.isTogether = true
	return all, nil
}

// designOne returns charges for neighbours in the first order, if they are enough for the other, where there is one;
// otherwise nil.
func designOne(
	ctx context.Context, one stopping.Scheduler, p Pipeline, orders stopping.Orders, delta *big.Rat, o ScheduleOptions,
) (*Schedule, error) {
	s, err := one.Schedule(ctx)
	if err != nil {
		return nil, err
	}
	if len(orders) == 1 {
		o.compare(ctx, one, s)
		return newSchedule(p, s, s.Result, o), nil
	}
	other := otherOrder{orders[1], delta}
	r := other.enough(ctx, s.Charges, certify.Both, ofOptDel, stopping.Roughly, o.Slack)
	if r == nil {
		return nil, nil
	}
	if o.compare(ctx, one, s); !o.isFirst && !other.isComparable(ctx, s, o.Slack) {
		s.Comparisons = stopping.Comparisons{}
		if both, err := one.With(ctx, other.Problem, o.kernel(0.4, 1)); err == nil {
			o.compare(ctx, both, s)
		} else {
			s.Lack(err)
		}
	}
	return newSchedule(p, s, Worst(s.Result, r), o), nil
}

// otherOrder is neighbours in another order than those whose charges are known.
type otherOrder struct {
	stopping.Problem
	delta *big.Rat
}

// enough returns what is certified of charges for these neighbours, with one of the widths, if what is sought of it
// is at most delta; otherwise nil. Both orders may need almost the same, so that a rough answer does not tell.
func (o otherOrder) enough(
	ctx context.Context, charges []*big.Rat, need certify.Need, sought func(*stopping.Result) []interval.Interval,
	widths ...float64,
) *stopping.Result {
	enough := new(big.Float).SetMode(big.ToNegativeInf).SetPrec(64).SetRat(o.delta)
	exceeds := func(x *big.Float) bool {
		r, _ := x.Rat(nil)
		return r.Cmp(o.delta) > 0
	}
	mayBeMore := func(x interval.Interval) bool { return exceeds(x.Upper) }
	isMore := func(x interval.Interval) bool { return exceeds(x.Lower) }
	for _, width := range widths {
		k := stopping.Options{RelWidth: width, Need: need, Enough: &stopping.Enough{OptDel: enough, Lemma11: enough}}
		r, err := stopping.Solve(ctx, o.Charged(charges), k)
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
func ofOptDel(r *stopping.Result) []interval.Interval  { return []interval.Interval{r.OptDel} }
func ofLemma11(r *stopping.Result) []interval.Interval { return []interval.Interval{r.Lemma11} }
func ofSingles(r *stopping.Result) []interval.Interval { return r.SingleStop }

// isComparable reports whether what a schedule is compared with is enough for these neighbours, too.
func (o otherOrder) isComparable(ctx context.Context, s *stopping.Schedule, slack float64) bool {
	return (s.Lemma11 == nil || o.enough(ctx, s.Lemma11, certify.Singles, ofLemma11, stopping.Roughly, slack) != nil) &&
		(s.SingleStop == nil || o.enough(ctx, s.SingleStop, certify.Singles, ofSingles, stopping.Roughly, slack) != nil)
}
