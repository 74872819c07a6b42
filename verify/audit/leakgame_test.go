package audit

import (
	"math"
	"math/rand/v2"
	"testing"
)

// roundedLeak adds Laplace noise of scale 1 and rounds to a grid, but releases with probability p: the
// input itself, or if it is spread a number evenly from an interval of that length around it.
func roundedLeak(at, p, grid, spread float64) Sampler {
	return Fake(func(dice *rand.Rand, s *Sample) {
		x := at + spread*(dice.Float64()-0.5)
		if dice.Float64() >= p {
			x = at + LaplaceOf(dice, 1)
		}
		s.Group("", Number).Add(math.Round(x/grid) * grid)
	})
}

// Outputs are rounded so finely that some repeat by chance, about as many for each sample as with a
// million and six decimals. A leak that is reported as seen with probability 0.9 is found in three of four audits or more:
// less would have probability 0.002 of 40, and 0.01 of 20. And a quarter of it, or an eighth where it is spread, is missed in half of them.
func TestSeen_RoundedIsFound(t *testing.T) {
	t.Parallel()
	audits := AtLeast(20, 40)
	atLeast := audits * 3 / 4
	o := Options{Samples: 20_000, Alpha: 1e-3, Seed: 9}
	grid := 1 / float64(o.Samples)
	a, _ := played(t, nats(1), o, PairOf(roundedLeak(0, 0, grid, 0), roundedLeak(1, 0, grid, 0)))
	seen := a.seen()
	for _, test := range []struct {
		name               string
		leak, spread, part float64
	}{{"one output", seen.Delta, 0, 4}, {"an interval", seen.Interval, SeenInterval * 2, 8}} {
		found := func(p float64) int {
			return Repeat(t, nats(1), o, audits,
				PairOf(roundedLeak(0, p, grid, test.spread), roundedLeak(1, 0, grid, 0)))
		}
		all, few := found(test.leak), found(test.leak/test.part)
		t.Logf("%s: %g is found in %d of %d, a part of 1/%g in %d", test.name, test.leak, all, audits, test.part, few)
		if all < atLeast || few > audits/2 {
			t.Errorf("%s: %g is found in %d of %d audits, a part of 1/%g in %d", test.name, test.leak, all, audits,
				test.part, few)
		}
	}
}
