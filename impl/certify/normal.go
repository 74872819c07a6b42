package certify

import "math"

// above returns the probability of a standard normal variable to be above x.
func (x span) above() span { return span{normalTail(x.hi).lo, normalTail(x.lo).hi} }

// normalTail returns Φ(−x), with a relative width of about 2^-44 or less as long as it is above 1e-300.
func normalTail(x float64) span {
	switch {
	case x < 0:
		return exactly(1).minus(normalTail(-x)).probability()
	case x > 37:
		return span{0, 1e-299}
	case x < 1.25:
		return exactly(0.5).minus(density(x).times(odd(x))).probability()
	}
	return density(x).times(mills(x))
}

// density returns φ(x) = e^(−x²/2)/√(2π), for 0 ≤ x ≤ 37. The rounding of x² is known: e^(−(h + l)/2) = e^(−h/2)·e^(−l/2).
func density(x float64) span {
	const most = 0x1.9884533d43651p-2 // 1/√(2π) is between this and the float64 before it
	h := x * x
	l := math.FMA(x, x, -h)
	return exactly(-h / 2).exp().times(exactly(-l / 2).exp()).times(span{math.Nextafter(most, 0), most})
}

// odd returns (Φ(x) − 1/2)/φ(x) = x + x³/3 + x⁵/(3·5) + …, for 0 ≤ x ≤ 1.25. What is left out is less than the last term: terms fall by x²/(2k + 1), which
// is less than a half there.
func odd(x float64) span {
	sum, term, square := exactly(x), exactly(x), exactly(x).times(exactly(x))
	for k := 3.0; k < 9 || term.hi > sum.hi*0x1p-60; k += 2 {
		term = term.times(square).over(exactly(k)).atLeast0()
		sum = sum.plus(term)
	}
	return span{sum.lo, sum.hi + 2*term.hi}
}

// mills returns Φ(−x)/φ(x) = 1/(x + 1/(x + 2/(x + 3/(x + …)))), for x ≥ 1.25: every tail of that is between x and x + k/x, and what is before
// it makes the difference smaller.
func mills(x float64) span {
	first := exactly(x)
	k := math.Floor(20 + 400/(x*x))
	y := span{x, next(x+k/x, math.Inf(1))}
	for ; k > 0; k-- {
		y = first.plus(exactly(k).over(y))
	}
	return exactly(1).over(y)
}
