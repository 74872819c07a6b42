package interval

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"checkrr/impl/internal/rational"
)

// Every operation on random rationals, in 30 bits, contains the rational result, and
// is not wider than a few roundings.
func TestPrecision_Rational(t *testing.T) {
	t.Parallel()
	n := Precision(30)
	values := []*big.Rat{big.NewRat(0, 1), big.NewRat(1, 3), big.NewRat(-2, 7), big.NewRat(1e9, 11), big.NewRat(-5, 1)}
	for _, x := range values {
		for _, y := range values {
			check := func(name string, got Interval, want *big.Rat) {
				if !got.Contains(want) {
					t.Errorf("%s of %v and %v: [%g, %g] does not contain %v", name, x, y, got.Lower, got.Upper, want)
				}
				w, _ := new(big.Float).Sub(got.Upper, got.Lower).Float64()
				f, _ := want.Float64()
				if size := math.Abs(f) + math.Abs(rational.Float64(x)) + math.Abs(rational.Float64(y)); w > 1e-8*size {
					t.Errorf("%s of %v and %v: width %g", name, x, y, w)
				}
			}
			a, b := n.Rat(x), n.Rat(y)
			check("add", n.Add(a, b), new(big.Rat).Add(x, y))
			check("sub", n.Sub(a, b), new(big.Rat).Sub(x, y))
			check("mul", n.Mul(a, b), new(big.Rat).Mul(x, y))
			check("neg", n.Neg(a), new(big.Rat).Neg(x))
			if y.Sign() != 0 {
				check("quo", n.Quo(a, b), new(big.Rat).Quo(x, y))
			}
			if x.Sign() >= 0 {
				check("power", n.Power(a, 3), new(big.Rat).Mul(x, new(big.Rat).Mul(x, x)))
			}
		}
	}
}

// A product with an interval around 0 takes its ends from the right corners.
func TestPrecision_MulAroundZero(t *testing.T) {
	t.Parallel()
	n := Precision(53)
	x := Interval{big.NewFloat(-2), big.NewFloat(3)}
	y := Interval{big.NewFloat(-5), big.NewFloat(7)}
	if got := n.Mul(x, y); fmt.Sprint(got.Lower, got.Upper) != "-15 21" {
		t.Errorf("[-2, 3]·[-5, 7] is [%g, %g], must be [-15, 21]", got.Lower, got.Upper)
	}
}

// ln(10^n) is n·ln 10, where e^−x is not computed any more too.
func TestPrecision_LogOfLarge(t *testing.T) {
	t.Parallel()
	n := Precision(100)
	for _, digits := range []int64{300, 100_000, 455_391, 455_392, 460_000, 1_000_000} {
		r := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(digits), nil))
		want := n.Mul(n.Int(digits), n.Log(big.NewRat(10, 1)))
		of := n.LogOf(Precision(200).Rat(r))
		for _, got := range []Interval{n.Log(r), n.Neg(n.Log(r.Inv(r))), of} {
			if got.Lower.Cmp(want.Upper) > 0 || got.Upper.Cmp(want.Lower) < 0 || got.RelWidth() > 1e-28 {
				t.Errorf("ln 1e%d is [%.40g, %.40g], must be [%.40g, %.40g]",
					digits, got.Lower, got.Upper, want.Lower, want.Upper)
			}
		}
	}
}

// A number far below another one is added, or taken away, without losing the direction.
func TestPrecision_FarApart(t *testing.T) {
	t.Parallel()
	n := Precision(64)
	tiny := new(big.Float).SetMantExp(big.NewFloat(1), -1<<30)
	for _, x := range []*big.Float{big.NewFloat(1), big.NewFloat(-1), big.NewFloat(-0.3)} {
		for _, y := range []*big.Float{tiny, new(big.Float).Neg(tiny),
			new(big.Float).SetMantExp(big.NewFloat(0.9), -150)} {
			a, b := Interval{x, x}, Interval{y, y}
			for name, test := range map[string]struct {
				got  Interval
				more int // the sign of the exact result minus ±x
				near *big.Float
			}{
				"x + y": {n.Add(a, b), y.Sign(), x}, "y + x": {n.Add(b, a), y.Sign(), x},
				"x - y": {n.Sub(a, b), -y.Sign(), x}, "y - x": {n.Sub(b, a), y.Sign(), new(big.Float).Neg(x)},
			} {
				low, high := test.got.Lower.Cmp(test.near), test.got.Upper.Cmp(test.near)
				if test.more > 0 && (low > 0 || high <= 0) || test.more < 0 && (low >= 0 || high < 0) ||
					test.got.RelWidth() > 0x1p-60 || test.got.RelWidth() < -0x1p-60 {
					t.Errorf("%s for x = %g and y = %g: [%g, %g]", name, x, y, test.got.Lower, test.got.Upper)
				}
			}
		}
	}
}

