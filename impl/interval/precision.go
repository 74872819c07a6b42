package interval

import (
	"math/big"

	"checkrr/impl/internal/rational"
)

// Precision is interval arithmetic with ends of so many bits, rounded outward: every result contains the real number.
// Arguments may have any precision, and have finite ends: of those that are infinite, as [Precision.Exp] can have, only
// comparisons are defined.
type Precision uint

// Wide is the precision of what is computed once: far more than a float64 has, so that differences keep their digits.
const Wide = Precision(192)

// Down returns 0 with the precision, and rounding down.
func (n Precision) Down() *big.Float {
	return new(big.Float).SetPrec(uint(n)).SetMode(big.ToNegativeInf)
}

// Up returns 0 with the precision, and rounding up.
func (n Precision) Up() *big.Float { return new(big.Float).SetPrec(uint(n)).SetMode(big.ToPositiveInf) }

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

// Rat returns r.
func (n Precision) Rat(r *big.Rat) Interval { return Interval{n.Down().SetRat(r), n.Up().SetRat(r)} }

// Int returns i.
func (n Precision) Int(i int64) Interval { return n.Rat(new(big.Rat).SetInt64(i)) }

// Add returns x + y.
func (n Precision) Add(x, y Interval) Interval {
	return Interval{
		n.Down().Add(n.near(x.Lower, y.Lower, -1), n.near(y.Lower, x.Lower, -1)),
		n.Up().Add(n.near(x.Upper, y.Upper, 1), n.near(y.Upper, x.Upper, 1)),
	}
}

// Sub returns x − y.
func (n Precision) Sub(x, y Interval) Interval {
	return Interval{
		n.Down().Sub(n.near(x.Lower, y.Upper, -1), n.near(y.Upper, x.Lower, 1)),
		n.Up().Sub(n.near(x.Upper, y.Lower, 1), n.near(y.Lower, x.Upper, -1)),
	}
}

