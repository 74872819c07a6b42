package interval

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"checkrr/impl/internal/rational"
)

// Functions of a point against the same functions in 200 bits: they contain them, and are
// at most a dozen roundings wide.
func TestFloat_Functions(t *testing.T) {
	t.Parallel()
	n := Precision(200)
	random := rand.New(rand.NewPCG(1, 2))
	points := []float64{0, 1, -1, 0x1p-60, -0x1p-60, 30, -30, 699, -699, -700, -1e-300, 1 + 0x1p-52, 1 - 0x1p-53,
		1 + 0x1p-40, 1 + 3*0x1p-50}
	for range 3000 {
		points = append(points, (random.Float64()-0.5)*math.Exp2(float64(random.IntN(20)-10)))
	}
	check := func(name string, x float64, got Float, want Interval) {
		t.Helper()
		if !(big.NewFloat(got.Lo).Cmp(want.Upper) <= 0 && big.NewFloat(got.Hi).Cmp(want.Lower) >= 0) {
			t.Fatalf("%s(%g) in [%g, %g], must contain [%g, %g]", name, x, got.Lo, got.Hi, want.Lower, want.Upper)
		}
		if size := max(math.Abs(got.Lo), math.Abs(got.Hi)); got.Hi-got.Lo > 3e-15*size+1e-23 {
			t.Fatalf("%s(%g) in [%g, %g], too wide", name, x, got.Lo, got.Hi)
		}
	}
	for _, x := range points {
		r := new(big.Rat).SetFloat64(x)
		check("exp", x, expPoint(x), n.ExpRat(r))
		e := n.ExpRat(new(big.Rat).Neg(r))
		check("sigma", x, sigmaPoint(x), n.Quo(n.Int(1), n.Add(n.Int(1), e)))
		if x > 0 {
			check("log", x, logPoint(x), n.Log(r))
		}
	}
}

// Every result contains the exact one of points in the arguments.
func TestFloat_Arithmetic(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		draw := func() (Float, *big.Rat) {
			a, b, c := random.NormFloat64(), random.NormFloat64(), random.Float64()
			x := Point(a).Hull(Point(b))
			return x, new(big.Rat).SetFloat64(min(max(x.Lo+(x.Hi-x.Lo)*c, x.Lo), x.Hi))
		}
		x, p := draw()
		y, q := draw()
		contains := func(name string, got Float, want *big.Rat) {
			if lo, hi := new(big.Rat).SetFloat64(got.Lo), new(big.Rat).SetFloat64(got.Hi); lo.Cmp(want) > 0 ||
				hi.Cmp(want) < 0 {
				t.Fatalf("%s of %v and %v: %v does not contain %s", name, x, y, got, want.FloatString(30))
			}
		}
		contains("add", x.Add(y), new(big.Rat).Add(p, q))
		contains("sub", x.Sub(y), new(big.Rat).Sub(p, q))
		contains("mul", x.Mul(y), new(big.Rat).Mul(p, q))
		contains("abs", x.Abs(), new(big.Rat).Abs(p))
		if y.Lo > 0 {
			contains("quo", x.Quo(y), new(big.Rat).Quo(p, q))
		}
	}
}

// Conversions contain the number, and are exact where float64 is.
func TestFloat_Conversions(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"1/3", "-1/3", "2/3", "-2/3", "1/10", "3/10", "1e-20", "123456789012345678901/7",
		"1/2", "-3"} {
		r := rational.MustParse(text)
		wide := Interval{
			Lower: new(big.Float).SetPrec(160).SetMode(big.ToNegativeInf).SetRat(r),
			Upper: new(big.Float).SetPrec(160).SetMode(big.ToPositiveInf).SetRat(r),
		}
		for name, s := range map[string]Float{"spanRat": FloatOf(r), "span": wide.Float()} {
			lo, hi := new(big.Rat).SetFloat64(s.Lo), new(big.Rat).SetFloat64(s.Hi)
			if _, exact := r.Float64(); lo.Cmp(r) > 0 || hi.Cmp(r) < 0 || exact != (s.Lo == s.Hi) ||
				s.Hi-s.Lo > 1e-15*math.Abs(s.Hi) {
				t.Errorf("%s of %s: %v", name, text, s)
			}
		}
	}
}

// √x is between the ends: their squares are on both sides of x, exactly.
func TestFloat_Sqrt(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	for range 1000 {
		x := math.Exp2(40 * (random.Float64() - 0.5))
		s := Point(x).Sqrt()
		lo, hi := new(big.Rat).SetFloat64(s.Lo), new(big.Rat).SetFloat64(s.Hi)
		r := new(big.Rat).SetFloat64(x)
		if lo.Mul(lo, lo).Cmp(r) > 0 || hi.Mul(hi, hi).Cmp(r) < 0 || s.Hi-s.Lo > 1e-15*s.Hi {
			t.Fatalf("√%g: %v", x, s)
		}
	}
	if s := (Float{-1e-20, 4}).Sqrt(); s.Lo != 0 || s.Hi < 2 {
		t.Errorf("√[0, 4]: %v", s)
	}
}

func TestFloat_Within(t *testing.T) {
	t.Parallel()
	for x, want := range map[Float]Float{{-1, 2}: {0, 1}, {0.25, 0.5}: {0.25, 0.5}, {-2, -1}: {0, 0},
		{2, 3}: {1, 1}, {0.5, 7}: {0.5, 1}} {
		if got := x.Within(0, 1); got != want {
			t.Errorf("%v within [0, 1]: %v, must be %v", x, got, want)
		}
	}
}