// Beyond the exponents of a big.Float the ends are still on the right sides.
func TestPrecision_Exponents(t *testing.T) {
	t.Parallel()
	n := Precision(64)
	one := big.NewFloat(1)
	tiny := new(big.Float).SetMantExp(one, big.MinExp)
	huge := new(big.Float).SetMantExp(one, big.MaxExp-1)
	x, y := Interval{tiny, tiny}, Interval{huge, huge}
	for name, got := range map[string]Interval{
		"tiny·tiny": n.Mul(x, x), "tiny/huge": n.Quo(x, y), "tiny^9": n.Power(x, 9), "half": n.Half(n.Half(x)),
		"around": n.Mul(x, Interval{tiny, big.NewFloat(0x1p-9)}),
	} {
		if got.Lower.Sign() < 0 || got.Lower.Cmp(tiny) >= 0 || got.Upper.Sign() <= 0 || got.Upper.Cmp(tiny) > 0 {
			t.Errorf("%s is [%g, %g], must be from 0 to a positive number", name, got.Lower, got.Upper)
		}
	}
	if got := n.Mul(n.Neg(x), x); got.Lower.Sign() >= 0 || got.Upper.Sign() > 0 {
		t.Errorf("−tiny·tiny is [%g, %g], must be from a negative number to 0", got.Lower, got.Upper)
	}
	if got := n.Mul(y, y); got.Lower.IsInf() || got.Lower.Cmp(huge) < 0 || !got.Upper.IsInf() {
		t.Errorf("huge² is [%g, %g], must be from a number to +Inf", got.Lower, got.Upper)
	}
	if got := n.Mul(n.Neg(y), y); got.Upper.IsInf() || !got.Lower.IsInf() {
		t.Errorf("−huge² is [%g, %g], must be from −Inf to a number", got.Lower, got.Upper)
	}
}

// What is beyond all exponents has a bound, and no logarithm is that of what has none.
func TestPrecision_Domain(t *testing.T) {
	t.Parallel()
	const n = Precision(64)
	if x := n.Exp(Of(-1e300, 1e300)); x.Lower.Sign() != 0 || !x.Upper.IsInf() {
		t.Errorf("e^±1e300 is in %v", x)
	}
	if x := n.ExpRat(big.NewRat(1e8, 1)); x.Lower.MantExp(nil) < 1<<25 || !x.Upper.IsInf() {
		t.Errorf("e^1e8 is above 2^%d", x.Lower.MantExp(nil))
	}
	if x := n.ExpRat(big.NewRat(-1e8, 1)); x.Lower.Sign() < 0 || x.Upper.MantExp(nil) > -1<<25 {
		t.Errorf("e^-1e8 is below 2^%d", x.Upper.MantExp(nil))
	}
	for _, r := range []int64{0, -1} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("there is a logarithm of %d", r)
				}
			}()
			n.Log(big.NewRat(r, 1))
		}()
	}
}

