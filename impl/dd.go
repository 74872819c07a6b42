package impl

import (
	"math"
	"math/big"
)

// dd is the unevaluated sum hi + lo of two float64, |lo| ≤ ulp(hi)/2: a number
// of about 106 bits. It carries what must not lose digits to cancellation:
// losses, differences of losses, and 1 − e^(difference).
//
// Relative errors, with u = 2^-53 (Joldes, Muller and Popescu, "Tight and
// rigorous error bounds for basic building blocks of double-word arithmetic",
// ACM TOMS 44, 2017): add 3u² + 13u³, mul 5u², div 15u² + 56u³. All are below
// 2^-102. Products that would fuse into an addition are wrapped in float64(·).
type dd struct{ hi, lo float64 }

// twoSum returns s + e = a + b exactly, s the rounded sum.
func twoSum(a, b float64) dd {
	s := a + b
	t := s - a
	return dd{s, (a - (s - t)) + (b - t)}
}

// fastTwoSum is twoSum for |a| ≥ |b|.
func fastTwoSum(a, b float64) dd {
	s := a + b
	return dd{s, b - (s - a)}
}

// twoProd returns p + e = a·b exactly (no underflow), p the rounded product.
func twoProd(a, b float64) dd {
	p := float64(a * b)
	return dd{p, math.FMA(a, b, -p)}
}

func (a dd) neg() dd { return dd{-a.hi, -a.lo} }

func (a dd) add(b dd) dd {
	s, t := twoSum(a.hi, b.hi), twoSum(a.lo, b.lo)
	v := fastTwoSum(s.hi, s.lo+t.hi)
	return fastTwoSum(v.hi, t.lo+v.lo)
}

func (a dd) sub(b dd) dd { return a.add(b.neg()) }

func (a dd) mul(b dd) dd {
	c := twoProd(a.hi, b.hi)
	t := math.FMA(a.hi, b.lo, float64(a.lo*b.lo))
	return fastTwoSum(c.hi, c.lo+math.FMA(a.lo, b.hi, t))
}

// times returns a·b for a float64 b.
func (a dd) times(b float64) dd {
	c := twoProd(a.hi, b)
	return fastTwoSum(c.hi, math.FMA(a.lo, b, c.lo))
}

func (a dd) div(b dd) dd {
	q := a.hi / b.hi
	r := a.sub(b.times(q))
	return fastTwoSum(q, r.hi/b.hi)
}

// exactly returns a·f for a power of two f.
func (a dd) exactly(f float64) dd { return dd{a.hi * f, a.lo * f} }

func (a dd) float() float64 { return a.hi + a.lo }

// ddInt returns n exactly.
func ddInt(n int64) dd {
	hi := float64(n >> 32 << 32)
	return fastTwoSum(hi, float64(n-n>>32<<32))
}

// signed returns the number nearest to 0 with the given sign.
func signed(sign int) dd { return dd{float64(sign) * math.SmallestNonzeroFloat64, 0} }

// ddRat returns r to a relative error of 2·ddError, for |r| between 1e-290 and 1e300.
// Smaller numbers lose digits, but never their sign.
func ddRat(r *big.Rat) dd {
	if r.Num().IsInt64() && r.Denom().IsInt64() {
		n := ddInt(r.Num().Int64())
		if r.IsInt() {
			return n
		}
		return n.div(ddInt(r.Denom().Int64()))
	}
	hi, exact := r.Float64()
	if exact {
		return dd{hi, 0}
	}
	rest := new(big.Rat).SetFloat64(hi)
	lo, _ := rest.Sub(r, rest).Float64()
	if hi == 0 {
		return signed(r.Sign())
	}
	return fastTwoSum(hi, lo)
}
