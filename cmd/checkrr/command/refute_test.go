package command

import (
	"testing"

	"checkrr/impl/interval"
)

// Numbers of either sign are rounded up, and two that are told apart away from each other.
func TestRefute_Rounding(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lower, upper float64
		want         string
	}{
		{1.00000, 1.00001, "1.001"}, {-1.0002, -1.0001, "-1"}, {-1, 0, "0"}, {200, 200, "200"}, {0.1, 0.3, "0.3"},
	} {
		if got := fourDigits(interval.Of(c.lower, c.upper)); got != c.want {
			t.Errorf("%g to %g: %s, must be %s", c.lower, c.upper, got, c.want)
		}
	}
	left, right := toldApart(interval.Of(1.23456, 2), interval.Of(1, 1.23454))
	if left != "1.23456" || right != "1.23455" && right != "1.23454" {
		t.Errorf("%s and %s, must be 1.23456 and 1.23454 or a little more", left, right)
	}
}
