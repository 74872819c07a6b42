package impl

import (
	"context"
	"math"
	"slices"
)

// polish lowers the cost of a few charges with a δ of about target: it moves one and solves
// another for the δ, in steps that are halved when no pair is left for which that pays.
type polish struct {
	*design
	weights []float64
	target  float64
}

// maxPolished is the largest number of charges that are polished: there are as many pairs as
// their square, and the more charges there are, the less is gained.
const maxPolished = 8

// finest is the last step, as a part of the largest charge.
const finest = 1.0 / (1 << 14)

// from returns charges that cost no more than these.
func (p *polish) from(ctx context.Context, charges []float64) ([]float64, error) {
	scale := slices.Max(charges)
	for step := scale / 2; step > scale*finest; {
		better, err := p.move(ctx, charges, step)
		switch {
		case err != nil:
			return nil, err
		case better == nil:
			step /= 2
		default:
			charges = better
		}
	}
	return charges, nil
}

// move returns charges of which one is a step higher or lower, and which cost less, or nil if
// there are none.
func (p *polish) move(ctx context.Context, charges []float64, step float64) ([]float64, error) {
	for i := range charges {
		for j := range charges {
			for _, to := range []float64{max(0, charges[i]-step), min(p.largest[i], charges[i]+step)} {
				if i == j || to == charges[i] || p.weights[i]*(to-charges[i]) >= p.weights[j]*charges[j] {
					continue
				}
				moved := slices.Clone(charges)
				moved[i] = to
				better, err := p.solve(ctx, moved, j, charges)
				if err != nil || better != nil {
					return better, err
				}
			}
		}
	}
	return nil, nil
}

// solve returns the charges with the j-th such that the δ is the target, or nil if they do not
// cost less than before.
func (p *polish) solve(ctx context.Context, charges []float64, j int, before []float64) ([]float64, error) {
	cost := dot(p.weights, before)
	f := family(func(t float64) ([]float64, error) {
		charges := slices.Clone(charges)
		charges[j] = max(0, p.largest[j]-t)
		return charges, nil
	})
	value := func(charges []float64) (float64, error) { return p.optDel(ctx, charges) }
	// only a j-th charge below this one is of use
	charges[j] = 0
	if p.weights[j] > 0 {
		charges[j] = min(p.largest[j], (cost-dot(p.weights, charges))/p.weights[j])
	}
	lo := p.largest[j] - charges[j]
	m, err := f.reach(lo, min(p.largest[j], lo+charges[j]/8), p.largest[j], math.Log(p.target), value)
	if err != nil || m.excess > 0 || dot(p.weights, m.charges) >= cost*(1-1e-9) {
		return nil, err
	}
	return m.charges, nil
}
