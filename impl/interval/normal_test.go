package interval

import (
	"math"
	"math/big"
	"testing"
)

// The tail contains what 60-digit arithmetic says, in all of its branches, and is as narrow as it says.
func TestNormalTail(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ x, want string }{
		{"0", "0.5"},
		{"1/2", "0.308537538725986896362295389391662260116397824"},
		{"-1/2", "0.691462461274013103637704610608337739883602176"},
		{"2", "0.0227501319481792072002826371665334374717762237"},
		{"9/4", "0.0122244726550447031526239312997414925241647832"},
		{"5", "2.86651571879193911673752332874645353854423013e-7"},
		{"37", "5.72557122252457682268319254827320165643278598e-300"},
	} {
		x, _ := new(big.Rat).SetString(test.x)
		got := Precision(192).NormalTail(Precision(192).Rat(x))
		want, _ := new(big.Float).SetPrec(200).SetString(test.want)
		off := new(big.Float).Sub(got.Lower, want)
		if ratio, _ := off.Quo(off, want).Float64(); math.Abs(ratio) > 1e-42 || got.RelWidth() > 1e-48 {
			t.Errorf("x = %s: [%.45g, %.45g] of relative width %g, must be %s",
				test.x, got.Lower, got.Upper, got.RelWidth(), test.want)
		}
	}
}

// That of a range reaches from the tail of its upper end to that of its lower end: across 0, across 2, where the method
// changes, and one of a single rounding.
func TestNormalTail_Range(t *testing.T) {
	t.Parallel()
	const n = Precision(128)
	for _, x := range []Interval{Of(-1, 3), Of(1.5, 2.5), Of(4, 5), n.Rat(big.NewRat(7, 3))} {
		got, most, least := n.NormalTail(x), n.NormalTail(Interval{x.Lower, x.Lower}),
			n.NormalTail(Interval{x.Upper, x.Upper})
		if got.Lower.Cmp(least.Lower) != 0 || got.Upper.Cmp(most.Upper) != 0 || least.Upper.Cmp(most.Lower) >= 0 {
			t.Errorf("from %g to %g: [%.45g, %.45g], must be from [%.45g, %.45g] to [%.45g, %.45g]",
				x.Lower, x.Upper, got.Lower, got.Upper, least.Lower, least.Upper, most.Lower, most.Upper)
		}
	}
}

// The series and the continued fraction, two methods, meet wherever both are narrow enough to tell.
func TestNormalTail_TwoMethods(t *testing.T) {
	t.Parallel()
	const n = Precision(160)
	pi := n.Pi()
	for i := int64(2); i < 60; i++ {
		at := n.Rat(big.NewRat(i, 8))
		density := n.Quo(n.Exp(n.Neg(n.Half(n.Mul(at, at)))), n.Sqrt(n.Add(pi, pi)))
		series := n.Sub(n.Rat(big.NewRat(1, 2)), n.Mul(density, n.seriesTail(at)))
		fraction := n.Mul(density, n.fractionTail(at.Lower))
		if series.Lower.Cmp(fraction.Upper) > 0 || fraction.Lower.Cmp(series.Upper) > 0 {
			t.Errorf("x = %d/8: the series is [%.30g, %.30g], the fraction [%.30g, %.30g]",
				i, series.Lower, series.Upper, fraction.Lower, fraction.Upper)
		}
	}
}
