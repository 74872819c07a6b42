package interval

import (
	"math"
	"math/big"
	"math/bits"

	"checkrr/impl/internal/rational"
)

// guard is how many bits beyond the requested ones an enclosure works with,
// before those that argument reduction costs.
const guard = 32

// widen returns [x·(1 − 2^-bits), x·(1 + 2^-bits)] for x ≥ 0, rounded outward to prec.
func widen(x *big.Float, bits int, prec uint) Interval {
	slack := new(big.Float).SetPrec(x.Prec()).SetMode(big.AwayFromZero).SetMantExp(x, -bits)
	down := new(big.Float).SetPrec(prec).SetMode(big.ToZero)
	up := new(big.Float).SetPrec(prec).SetMode(big.AwayFromZero)
	return Interval{down.Sub(x, slack), up.Add(x, slack)}
}

// maxExponent is where e^−x is replaced by a bound: no float64 is that small. farExponent is
// that in the arithmetic of [Precision]: products of 40 such numbers still fit a big.Float.
const (
	maxExponent = 1 << 20
	farExponent = 1 << 25
)

// expDown returns e^(−x) for x ≥ 0 between two numbers of the given precision.
//
// With s chosen so that x/2^s < 2^-8, e^(x/2^s) is the Taylor series and s
// squarings give e^x. Every operation has a relative error of at most 2^-w; the
// squarings double what came before: fewer than 2^s·(3·terms + 4) of them in all,
// and w has s + guard bits more than asked for.
func expDown(x *big.Float, prec uint) Interval { return expDownTo(x, maxExponent, prec) }

// expDownTo is [expDown], where e^(−x) has a bound only for x above most.
func expDownTo(x *big.Float, most float64, prec uint) Interval {
	if x.Cmp(big.NewFloat(most)) > 0 {
		const lessThanLog2 = 1.4426 // of e
		upper := new(big.Float).SetPrec(prec).SetMantExp(big.NewFloat(1), -int(most*lessThanLog2))
		return Interval{new(big.Float).SetPrec(prec), upper}
	}
	s := max(0, x.MantExp(nil)+8)
	w := prec + uint(s) + guard
	y := new(big.Float).SetPrec(max(w, x.Prec())).SetMantExp(x, -s)
	sum := taylorExp(y, w)
	for range s {
		sum.Mul(sum, sum)
	}
	sum.Quo(big.NewFloat(1).SetPrec(w), sum)
	return widen(sum, int(prec)+guard/2, prec)
}

// taylorExp returns e^y for 0 ≤ y < 2^-8 in precision w: by Horner's rule the sum of n!/j!·y^j, j = 0 … n, over n!,
// which has no division but the last.
func taylorExp(y *big.Float, w uint) *big.Float {
	n := int64(0)
	for small := 0; small <= int(w); n++ { // y^n/n! < 2^-small
		small += 8 + bits.Len64(uint64(n+1)) - 1
	}
	one := func() *big.Float { return new(big.Float).SetPrec(w).SetInt64(1) }
	sum, product, factor, whole := one(), one(), one(), new(big.Float)
	for j := n; j > 0; j-- { // factor is n!/j!
		factor.Mul(factor, whole.SetInt64(j))
		sum.Add(product.Mul(sum, y), factor)
	}
	return product.Quo(sum, factor)
}

// encloseLog returns ln(r) for a rational r ≥ 1. With y near it, it is y + ln(1 + t), t = r·e^−y − 1, and
// t − t² ≤ ln(1 + t) ≤ t for |t| ≤ 1/2: how near y is makes the result narrow, not right.
func encloseLog(r *big.Rat, prec uint) Interval {
	if r.Cmp(rational.One) == 0 {
		return Precision(prec).Rat(new(big.Rat))
	}
	if rational.Magnitude(r) > manyBits {
		n := Precision(prec)
		x := n.LogOf(Precision(prec + guard).Rat(r))
		return Interval{x.Lower, x.Upper}
	}
	n := Precision(prec + 2*guard + uint(max(0, magnitudeAbove(r))))
	y := nearLog(r, uint(n)/2)
	t := n.Sub(n.Mul(n.Rat(r), expDown(y, uint(n))), n.Int(1))
	if half := big.NewFloat(0.5); t.Upper.Cmp(half) > 0 || t.Lower.Cmp(half.Neg(half)) < 0 {
		panic("internal error: logarithm not enclosed")
	}
	return n.Add(Interval{y, y}, Interval{n.Sub(t, n.Mul(t, t)).Lower, t.Upper}).Rounded(Precision(prec))
}

// manyBits is above which size of a number its logarithm is that of its mantissa, and of its
// exponent: e^−x is not computed for x > maxExponent.
const manyBits = maxExponent

// magnitudeAbove returns about −log2(r − 1): the bits that ln loses near 1.
func magnitudeAbove(r *big.Rat) int { return -rational.Magnitude(new(big.Rat).Sub(r, rational.One)) }

// nearLog returns ln(r), r > 1, to about near bits after the point: a step of Newton's iteration doubles them.
func nearLog(r *big.Rat, near uint) *big.Float {
	mantissa := new(big.Float).SetPrec(near + guard).SetRat(r)
	if near <= floatBits {
		return new(big.Float).SetFloat64(floatLog(r, mantissa))
	}
	y := nearLog(r, near/2+1)
	e := expDown(y, near+guard).Lower
	e.Sub(e.Mul(e, mantissa), big.NewFloat(1))
	if y = new(big.Float).SetPrec(near+guard).Add(y, e); y.Sign() < 0 {
		y.SetInt64(0)
	}
	return y
}

// floatBits is to how many bits a logarithm is begun with, by float64.
const floatBits = 40

// floatLog returns about ln(r), which is mantissa with more bits.
func floatLog(r *big.Rat, mantissa *big.Float) float64 {
	if above, _ := new(big.Rat).Sub(r, rational.One).Float64(); above < 0.5 {
		return math.Log1p(above)
	}
	exponent := mantissa.MantExp(mantissa)
	f, _ := mantissa.Float64()
	return math.Log(f) + float64(exponent)*math.Ln2
}
