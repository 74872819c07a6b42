package impl

import "math"

// family is charges with one parameter: none rises as it grows.
type family func(t float64) (charges []float64, err error)

// measure is a δ of charges: OptDel's or Lemma 11's. It does not fall when none of them
// rises.
type measure func(charges []float64) (delta float64, err error)

// maxTrials is the largest number of members of a family that are tried out.
const maxTrials = 60

// member is a member of a family that was tried out.
type member struct {
	t, excess float64 // ln(δ/target)
	charges   []float64
}

// reach returns the charges of f with the largest t in [lo, most] whose ln δ is at most
// target: those at lo if all are larger. hi is a guess from above.
//
// ln δ is nearly straight in between: chords, the end that stays moved half way to the line
// (the Illinois method), and now and then halves.
func (f family) reach(lo, hi, most, target float64, delta measure) ([]float64, error) {
	try := func(t float64) (m member, err error) {
		m.t = t
		if m.charges, err = f(t); err != nil {
			return m, err
		}
		value, err := delta(m.charges)
		m.excess = math.Log(value) - target
		return m, err
	}
	low, err := try(lo)
	if err != nil || low.excess > -searchWidth {
		return low.charges, err
	}
	high, err := try(min(hi, most))
	for err == nil && high.excess <= 0 && high.t < most {
		low = high
		high, err = try(min(2*high.t-lo+1, most))
	}
	if err != nil || high.excess <= 0 {
		return high.charges, err
	}
	weights := [2]float64{1, 1}
	for trial := range maxTrials {
		t := between(low, high, weights)
		if trial%4 == 3 || t <= low.t || t >= high.t { // where ln δ is flat, or nearly met at an end, chords are slow
			t = low.t + (high.t-low.t)/2
		}
		m, err := try(t)
		switch {
		case err != nil:
			return nil, err
		case m.t <= low.t || m.t >= high.t:
			return low.charges, nil
		case m.excess > 0:
			high, weights = m, [2]float64{weights[0] / 2, 1}
		default:
			low, weights = m, [2]float64{1, weights[1] / 2}
		}
		if low.excess > -searchWidth {
			break
		}
	}
	return low.charges, nil
}

// between returns where the chord meets 0, or the middle if an end is infinite.
func between(low, high member, weights [2]float64) float64 {
	a, b := -low.excess*weights[0], high.excess*weights[1]
	if math.IsInf(a, 1) || a+b == 0 {
		return low.t + (high.t-low.t)/2
	}
	return low.t + (high.t-low.t)*(a/(a+b))
}
