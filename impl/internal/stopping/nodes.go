package stopping

import "math"

// nodes is the losses between two responses, as nodes from the largest loss down. Node m lies depth(m)
// below the largest loss that can be reached there: near that loss, charges and losses are written
// as what they are less, and nothing is lost to rounding.
type nodes struct {
	*scale
	first, size int       // node m is first + m units deep
	origin      int       // the node from which depths are counted, where that is not 0
	depths      []float64 // of the nodes, where they have no unit
}

// scale is the distances between nodes of a lattice.
type scale struct {
	unit        float64
	falls       []float64 // e^−(j·unit)
	oneMinusExp []float64 // of j·unit
}

// extend makes the tables at least n long.
func (s *scale) extend(n int) {
	for j := len(s.falls); j < n; j++ {
		x := -float64(j) * s.unit
		s.falls, s.oneMinusExp = append(s.falls, math.Exp(x)), append(s.oneMinusExp, -math.Expm1(x))
	}
}

func (p *nodes) depth(m int) float64 {
	if p.depths != nil {
		return p.depths[m]
	}
	return float64(p.first-p.origin+m) * p.unit
}

// fall returns e^−(distance from node m to the next).
func (p *nodes) fall(m int) float64 {
	if p.depths != nil {
		return math.Exp(p.depths[m] - p.depths[m+1])
	}
	return p.falls[1]
}

// above returns the number of nodes that are less deep than discount: those that pay.
func (p *nodes) above(discount float64) int {
	n := 0
	if p.depths == nil {
		n = int(min(max(0, math.Ceil(discount/p.unit)-float64(p.first-p.origin)), float64(p.size)))
	}
	for n < p.size && p.depth(n) < discount {
		n++
	}
	for n > 0 && p.depth(n-1) >= discount {
		n--
	}
	return n
}

// pays returns 1 − e^(charge − loss) for the nodes that pay, in dst. With p(x) = 1 − e^−x,
// p(x + y) = p(x)·e^−y + p(y): nothing cancels.
func (p *nodes) pays(dst []float64, discount float64) []float64 {
	dst = dst[:p.above(discount)]
	if p.depths != nil {
		for m := range dst {
			dst[m] = -math.Expm1(p.depths[m] - discount)
		}
		return dst
	}
	last := len(dst) - 1
	if last < 0 {
		return dst
	}
	start := -math.Expm1(p.depth(last) - discount)
	falls, complements := p.falls[:len(dst)], p.oneMinusExp[:len(dst)]
	for j, fall := range falls {
		dst[last-j] = start*fall + complements[j]
	}
	return dst
}
