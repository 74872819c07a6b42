package impl

import (
	"math"
	"slices"
)

// quadrature returns the margin.
func (r runSearch) quadrature(levels []level) float64 {
	d, p0 := emptyLogSum, emptyLogSum
	for _, n := range r.nodes(levels) {
		w := r.logWeight(levels, n.z)
		p0.add(w, n.weight)
		if x := r.excess(levels, n.z); x > 0 {
			d.add(w+x, n.weight*-math.Expm1(-x)) // e^x − 1 = e^x·(1 − e^(−x))
		}
	}
	return d.log() - p0.log()
}

// logSum is the sum of numbers that float64 need not hold, sum·e^top.
type logSum struct{ top, sum float64 }

var emptyLogSum = logSum{math.Inf(-1), 0}

// add adds weight·e^x.
func (s *logSum) add(x, weight float64) {
	if x > s.top {
		s.sum *= math.Exp(s.top - x)
		s.top = x
	}
	s.sum += weight * math.Exp(x-s.top)
}

// log returns the logarithm of the sum.
func (s logSum) log() float64 { return s.top + math.Log(s.sum) }

// logWeight returns ln w(z), but for a constant.
func (r runSearch) logWeight(levels []level, z float64) float64 {
	sum := -math.Abs(z) / r.sigma
	for _, l := range levels {
		t := (z - l.answer()) / r.s
		if l.above {
			t = -t
		}
		sum += float64(l.times) * logLaplaceBelow(t)
	}
	return sum
}

// logLaplaceBelow returns ln Pr(X < t) for X ~ Lap(1).
func logLaplaceBelow(t float64) float64 {
	if t < 0 {
		return t - math.Ln2
	}
	return math.Log1p(-math.Exp(-t) / 2)
}

// excess returns x(z).
func (r runSearch) excess(levels []level, z float64) float64 {
	sum := min(max(-2*z, 0), 2) / r.sigma // 1 + |z| − |z + 1|
	for _, l := range levels {
		if l.above {
			sum += float64(l.times) * tailExcess((z-l.answer())/r.s, 2/r.s)
		}
	}
	return sum
}

// tailExcess returns h + ln Pr(X ≥ t + h) − ln Pr(X ≥ t) for X ~ Lap(1), without cancellation
// where it is near 0: for t from −h to 0, it is ln of e^(−t)/(2 − e^t) = 1/(1 − (1 − e^t)²).
// The first form is for t below −1, where the second one loses e^t.
func tailExcess(t, h float64) float64 {
	switch {
	case t >= 0:
		return 0
	case t >= -h && t < -1:
		return -t - math.Log(2-math.Exp(t))
	case t >= -h:
		e := math.Expm1(t)
		return -math.Log1p(-e * e)
	}
	return h + logLaplaceBelow(-t-h) - logLaplaceBelow(-t)
}

// node is a point of a quadrature.
type node struct{ z, weight float64 }

// gauss is the Gauss–Legendre rule with 8 nodes on [−1, 1], its positive half.
var gauss = [...]node{
	{0.1834346424956498, 0.3626837833783620},
	{0.5255324099163290, 0.3137066458778873},
	{0.7966664774136267, 0.2223810344533745},
	{0.9602898564975363, 0.1012285362903763},
}

// nodes returns Gauss's nodes on pieces between all points where w or x has a kink, and as
// far out as matters: to the left w falls with the rate of ρ and of the m ⊥; to the right
// the ⊥ are likely s·ln(m) beyond the last kink, and w falls with the rate of ρ and of the ⊤.
func (r runSearch) nodes(levels []level) []node {
	kinks, count := []float64{-1, 0}, [2]float64{}
	for _, l := range levels {
		kinks = append(kinks, l.answer())
		if l.above {
			kinks = append(kinks, l.answer()-2)
			count[1] += float64(l.times)
		} else {
			count[0] += float64(l.times)
		}
	}
	low := slices.Min(kinks) - tailDecay/(1/r.sigma+count[0]/r.s)
	high := slices.Max(kinks) + r.s*math.Log1p(count[0]) + tailDecay/(1/r.sigma+count[1]/r.s)
	kinks = append(kinks, low, high)
	slices.Sort(kinks)
	kinks = slices.Compact(kinks)
	length := stretch / (1/r.sigma + (count[0]+count[1])/r.s)
	pieces := even
	if high-low > maxPieces*length {
		pieces = growing
	}
	var result []node
	for i, to := range kinks[1:] {
		ends := pieces(kinks[i], to, length)
		for k, end := range ends[1:] {
			middle, half := (ends[k]+end)/2, (end-ends[k])/2
			for _, g := range gauss {
				result = append(result, node{middle - half*g.z, half * g.weight},
					node{middle + half*g.z, half * g.weight})
			}
		}
	}
	return result
}

// even returns the ends of pieces of equal length, at most the one given.
func even(from, to, length float64) []float64 {
	pieces := max(1, math.Ceil((to-from)/length))
	ends := []float64{from}
	for k := 1.0; k < pieces; k++ {
		ends = append(ends, from+(to-from)*k/pieces)
	}
	return append(ends, to)
}

// growing returns the ends of pieces that double in length towards the middle, from the one
// given: away from kinks ln w and x are nearly straight, and what counts is at an end.
func growing(from, to, length float64) []float64 {
	ends, rest := []float64{from}, []float64{to}
	for low, high := from, to; ; length *= 2 {
		low, high = low+length, high-length
		if low >= high {
			break
		}
		ends, rest = append(ends, low), append(rest, high)
	}
	slices.Reverse(rest)
	return append(ends, rest...)
}
