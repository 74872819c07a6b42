package impl

import "math"

// window bounds the probability that the walk is low, by Chernoff's inequality:
// ln P0(S_k ≤ m) ≤ t·m + ln E0[e^(−t·S_k)] for every t > 0, with S_k the node
// after k mechanisms and the expectation over outputs that are possible under
// both. The right side is convex in t; a ladder of values of t is enough.
type window struct {
	tilts   []float64
	logs    []float64 // ln E0[e^(−t·S_k)] at the current place
	best    int       // index of the best t, where the next search starts
	budget  float64   // ln of what one trim may cost
	charged float64   // P0-mass of the walks below lo at the last trim
}

// windowSlack covers the rounding of the bounds above, which are sums of up to
// 10^7 logarithms: far more than it can amount to.
const windowSlack = 1.01

// newWindow returns the window at the end of the walk, for trims that may cost
// budget each.
func newWindow(walk *walk, budget float64) *window {
	w := &window{budget: math.Log(budget)}
	for t := 0.02 / walk.spread(); t < 64 && len(w.tilts) < 64; t *= math.Sqrt2 {
		w.tilts = append(w.tilts, t)
	}
	w.logs = make([]float64, len(w.tilts))
	walk.groups(func(s *step, times int) { w.add(s, float64(times)) })
	return w
}

// add moves the place by n uses of the step s.
func (w *window) add(s *step, n float64) {
	for j, l := range s.cumulants(w.tilts) {
		w.logs[j] += n * l
	}
}

// tail returns a bound on ln P0(S_k ≤ m).
func (w *window) tail(m int) float64 {
	if m < 0 {
		return math.Inf(-1)
	}
	at := func(j int) float64 { return w.tilts[j]*float64(m) + w.logs[j] }
	value := at(w.best)
	for _, d := range [2]int{1, -1} {
		for j := w.best + d; j >= 0 && j < len(w.tilts); j += d {
			v := at(j)
			if v >= value {
				break
			}
			w.best, value = j, v
		}
	}
	return min(0, value)
}
