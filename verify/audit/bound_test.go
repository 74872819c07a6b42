package audit

import (
	"math"
	"testing"

	"checkrr/impl/loss"
	"checkrr/verify/rat"
)

// Bounds of many small audits. Null hypothesis: in each, any bound is wrong, or a true claim refuted, with probability
// at most α = 0.02, apart from the others. Of 30 audits, 5 or more are wrong with probability below 0.001, and of 200
// audits, 12 or more; the seeds are fixed. With a larger α the test would tell less: audits are careful, and even with
// a threshold of 0 only a quarter would be wrong.
func TestLaw_BoundsAreBelowTheTruth(t *testing.T) {
	t.Parallel()
	const alpha = 0.02
	audits, tooMany := AtLeast(30, 200), AtLeast(5, 12)
	for name, test := range map[string]struct {
		pair       Pair
		claim      Claim
		eps, delta float64 // the truth, at what is claimed of the other
		informed   float64 // bounds on ε are to be this large, on average
	}{
		"tight":       {response(2), DP(exp2, rat.Of("0")), math.Ln2, 0, 0.2},
		"wrong":       {response(2), nats(0.25), math.Ln2, (2 - math.Exp(0.25)) / 3, 0.42},
		"Laplace":     {laplacePair(1), nats(0.5), 1, 1 - math.Exp(-0.25), 0.5},
		"no ε at all": {response(1), nats(0), 0, 0, 0},
	} {
		if (name == "Laplace" || name == "no ε at all") && !*full {
			continue
		}
		wrong, sum := 0, 0.0
		for seed := range uint64(audits) {
			a, refuted := played(t, test.claim, Options{Samples: 600, Alpha: alpha, Seed: seed, Full: true}, test.pair)
			eps, delta := a.epsBound(0), a.deltaBound()
			if refuted && test.eps <= loss.Float64(test.claim.Parts[0].Eps)+1e-12 || eps > test.eps+1e-12 ||
				delta > test.delta+1e-12 {
				wrong++
			}
			if refuted && eps > 0 && eps < loss.Float64(test.claim.Parts[0].Eps)-1e-12 {
				t.Errorf("%s, seed %d: ε is at least %g, less than what is refuted", name, seed, eps)
			}
			sum += eps
		}
		if wrong >= tooMany {
			t.Errorf("%s: %d of %d audits are wrong, must be less than %d", name, wrong, audits, tooMany)
		}
		if sum/float64(audits) < test.informed {
			t.Errorf("%s: bounds are %g on average, must be %g", name, sum/float64(audits), test.informed)
		}
	}
}

// With many outputs, bounds are near the truth: also where the claim is true.
func TestBounds_NearTheTruth(t *testing.T) {
	for name, test := range map[string]struct {
		pair       Pair
		claim      Claim
		eps, delta float64
	}{
		"Laplace": {laplacePair(1), nats(0.5), 1, 1 - math.Exp(-0.25)},
		"true":    {response(2), nats(1), math.Ln2, 0},
	} {
		a, _ := played(t, test.claim, Options{Samples: 200_000, Alpha: 0.01, Full: true}, test.pair)
		if eps, delta := a.epsBound(0), a.deltaBound(); eps < test.eps*0.95 ||
			eps > test.eps || delta < test.delta*0.95 || delta > test.delta {
			t.Errorf("%s: bounds are %g and %g, must be near %g and %g", name, eps, delta, test.eps, test.delta)
		}
	}
}
