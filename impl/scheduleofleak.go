package impl

import (
	"cmp"
	"context"
	"math/big"
	"slices"
	"sort"

	"checkrr/impl/certify"
	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/stopping"
	"checkrr/impl/interval"
)

// scheduleOfLeak returns the schedule for a delta that is what no charge can buy: charges of the largest finite losses.
// An infinite loss is as bad at every stop, and the last one has them all, so that OptDel is delta. Smaller charges may
// do at earlier stops, which is a matter of Optimal, and where delta is that in one order of neighbours only.
func (p Pipeline) scheduleOfLeak(
	ctx context.Context, delta *big.Rat, c comparedLeak, o ScheduleOptions,
) (*Schedule, error) {
	charges, isLeast := p.chargesOfLeak(ctx, delta, c, o)
	if charges == nil {
		return nil, &DeltaError{Rule: "is " + rational.Decimal(delta) + ", must be more than that, which " +
			p.leaking() + " amount to in one order of neighbours: in the other one there are losses without a bound",
			IsLeak: true}
	}
	r, err := OptDel(ctx, p.charged(charges), Options{RelWidth: o.Slack, Progress: o.Progress})
	if err != nil {
		return nil, err
	}
	s := &Schedule{Pipeline: p.charged(charges).clone(), Result: r, OptDel: rational.Copy(delta), Lemma11: charges,
		SingleStop: charges, Weights: slices.Clone(o.Weights), Shape: o.Shape}
	switch {
	case delta.Sign() == 0 || len(charges) == 1 && isLeast:
		return s, nil
	case !isLeast || o.Shape == Optimal:
		s.Shortfall = "the δ is what no charge can buy: the charges are all that can be lost beside it, and " +
			"smaller ones were not sought"
	}
	if n := len(charges) - 1; n > 0 && p.upTo(n-1).compareLeak(new(big.Rat)).sign != isLeak {
		s.Lemma11, s.IsLeaking = nil, true
	}
	// the stops up to which less than delta is lost whatever is charged
	n := sort.Search(len(charges), func(i int) bool { return p.upTo(i).compareLeak(delta).sign != isMore })
	if n == 0 {
		return s, nil
	}
	before, err := DesignSchedule(ctx, p.upTo(n-1), delta, ScheduleOptions{})
	if err != nil || before.SingleStop == nil {
		var lack stopping.Schedule
		lack.Lack(cmp.Or(err, ctx.Err()))
		s.SingleStop, s.Shortfall = nil, cmp.Or(s.Shortfall, lack.Shortfall)
		return s, nil
	}
	s.SingleStop = slices.Clone(charges)
	for i, e := range before.SingleStop {
		s.SingleStop[i] = rational.Min(e, charges[i])
	}
	return s, nil
}

// scheduleOfLosses returns charges of the largest finite losses, of which OptDel is what no charge can buy, at most
// leak.
func (p Pipeline) scheduleOfLosses(ctx context.Context, leak *big.Rat, o ScheduleOptions) (*Schedule, error) {
	charges := slices.Repeat([]*big.Rat{new(big.Rat)}, len(p.Stops))
	for _, q := range p.Orders() {
		charges = q.notBelowLosses(charges)
	}
	r, err := OptDel(ctx, p.charged(charges), Options{RelWidth: o.Slack, Progress: o.Progress})
	if err != nil {
		return nil, err
	}
	return &Schedule{Pipeline: p.charged(charges).clone(), Result: r, OptDel: rational.Copy(leak),
		Weights: slices.Clone(o.Weights), Shape: o.Shape, Shortfall: "the δ is hardly more than what no charge can buy: " +
			"the charges are all that can be lost beside it, and smaller ones were not found"}, nil
}

// upTo returns the pipeline up to the i-th stop, from 0.
func (p Pipeline) upTo(i int) Pipeline {
	q := p.first(p.Stops[i].After)
	return Pipeline{q, p.Stops[:i+1]}
}

// chargesOfLeak returns charges that are no less than all finite losses where delta is what no charge can buy, and,
// unless these are enough for neighbours in the other order, there as well, in which case they are not the least. It
// returns nil if there are none.
func (p Pipeline) chargesOfLeak(
	ctx context.Context, delta *big.Rat, c comparedLeak, o ScheduleOptions,
) (charges []*big.Rat, isLeast bool) {
	orders := p.Orders()
	charges = slices.Repeat([]*big.Rat{new(big.Rat)}, len(p.Stops))
	for i, q := range orders {
		if c.each[i] == isLeak {
			charges = q.notBelowLosses(charges)
		}
	}
	isLeast = true
	for i, q := range orders {
		other := otherOrder{q.problem(), delta}
		switch {
		case c.each[i] == isLeak,
			other.enough(ctx, charges, certify.Both, ofOptDel, stopping.Roughly, o.Slack) != nil:
		case slices.ContainsFunc(q.Mechanisms, func(m Mechanism) bool { return !hasMostLoss(m) }):
			return nil, false
		default:
			charges, isLeast = q.notBelowLosses(charges), false
		}
	}
	return charges, isLeast
}

// notBelowLosses returns charges, or the largest finite losses for neighbours in the order that laws are given in,
// rounded up, where these are larger.
func (p Pipeline) notBelowLosses(charges []*big.Rat) (larger []*big.Rat) {
	const bits, digits = 192, 15
	for i, sum := range p.sums(interval.Precision(bits)) {
		most := sum.Exact
		if most == nil {
			_, most = sum.Eps.Rats()
		}
		larger = append(larger, rational.Max(stopping.RoundedUp(most, digits), charges[i]))
	}
	return larger
}
