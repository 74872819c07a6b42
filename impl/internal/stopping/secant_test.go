package stopping

import (
	"context"
	"math"
	"testing"
)

// TestSecant_Leap: what a search finds leaps over the goal, by much, whatever it is told; between the two discounts is
// one that hits it.
func TestSecant_Leap(t *testing.T) {
	t.Parallel()
	for _, goal := range []float64{0.6, 0.8, 1.9} {
		find := func(_ context.Context, target float64) []float64 {
			if target <= 0.99*goal {
				return []float64{0.5, 0}
			}
			return []float64{0, 2}
		}
		aim, hit := newSecant(math.Log(goal)), 0.0
		for range maxCertified {
			discounts := aim.next(t.Context(), find)
			hit = discounts[0] + discounts[1]
			aim.correct(discounts, math.Log(hit), 0)
		}
		if !(math.Abs(hit-goal) < 1e-6) {
			t.Errorf("goal %g: after %d tries it hits %g", goal, maxCertified, hit)
		}
	}
}
