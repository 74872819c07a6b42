package rat

import (
	"math/big"
	"testing"

	"checkrr/impl/interval"
)

func TestArithmetic(t *testing.T) {
	t.Parallel()
	x, y := Of("3/4"), Of("-1e-1")
	for _, test := range []struct {
		name string
		got  *big.Rat
		want string
	}{
		{"Int", Int(-7), "-7"},
		{"Add", Add(x, y), "13/20"},
		{"Sub", Sub(x, y), "17/20"},
		{"Mul", Mul(x, y), "-3/40"},
		{"Quo", Quo(x, y), "-15/2"},
		{"Complement", Complement(x), "1/4"},
		{"Twice", Twice(x), "3/2"},
		{"Power 3", Power(x, 3), "27/64"},
		{"Power 0", Power(x, 0), "1"},
		{"Power −2", Power(x, -2), "16/9"},
		{"Sum", Sum(x, y, One), "33/20"},
		{"Sum of nothing", Sum(), "0"},
		{"Product", Product(x, y, Half), "-3/80"},
		{"Product of nothing", Product(), "1"},
		{"Max", Max(y, x, Half), "3/4"},
		{"Min", Min(x, y, Half), "-1/10"},
		{"Positive", Positive(x), "3/4"},
		{"Positive of a negative number", Positive(y), "0"},
	} {
		if got := Show(test.got); got != test.want {
			t.Errorf("%s is %s, must be %s", test.name, got, test.want)
		}
	}
	if got := Show(append(List("3/4", "-1/10"), x, y)...); got != "3/4, -1/10, 3/4, -1/10" {
		t.Errorf("arguments have changed: %s", got)
	}
	if got := Show(One, Half); got != "1, 1/2" {
		t.Errorf("the constants have changed: %s", got)
	}
	if !Equal(Of("2/4"), Half) || Equal(x, y) {
		t.Error("Equal")
	}
}

func TestOfRefuses(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("no panic for what is not a number")
		}
	}()
	Of("one half")
}

// The ends count: an interval that begins at r is not above it, one that ends at r is at most r.
func TestInterval(t *testing.T) {
	t.Parallel()
	x := interval.Of(0.5, 0.75)
	for _, test := range []struct {
		r             string
		above, atMost bool
	}{{"49/100", true, false}, {"1/2", false, false}, {"6/10", false, false}, {"3/4", false, true},
		{"76/100", false, true}} {
		above, atMost := IsAbove(x, Of(test.r)), IsAtMost(x, Of(test.r))
		if above != test.above || atMost != test.atMost {
			t.Errorf("[1/2, 3/4] and %s: above %v, at most %v", test.r, above, atMost)
		}
	}
	if got := Show(Exact(big.NewFloat(0.1))); got != "3602879701896397/36028797018963968" {
		t.Errorf("0.1 is %s", got)
	}
	if got := Float64(Of("1/10")); got != 0.1 {
		t.Errorf("1/10 is %g", got)
	}
}