// near returns x, to be added to y. A big.Float lines them up by all the bits between the two,
// which for likelihoods can be many millions. So an x that is far below the last bit of the
// sum is replaced by a bound that is not so far: an upper one for sign 1, a lower one for −1.
func (n Precision) near(x, y *big.Float, sign int) *big.Float {
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

// Neg returns −x.
func (n Precision) Neg(x Interval) Interval {
	return Interval{n.Down().Neg(x.Upper), n.Up().Neg(x.Lower)}
}

// Mul returns x·y. Where neither has 0 inside, the signs say which two of the four
// products of ends are the ends.
func (n Precision) Mul(x, y Interval) Interval {
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
func (n Precision) products(w, x, y, z *big.Float) Interval {
	return Interval{below(n.Down().Mul(w, x)), above(n.Up().Mul(y, z))}
}

// mulAcross takes the smallest and the largest product of two ends.
func (n Precision) mulAcross(x, y Interval) Interval {
	result := n.products(x.Lower, y.Lower, x.Lower, y.Lower)
	for _, ends := range [...][2]*big.Float{{x.Lower, y.Upper}, {x.Upper, y.Lower}, {x.Upper, y.Upper}} {
		result = hull(result, n.products(ends[0], ends[1], ends[0], ends[1]))
	}
	return result
}

// Quo returns x/y. It panics if y contains 0.
func (n Precision) Quo(x, y Interval) Interval {
	if y.Lower.Sign() <= 0 && y.Upper.Sign() >= 0 {
		panic("internal error: division by an interval that contains 0")
	}
	one := big.NewFloat(1)
	return n.Mul(x, Interval{below(n.Down().Quo(one, y.Upper)), above(n.Up().Quo(one, y.Lower))})
}

// Max0 returns max(0, x).
func (n Precision) Max0(x Interval) Interval {
	for _, end := range []**big.Float{&x.Lower, &x.Upper} {
		if (*end).Sign() < 0 {
			*end = n.Down()
		}
	}
	return x
}

// Power returns x^k for x ≥ 0 and k ≥ 0.
func (n Precision) Power(x Interval, k int) Interval {
	result := n.Int(1)
	for ; k > 0; k >>= 1 {
		if k&1 == 1 {
			result = n.Mul(result, x)
		}
		x = n.Mul(x, x)
	}
	return result
}

// Exp returns e^x. Beyond ±2^25 it is a bound: the upper end is infinite above, the lower one 0 below. It costs as many
// products as x has binary digits before the point, and 100 more; as many again if x is not a point.
func (n Precision) Exp(x Interval) Interval {
	y := n.expOf(x.Lower)
	if x.Lower.Cmp(x.Upper) == 0 {
		return y
	}
	return Interval{y.Lower, n.expOf(x.Upper).Upper}
}

// ExpRat returns e^r. An error of r is multiplied by r in the result: as many more bits as the integer part of r has
// keep it below the rounding. So near is r to x, the lower end, that e^(r − x) < 1 + 2·(r − x).
func (n Precision) ExpRat(r *big.Rat) Interval {
	w := n + guard + Precision(max(0, rational.Magnitude(new(big.Rat).Abs(r))))
	x := w.Rat(r)
	y := w.expOf(x.Lower)
	if width := w.width(x); width.Upper.Sign() > 0 {
		y.Upper = w.Mul(y, w.Add(w.Int(1), w.Add(width, width))).Upper
	}
	return y.Rounded(n)
}

// width returns the distance of the ends of x.
func (n Precision) width(x Interval) Interval {
	return n.Sub(Interval{x.Upper, x.Upper}, Interval{x.Lower, x.Lower})
}

// Rounded rounds x outward to the precision of n.
func (x Interval) Rounded(n Precision) Interval {
	return Interval{n.Down().Set(x.Lower), n.Up().Set(x.Upper)}
}

// expOf returns e^x for a point x.
func (n Precision) expOf(x *big.Float) Interval {
	if x.Cmp(big.NewFloat(farExponent)) > 0 {
		return Interval{n.expOf(big.NewFloat(farExponent)).Lower, new(big.Float).SetInf(false)}
	}
	below := expDownTo(new(big.Float).Abs(x), farExponent, uint(n))
	if x.Sign() <= 0 {
		return below
	}
	return n.Quo(n.Int(1), below)
}

// Log returns ln(r) for r > 0; it panics for other r.
func (n Precision) Log(r *big.Rat) Interval {
	if r.Sign() <= 0 {
		panic("interval: Log of " + rational.Decimal(r) + ", must be positive")
	}
	if r.Cmp(rational.One) < 0 {
		return n.Neg(n.Log(new(big.Rat).Inv(r)))
	}
	return encloseLog(r, uint(n))
}

// LogOf returns ln(x) for x > 0; it panics for other x. It costs as much again if x is wide. If not, with d between its
// ends as a part of the lower one, ln(1 + d) < d.
func (n Precision) LogOf(x Interval) Interval {
	y := n.logOfPoint(x.Lower)
	switch d := n.Quo(n.width(x), Interval{x.Lower, x.Lower}); {
	case d.Upper.Sign() == 0:
		return y
	case d.Upper.Cmp(big.NewFloat(narrow)) < 0:
		return Interval{y.Lower, n.Add(y, d).Upper}
	}
	return Interval{y.Lower, n.logOfPoint(x.Upper).Upper}
}

// narrow is below which part of a number another one is next to nothing.
const narrow = 0x1p-20

// logOfPoint returns ln(x) for a point x > 0. As a fraction x takes as many bits as its
// exponent says; if they are many, the logarithm is that of its mantissa plus exponent·ln 2.
func (n Precision) logOfPoint(x *big.Float) Interval {
	mantissa := new(big.Float)
	exponent := x.MantExp(mantissa)
	if max(exponent, -exponent) < manyBits {
		r, _ := x.Rat(nil)
		return n.Log(r)
	}
	r, _ := mantissa.Rat(nil)
	w := n + guard
	return w.Add(w.Log(r), w.Mul(w.Int(int64(exponent)), w.Log(big.NewRat(2, 1)))).Rounded(n)
}

// Sqrt returns √x for x ≥ 0. The root of a big.Float is not promised to be rounded in a
// direction; it is widened by far more than its error.
func (n Precision) Sqrt(x Interval) Interval {
	root := func(x *big.Float) Interval {
		w := uint(n + guard)
		return widen(new(big.Float).SetPrec(w).Sqrt(x), int(n+guard/2), uint(n))
	}
	return Interval{root(x.Lower).Lower, root(x.Upper).Upper}
}

// Half returns x/2, exactly, but for the smallest numbers.
func (n Precision) Half(x Interval) Interval {
	return Interval{below(new(big.Float).SetMantExp(x.Lower, -1)), above(new(big.Float).SetMantExp(x.Upper, -1))}
}
