package stopping

import "math"

// curve is reliefs with one parameter: none falls as it grows.
type curve func(t float64) (reliefs []float64, err error)

// measure is a δ of reliefs: OptDel's or Lemma 11's. It does not fall when none of them does.
type measure func(reliefs []float64) (delta float64, err error)

// maxTrials is the largest number of members of a curve that are tried out.
const maxTrials = 60

// member is a member of a curve that was tried out.
type member struct {
	t       float64
	excess  float64 // ln(δ/target)
	reliefs []float64
	isNew   bool // the last one that was tried out
}

// illinois returns the member of f with the largest t in [lo, most] whose ln δ is at most target:
// that at lo if all are larger. hi is a guess from above.
//
// ln δ is nearly straight in between: chords, and an end that stays twice moved half way to
// the line (the Illinois method). Where it is flat, or nearly met at an end, halves help.
func (f curve) illinois(lo, hi, most, target float64, delta measure) (member, error) {
	try := func(t float64) (m member, err error) {
		m.t = t
		if m.reliefs, err = f(t); err != nil {
			return m, err
		}
		value, err := delta(m.reliefs)
		m.excess = math.Log(value) - target
		return m, err
	}
	low, err := try(lo)
	if err != nil || low.excess > -searchWidth {
		return low, err
	}
	high, err := try(min(hi, most))
	for err == nil && high.excess <= 0 && high.t < most {
		low = high
		high, err = try(min(2*high.t-lo+1, most))
	}
	if err != nil || high.excess <= 0 {
		return high, err
	}
	weights := [2]float64{1, 1}
	for trial := range maxTrials {
		t := between(low, high, weights)
		if trial%4 == 3 || t <= low.t || t >= high.t {
			t = low.t + (high.t-low.t)/2
		}
		m, err := try(t)
		switch {
		case err != nil:
			return m, err
		case m.t <= low.t || m.t >= high.t:
			return low, nil
		case m.excess > 0:
			weights = [2]float64{halfIf(high.isNew), 1}
			low.isNew, high = false, m
			high.isNew = true
		default:
			weights = [2]float64{1, halfIf(low.isNew)}
			high.isNew, low = false, m
			low.isNew = true
		}
		if low.excess > -searchWidth {
			break
		}
	}
	return low, nil
}

// halfIf returns the weight of an end whose opposite was replaced, and if again, halved.
func halfIf(again bool) float64 {
	if again {
		return 0.5
	}
	return 1
}

// between returns where the chord meets 0, or the middle if an end is infinite.
func between(low, high member, weights [2]float64) float64 {
	a, b := -low.excess*weights[0], high.excess*weights[1]
	if math.IsInf(a, 1) || a+b == 0 {
		return low.t + (high.t-low.t)/2
	}
	return low.t + (high.t-low.t)*(a/(a+b))
}
