package noise

import (
	"math"

	"checkrr/impl/certify/internal/num"
)

// laplace is Laplace noise of scale 1, and d for what the record contributes. |y| − |y − d| is lost at y: −d below 0,
// d above d, and 2y − d between them. Places are between 0 and d, or infinite: there are atoms of the loss below 0
// and above d.
type laplace struct{ d num.Span }

func (l laplace) place(eta float64) float64 {
	switch {
	case !(eta > -l.d.Lo):
		return math.Inf(-1)
	case eta > l.d.Hi:
		return math.Inf(1)
	}
	return min(max(0, (eta+l.d.Lo)/2), l.d.Lo)
}

// last returns the place beyond which all outputs lose the same: as much as any or, below it, as little.
func (l laplace) last(isBelow bool) float64 {
	if isBelow {
		return 0
	}
	return l.d.Lo
}

func (l laplace) beside(y float64, try int, isUp bool) float64 {
	if math.IsInf(y, 0) {
		if y > 0 == isUp || try == 0 {
			return y
		}
		y = min(max(0, y), l.d.Lo)
	}
	by := (l.d.Lo + y) * math.Ldexp(0x1p-52, 2*try)
	switch {
	case isUp && y+by > l.d.Lo:
		return math.Inf(1)
	case isUp:
		return y + by
	case y-by < 0:
		return math.Inf(-1)
	}
	return y - by
}

func (l laplace) edge(y float64) edge {
	eta := num.Exactly(2 * y).Minus(l.d)
	switch {
	case math.IsInf(y, -1):
		eta = l.d.Negated()
	case math.IsInf(y, 1):
		eta = l.d
	}
	r := eta.Exp()
	return edge{y: y, below: r, above: r}
}

// between takes noise around 1 for the mirror image of that around 0.
func (l laplace) between(from, to edge) (with, without num.Span) {
	width := num.Exactly(to.y).Minus(num.Exactly(from.y))
	x, y := l.d.Minus(num.Exactly(to.y)), l.d.Minus(num.Exactly(from.y))
	return laplaceBetween(x, y, width), laplaceBetween(num.Exactly(from.y), num.Exactly(to.y), width)
}

// laplaceBetween returns the probability of noise between two numbers so far apart, each of which is at least 0 or
// infinite. (It may be a little below 0 by rounding, which the next step outward makes good.)
func laplaceBetween(from, to, width num.Span) num.Span {
	tail := func(x num.Span) num.Span { return x.Negated().Exp().Times(num.Exactly(0.5)) }
	isLowest, isHighest := math.IsInf(from.Lo, -1), math.IsInf(to.Hi, 1)
	switch {
	case isLowest && isHighest:
		return num.Exactly(1)
	case isLowest:
		return num.Exactly(1).Minus(tail(to)).Probability()
	case isHighest:
		return tail(from)
	}
	return width.Negated().Expm1().Negated().AtLeast0().Times(tail(from))
}
