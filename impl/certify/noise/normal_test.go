package noise

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"checkrr/impl/certify/internal/num"
)

// Another method: the series of Φ(x) − 1/2 in so many bits that nothing is lost.
func TestNormalTail(t *testing.T) {
	t.Parallel()
	tail := func(x float64) num.Interval {
		prec := uint(400 + x*x) // the tail is e^(−x²/2) or so, beside 1/2
		abs := new(big.Rat).SetFloat64(math.Abs(x))
		square := new(big.Rat).Mul(abs, abs)
		sum, term := num.OfRat(abs, prec), num.OfRat(abs, prec)
		for k := int64(3); k < 100 || term.Hi.MantExp(nil) > 1-int(prec); k += 2 {
			term = term.Mul(num.OfRat(new(big.Rat).Mul(square, big.NewRat(1, k)), prec), prec)
			sum = sum.Add(term, prec)
		}
		exponent := new(big.Rat).Mul(square, big.NewRat(1, 2))
		sum = sum.Mul(num.ExpNeg(num.OfRat(exponent, prec+64), prec), prec)
		root := new(big.Float).SetPrec(prec).Sqrt(twicePi(prec))
		sum = sum.Quo(num.Interval{Lo: root, Hi: root}, prec) // off by a rounding, which 128 bits do not see
		half := num.OfRat(big.NewRat(1, 2), prec)
		if x > 0 {
			return half.Sub(sum, prec)
		}
		return half.Add(sum, prec)
	}
	r := rand.New(rand.NewPCG(17, 3))
	for i := range atLeast(50, 200) {
		x := (2*r.Float64() - 1) * 37
		if i%2 == 0 {
			x /= 10
		}
		want := tail(x)
		e := new(big.Float).SetMantExp(want.Hi, -200)
		within(t, "normalTail", x, normalTail(x),
			num.Interval{Lo: num.Down(256).Sub(want.Lo, e), Hi: num.Up(256).Add(want.Hi, e)}, 43)
	}
}

// twicePi returns 2π by Machin's formula, to about so many bits.
func twicePi(prec uint) *big.Float {
	arctan := func(n int64) *big.Float {
		x, square := new(big.Float).SetPrec(prec+64).Quo(big.NewFloat(1), new(big.Float).SetInt64(n)),
			new(big.Float).SetInt64(n*n)
		sum, sign := new(big.Float).SetPrec(prec+64).Set(x), -1.0
		for k := int64(3); x.MantExp(nil) > -int(prec)-64; k += 2 {
			x.Quo(x, square)
			term := new(big.Float).SetPrec(prec+64).Quo(x, new(big.Float).SetInt64(k))
			sum.Add(sum, term.Mul(term, big.NewFloat(sign)))
			sign = -sign
		}
		return sum
	}
	a, b := arctan(5), arctan(239)
	a.Mul(a, big.NewFloat(32))
	return a.Sub(a, b.Mul(b, big.NewFloat(8)))
}

// within reports an error if x does not contain the number, or is much wider than so many bits allow.
func within(t *testing.T, what string, at float64, x num.Span, want num.Interval, bits int) {
	t.Helper()
	if big.NewFloat(x.Lo).Cmp(want.Hi) > 0 || big.NewFloat(x.Hi).Cmp(want.Lo) < 0 {
		t.Errorf("%s(%v) is [%v, %v], must contain %v", what, at, x.Lo, x.Hi, want.Lo)
	}
	if x.Hi-x.Lo > math.Ldexp(math.Abs(x.Hi), -bits) {
		t.Errorf("%s(%v) is [%v, %v], must be narrower", what, at, x.Lo, x.Hi)
	}
}
