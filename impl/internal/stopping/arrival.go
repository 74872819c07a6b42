package stopping

import "math"

// arrival is the P0-law of the runs that come to a stop.
type arrival struct {
	*nodes
	mass     []float64 // of the nodes
	infinity float64   // P-mass of runs with an infinite loss
}

// value returns what ending here, and only here, is worth with a discount: the smallest δ of the
// composition of the mechanisms so far.
func (a *arrival) value(discount float64) float64 {
	sum := 0.0
	for m, pay := range a.pays(make([]float64, a.size), discount) {
		sum += a.mass[m] * pay
	}
	return a.infinity + sum
}

// discount is the inverse of value: the largest discount, of at most most, that is worth at most delta.
//
// Let S be the sum of mass·e^(depth − depth_m) over the nodes down to m. From a discount of depth_m
// on to depth_m + y, not beyond the next node, the value rises by (1 − e^−y)·S: nothing cancels.
func (a *arrival) discount(delta, most float64) float64 {
	rest, sum := delta-a.infinity, 0.0
	if rest <= 0 {
		return 0
	}
	for m, mass := range a.mass {
		sum += mass
		if m == a.size-1 || a.depth(m) >= most {
			return min(a.depth(m)-math.Log1p(-min(1, rest/sum)), most)
		}
		fall := a.fall(m)
		rise := sum * a.gap(m)
		if rest <= rise {
			return min(a.depth(m)-math.Log1p(-min(1, rest/sum)), most)
		}
		rest -= rise
		sum *= fall
	}
	panic("internal error: no node")
}

// gap returns 1 − fall.
func (p *nodes) gap(m int) float64 {
	if p.depths != nil {
		return -math.Expm1(p.depths[m] - p.depths[m+1])
	}
	return p.oneMinusExp[1]
}

// slope returns how fast the value rises with the discount: e^E times the P1-mass above the charge.
func (a *arrival) slope(discount float64) (sum float64) {
	for m := range a.above(discount) {
		sum += a.mass[m] * math.Exp(a.depth(m)-discount)
	}
	return sum
}
