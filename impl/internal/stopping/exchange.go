package stopping

import (
	"context"
	"math"
	"slices"
)

// exchange lowers the cost of a few charges with a δ of about target: it moves one and solves
// another for the δ, in steps that are halved when no pair is left for which that pays.
type exchange struct {
	*objective
	weights []float64
	target  float64
	left    int // evaluations of OptDel
}

// maxEvaluated is the largest number of evaluations of OptDel for one set of charges.
const maxEvaluated = 3000

// maxExchanged is the largest number of charges that are exchanged: there are as many pairs as
// their square, and the more charges there are, the less is gained.
const maxExchanged = 8

// finest is the last step, as a part of the largest loss.
const finest = 1.0 / (1 << 14)

// improved returns discounts that cost no more than these.
func (p *exchange) improved(ctx context.Context, discounts []float64) []float64 {
	scale := p.largest[len(discounts)-1]
	for step := scale / 2; step > scale*finest && p.left > 0; {
		if better := p.move(ctx, discounts, step); better != nil {
			discounts = better
		} else {
			step /= 2
		}
	}
	return discounts
}

// move returns discounts of which one is a step higher or lower, and which cost less, or nil if
// there are none.
func (p *exchange) move(ctx context.Context, discounts []float64, step float64) []float64 {
	for i, r := range discounts {
		for j := range discounts {
			for _, to := range []float64{min(p.largest[i], r+step), max(0, r-step)} {
				if i == j || to == r || p.left <= 0 {
					continue
				}
				if better := p.solve(ctx, discounts, i, j, to); better != nil {
					return better
				}
			}
		}
	}
	return nil
}

// solve returns the discounts with the i-th moved, and the j-th such that the δ is the target, or
// nil if they do not cost less than before.
func (p *exchange) solve(ctx context.Context, before []float64, i, j int, to float64) []float64 {
	least := 0.0 // of the j-th: with less it would not pay
	if p.weights[j] > 0 {
		least = max(0, before[j]+(before[i]-to)*p.weights[i]/p.weights[j])
	}
	most := p.largest[j]
	if least >= most || p.weights[j] == 0 && to <= before[i] {
		return nil
	}
	f := curve(func(t float64) []float64 {
		discounts := slices.Clone(before)
		discounts[i], discounts[j] = to, min(t, most)
		return discounts
	})
	value := func(ctx context.Context, discounts []float64) float64 {
		p.left--
		return p.optDel(ctx, discounts)
	}
	m := f.last(ctx, least, least+(most-least)/8, most, math.Log(p.target), searchWidth, value)
	if m.excess > 0 || p.cost(p.weights, m.discounts) >= p.cost(p.weights, before)*(1-1e-9) {
		return nil
	}
	return m.discounts
}
