package stopping

import (
	"context"
	"math"

	"checkrr/impl/internal/rootfind"
)

// curve is discounts with one parameter: none falls as it grows.
type curve func(t float64) (discounts []float64)

// measure is a δ of discounts: OptDel's or Lemma 11's. It does not fall when none of them does.
type measure func(ctx context.Context, discounts []float64) (delta float64)

// member is a member of a curve that was tried out.
type member struct {
	t         float64
	excess    float64 // ln(δ/target)
	discounts []float64
}

// last returns the member with the largest t in [lo, most] whose ln δ is at most target: that at lo if all
// are larger, up to near below it. hi is a guess of t from above. ln δ is nearly straight in between.
func (f curve) last(ctx context.Context, lo, hi, most, target, near float64, delta measure) (m member) {
	_, _, _ = rootfind.Last(lo, hi, most, near, func(t float64) (float64, error) {
		discounts := f(t)
		excess := math.Log(delta(ctx, discounts)) - target
		if excess <= 0 || m.discounts == nil {
			m = member{t, excess, discounts}
		}
		return excess, ctx.Err()
	})
	return m
}

// warmStart is where a search ended: the next one, for a target that is not far, starts there.
type warmStart struct {
	near      float64 // how far below its target a search may end
	t, target float64
	isSet     bool
}

// reach is [curve.last], started near where the last search ended.
func (w *warmStart) reach(ctx context.Context, f curve, lo, hi, most, target float64, delta measure) []float64 {
	step := target - w.target
	const margin = 1e-6
	from, to := w.t+2*min(0, step)-margin, w.t+2*max(0, step)+margin
	m, isWarm := member{excess: 1}, w.isSet && math.Abs(step) < 1 && from > lo
	if isWarm {
		m = f.last(ctx, from, to, most, target, w.near, delta)
	}
	if !(m.excess <= 0) {
		m = f.last(ctx, lo, hi, most, target, w.near, delta)
	}
	w.t, w.target, w.isSet = m.t, target, true
	return m.discounts
}
