package impl

import (
	"math"
	"testing"

	"checkrr/impl/interval"
)

// An interval that reaches 0 has an infinite loss on one side, and none of both.
func TestPrivacyLoss(t *testing.T) {
	t.Parallel()
	loss, err := PrivacyLoss(interval.Of(0, 1), interval.Of(0.25, 0.5))
	if err != nil || !loss.Lower.IsInf() || math.Abs(loss.Float().Hi-math.Log(4)) > 1e-14 {
		t.Errorf("%v, %v", loss, err)
	}
	for _, bad := range []interval.Interval{{}, interval.Of(-1, 1), interval.Of(0, 0), interval.Of(1, math.Inf(1))} {
		if _, err := PrivacyLoss(bad, interval.Of(1, 1)); err == nil {
			t.Errorf("no error for %v", bad)
		}
	}
}
