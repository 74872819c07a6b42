package impl

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"checkrr/impl/internal/rational"
)

// Functions of a point against the same functions in 200 bits: they contain them, and are
// at most a dozen roundings wide.
func TestSpan_Functions(t *testing.T) {
	n := reals(200)
	random := rand.New(rand.NewPCG(1, 2))
	points := []float64{0, 1, -1, 0x1p-60, -0x1p-60, 30, -30, 699, -699, -700, -1e-300, 1 + 0x1p-52, 1 - 0x1p-53, 1 + 0x1p-40, 1 + 3*0x1p-50}
	for range 3000 {
		points = append(points, (random.Float64()-0.5)*math.Exp2(float64(random.IntN(20)-10)))
	}
	check := func(name string, x float64, got span, want Interval) {
		t.Helper()
		if !(big.NewFloat(got.lo).Cmp(want.Upper) <= 0 && big.NewFloat(got.hi).Cmp(want.Lower) >= 0) {
			t.Fatalf("%s(%g) in [%g, %g], must contain [%g, %g]", name, x, got.lo, got.hi, want.Lower, want.Upper)
		}
		if size := max(math.Abs(got.lo), math.Abs(got.hi)); got.hi-got.lo > 3e-15*size+1e-23 {
			t.Fatalf("%s(%g) in [%g, %g], too wide", name, x, got.lo, got.hi)
		}
	}
	for _, x := range points {
		r := new(big.Rat).SetFloat64(x)
		check("exp", x, expSpan(x), n.expRat(r))
		e := n.expRat(new(big.Rat).Neg(r))
		check("sigma", x, sigmaSpan(x), n.quo(n.int(1), n.add(n.int(1), e)))
		if x > 0 {
			check("log", x, logSpan(x), n.log(r))
		}
	}
}

// Every result contains the exact one of points in the arguments.
func TestSpan_Arithmetic(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		draw := func() (span, *big.Rat) {
			a, b, c := random.NormFloat64(), random.NormFloat64(), random.Float64()
			x := point(a).hull(point(b))
			return x, new(big.Rat).SetFloat64(min(max(x.lo+(x.hi-x.lo)*c, x.lo), x.hi))
		}
		x, p := draw()
		y, q := draw()
		contains := func(name string, got span, want *big.Rat) {
			if lo, hi := new(big.Rat).SetFloat64(got.lo), new(big.Rat).SetFloat64(got.hi); lo.Cmp(want) > 0 || hi.Cmp(want) < 0 {
				t.Fatalf("%s of %v and %v: %v does not contain %s", name, x, y, got, want.FloatString(30))
			}
		}
		contains("add", x.add(y), new(big.Rat).Add(p, q))
		contains("sub", x.sub(y), new(big.Rat).Sub(p, q))
		contains("mul", x.mul(y), new(big.Rat).Mul(p, q))
		contains("abs", x.abs(), new(big.Rat).Abs(p))
		if y.lo > 0 {
			contains("quo", x.quo(y), new(big.Rat).Quo(p, q))
		}
	}
}

// Conversions contain the number, and are exact where float64 is.
func TestSpan_Conversions(t *testing.T) {
	for _, text := range []string{"1/3", "-1/3", "2/3", "-2/3", "1/10", "3/10", "1e-20", "123456789012345678901/7", "1/2", "-3"} {
		r := rational.MustParse(text)
		wide := Interval{
			Lower: new(big.Float).SetPrec(160).SetMode(big.ToNegativeInf).SetRat(r),
			Upper: new(big.Float).SetPrec(160).SetMode(big.ToPositiveInf).SetRat(r),
		}
		for name, s := range map[string]span{"spanRat": spanRat(r), "span": wide.span()} {
			lo, hi := new(big.Rat).SetFloat64(s.lo), new(big.Rat).SetFloat64(s.hi)
			if _, exact := r.Float64(); lo.Cmp(r) > 0 || hi.Cmp(r) < 0 || exact != (s.lo == s.hi) || s.hi-s.lo > 1e-15*math.Abs(s.hi) {
				t.Errorf("%s of %s: %v", name, text, s)
			}
		}
	}
}

// √x is between the ends: their squares are on both sides of x, exactly.
func TestSpan_Sqrt(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 1000 {
		x := math.Exp2(40 * (random.Float64() - 0.5))
		s := point(x).sqrt()
		lo, hi := new(big.Rat).SetFloat64(s.lo), new(big.Rat).SetFloat64(s.hi)
		r := new(big.Rat).SetFloat64(x)
		if lo.Mul(lo, lo).Cmp(r) > 0 || hi.Mul(hi, hi).Cmp(r) < 0 || s.hi-s.lo > 1e-15*s.hi {
			t.Fatalf("√%g: %v", x, s)
		}
	}
	if s := (span{-1e-20, 4}).sqrt(); s.lo != 0 || s.hi < 2 {
		t.Errorf("√[0, 4]: %v", s)
	}
}

func TestSpan_Within(t *testing.T) {
	for x, want := range map[span]span{{-1, 2}: {0, 1}, {0.25, 0.5}: {0.25, 0.5}, {-2, -1}: {0, 0}, {2, 3}: {1, 1}, {0.5, 7}: {0.5, 1}} {
		if got := x.within(0, 1); got != want {
			t.Errorf("%v within [0, 1]: %v, must be %v", x, got, want)
		}
	}
}