// TestPrecision_LogOf compares with the logarithms of both ends, to more bits: where these are near, the upper one
// comes from the lower one.
func TestPrecision_LogOf(t *testing.T) {
	t.Parallel()
	const n, more = Precision(100), Precision(200)
	for _, from := range []float64{1e-30, 0x1p-40, 0.3, 0.99999, 1, 1.00001, 12.5, 700} {
		for bits := range 90 {
			d := new(big.Float).SetMantExp(big.NewFloat(from), -bits)
			x := Interval{big.NewFloat(from), more.Up().Add(big.NewFloat(from), d)}
			got, want := n.LogOf(x), Interval{more.logOfPoint(x.Lower).Upper, more.logOfPoint(x.Upper).Lower}
			if got.Lower.Cmp(want.Lower) > 0 || got.Upper.Cmp(want.Upper) < 0 {
				t.Errorf("ln [%g, %g] is [%g, %g], must contain [%g, %g]",
					x.Lower, x.Upper, got.Lower, got.Upper, want.Lower, want.Upper)
			}
			most := more.Mul(more.width(want), Of(1, 1.00001)).Upper
			most.Add(most, new(big.Float).SetMantExp(new(big.Float).Abs(want.Upper), -80))
			if wide := more.width(got).Upper; wide.Cmp(most) > 0 {
				t.Errorf("ln [%g, %g] is %g wide, must be at most %g", x.Lower, x.Upper, wide, most)
			}
		}
	}
}

// TestPrecision_ExpRat compares with what is between e^x of two ends, to more bits.
func TestPrecision_ExpRat(t *testing.T) {
	t.Parallel()
	const n, more = Precision(100), Precision(200)
	for _, text := range []string{"1/3", "-1/3", "1e-30", "-100/7", "2000000/3", "-2000000/3",
		"100000000/3", "-100000000/3"} {
		r := rational.MustParse(text)
		got, want := n.ExpRat(r), more.Exp(more.Rat(r))
		if got.Lower.Cmp(want.Lower) > 0 || got.Upper.Cmp(want.Upper) < 0 || !want.Upper.IsInf() &&
			want.Lower.Sign() > 0 && got.RelWidth() > 0x1p-98 {
			t.Errorf("e^%s is [%g, %g], must contain [%g, %g]", text, got.Lower, got.Upper, want.Lower, want.Upper)
		}
	}
}

// The product by signs is the product of all ends, with any signs.
func TestPrecision_MulSigns(t *testing.T) {
	t.Parallel()
	n := Precision(20)
	ends := []int64{-5, -3, 0, 2, 7}
	for i := range ends {
		for j := i; j < len(ends); j++ {
			x := Interval{n.Rat(big.NewRat(ends[i], 3)).Lower, n.Rat(big.NewRat(ends[j], 3)).Upper}
			for k := range ends {
				for l := k; l < len(ends); l++ {
					y := Interval{n.Rat(big.NewRat(ends[k], 7)).Lower, n.Rat(big.NewRat(ends[l], 7)).Upper}
					got, want := n.Mul(x, y), n.mulAcross(x, y)
					if got.Lower.Cmp(want.Lower) != 0 || got.Upper.Cmp(want.Upper) != 0 {
						t.Errorf("[%g, %g]·[%g, %g] is [%g, %g], must be [%g, %g]",
							x.Lower, x.Upper, y.Lower, y.Upper, got.Lower, got.Upper, want.Lower, want.Upper)
					}
				}
			}
		}
	}
}

// TestPrecision_KnownDigits compares with published digits of e, e^-10 and ln 2.
func TestPrecision_KnownDigits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		got  Interval
		want string
	}{
		{"e^-1", expDown(big.NewFloat(1), 180),
			"0.36787944117144232159552377016146086744581113103176783450783680169746"},
		{"e^-10", expDown(big.NewFloat(10), 180),
			"0.0000453999297624848515355915155605506102379180888665649692590713056510"},
		{"ln 2", encloseLog(big.NewRat(2, 1), 180),
			"0.69314718055994530941723212145817656807550013436025525412068000949339362"},
	} {
		want, _ := new(big.Float).SetPrec(220).SetString(c.want)
		if c.got.Lower.Cmp(want) > 0 || c.got.Upper.Cmp(want) < 0 {
			t.Errorf("%s: [%.60g, %.60g] does not contain %s", c.name, c.got.Lower, c.got.Upper, c.want)
		}
		if w := c.got.RelWidth(); w > 0x1p-170 {
			t.Errorf("%s: relative width %g", c.name, w)
		}
	}
}
