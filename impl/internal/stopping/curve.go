package stopping

import (
	"math"

	"checkrr/impl/internal/rootfind"
)

// curve is reliefs with one parameter: none falls as it grows.
type curve func(t float64) (reliefs []float64, err error)

// measure is a δ of reliefs: OptDel's or Lemma 11's. It does not fall when none of them does.
type measure func(reliefs []float64) (delta float64, err error)

// member is a member of a curve that was tried out.
type member struct {
	t       float64
	excess  float64 // ln(δ/target)
	reliefs []float64
}

// last returns the member with the largest t in [lo, most] whose ln δ is at most target: that at lo if all
// are larger, up to near below it. hi is a guess of t from above. ln δ is nearly straight in between.
func (f curve) last(lo, hi, most, target, near float64, delta measure) (m member, err error) {
	_, _, err = rootfind.Last(lo, hi, most, near, func(t float64) (float64, error) {
		reliefs, err := f(t)
		if err != nil {
			return 0, err
		}
		value, err := delta(reliefs)
		excess := math.Log(value) - target
		if excess <= 0 || m.reliefs == nil {
			m = member{t, excess, reliefs}
		}
		return excess, err
	})
	return m, err
}
