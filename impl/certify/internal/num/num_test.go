package num

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// within reports whether y is in x.
func (x Interval) within(y Interval) bool { return y.Lo.Cmp(x.Lo) <= 0 && x.Hi.Cmp(y.Hi) <= 0 }

// Few bits enclose what many bits find, and are not far from it.
func TestExpNeg(t *testing.T) {
	t.Parallel()
	r := seeded()
	for range 300 {
		x := new(big.Rat).SetFloat64(math.Exp(r.Float64()*30 - 20))
		fine := ExpNeg(OfRat(x, 600), 500)
		for _, prec := range []uint{8, 30, 53, 117} {
			coarse := ExpNeg(OfRat(x, prec+16), prec)
			if !fine.within(coarse) {
				t.Errorf("e^-%v with %d bits is [%g, %g], with 500 %g", x, prec, coarse.Lo, coarse.Hi, fine.Lo)
			}
		}
		if f, _ := x.Float64(); f < 700 {
			if got := ToFloat(fine.Lo); math.Abs(got-math.Exp(-f)) > 1e-14*got {
				t.Errorf("e^-%g is %g, want %g", f, got, math.Exp(-f))
			}
			if y := ExpNeg(OfRat(x, 80), 64); !y.IsNarrow(50) {
				t.Errorf("e^-%g is in [%g, %g]", f, y.Lo, y.Hi)
			}
		}
	}
}

// e^−x where it is too small to be known is at most a bound.
func TestExpNeg_Far(t *testing.T) {
	t.Parallel()
	for _, x := range []int64{MaxExponent, MaxExponent + 1, 1 << 40} {
		y := ExpNeg(OfInt(x), 64)
		if bound := -float64(min(x, 1<<20)) / math.Ln2; y.Lo.Sign() < 0 || y.Hi.Sign() <= 0 || x == MaxExponent &&
			float64(y.Hi.MantExp(nil)) < bound-1 {
			t.Errorf("e^-%d is in [%g, %g]", x, y.Lo, y.Hi)
		}
	}
}

// The logarithm undoes the exponential.
func TestLog(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"1", "1.000000000000000001", "3/2", "2", "1.4999999", "3", "1e6", "1e300",
		"4/3", "123456789/1000"} {
		x := parsed(text)
		y := ExpNeg(Log(x, 300), 280)
		want := OfRat(new(big.Rat).Inv(x), 280)
		if y.Lo.Cmp(want.Hi) > 0 || y.Hi.Cmp(want.Lo) < 0 || !y.IsNarrow(200) {
			t.Errorf("e^-ln %s is [%.80g, %.80g]", text, y.Lo, y.Hi)
		}
		if coarse := Log(x, 20); !Log(x, 300).within(coarse) {
			t.Errorf("ln %s with 20 bits is [%g, %g]", text, coarse.Lo, coarse.Hi)
		}
	}
}

// oneMinusExp keeps its promise of 48 roundings.
func TestRise(t *testing.T) {
	t.Parallel()
	r := seeded()
	for range 3000 {
		x := math.Exp(r.Float64()*720 - 710)
		y := OfInt(1).Sub(ExpNeg(OfRat(new(big.Rat).SetFloat64(x), 1200), 1200), 1200)
		want, got := y.Lo, big.NewFloat(OneMinusExp(x))
		off := new(big.Float).Sub(got, want)
		if off.Quo(off, want).Abs(off).Cmp(big.NewFloat(48*0x1p-53)) > 0 && x > 1e-290 {
			t.Errorf("oneMinusExp(%g) is %g, want %g", x, got, want)
		}
	}
}

// A payoff that is not a number is not passed over.
func TestBest(t *testing.T) {
	t.Parallel()
	w := []float64{0, 0.5, 0.5, 0.25, 0.5}
	if first := Best(w, []float64{0, 0.25, math.NaN(), 0.5, 0.5}); first != 2 || w[0] != 0 || w[1] != 0.5 ||
		!math.IsNaN(w[2]) || w[3] != 0.5 || w[4] != 0.5 {
		t.Errorf("%v from %d on", w, first)
	}
}

func parsed(s string) *big.Rat { r, _ := new(big.Rat).SetString(s); return r }

func seeded() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }
