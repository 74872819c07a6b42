package register_test

import (
	"math/big"
	"testing"

	"checkrr/verify/register"
)

// What is told of a case begins with its place; rational numbers are written as the verb says.
func TestPlace(t *testing.T) {
	t.Parallel()
	third := big.NewRat(1, 3)
	for _, test := range []struct {
		want  string
		check register.Check
	}{
		{"x = 1/3: is 2", func(t *register.T) {
			t.At("x = %s", third)
			t.Require(true, "no")
			t.Refute("is %d", 2)
		}},
		{"x = 1/3, y = 0.333: 1/3, 1/3", func(t *register.T) {
			t.At("x = %s", third)
			t.In("z")
			t.In("y = %.3g", third)
			t.Require(false, "%s", []*big.Rat{third, third})
		}},
		{"y: is 1", func(t *register.T) {
			t.At("x")
			t.Case()
			t.In("y")
			t.AtMost(big.NewRat(1, 1), third, "is %s", big.NewRat(1, 1))
		}},
		{"all", func(t *register.T) {
			t.At("x")
			t.Overall()
			t.Refute("all")
		}},
	} {
		s := []register.Statement{{ID: "OWN-L1", Check: test.check}}
		if got := register.Run(t.Context(), s, register.Options{})[0].Outcome.Counterexample; got != test.want {
			t.Errorf("%q, must be %q", got, test.want)
		}
	}
}

// So is what comes closest.
func TestPlace_Closest(t *testing.T) {
	t.Parallel()
	s := []register.Statement{{ID: "OWN-L1", Verdict: register.Holds, Check: register.With(
		func(t *register.T, bound *big.Rat) {
			x := big.NewRat(1, 4)
			t.At("x = %s", x)
			t.AtMost(x, bound, "no")
		}, big.NewRat(1, 2))}}
	const want = "0.5 of the bound at x = 1/4"
	if got := register.Run(t.Context(), s, register.Options{})[0].Outcome.Closest; got != want {
		t.Errorf("%q, must be %q", got, want)
	}
}
