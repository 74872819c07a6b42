package interval

import (
	"math"
	"math/big"

	"checkrr/impl/internal/dd"
)

// Float is an interval of float64: interval arithmetic where millions of operations are
// needed and 50 bits are enough. Go has no directed rounding, so that every result is
// widened by one float64 on both sides; a result that is exact is widened in vain.
type Float struct{ Lo, Hi float64 }

// NewFloat returns [lo, hi].
func NewFloat(lo, hi float64) Float { return Float{lo, hi} }

// Point returns x.
func Point(x float64) Float { return Float{x, x} }

// widened returns [lo, hi], each rounded to nearest, widened.
func widened(lo, hi float64) Float {
	return Float{math.Nextafter(lo, math.Inf(-1)), math.Nextafter(hi, math.Inf(1))}
}

// FloatOf returns r.
func FloatOf(r *big.Rat) Float {
	f, exact := r.Float64()
	if exact {
		return Point(f)
	}
	return widened(f, f)
}

// Float returns x, rounded outward.
func (x Interval) Float() Float {
	lo, below := x.Lower.Float64()
	if below == big.Above {
		lo = math.Nextafter(lo, math.Inf(-1))
	}
	hi, above := x.Upper.Float64()
	if above == big.Below {
		hi = math.Nextafter(hi, math.Inf(1))
	}
	return Float{lo, hi}
}

// Interval returns x as an [Interval].
func (x Float) Interval() Interval { return Of(x.Lo, x.Hi) }

// Add returns x + y.
func (x Float) Add(y Float) Float { return widened(x.Lo+y.Lo, x.Hi+y.Hi) }

// Sub returns x − y.
func (x Float) Sub(y Float) Float { return widened(x.Lo-y.Hi, x.Hi-y.Lo) }

// Neg returns −x.
func (x Float) Neg() Float { return Float{-x.Hi, -x.Lo} }

// Mul returns x·y, for finite ends.
func (x Float) Mul(y Float) Float {
	a, b, c, d := float64(x.Lo*y.Lo), float64(x.Lo*y.Hi), float64(x.Hi*y.Lo), float64(x.Hi*y.Hi)
	return widened(min(a, b, c, d), max(a, b, c, d))
}

// Quo returns x/y for a positive y; it panics for others.
func (x Float) Quo(y Float) Float {
	if !(y.Lo > 0) {
		panic("internal error: division by an interval that is not positive")
	}
	return widened(min(x.Lo/y.Lo, x.Lo/y.Hi), max(x.Hi/y.Lo, x.Hi/y.Hi))
}

// Abs returns |x|.
func (x Float) Abs() Float {
	switch {
	case x.Lo >= 0:
		return x
	case x.Hi <= 0:
		return x.Neg()
	}
	return Float{0, max(-x.Lo, x.Hi)}
}

// Hull returns the smallest interval that contains x and y.
func (x Float) Hull(y Float) Float { return Float{min(x.Lo, y.Lo), max(x.Hi, y.Hi)} }

// Within returns the part of x in [lo, hi], where the number is known to be.
func (x Float) Within(lo, hi float64) Float {
	return Float{min(max(x.Lo, lo), hi), max(min(x.Hi, hi), lo)}
}

// Sqrt returns √x for x ≥ 0; math.Sqrt rounds to nearest.
func (x Float) Sqrt() Float {
	return widened(math.Sqrt(max(0, x.Lo)), math.Sqrt(x.Hi)).Within(0, math.Inf(1))
}

// expLimit is how far e^x is computed; beyond it there are bounds.
const expLimit = 700

// expPoint returns e^x for a point x, and no upper bound above 700.
func expPoint(x float64) Float {
	switch {
	case x < -expLimit:
		return Float{0, expPoint(-expLimit).Hi}
	case x > expLimit:
		return Float{expPoint(expLimit).Lo, math.Inf(1)}
	}
	e := dd.Of(x).Exp().Float64()
	return widened(e, e) // the error of the dd, 2^-92, and one rounding: within one float64
}

// Exp returns e^x; above 700 the upper end is +Inf.
func (x Float) Exp() Float { return x.rising(expPoint) }

// rising returns the values of a function that rises, from what it is at a point.
func (x Float) rising(at func(float64) Float) Float {
	if x.Lo == x.Hi {
		return at(x.Lo)
	}
	return Float{at(x.Lo).Lo, at(x.Hi).Hi}
}

// Sigma returns 1/(1 + e^(−x)).
func (x Float) Sigma() Float { return x.rising(sigmaPoint) }

// sigmaPoint returns 1/(1 + e^(−x)) for a point x. With t = e^(−|x|) ≤ 1 nothing
// overflows: it is 1/(1 + t) for x ≥ 0 and t/(1 + t) for x < 0.
func sigmaPoint(x float64) Float {
	t := expPoint(-math.Abs(x))
	s := Point(1).Quo(Point(1).Add(t))
	if x < 0 {
		s = t.Quo(Point(1).Add(t))
	}
	return s.Within(0, 1)
}

// Log returns ln(x) for x ≥ 0, with ends that are no narrower than [1e-300, 1e300] allows. It panics if x is all
// negative.
func (x Float) Log() Float {
	if x.Hi < 0 {
		panic("internal error: logarithm of a negative number")
	}
	return x.rising(logPoint)
}

// logPoint returns ln(x) for a point x, and no lower bound below 1e-300 and no upper one above 1e300. The error of
// dd.Log is below 2^-80: for a logarithm near 0 that is more than a rounding.
func logPoint(x float64) Float {
	switch {
	case x < 1e-300:
		return Float{math.Inf(-1), logPoint(1e-300).Hi}
	case x > 1e300:
		return Float{logPoint(1e300).Lo, math.Inf(1)}
	}
	l := dd.Of(x).Log().Float64()
	return widened(l-0x1p-80, l+0x1p-80)
}
