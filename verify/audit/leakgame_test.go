package audit

import (
	"math"
	"math/rand/v2"
	"testing"
)

// roundedLeak adds Laplace noise of scale 1 and rounds to a grid, but releases the input itself with probability p.
func roundedLeak(at, p, grid float64) Sampler {
	return Fake(func(dice *rand.Rand, s *Sample) {
		x := at
		if dice.Float64() >= p {
			x = at + LaplaceOf(dice, 1)
		}
		s.Group("", Number).Add(math.Round(x/grid) * grid)
	})
}

// Outputs are rounded so finely that some repeat by chance, about as many for each sample as with a
// million and six decimals. A leak that is reported as seen with probability 0.9 is found in three of four audits or more:
// less would have probability 0.002 of 40, and 0.01 of 20. And a quarter of it is missed in half of them.
func TestSeen_RoundedIsFound(t *testing.T) {
	t.Parallel()
	audits := AtLeast(20, 40)
	o := Options{Samples: 20_000, Alpha: 1e-3, Seed: 9}
	grid := 1 / float64(o.Samples)
	a, _ := played(t, nats(1), o, PairOf(roundedLeak(0, 0, grid), roundedLeak(1, 0, grid)))
	leak := a.seen().Delta
	found := func(p float64) int {
		return Repeat(t, nats(1), o, audits, PairOf(roundedLeak(0, p, grid), roundedLeak(1, 0, grid)))
	}
	if all, few := found(leak), found(leak/4); all < audits*3/4 || few > audits/2 {
		t.Errorf("%g is found in %d of %d audits, a quarter of it in %d", leak, all, audits, few)
	}
}
