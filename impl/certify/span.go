package certify

import (
	"math"
	"math/big"
)

// span contains a real number, lo ≤ number ≤ hi, in float64: what [interval] is where there are too many numbers for
// big.Float. Every operation rounds to nearest, and then each end goes one step outward.
type span struct{ lo, hi float64 }

// around returns the span of what was rounded to nearest.
func around(lo, hi float64) span { return span{-up1(-lo), up1(hi)} }

// up1 returns a number above x, at least the next one: |x|·2^-52 is not less than the distance to that.
func up1(x float64) float64 {
	if y := x + (math.Abs(x)*0x1p-52 + 0x1p-1074); y == y {
		return y
	}
	return next(x, math.Inf(1))
}

func exactly(x float64) span { return span{x, x} }

// span returns x in float64.
func (x interval) span() span {
	lo, hi := toFloat(x.lo), toFloat(x.hi)
	if isFull := math.Abs(lo) > 0x1p-1022 || x.lo.Sign() == 0; lo == hi && x.lo.Prec() <= 53 && isFull {
		return exactly(lo)
	}
	return around(lo, hi)
}

// spanOf returns a rational.
func spanOf(r *big.Rat) span { return ofRat(r, 53).span() }

func (x span) plus(y span) span  { return around(x.lo+y.lo, x.hi+y.hi) }
func (x span) minus(y span) span { return around(x.lo-y.hi, x.hi-y.lo) }

// times returns x·y for y ≥ 0.
func (x span) times(y span) span {
	lo, hi := y.lo, y.hi
	if x.lo < 0 {
		lo = y.hi
	}
	if x.hi < 0 {
		hi = y.lo
	}
	return around(x.lo*lo, x.hi*hi)
}

// over returns x/y for y > 0.
func (x span) over(y span) span {
	lo, hi := y.hi, y.lo
	if x.lo < 0 {
		lo = y.lo
	}
	if x.hi < 0 {
		hi = y.hi
	}
	return around(x.lo/lo, x.hi/hi)
}

// root returns √x for x ≥ 0. IEEE 754 rounds it to nearest.
func (x span) root() span { return around(math.Sqrt(x.lo), math.Sqrt(x.hi)).atLeast0() }

func (x span) negated() span { return span{-x.hi, -x.lo} }

// atLeast0 returns x, which is known to be at least 0.
func (x span) atLeast0() span { return span{max(0, x.lo), max(0, x.hi)} }

// probability returns x, which is known to be in [0, 1].
func (x span) probability() span { return span{min(max(0, x.lo), 1), min(max(0, x.hi), 1)} }

// mostExponent bounds the x for which e^x is a number of float64.
const mostExponent = 700

// exp returns e^x. Beyond mostExponent an end is 0 or +Inf. Of ends that are near, e^hi = e^lo·e^(hi − lo) is less
// than e^lo·(1 + 2·(hi − lo)).
func (x span) exp() span {
	if d := x.hi - x.lo; x.lo >= -mostExponent && x.hi <= mostExponent && d < 0x1p-20 {
		y := exp(x.lo)
		return span{y * (1 - 0x1p-49), y * (1 + 2*d + 0x1p-49)}
	}
	lo, hi := 0.0, math.Inf(1)
	switch {
	case x.lo > mostExponent:
		lo = 1e304
	case x.lo >= -mostExponent:
		lo = exp(x.lo) * (1 - 0x1p-49)
	}
	switch {
	case x.hi < -mostExponent:
		hi = 1e-304
	case x.hi <= mostExponent:
		hi = exp(x.hi) * (1 + 0x1p-49)
	}
	return span{lo, hi}
}

// exp returns e^x for |x| ≤ mostExponent with a relative error of less than 2^-50.
//
// With x = k·ln 2 + r, |r| < 0.35, it is 2^k·Σ r^j/j!, less than 2^-57 of it left out behind r^14. k·ln 2 is
// taken off in two parts, the first of which has 31 bits: their difference is exact, and with the second part r is
// off by less than one rounding of a number below 1, 2^-53. In p_j = 1/j! + r·p_(j+1) every sum is at most 1.42/j!:
// with its own rounding, that of 1/j! and those of the product it is off by at most 1.42 + 1 + 0.35·(1.42 + what
// p_(j+1) is off) roundings of 1/j!. That is less than 5 for all, and less than 4 for p_0, where 1 is exact: less
// than 6 roundings of p_0 ≥ 0.7, and 7 with that of r.
func exp(x float64) float64 {
	const high, low = 0x1.62e42feep-1, 0x1.a39ef35793c76p-33
	k := math.Round(x * (1 / math.Ln2))
	r := x - k*high - k*low
	p := inverseFactorials[14]
	for j := 13; j >= 0; j-- {
		p = inverseFactorials[j] + r*p
	}
	return p * math.Float64frombits(uint64(int(k)+1023)<<52)
}

// expm1 returns e^x − 1. Near 0 it is x·Σ x^j/(j + 1)!, off by less than 7 roundings, as exp is, and one.
func (x span) expm1() span {
	end := func(v float64) span {
		if math.Abs(v) > 0.34 {
			return exactly(v).exp().minus(exactly(1))
		}
		p := inverseFactorials[14]
		for j := 13; j >= 1; j-- {
			p = inverseFactorials[j] + v*p
		}
		y := v * p
		return around(y-math.Abs(y)*0x1p-50, y+math.Abs(y)*0x1p-50)
	}
	return span{end(x.lo).lo, end(x.hi).hi}
}

var inverseFactorials = func() (xs [15]float64) {
	xs[0] = 1
	factorial := 1.0 // exactly, up to 18!
	for j := 1; j < len(xs); j++ {
		factorial *= float64(j)
		xs[j] = 1 / factorial
	}
	return xs
}()

// log returns ln x for x > 0; −Inf for an end that is not above 0. About is near it, and r = x·e^−about near 1: ln x
// = about + ln r, and 1 − 1/r ≤ ln r ≤ r − 1.
func (x span) log() span {
	end := func(v float64) span {
		switch {
		case !(v > 0):
			return exactly(math.Inf(-1))
		case v < 1e-300 || v > 1e300:
			return span{math.Inf(-1), math.Inf(1)}
		}
		about := math.Log(v)
		r := exactly(v).times(exactly(-about).exp())
		return exactly(about).plus(span{exactly(1).minus(exactly(1).over(exactly(r.lo))).lo, exactly(r.hi).minus(exactly(1)).hi})
	}
	return span{end(x.lo).lo, end(x.hi).hi}
}
