package certify

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// contains reports an error if x does not contain the number, or is much wider than so many bits allow.
func contains(t *testing.T, what string, at float64, x span, want interval, bits int) {
	t.Helper()
	if big.NewFloat(x.lo).Cmp(want.hi) > 0 || big.NewFloat(x.hi).Cmp(want.lo) < 0 {
		t.Errorf("%s(%v) is [%v, %v], must contain %v", what, at, x.lo, x.hi, want.lo)
	}
	if x.hi-x.lo > math.Ldexp(math.Abs(x.hi), -bits) {
		t.Errorf("%s(%v) is [%v, %v], must be narrower", what, at, x.lo, x.hi)
	}
}

func TestSpanExp(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(17, 1))
	for i := range 20000 {
		x := (2*r.Float64() - 1) * math.Pow(10, 3*r.Float64()-2) * 0.7
		if i < 1400 {
			x = float64(i - 700)
		}
		want := expNeg(ofRat(new(big.Rat).SetFloat64(math.Abs(x)), 200), 128)
		if x > 0 {
			want = ofInt(1).quo(want, 128)
		}
		contains(t, "exp", x, exactly(x).exp(), want, 47)
		less := want.sub(ofInt(1), 256)
		if got := exactly(x).expm1(); big.NewFloat(got.lo).Cmp(less.hi) > 0 || big.NewFloat(got.hi).Cmp(less.lo) < 0 || got.hi-got.lo > 1e-13*math.Abs(got.hi)+1e-300 {
			t.Errorf("expm1(%v) is [%v, %v], must contain %v", x, got.lo, got.hi, less.lo)
		}
	}
}

func TestSpanLog(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(17, 2))
	for range 5000 {
		x := math.Exp((2*r.Float64() - 1) * math.Pow(10, 3*r.Float64()-1) * 0.69)
		got, q := exactly(x).log(), new(big.Rat).SetFloat64(x)
		var want interval
		if x >= 1 {
			want = log(q, 128)
		} else {
			want = ofInt(0).sub(log(q.Inv(q), 128), 128)
		}
		if big.NewFloat(got.lo).Cmp(want.hi) > 0 || big.NewFloat(got.hi).Cmp(want.lo) < 0 || got.hi-got.lo > 1e-14*max(1, math.Abs(got.hi)) {
			t.Errorf("log(%v) is [%v, %v], must contain %v", x, got.lo, got.hi, want.lo)
		}
	}
}

// Another method: the series of Φ(x) − 1/2 in so many bits that nothing is lost.
func TestNormalTail(t *testing.T) {
	t.Parallel()
	const prec = 2300
	tail := func(x float64) interval {
		abs := new(big.Rat).SetFloat64(math.Abs(x))
		square := new(big.Rat).Mul(abs, abs)
		sum, term := ofRat(abs, prec), ofRat(abs, prec)
		for k := int64(3); k < 100 || term.hi.MantExp(nil) > -prec+1; k += 2 {
			term = term.mul(ofRat(new(big.Rat).Mul(square, big.NewRat(1, k)), prec), prec)
			sum = sum.add(term, prec)
		}
		exponent := new(big.Rat).Mul(square, big.NewRat(1, 2))
		sum = sum.mul(expNeg(ofRat(exponent, prec+64), prec), prec)
		root := new(big.Float).SetPrec(prec).Sqrt(twicePi(prec))
		sum = sum.quo(interval{root, root}, prec) // off by a rounding, which 128 bits do not see
		half := ofRat(big.NewRat(1, 2), prec)
		if x > 0 {
			return half.sub(sum, prec)
		}
		return half.add(sum, prec)
	}
	r := rand.New(rand.NewPCG(17, 3))
	for i := range 200 {
		x := (2*r.Float64() - 1) * 37
		if i%2 == 0 {
			x /= 10
		}
		want := tail(x)
		e := new(big.Float).SetMantExp(want.hi, -200)
		contains(t, "normalTail", x, normalTail(x), interval{down(256).Sub(want.lo, e), up(256).Add(want.hi, e)}, 43)
	}
}

// twicePi returns 2π by Machin's formula, to about so many bits.
func twicePi(prec uint) *big.Float {
	arctan := func(n int64) *big.Float {
		x, square := new(big.Float).SetPrec(prec+64).Quo(big.NewFloat(1), new(big.Float).SetInt64(n)), new(big.Float).SetInt64(n*n)
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

// What float64 has not is between two of its numbers.
func TestSpan_Tiny(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"1e-400", "3e-320", "1e-308", "0"} {
		r, _ := new(big.Rat).SetString(text)
		x := spanOf(r)
		if new(big.Rat).SetFloat64(x.lo).Cmp(r) > 0 || new(big.Rat).SetFloat64(x.hi).Cmp(r) < 0 || x.hi-x.lo > 1e-320 {
			t.Errorf("%s is taken for [%v, %v]", text, x.lo, x.hi)
		}
	}
}
