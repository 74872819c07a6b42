package stopping

import "math"

// warmStart is where a search ended: the next one, for a target that is not far, starts there.
type warmStart struct {
	near      float64 // how far below its target a search may end
	t, target float64
	isSet     bool
}

// reach is [curve.last], started near where the last search ended.
func (w *warmStart) reach(f curve, lo, hi, most, target float64, delta measure) ([]float64, error) {
	if step := target - w.target; w.isSet && math.Abs(step) < 1 {
		const margin = 1e-6
		from, to := w.t+2*min(0, step)-margin, w.t+2*max(0, step)+margin
		if from > lo {
			m, err := f.last(from, to, most, target, w.near, delta)
			if err != nil || m.excess <= 0 {
				*w = warmStart{w.near, m.t, target, true}
				return m.reliefs, err
			}
		}
	}
	m, err := f.last(lo, hi, most, target, w.near, delta)
	*w = warmStart{w.near, m.t, target, err == nil}
	return m.reliefs, err
}
