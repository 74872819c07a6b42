package adaptive

import (
	"testing"

	"checkrr/verify/rat"
)

// No odometer is below what the same mechanisms must be charged if they are known beforehand: the OptDel of its
// readings is at most δ. That of charges that are 1 % less is not.
func TestPrice(t *testing.T) {
	for _, l := range ledgers() {
		for _, c := range priceCurves {
			shown, err := l.readings(c.curve)
			if err != nil {
				t.Fatal(err)
			}
			needed, err := l.needed(t.Context(), shown, 1)
			if err != nil || !rat.IsAtMost(needed, priceDelta) {
				t.Errorf("%s, %s: OptDel of the readings is %v, %v", l.says, c.label, needed, err)
			}
			less, err := l.needed(t.Context(), shown, 0.99)
			if err != nil || !rat.IsAbove(less, priceDelta) {
				t.Errorf("%s, %s: OptDel of charges that are 1 %% less is %v, %v", l.says, c.label, less, err)
			}
		}
	}
}
