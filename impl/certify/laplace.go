package certify

import "math"

// laplace is Laplace noise of scale 1, and d for what the record contributes. |y| − |y − d| is lost at y: −d below 0,
// d above d, and 2y − d between them. Places are between 0 and d, or infinite: there are atoms of the loss below 0
// and above d.
type laplace struct{ d span }

func (l laplace) place(eta float64) float64 {
	switch {
	case !(eta > -l.d.lo):
		return math.Inf(-1)
	case eta > l.d.hi:
		return math.Inf(1)
	}
	return min(max(0, (eta+l.d.lo)/2), l.d.lo)
}

// last returns the place beyond which all outputs lose the same: as much as any or, below it, as little.
func (l laplace) last(isBelow bool) float64 {
	if isBelow {
		return 0
	}
	return l.d.lo
}

func (l laplace) beside(y float64, try int, isUp bool) float64 {
	if math.IsInf(y, 0) {
		if y > 0 == isUp || try == 0 {
			return y
		}
		y = min(max(0, y), l.d.lo)
	}
	by := (l.d.lo + y) * math.Ldexp(0x1p-52, 2*try)
	switch {
	case isUp && y+by > l.d.lo:
		return math.Inf(1)
	case isUp:
		return y + by
	case y-by < 0:
		return math.Inf(-1)
	}
	return y - by
}

func (l laplace) edge(y float64) edge {
	eta := exactly(2 * y).minus(l.d)
	switch {
	case math.IsInf(y, -1):
		eta = l.d.negated()
	case math.IsInf(y, 1):
		eta = l.d
	}
	r := eta.exp()
	return edge{y: y, below: r, above: r}
}

// between takes noise around 1 for the mirror image of that around 0.
func (l laplace) between(from, to edge) (with, without span) {
	width := exactly(to.y).minus(exactly(from.y))
	x, y := l.d.minus(exactly(to.y)), l.d.minus(exactly(from.y))
	return laplaceBetween(x, y, width), laplaceBetween(exactly(from.y), exactly(to.y), width)
}

// laplaceBetween returns the probability of noise between two numbers so far apart, each of which is at least 0 or
// infinite. (It may be a little below 0 by rounding, which the next step outward makes good.)
func laplaceBetween(from, to, width span) span {
	tail := func(x span) span { return x.negated().exp().times(exactly(0.5)) }
	isLowest, isHighest := math.IsInf(from.lo, -1), math.IsInf(to.hi, 1)
	switch {
	case isLowest && isHighest:
		return exactly(1)
	case isLowest:
		return exactly(1).minus(tail(to)).probability()
	case isHighest:
		return tail(from)
	}
	return width.negated().expm1().negated().atLeast0().times(tail(from))
}
