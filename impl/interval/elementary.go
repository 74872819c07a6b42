package interval

import (
	"math"
	"math/big"

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
		return Interval{new(big.Float).SetPrec(prec), new(big.Float).SetPrec(prec).SetMantExp(big.NewFloat(1), -int(most*lessThanLog2))}
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

// taylorExp returns e^y for 0 ≤ y < 2^-8 in precision w.
func taylorExp(y *big.Float, w uint) *big.Float {
	sum := new(big.Float).SetPrec(w).SetInt64(1)
	term := new(big.Float).SetPrec(w).SetInt64(1)
	for j := int64(1); ; j++ {
		term.Mul(term, y)
		term.Quo(term, new(big.Float).SetInt64(j))
		if term.Sign() == 0 || term.MantExp(nil) < -int(w)-8 {
			return sum
		}
		sum.Add(sum, term)
	}
}

// encloseLog returns ln(r) for a rational r ≥ 1. It is checked, not trusted:
// the ends of the result satisfy e^lo ≤ r ≤ e^hi.
func encloseLog(r *big.Rat, prec uint) Interval {
	if r.Cmp(rational.One) == 0 {
		return Precision(prec).Rat(new(big.Rat))
	}
	if rational.Magnitude(r) > manyBits {
		n := Precision(prec)
		x := n.LogOf(Precision(prec + guard).Rat(r))
		return Interval{x.Lower, x.Upper}
	}
	w := prec + 2*guard + uint(max(0, magnitudeAbove(r)))
	y := newtonLog(r, w)
	inverse := new(big.Rat).Inv(r)
	for bits := int(prec) + guard/2; bits > 0; bits-- {
		e := widen(y, bits, w)
		if expDown(e.Lower, w).Lower.Cmp(Precision(w).Rat(inverse).Upper) >= 0 && expDown(e.Upper, w).Upper.Cmp(Precision(w).Rat(inverse).Lower) <= 0 {
			return Interval{
				new(big.Float).SetPrec(prec).SetMode(big.ToZero).Set(e.Lower),
				new(big.Float).SetPrec(prec).SetMode(big.AwayFromZero).Set(e.Upper),
			}
		}
	}
	panic("internal error: logarithm not enclosed")
}

// manyBits is above which size of a number its logarithm is that of its mantissa, and of its
// exponent: e^−x is not computed for x > maxExponent.
const manyBits = maxExponent

// magnitudeAbove returns about −log2(r − 1): the bits that ln loses near 1.
func magnitudeAbove(r *big.Rat) int { return -rational.Magnitude(new(big.Rat).Sub(r, rational.One)) }

// newtonLog returns ln(r), r > 1, in precision w, as exact as Newton's iteration makes it.
func newtonLog(r *big.Rat, w uint) *big.Float {
	mantissa := new(big.Float).SetPrec(w).SetRat(r)
	m := new(big.Float)
	exponent := mantissa.MantExp(m)
	f, _ := m.Float64()
	above, _ := new(big.Rat).Sub(r, rational.One).Float64()
	start := math.Log(f) + float64(exponent)*math.Ln2
	if above < 0.5 {
		start = math.Log1p(above)
	}
	y := new(big.Float).SetPrec(w).SetFloat64(start)
	for bits := uint(20); bits < 2*w; bits *= 2 {
		e := expDown(y, w).Lower
		e.Mul(e, mantissa)
		e.Sub(e, big.NewFloat(1))
		y.Add(y, e)
	}
	return y
}
