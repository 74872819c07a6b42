package adaptive

import (
	"math/big"
	"testing"

	"checkrr/verify/rat"
)

// No rule needs more than the δ that it claims; the filter odometer needs nearly all of it where mechanisms are small.
func TestTightness(t *testing.T) {
	t.Parallel()
	steps := tightSteps[2:]
	if !*full {
		steps = []*big.Rat{steps[0], steps[len(steps)-1]}
	}
	f, err := tightnessOf(t.Context(), steps)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Curves) != 7 {
		t.Fatalf("%d rules", len(f.Curves))
	}
	for _, c := range f.Curves {
		if len(c.Points) != len(steps) {
			t.Errorf("%s: %d points, must be %d", c.Label, len(c.Points), len(steps))
		}
		for _, p := range c.Points {
			if !rat.IsAtMost(p.Y, rat.Int(1)) {
				t.Errorf("%s: more than δ", pointName(f, c, p))
			}
		}
	}
	if near := f.Curves[2].Points[0].Y; !rat.IsAbove(near, rat.Of("0.8")) {
		t.Errorf("filter odometer: %v", near)
	}
}
