package impl

import (
	"math/big"

	"checkrr/impl/internal/rational"
)

// reals is interval arithmetic: every result contains the real number, with ends that
// are rounded outward to prec bits.
type reals uint

func (n reals) down() *big.Float { return new(big.Float).SetPrec(uint(n)).SetMode(big.ToNegativeInf) }
func (n reals) up() *big.Float   { return new(big.Float).SetPrec(uint(n)).SetMode(big.ToPositiveInf) }

// below returns z, a result that was rounded down. Beyond its exponents a big.Float is 0 or
// infinite in every rounding mode; above the exact result, it is replaced by a number that
// is not.
func below(z *big.Float) *big.Float {
	switch {
	case z.Acc() != big.Above:
		return z
	case z.IsInf():
		return z.SetMantExp(big.NewFloat(0.5), big.MaxExp)
	}
	return z.Neg(z.SetMantExp(big.NewFloat(0.5), big.MinExp))
}

// above returns z, a result that was rounded up, as [below] does.
func above(z *big.Float) *big.Float {
	switch {
	case z.Acc() != big.Below:
		return z
	case z.IsInf():
		return z.Neg(z.SetMantExp(big.NewFloat(0.5), big.MaxExp))
	}
	return z.SetMantExp(big.NewFloat(0.5), big.MinExp)
}

func (n reals) rat(r *big.Rat) Interval { return Interval{n.down().SetRat(r), n.up().SetRat(r)} }

func (n reals) int(i int64) Interval { return n.rat(new(big.Rat).SetInt64(i)) }

func (n reals) add(x, y Interval) Interval {
	return Interval{
		n.down().Add(n.near(x.Lower, y.Lower, -1), n.near(y.Lower, x.Lower, -1)),
		n.up().Add(n.near(x.Upper, y.Upper, 1), n.near(y.Upper, x.Upper, 1)),
	}
}

func (n reals) sub(x, y Interval) Interval {
	return Interval{
		n.down().Sub(n.near(x.Lower, y.Upper, -1), n.near(y.Upper, x.Lower, 1)),
		n.up().Sub(n.near(x.Upper, y.Lower, 1), n.near(y.Lower, x.Upper, -1)),
	}
}

// near returns x, to be added to y. A big.Float lines them up by all the bits between the two,
// which for likelihoods can be many millions. So an x that is far below the last bit of the
// sum is replaced by a bound that is not so far: an upper one for sign 1, a lower one for −1.
func (n reals) near(x, y *big.Float, sign int) *big.Float {
	if x.Sign() == 0 || y.Sign() == 0 || x.IsInf() || y.IsInf() {
		return x
	}
	exponent := int64(y.MantExp(nil)) - int64(n) - guard
	switch {
	case int64(x.MantExp(nil)) >= exponent:
		return x
	case x.Sign() != sign:
		return new(big.Float)
	}
	return new(big.Float).SetMantExp(big.NewFloat(float64(sign)), int(exponent))
}

func (n reals) neg(x Interval) Interval {
	return Interval{n.down().Neg(x.Upper), n.up().Neg(x.Lower)}
}

// mul returns x·y. Where neither has 0 inside, the signs say which two of the four
// products of ends are the ends.
func (n reals) mul(x, y Interval) Interval {
	if x.isAcross() || y.isAcross() {
		return n.mulAcross(x, y)
	}
	// the ends of x that make the product small and large, and those of y
	smallX, largeX, smallY, largeY := x.Lower, x.Upper, y.Lower, y.Upper
	if y.Lower.Sign() < 0 {
		smallX, largeX = largeX, smallX
	}
	if x.Lower.Sign() < 0 {
		smallY, largeY = largeY, smallY
	}
	return n.products(smallX, smallY, largeX, largeY)
}

// products returns [w·x, y·z].
func (n reals) products(w, x, y, z *big.Float) Interval {
	return Interval{below(n.down().Mul(w, x)), above(n.up().Mul(y, z))}
}

// isAcross reports whether 0 is inside x.
func (x Interval) isAcross() bool { return x.Lower.Sign() < 0 && x.Upper.Sign() > 0 }

// mulAcross takes the smallest and the largest product of two ends.
func (n reals) mulAcross(x, y Interval) Interval {
	result := n.products(x.Lower, y.Lower, x.Lower, y.Lower)
	for _, ends := range [...][2]*big.Float{{x.Lower, y.Upper}, {x.Upper, y.Lower}, {x.Upper, y.Upper}} {
		product := n.products(ends[0], ends[1], ends[0], ends[1])
		result = Interval{minOf(result, product).Lower, maxOf(result, product).Upper}
	}
	return result
}

