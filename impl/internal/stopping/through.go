package stopping

import (
	"context"
	"math/big"

	"checkrr/impl/internal/rational"
)

// Through returns the charges of a shape, any but Optimal, for the stops of p that are eps at the i-th stop, from 0:
// about, and rounded up. Values near delta are told from each other. The charges of p are not used.
//
// Every shape is a curve ε_j(leak_j + t·s_j) in t, along which all charges fall. What the i-th stop alone needs for
// eps says which t has eps there: the schedule for a δ charges at most eps there where OptDel of this one point of
// the curve is at most δ.
func Through(ctx context.Context, p Problem, i int, eps *big.Rat, shape Shape, delta float64) ([]*big.Rat, error) {
	if len(p.Stops) == 1 {
		return []*big.Rat{eps}, nil
	}
	d, err := newObjective(ctx, p, delta)
	if err != nil {
		return nil, err
	}
	leaks, deltas := p.Infinities(), shape.proportions(len(p.Stops))
	discounts := make([]float64, len(p.Stops))
	discounts[i] = max(0, d.largest[i]-rational.Float64(eps))
	t := max(0, d.singles(ctx, discounts)[i]-leaks[i]) / deltas[i]
	for j, leak := range leaks {
		deltas[j] = leak + t*deltas[j]
	}
	charges := make([]*big.Rat, len(discounts))
	for j, r := range d.discounts(ctx, deltas) {
		charges[j] = RoundedUp(d.exact(j, r), leastDigits)
	}
	charges[i] = eps
	return charges, ctx.Err()
}
