package impl

import (
	"math"
	"testing"
)

// An interval that reaches 0 has an infinite loss on one side, and none of both.
func TestPrivacyLoss(t *testing.T) {
	loss, err := PrivacyLoss(interval(0, 1), interval(0.25, 0.5))
	if err != nil || !loss.Lower.IsInf() || math.Abs(loss.span().hi-math.Log(4)) > 1e-14 {
		t.Errorf("%v, %v", loss, err)
	}
	for _, bad := range []Interval{{}, interval(-1, 1), interval(0, 0), interval(1, math.Inf(1))} {
		if _, err := PrivacyLoss(bad, interval(1, 1)); err == nil {
			t.Errorf("no error for %v", bad)
		}
	}
}
