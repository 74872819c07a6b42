package command

import (
	"testing"

	"checkrr/impl/interval"
)

// Two numbers that are told apart are rounded away from each other.
func TestRefute_Rounding(t *testing.T) {
	t.Parallel()
	left, right := toldApart(interval.Of(1.23456, 2), interval.Of(1, 1.23454))
	if left != "1.23456" || right != "1.23455" && right != "1.23454" {
		t.Errorf("%s and %s, must be 1.23456 and 1.23454 or a little more", left, right)
	}
}
