package noise

import (
	"math"

	"checkrr/impl/certify/internal/num"
)

// mostDiscrete bounds the scale of discrete noise, of which all masses are listed.
const mostDiscrete = 10_000

// integers is discrete Gaussian noise: of x from 0 to the last one a probability to be x, and to be at least x.
// Beyond is less than leastDiscrete. (2x − 1)/(2σ²) is lost at x.
type integers struct {
	scale      num.Span
	mass, tail []num.Span
}

// leastDiscrete is more than what is beyond 38 standard deviations: masses fall there by a factor of e^(−38/σ) or
// more from each to the next, and the first is below e^-700.
const leastDiscrete = 1e-298

// newIntegers returns the law of x with a probability proportional to e^(−x²/(2σ²)), by sums from the far end on.
func newIntegers(scale num.Span) *integers {
	last := int(math.Ceil(38*scale.Hi)) + 1
	double := scale.Times(scale).Times(num.Exactly(2))
	n := &integers{scale, make([]num.Span, last+1), make([]num.Span, last+1)}
	sum := num.Span{Lo: 0, Hi: leastDiscrete}
	for x := last; x >= 0; x-- {
		n.mass[x] = num.Exactly(float64(x) * float64(x)).Over(double).Negated().Exp()
		if x > 0 {
			sum = sum.Plus(n.mass[x])
			n.tail[x] = sum
		}
	}
	all := num.Exactly(1).Plus(sum.Times(num.Exactly(2)))
	for x := range n.mass {
		n.mass[x], n.tail[x] = n.mass[x].Over(all), n.tail[x].Over(all).Probability()
	}
	n.tail[0] = num.Exactly(1).Minus(n.tail[1]).Probability()
	return n
}

// from returns the probability to be at least x.
func (n *integers) from(x float64) num.Span {
	switch {
	case x < 0:
		return num.Exactly(1).Minus(n.from(1 - x)).Probability()
	case x >= float64(len(n.tail)):
		return num.Span{Lo: 0, Hi: leastDiscrete}
	}
	return n.tail[int(x)]
}

func (n *integers) place(eta float64) float64 { return math.Ceil(eta*n.scale.Lo*n.scale.Lo + 0.5) }

func (n *integers) beside(y float64, try int, isUp bool) float64 {
	if isUp {
		return y + float64(try)
	}
	return y - float64(try)
}

func (n *integers) edge(y float64) edge {
	e := edge{y: y, above: num.Exactly(y)}
	switch {
	case math.IsInf(y, -1):
		e.above = num.Span{}
	case !math.IsInf(y, 1):
		e.below, e.above = n.ratio(y-1), n.ratio(y)
	default:
		e.below = e.above
	}
	return e
}

// ratio returns e^((2x − 1)/(2σ²)).
func (n *integers) ratio(x float64) num.Span {
	return num.Exactly(x - 0.5).Over(n.scale.Times(n.scale)).Exp()
}

// between adds few masses, and otherwise subtracts tails.
func (n *integers) between(from, to edge) (with, without num.Span) {
	return n.sum(from.y-1, to.y-1), n.sum(from.y, to.y)
}

func (n *integers) sum(from, to float64) (p num.Span) {
	if to-from > 64 || max(math.Abs(from), math.Abs(to)) >= float64(len(n.mass)) {
		x, y := n.from(from).Minus(n.from(to)), n.from(1-to).Minus(n.from(1-from))
		return num.Span{Lo: max(0, x.Lo, y.Lo), Hi: max(0, min(x.Hi, y.Hi))}
	}
	for x := from; x < to; x++ {
		p = p.Plus(n.mass[int(math.Abs(x))])
	}
	return p.AtLeast0()
}