// quo divides by an interval that does not contain 0.
func (n reals) quo(x, y Interval) Interval {
	if y.Lower.Sign() <= 0 && y.Upper.Sign() >= 0 {
		panic("internal error: division by an interval that contains 0")
	}
	return n.mul(x, Interval{below(n.down().Quo(big.NewFloat(1), y.Upper)), above(n.up().Quo(big.NewFloat(1), y.Lower))})
}

// max0 returns max(0, x).
func (n reals) max0(x Interval) Interval {
	for _, end := range []**big.Float{&x.Lower, &x.Upper} {
		if (*end).Sign() < 0 {
			*end = n.down()
		}
	}
	return x
}

// minOf returns min(x, y).
func minOf(x, y Interval) Interval {
	if y.Lower.Cmp(x.Lower) < 0 {
		x.Lower = y.Lower
	}
	if y.Upper.Cmp(x.Upper) < 0 {
		x.Upper = y.Upper
	}
	return x
}

// maxOf returns max(x, y).
func maxOf(x, y Interval) Interval {
	if y.Lower.Cmp(x.Lower) > 0 {
		x.Lower = y.Lower
	}
	if y.Upper.Cmp(x.Upper) > 0 {
		x.Upper = y.Upper
	}
	return x
}

// power returns x^k for x ≥ 0 and k ≥ 0.
func (n reals) power(x Interval, k int) Interval {
	result := n.int(1)
	for ; k > 0; k >>= 1 {
		if k&1 == 1 {
			result = n.mul(result, x)
		}
		x = n.mul(x, x)
	}
	return result
}

// exp returns e^x.
func (n reals) exp(x Interval) Interval {
	return Interval{n.expOf(x.Lower).Lower, n.expOf(x.Upper).Upper}
}

// expRat returns e^r. An error of r is multiplied by r in the result: as many more bits
// as the integer part of r has keep it below the rounding.
func (n reals) expRat(r *big.Rat) Interval {
	w := n + guard + reals(max(0, rational.Magnitude(new(big.Rat).Abs(r))))
	return w.exp(w.rat(r)).rounded(n)
}

// rounded rounds x outward to the precision of n.
func (x Interval) rounded(n reals) Interval {
	return Interval{n.down().Set(x.Lower), n.up().Set(x.Upper)}
}

// expOf returns e^x for a point x.
func (n reals) expOf(x *big.Float) Interval {
	below := expDownTo(new(big.Float).Abs(x), farExponent, uint(n))
	if x.Sign() <= 0 {
		return below
	}
	return n.quo(n.int(1), below)
}

// log returns ln(r) for r > 0.
func (n reals) log(r *big.Rat) Interval {
	if r.Cmp(rational.One) < 0 {
		return n.neg(n.log(new(big.Rat).Inv(r)))
	}
	return encloseLog(r, uint(n))
}

// logOf returns ln(x) for x > 0.
func (n reals) logOf(x Interval) Interval {
	return Interval{n.logOfPoint(x.Lower).Lower, n.logOfPoint(x.Upper).Upper}
}

// logOfPoint returns ln(x) for a point x > 0. As a fraction x takes as many bits as its
// exponent says; if they are many, the logarithm is that of its mantissa plus exponent·ln 2.
func (n reals) logOfPoint(x *big.Float) Interval {
	mantissa := new(big.Float)
	exponent := x.MantExp(mantissa)
	if max(exponent, -exponent) < manyBits {
		r, _ := x.Rat(nil)
		return n.log(r)
	}
	r, _ := mantissa.Rat(nil)
	w := n + guard
	return w.add(w.log(r), w.mul(w.int(int64(exponent)), w.log(big.NewRat(2, 1)))).rounded(n)
}

// nats returns ε.
func (n reals) nats(e Epsilon) Interval {
	if e.exp {
		return n.log(e.rat)
	}
	return n.rat(e.rat)
}

// expEps returns e^ε.
func (n reals) expEps(e Epsilon) Interval {
	if e.exp {
		return n.rat(e.rat)
	}
	return n.expRat(e.rat)
}

// sqrt returns √x for x ≥ 0. The root of a big.Float is not promised to be rounded in a
// direction; it is widened by far more than its error.
func (n reals) sqrt(x Interval) Interval {
	root := func(x *big.Float) Interval {
		w := uint(n + guard)
		return widen(new(big.Float).SetPrec(w).Sqrt(x), int(n+guard/2), uint(n))
	}
	return Interval{root(x.Lower).Lower, root(x.Upper).Upper}
}

// half returns x/2, exactly, but for the smallest numbers.
func (n reals) half(x Interval) Interval {
	return Interval{below(new(big.Float).SetMantExp(x.Lower, -1)), above(new(big.Float).SetMantExp(x.Upper, -1))}
}

// isZero reports whether the interval is the number 0.
func (x Interval) isZero() bool { return x.Lower.Sign() == 0 && x.Upper.Sign() == 0 }
