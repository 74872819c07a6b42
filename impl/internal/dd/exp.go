package dd

import (
	"math"
	"math/big"

	"checkrr/impl/internal/rational"
)

// expError bounds the relative error of [Number.Exp] for |x| ≤ 700.
const expError = 0x1p-92

// ln2Over64 is ln(2)/64 to 2^-112.
var ln2Over64 = FromRat(rational.MustParse("0.693147180559945309417232121458176568075500134360")).exactly(0x1p-6)

// roots[j] is 2^(j/64).
var roots = func() (t [64]Number) {
	root := big.NewFloat(2).SetPrec(200)
	for range 6 {
		root.Sqrt(root)
	}
	power := big.NewFloat(1).SetPrec(200)
	for j := range t {
		t[j] = fromFloat(power)
		power.Mul(power, root)
	}
	return t
}()

// fromFloat returns x as [FromRat] does.
func fromFloat(x *big.Float) Number {
	hi, _ := x.Float64()
	if hi == 0 {
		return signed(x.Sign())
	}
	lo, _ := new(big.Float).Sub(x, big.NewFloat(hi)).Float64()
	return fastTwoSum(hi, lo)
}

// reciprocalFactorials[j] is 1/j!.
var reciprocalFactorials = func() (t [6]Number) {
	t[0] = Number{1, 0}
	for j := 1; j < len(t); j++ {
		t[j] = t[j-1].div(Number{float64(j), 0})
	}
	return t
}()

// Exp returns e^x for |x| ≤ 700; the error is relative and below expError.
//
// x = n·ln(2)/64 + r with |r| ≤ 0.0055, so e^x = 2^(n div 64)·2^((n mod 64)/64)·e^r.
// r is off by at most 2^-95 (n·ln(2)/64 is below 701 and rounded once). The
// Taylor series of e^r ends after r^11/11!: the rest is below 2^-118. From r^6/6!
// < 2^-54 on, float64 is fine enough: its rounding there is below 2^-104.
func (x Number) Exp() Number {
	n := math.RoundToEven(x.Hi * (64 / math.Ln2))
	r := x.sub(ln2Over64.times(n))
	h := r.Hi
	tail := 1.0/720 + h*(1.0/5040+h*(1.0/40320+h*(1.0/362880+h*(1.0/3628800+h*(1.0/39916800)))))
	sum := reciprocalFactorials[5].add(Number{h * tail, 0})
	for j := 4; j >= 0; j-- {
		sum = sum.mul(r).add(reciprocalFactorials[j])
	}
	i := int(n)
	return roots[i&63].mul(sum).exactly(math.Float64frombits(uint64(1023+i>>6) << 52))
}

// logError bounds the relative error of [LogRat].
const logError = 0x1p-70

// LogRat returns ln(r) for a rational r ≥ 1, to a relative error of logError.
//
// Near 1 the series of ln(1 + w) keeps the relative accuracy; elsewhere
// |ln r| > 2^-20, and the absolute error of [Number.Log] is far below 2^-90.
func LogRat(r *big.Rat) Number {
	if rational.Magnitude(r) <= 1 {
		if w := FromRat(new(big.Rat).Sub(r, rational.One)); w.Hi < 0x1p-19 {
			return log1p(w)
		}
	}
	mantissa := new(big.Float).SetPrec(200).SetRat(r)
	exponent := mantissa.MantExp(mantissa)
	return fromFloat(mantissa).Log().add(ln2Over64.times(64 * float64(exponent)))
}

// Log returns ln(x) for x > 0, and a large negative number for x = 0; the
// absolute error is about expError·max(1, |ln x|).
//
// One Newton step y + ln(1 + w), with w = x·e^(−y) − 1 of the size of a float64's
// rounding, corrects the float64 logarithm y.
func (x Number) Log() Number {
	if x.Hi < 0x1p-1000 {
		return Number{-1000, 0}
	}
	y := math.Log(x.Hi)
	return log1p(x.mul(Number{-y, 0}.Exp()).sub(Number{1, 0})).add(Number{y, 0})
}

// log1p returns ln(1 + w) for |w| ≤ 2^-19. After a Newton step w is far smaller: from w^4/4 < 2^-162 on nothing is
// left.
func log1p(w Number) Number {
	terms := len(harmonics)
	if math.Abs(w.Hi) < 0x1p-40 {
		terms = 3
	}
	sum := Number{}
	for j := terms; j >= 1; j-- {
		sum = sum.mul(w).add(harmonics[j-1])
	}
	return sum.mul(w)
}

// harmonics are the coefficients of ln(1 + w): 1, −1/2, 1/3, …
var harmonics = func() (t [6]Number) {
	for j := 1; j <= len(t); j++ {
		t[j-1] = Number{float64(2*(j&1) - 1), 0}.div(Number{float64(j), 0})
	}
	return t
}()
