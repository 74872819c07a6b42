// Package dd is arithmetic in double-double: numbers of about 106 bits, with bounded errors.
package dd

import (
	"math"
	"math/big"
)

// Number is the unevaluated sum hi + lo of two float64, |lo| ≤ ulp(hi)/2: a number
// of about 106 bits. It carries what must not lose digits to cancellation:
// losses, differences of losses, and 1 − e^(difference).
//
// Relative errors, with u = 2^-53 (Joldes, Muller and Popescu, "Tight and
// rigorous error bounds for basic building blocks of double-word arithmetic",
// ACM TOMS 44, 2017): add 3u² + 13u³, mul 5u², div 15u² + 56u³. All are below
// 2^-102. Products that would fuse into an addition are wrapped in float64(·).
type Number struct{ Hi, Lo float64 }

// Of returns x.
func Of(x float64) Number { return Number{x, 0} }

// twoSum returns s + e = a + b exactly, s the rounded sum.
func twoSum(a, b float64) Number {
	s := a + b
	t := s - a
	return Number{s, (a - (s - t)) + (b - t)}
}

// fastTwoSum is twoSum for |a| ≥ |b|.
func fastTwoSum(a, b float64) Number {
	s := a + b
	return Number{s, b - (s - a)}
}

// twoProd returns p + e = a·b exactly (no underflow), p the rounded product.
func twoProd(a, b float64) Number {
	p := float64(a * b)
	return Number{p, math.FMA(a, b, -p)}
}

func (a Number) neg() Number { return Number{-a.Hi, -a.Lo} }

func (a Number) add(b Number) Number {
	s, t := twoSum(a.Hi, b.Hi), twoSum(a.Lo, b.Lo)
	v := fastTwoSum(s.Hi, s.Lo+t.Hi)
	return fastTwoSum(v.Hi, t.Lo+v.Lo)
}

func (a Number) sub(b Number) Number { return a.add(b.neg()) }

func (a Number) mul(b Number) Number {
	c := twoProd(a.Hi, b.Hi)
	t := math.FMA(a.Hi, b.Lo, float64(a.Lo*b.Lo))
	return fastTwoSum(c.Hi, c.Lo+math.FMA(a.Lo, b.Hi, t))
}

// times returns a·b for a float64 b.
func (a Number) times(b float64) Number {
	c := twoProd(a.Hi, b)
	return fastTwoSum(c.Hi, math.FMA(a.Lo, b, c.Lo))
}

func (a Number) div(b Number) Number {
	q := a.Hi / b.Hi
	r := a.sub(b.times(q))
	return fastTwoSum(q, r.Hi/b.Hi)
}

// exactly returns a·f for a power of two f.
func (a Number) exactly(f float64) Number { return Number{a.Hi * f, a.Lo * f} }

// Float64 returns the nearest float64.
func (a Number) Float64() float64 { return a.Hi + a.Lo }

// fromInt returns n exactly.
func fromInt(n int64) Number {
	hi := float64(n >> 32 << 32)
	return fastTwoSum(hi, float64(n-n>>32<<32))
}

// signed returns the number nearest to 0 with the given sign.
func signed(sign int) Number { return Number{float64(sign) * math.SmallestNonzeroFloat64, 0} }

// FromRat returns r to a relative error of 2^-101, for |r| between 1e-290 and 1e300.
// Smaller numbers lose digits, but never their sign.
func FromRat(r *big.Rat) Number {
	if r.Num().IsInt64() && r.Denom().IsInt64() {
		n := fromInt(r.Num().Int64())
		if r.IsInt() {
			return n
		}
		return n.div(fromInt(r.Denom().Int64()))
	}
	hi, exact := r.Float64()
	if exact {
		return Number{hi, 0}
	}
	rest := new(big.Rat).SetFloat64(hi)
	lo, _ := rest.Sub(r, rest).Float64()
	if hi == 0 {
		return signed(r.Sign())
	}
	return fastTwoSum(hi, lo)
}
