package command

import (
	"math/big"
	"testing"

	"checkrr/impl/interval"
	"checkrr/verify/conjecture"
)

// Two numbers that are told apart are rounded away from each other, unless both are too small to be written.
func TestRefute_Rounding(t *testing.T) {
	t.Parallel()
	q := &conjecture.Inequality{Smaller: "x", Larger: "y"}
	x := conjecture.Sides{Left: conjecture.Value{Interval: interval.Of(1.23456, 2)},
		Right: conjecture.Value{Interval: interval.Of(1, 1.23454)}}
	if says := toldApart(q, x); says != "x is 1.23456, and y is 1.23455" && says != "x is 1.23456, and y is 1.23454" {
		t.Error(says, "must be 1.23456 and 1.23454 or a little more")
	}
	if text := rounded(new(big.Float).SetMantExp(big.NewFloat(-1), -50_000), 4, true); text != "0" {
		t.Errorf("what is next to 0 from below is %s, must be 0", text)
	}
}
