package certify

import "math"

// mostDiscrete bounds the scale of discrete noise, of which all masses are listed.
const mostDiscrete = 10_000

// integers is discrete Gaussian noise: of x from 0 to the last one a probability to be x, and to be at least x.
// Beyond is less than leastDiscrete. (2x − 1)/(2σ²) is lost at x.
type integers struct {
	scale      span
	mass, tail []span
}

// leastDiscrete is more than what is beyond 38 standard deviations: masses fall there by a factor of e^(−38/σ) or
// more from each to the next, and the first is below e^-700.
const leastDiscrete = 1e-298

// newIntegers returns the law of x with a probability proportional to e^(−x²/(2σ²)), by sums from the far end on.
func newIntegers(scale span) *integers {
	last := int(math.Ceil(38*scale.hi)) + 1
	double := scale.times(scale).times(exactly(2))
	n := &integers{scale, make([]span, last+1), make([]span, last+1)}
	sum := span{0, leastDiscrete}
	for x := last; x >= 0; x-- {
		n.mass[x] = exactly(float64(x) * float64(x)).over(double).negated().exp()
		if x > 0 {
			sum = sum.plus(n.mass[x])
			n.tail[x] = sum
		}
	}
	all := exactly(1).plus(sum.times(exactly(2)))
	for x := range n.mass {
		n.mass[x], n.tail[x] = n.mass[x].over(all), n.tail[x].over(all).probability()
	}
	n.tail[0] = exactly(1).minus(n.tail[1]).probability()
	return n
}

// from returns the probability to be at least x.
func (n *integers) from(x float64) span {
	switch {
	case x < 0:
		return exactly(1).minus(n.from(1 - x)).probability()
	case x >= float64(len(n.tail)):
		return span{0, leastDiscrete}
	}
	return n.tail[int(x)]
}

func (n *integers) place(eta float64) float64 { return math.Ceil(eta*n.scale.lo*n.scale.lo + 0.5) }

func (n *integers) beside(y float64, try int, isUp bool) float64 {
	if isUp {
		return y + float64(try)
	}
	return y - float64(try)
}

func (n *integers) edge(y float64) edge {
	e := edge{y: y, above: exactly(y)}
	switch {
	case math.IsInf(y, -1):
		e.above = span{}
	case !math.IsInf(y, 1):
		e.below, e.above = n.ratio(y-1), n.ratio(y)
	default:
		e.below = e.above
	}
	return e
}

// ratio returns e^((2x − 1)/(2σ²)).
func (n *integers) ratio(x float64) span {
	return exactly(x - 0.5).over(n.scale.times(n.scale)).exp()
}

// between adds few masses, and otherwise subtracts tails.
func (n *integers) between(from, to edge) (with, without span) {
	return n.sum(from.y-1, to.y-1), n.sum(from.y, to.y)
}

func (n *integers) sum(from, to float64) (p span) {
	if to-from > 64 || max(math.Abs(from), math.Abs(to)) >= float64(len(n.mass)) {
		x, y := n.from(from).minus(n.from(to)), n.from(1-to).minus(n.from(1-from))
		return span{max(0, x.lo, y.lo), max(0, min(x.hi, y.hi))}
	}
	for x := from; x < to; x++ {
		p = p.plus(n.mass[int(math.Abs(x))])
	}
	return p.atLeast0()
}
