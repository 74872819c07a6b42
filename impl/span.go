package impl

import (
	"math"
	"math/big"
)

// span is an interval of float64: interval arithmetic where millions of operations are
// needed and 50 bits are enough. Go has no directed rounding, so that every result is
// widened by one float64 on both sides; a result that is exact is widened in vain.
type span struct{ lo, hi float64 }

func point(x float64) span { return span{x, x} }

// widened returns [lo, hi], each rounded to nearest, widened.
func widened(lo, hi float64) span {
	return span{math.Nextafter(lo, math.Inf(-1)), math.Nextafter(hi, math.Inf(1))}
}

// spanRat returns r.
func spanRat(r *big.Rat) span {
	f, exact := r.Float64()
	if exact {
		return point(f)
	}
	return widened(f, f)
}

// span returns x, rounded outward.
func (x Interval) span() span {
	lo, below := x.Lower.Float64()
	if below == big.Above {
		lo = math.Nextafter(lo, math.Inf(-1))
	}
	hi, above := x.Upper.Float64()
	if above == big.Below {
		hi = math.Nextafter(hi, math.Inf(1))
	}
	return span{lo, hi}
}

// interval returns x as an [Interval].
func (x span) interval() Interval { return interval(x.lo, x.hi) }

func (x span) add(y span) span { return widened(x.lo+y.lo, x.hi+y.hi) }
func (x span) sub(y span) span { return widened(x.lo-y.hi, x.hi-y.lo) }
func (x span) neg() span       { return span{-x.hi, -x.lo} }

func (x span) mul(y span) span {
	a, b, c, d := float64(x.lo*y.lo), float64(x.lo*y.hi), float64(x.hi*y.lo), float64(x.hi*y.hi)
	return widened(min(a, b, c, d), max(a, b, c, d))
}

// quo divides by a positive y.
func (x span) quo(y span) span {
	if !(y.lo > 0) {
		panic("internal error: division by an interval that is not positive")
	}
	return widened(min(x.lo/y.lo, x.lo/y.hi), max(x.hi/y.lo, x.hi/y.hi))
}

func (x span) abs() span {
	switch {
	case x.lo >= 0:
		return x
	case x.hi <= 0:
		return x.neg()
	}
	return span{0, max(-x.lo, x.hi)}
}

// hull returns the smallest interval that contains x and y.
func (x span) hull(y span) span { return span{min(x.lo, y.lo), max(x.hi, y.hi)} }

// within returns the part of x in [lo, hi], where the number is known to be.
func (x span) within(lo, hi float64) span {
	return span{min(max(x.lo, lo), hi), max(min(x.hi, hi), lo)}
}

// sqrt returns √x for x ≥ 0; math.Sqrt rounds to nearest.
func (x span) sqrt() span {
	return widened(math.Sqrt(max(0, x.lo)), math.Sqrt(x.hi)).within(0, math.Inf(1))
}

// spanLimit is how far e^x is computed; beyond it there are bounds.
const spanLimit = 700

// expSpan returns e^x for a point x ≤ 700.
func expSpan(x float64) span {
	if x < -spanLimit {
		return span{0, expSpan(-spanLimit).hi}
	}
	e := dd{x, 0}.exp().float()
	return widened(e, e) // the error of the dd, 2^-92, and one rounding: within one float64
}

// exp returns e^x for x ≤ 700.
func (x span) exp() span { return span{expSpan(x.lo).lo, expSpan(x.hi).hi} }

// sigma returns 1/(1 + e^(−x)).
func (x span) sigma() span { return span{sigmaSpan(x.lo).lo, sigmaSpan(x.hi).hi} }

// sigmaSpan returns 1/(1 + e^(−x)) for a point x. With t = e^(−|x|) ≤ 1 nothing
// overflows: it is 1/(1 + t) for x ≥ 0 and t/(1 + t) for x < 0.
func sigmaSpan(x float64) span {
	t := expSpan(-math.Abs(x))
	s := point(1).quo(point(1).add(t))
	if x < 0 {
		s = t.quo(point(1).add(t))
	}
	return s.within(0, 1)
}

// log returns ln(x) for x ≥ 0 with an upper end from 1e-300 to 1e300.
func (x span) log() span { return span{logSpan(x.lo).lo, logSpan(x.hi).hi} }

// logSpan returns ln(x) for a point x, and no lower bound below 1e-300. The error of
// dd.log is below 2^-80: for a logarithm near 0 that is more than a rounding.
func logSpan(x float64) span {
	if x < 1e-300 {
		return span{math.Inf(-1), logSpan(1e-300).hi}
	}
	l := dd{x, 0}.log().float()
	return widened(l-0x1p-80, l+0x1p-80)
}
