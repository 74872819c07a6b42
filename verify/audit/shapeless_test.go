package audit

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// nonces has texts as outputs, each of them another but for a share that is one of a few words.
func nonces(share float64) Sampler {
	return fake(func(dice *rand.Rand, s *Sample) {
		text := fmt.Sprintf(`"%016x"`, dice.Uint64())
		if dice.Float64() < share {
			text = fmt.Sprintf(`"%d"`, dice.IntN(4))
		}
		s.Group("", text, 0).Add()
	})
}

// What never repeats and has nothing that is looked at is no reason to pass.
func TestShapeless(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		pair      Pair
		verdict   Verdict
		low, high float64
	}{
		"all":     {pairOf(nonces(0), nonces(0)), Shapeless, 0.9, 1},
		"a third": {pairOf(nonces(2./3), nonces(2./3)), NoViolation, 0.3, 0.36},
		"none":    {pairOf(nonces(1), nonces(1)), NoViolation, 0, 0},
		"numbers": {laplacePair(1), NoViolation, 0, 0},
	} {
		r := audited(t, nats(1), Options{Samples: 3000, Alpha: 0.01, Seed: 1}, test.pair)
		if r.Verdict != test.verdict || r.Shapeless < test.low || r.Shapeless > test.high {
			t.Errorf("%s: %s, share %g, must be %s and from %g to %g", name, r.Verdict, r.Shapeless, test.verdict, test.low, test.high)
		}
	}
	// and what is refuted stays so
	r := audited(t, nats(1), Options{Samples: 3000, Alpha: 0.01, Seed: 1}, pairOf(nonces(0), nonces(0.4)))
	if r.Verdict != Refuted {
		t.Errorf("%s, must be refuted", r.Verdict)
	}
}
