package stopping

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"checkrr/impl/internal/rational"
)

// Lowering one charge of twenty and raising another, such that δ is kept, gains next to
// nothing.
func TestOptimal_PairExchanges(t *testing.T) {
	t.Parallel()
	for _, delta := range []string{"1e-3", "1e-6", "1e-9"} {
		p := everyStop(1000, 50, "0.05")
		s := designed(t, p, delta, ScheduleOptions{Shape: Optimal})
		d, err := newObjective(t.Context(), p, rational.Float64(rational.MustParse(delta)))
		if err != nil {
			t.Fatal(err)
		}
		start, target := floatsOf(s.Charges), rational.Float64(rational.MustParse(delta))
		value := func(charges []float64) float64 {
			discounts := make([]float64, len(charges))
			for i, e := range charges {
				discounts[i] = d.largest[i] - e
			}
			return d.optDel(t.Context(), discounts)
		}
		rng, most, exchange := rand.New(rand.NewPCG(1, 2)), 0.0, ""
		for range 300 {
			i, j := rng.IntN(20), rng.IntN(20)
			step := start[i] * math.Pow(10, -1-3*rng.Float64())
			charges := slices.Clone(start)
			if charges[i] -= step; i == j || value(charges) <= target {
				continue
			}
			lo, hi := 0.0, step
			if charges[j] = start[j] + hi; value(charges) > target {
				continue // costs more than it gains
			}
			for range 30 {
				mid := (lo + hi) / 2
				if charges[j] = start[j] + mid; value(charges) > target {
					lo = mid
				} else {
					hi = mid
				}
			}
			if gain := (step - hi) / sum(start); gain > most {
				most, exchange = gain, fmt.Sprintf("stop %d down by %.3g, stop %d up by %.3g", i+1, step, j+1, hi)
			}
		}
		if most > exchangeTolerance {
			t.Errorf("δ = %s: %s: the cost falls by %.2g, must be by at most %g",
				delta, exchange, most, exchangeTolerance)
		}
		t.Logf("δ = %s: the cost falls by at most %.2g: %s", delta, most, exchange)
	}
}

// exchangeTolerance is the part of the cost that an exchange of two charges may gain.
const exchangeTolerance = 2e-5
