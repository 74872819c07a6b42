package num

import (
	"math"
	"math/big"
)

// Span contains a real number, Lo ≤ number ≤ Hi, in float64: what [Interval] is where there are too many numbers for
// big.Float. Every operation rounds to nearest, and then each end goes one step outward.
type Span struct{ Lo, Hi float64 }

// around returns the span of what was rounded to nearest.
func around(lo, hi float64) Span { return Span{-Up1(-lo), Up1(hi)} }

// Up1 returns a number above x, at least the next one: |x|·2^-52 is not less than the distance to that.
func Up1(x float64) float64 {
	if y := x + (math.Abs(x)*0x1p-52 + 0x1p-1074); y == y {
		return y
	}
	return math.Nextafter(x, math.Inf(1))
}

func Exactly(x float64) Span { return Span{x, x} }

// Span returns x in float64.
func (x Interval) Span() Span {
	lo, hi := ToFloat(x.Lo), ToFloat(x.Hi)
	if isFull := math.Abs(lo) > 0x1p-1022 || x.Lo.Sign() == 0; lo == hi && x.Lo.Prec() <= 53 && isFull {
		return Exactly(lo)
	}
	return around(lo, hi)
}

// SpanOf returns a rational.
func SpanOf(r *big.Rat) Span { return OfRat(r, 53).Span() }

func (x Span) Plus(y Span) Span  { return around(x.Lo+y.Lo, x.Hi+y.Hi) }
func (x Span) Minus(y Span) Span { return around(x.Lo-y.Hi, x.Hi-y.Lo) }

// Times returns x·y for y ≥ 0.
func (x Span) Times(y Span) Span {
	lo, hi := y.Lo, y.Hi
	if x.Lo < 0 {
		lo = y.Hi
	}
	if x.Hi < 0 {
		hi = y.Lo
	}
	return around(x.Lo*lo, x.Hi*hi)
}

// Over returns x/y for y > 0.
func (x Span) Over(y Span) Span {
	lo, hi := y.Hi, y.Lo
	if x.Lo < 0 {
		lo = y.Lo
	}
	if x.Hi < 0 {
		hi = y.Hi
	}
	return around(x.Lo/lo, x.Hi/hi)
}

// Root returns √x for x ≥ 0. IEEE 754 rounds it to nearest.
func (x Span) Root() Span { return around(math.Sqrt(x.Lo), math.Sqrt(x.Hi)).AtLeast0() }

func (x Span) Negated() Span { return Span{-x.Hi, -x.Lo} }

// Signed returns −x if that is asked for, and otherwise x.
func (x Span) Signed(isNegative bool) Span {
	if isNegative {
		return x.Negated()
	}
	return x
}

// AtLeast0 returns x, which is known to be at least 0.
func (x Span) AtLeast0() Span { return Span{max(0, x.Lo), max(0, x.Hi)} }

// Probability returns x, which is known to be in [0, 1].
func (x Span) Probability() Span { return Span{min(max(0, x.Lo), 1), min(max(0, x.Hi), 1)} }

// MostExponent bounds the x for which e^x is a number of float64.
const MostExponent = 700

// Exp returns e^x. Beyond mostExponent an end is 0 or +Inf. Of ends that are near, e^hi = e^lo·e^(hi − lo) is less
// than e^lo·(1 + 2·(hi − lo)).
func (x Span) Exp() Span {
	if d := x.Hi - x.Lo; x.Lo >= -MostExponent && x.Hi <= MostExponent && d < 0x1p-20 {
		y := Exp(x.Lo)
		return Span{y * (1 - 0x1p-49), y * (1 + 2*d + 0x1p-49)}
	}
	lo, hi := 0.0, math.Inf(1)
	switch {
	case x.Lo > MostExponent:
		lo = 1e304
	case x.Lo >= -MostExponent:
		lo = Exp(x.Lo) * (1 - 0x1p-49)
	}
	switch {
	case x.Hi < -MostExponent:
		hi = 1e-304
	case x.Hi <= MostExponent:
		hi = Exp(x.Hi) * (1 + 0x1p-49)
	}
	return Span{lo, hi}
}

// Exp returns e^x for |x| ≤ mostExponent with a relative error of less than 2^-50.
//
// With x = k·ln 2 + r, |r| < 0.35, it is 2^k·Σ r^j/j!, less than 2^-57 of it left out behind r^14. k·ln 2 is
// taken off in two parts, the first of which has 31 bits: their difference is exact, and with the second part r is
// off by less than one rounding of a number below 1, 2^-53. In p_j = 1/j! + r·p_(j+1) every sum is at most 1.42/j!:
// with its own rounding, that of 1/j! and those of the product it is off by at most 1.42 + 1 + 0.35·(1.42 + what
// p_(j+1) is off) roundings of 1/j!. That is less than 5 for all, and less than 4 for p_0, where 1 is exact: less
// than 6 roundings of p_0 ≥ 0.7, and 7 with that of r.
func Exp(x float64) float64 {
	const high, low = 0x1.62e42feep-1, 0x1.a39ef35793c76p-33
	k := math.Round(x * (1 / math.Ln2))
	r := x - k*high - k*low
	p := inverseFactorials[14]
	for j := 13; j >= 0; j-- {
		p = inverseFactorials[j] + r*p
	}
	return p * math.Float64frombits(uint64(int(k)+1023)<<52)
}

// Expm1 returns e^x − 1. Near 0 it is x·Σ x^j/(j + 1)!, off by less than 7 roundings, as exp is, and one.
func (x Span) Expm1() Span {
	end := func(v float64) Span {
		if math.Abs(v) > 0.34 {
			return Exactly(v).Exp().Minus(Exactly(1))
		}
		p := inverseFactorials[14]
		for j := 13; j >= 1; j-- {
			p = inverseFactorials[j] + v*p
		}
		y := v * p
		return around(y-math.Abs(y)*0x1p-50, y+math.Abs(y)*0x1p-50)
	}
	return Span{end(x.Lo).Lo, end(x.Hi).Hi}
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

// Log returns ln x for x > 0; −Inf for an end that is not above 0. About is near it, and r = x·e^−about near 1: ln x
// = about + ln r, and 1 − 1/r ≤ ln r ≤ r − 1.
func (x Span) Log() Span {
	end := func(v float64) Span {
		switch {
		case !(v > 0):
			return Exactly(math.Inf(-1))
		case v < 1e-300 || v > 1e300:
			return Span{math.Inf(-1), math.Inf(1)}
		}
		about := math.Log(v)
		r := Exactly(v).Times(Exactly(-about).Exp())
		one := Exactly(1)
		return Exactly(about).Plus(Span{one.Minus(one.Over(Exactly(r.Lo))).Lo, Exactly(r.Hi).Minus(one).Hi})
	}
	return Span{end(x.Lo).Lo, end(x.Hi).Hi}
}
