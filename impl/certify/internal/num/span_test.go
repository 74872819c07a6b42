package num

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// contains reports an error if x does not contain the number, or is much wider than so many bits allow.
func contains(t *testing.T, what string, at float64, x Span, want Interval, bits int) {
	t.Helper()
	if big.NewFloat(x.Lo).Cmp(want.Hi) > 0 || big.NewFloat(x.Hi).Cmp(want.Lo) < 0 {
		t.Errorf("%s(%v) is [%v, %v], must contain %v", what, at, x.Lo, x.Hi, want.Lo)
	}
	if x.Hi-x.Lo > math.Ldexp(math.Abs(x.Hi), -bits) {
		t.Errorf("%s(%v) is [%v, %v], must be narrower", what, at, x.Lo, x.Hi)
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
		want := ExpNeg(OfRat(new(big.Rat).SetFloat64(math.Abs(x)), 200), 128)
		if x > 0 {
			want = OfInt(1).Quo(want, 128)
		}
		contains(t, "exp", x, Exactly(x).Exp(), want, 47)
		less := want.Sub(OfInt(1), 256)
		if got := Exactly(x).Expm1(); big.NewFloat(got.Lo).Cmp(less.Hi) > 0 || big.NewFloat(got.Hi).Cmp(less.Lo) < 0 ||
			got.Hi-got.Lo > 1e-13*math.Abs(got.Hi)+1e-300 {
			t.Errorf("expm1(%v) is [%v, %v], must contain %v", x, got.Lo, got.Hi, less.Lo)
		}
	}
}

func TestSpanLog(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(17, 2))
	for range 5000 {
		x := math.Exp((2*r.Float64() - 1) * math.Pow(10, 3*r.Float64()-1) * 0.69)
		got, q := Exactly(x).Log(), new(big.Rat).SetFloat64(x)
		var want Interval
		if x >= 1 {
			want = Log(q, 128)
		} else {
			want = OfInt(0).Sub(Log(q.Inv(q), 128), 128)
		}
		if big.NewFloat(got.Lo).Cmp(want.Hi) > 0 || big.NewFloat(got.Hi).Cmp(want.Lo) < 0 ||
			got.Hi-got.Lo > 1e-14*max(1, math.Abs(got.Hi)) {
			t.Errorf("log(%v) is [%v, %v], must contain %v", x, got.Lo, got.Hi, want.Lo)
		}
	}
}

// What float64 has not is between two of its numbers.
func TestSpan_Tiny(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"1e-400", "3e-320", "1e-308", "0"} {
		r, _ := new(big.Rat).SetString(text)
		x := SpanOf(r)
		if new(big.Rat).SetFloat64(x.Lo).Cmp(r) > 0 || new(big.Rat).SetFloat64(x.Hi).Cmp(r) < 0 || x.Hi-x.Lo > 1e-320 {
			t.Errorf("%s is taken for [%v, %v]", text, x.Lo, x.Hi)
		}
	}
}
