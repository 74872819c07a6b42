package audit

import (
	"math"
	"testing"
)

// With all samples, the printed outputs refute by themselves, and they are those of the strongest round; a refutation
// that comes as soon as it can says what every round has brought, and that is what the bets made together.
func TestWitness_Evidence(t *testing.T) {
	several := false
	for seed := range uint64(AtLeast(5, 6)) {
		for _, full := range []bool{false, true} {
			a, refuted := played(t, nats(1), Options{Samples: 50_000, Alpha: 1e-3, Seed: seed, Full: full},
				laplacePair(0.87))
			if !refuted {
				t.Fatalf("seed %d: not refuted", seed)
			}
			w := a.report().Witness
			wealth := 0.0
			for _, e := range w.Evidence {
				left := a.matches[0].history[e.Round].left
				share := 1.0
				if left > 0 {
					share = math.Ldexp(0.5, -left)
				}
				wealth += math.Log(1 - share + share*e.Share*math.Exp(e.Factor))
				if e.Alone() > w.Alone || e.Round == w.Round && (e.Hits != w.Hits || e.Size != w.Size) {
					t.Errorf("seed %d: %+v is not the strongest of %+v", seed, w, w.Evidence)
				}
			}
			if !full && wealth-math.Ln2 > w.LogWealth+1e-6 {
				t.Errorf("seed %d: rounds make %g, all bets together %g", seed, wealth-math.Ln2, w.LogWealth)
			}
			if full && w.Alone < w.Threshold {
				t.Errorf("seed %d: %g by itself, must be %g", seed, w.Alone, w.Threshold)
			}
			several = several || w.Alone < w.Threshold
		}
	}
	if !several {
		t.Error("every audit was refuted by a single round: nothing is tested of several")
	}
}
