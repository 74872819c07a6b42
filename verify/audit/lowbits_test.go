package audit

import (
	"math"
	"math/rand/v2"
	"testing"
)

// rounded is Laplace noise of scale 1, as a multiple of 2^−20.
func rounded(at float64) Sampler {
	return fake(func(dice *rand.Rand, s *Sample) {
		s.Group("", "#", 1).Add(math.Ldexp(math.Round(math.Ldexp(at+laplaceOf(dice, 1), 20)), -20))
	})
}

// The last bits of x + Laplace noise give x away (Mironov 2012): as reals there is a warning, and
// as float64 a violation. Multiples of 2^−20 have no such bits.
func TestLowBits(t *testing.T) {
	grid := pairOf(rounded(0), rounded(1))
	o := Options{Samples: 5000, Alpha: 0.001, Seed: 1}
	if r := audited(t, nats(1), o, laplacePair(1)); r.Verdict != NoViolation || !r.LowBits {
		t.Errorf("float64, as reals: %s, warning %v", r.Verdict, r.LowBits)
	}
	if r := audited(t, nats(1), o, grid); r.Verdict != NoViolation || r.LowBits {
		t.Errorf("multiples of 2^-20, as reals: %s, warning %v", r.Verdict, r.LowBits)
	}
	// chance alone is no reason to warn
	for seed := range uint64(8) {
		a, err := newAuditor(nats(1), []Pair{grid}, Options{Samples: 1000, Alpha: 0.001, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.play(t.Context()); err != nil || a.lowBits() {
			t.Errorf("multiples of 2^-20, seed %d: a warning, or %v", seed, err)
		}
	}
	o.Bits = true
	if r := audited(t, nats(1), o, laplacePair(1)); r.Verdict != Refuted || r.LowBits {
		t.Errorf("float64, with all bits: %s, warning %v", r.Verdict, r.LowBits)
	}
	if r := audited(t, nats(1), o, grid); r.Verdict != NoViolation || r.LowBits {
		t.Errorf("multiples of 2^-20, with all bits: %s, warning %v", r.Verdict, r.LowBits)
	}
}
