package audit

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// nonces has texts as outputs, each of them another but for a share that is one of a few words.
func nonces(share float64) Sampler {
	return Fake(func(dice *rand.Rand, s *Sample) {
		text := fmt.Sprintf("%016x", dice.Uint64())
		if dice.Float64() < share {
			text = fmt.Sprint(dice.IntN(4))
		}
		s.Group("", Text(text)).Add()
	})
}

// textPair has texts as outputs that never repeat.
func textPair(text func(dice *rand.Rand) string) Pair {
	return PairOf(saying(text), saying(text))
}

// someWord returns one of n words.
func someWord(dice *rand.Rand, n int) string {
	return fmt.Sprintf("%q", fmt.Sprintf("w%dx", dice.IntN(n)))
}

// What never repeats and has nothing that is looked at is no reason to pass.
func TestShapeless(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		pair      Pair
		verdict   Verdict
		low, high float64
	}{
		"all":     {PairOf(nonces(0), nonces(0)), Shapeless, 0.9, 1},
		"a third": {PairOf(nonces(2./3), nonces(2./3)), NoViolation, 0.3, 0.36},
		"none":    {PairOf(nonces(1), nonces(1)), NoViolation, 0, 0},
		"a number inside": {textPair(func(dice *rand.Rand) string {
			return fmt.Sprintf(`"id=%016x; visitors %.2f today"`, dice.Uint64(), 10*dice.NormFloat64())
		}), NoViolation, 0, 0.05},
		"the same number inside": {textPair(func(dice *rand.Rand) string {
			return fmt.Sprintf(`"id=%016x; visitors 7.83 today"`, dice.Uint64())
		}), Shapeless, 0.9, 1},
		"rare words": {textPair(func(dice *rand.Rand) string {
			return fmt.Sprintf("[%s,%s,%s,%s]", someWord(dice, 2000), someWord(dice, 2000), someWord(dice, 2000),
				someWord(dice, 2000))
		}), NoViolation, 0, 0.05},
		"a word of two": {textPair(func(dice *rand.Rand) string {
			return fmt.Sprintf(`[%s,"%016x"]`, someWord(dice, 2), dice.Uint64())
		}), NoViolation, 0, 0},
		"lengths of lists": {textPair(func(dice *rand.Rand) string {
			return fmt.Sprintf(`["%016x"%s]`, dice.Uint64(), strings.Repeat(",null", dice.IntN(4)))
		}), NoViolation, 0, 0},
		"some of each": {textPair(func(dice *rand.Rand) string {
			if dice.IntN(10) < 4 {
				return fmt.Sprintf(`"%016x"`, dice.Uint64())
			}
			return fmt.Sprintf("[%s,%s,%s,%s]", someWord(dice, 2000), someWord(dice, 2000), someWord(dice, 2000),
				someWord(dice, 2000))
		}), NoViolation, 0.35, 0.45},
		"numbers": {laplacePair(1), NoViolation, 0, 0},
	} {
		r := audited(t, nats(1), Options{Samples: 3000, Alpha: 0.01, Seed: 1}, test.pair)
		if r.Verdict != test.verdict || r.Shapeless < test.low || r.Shapeless > test.high {
			t.Errorf("%s: %s, share %g, must be %s and from %g to %g", name, r.Verdict, r.Shapeless, test.verdict,
				test.low, test.high)
		}
	}
	// and what is refuted stays so
	r := audited(t, nats(1), Options{Samples: 3000, Alpha: 0.01, Seed: 1}, PairOf(nonces(0), nonces(0.4)))
	if r.Verdict != Refuted {
		t.Errorf("%s, must be refuted", r.Verdict)
	}
}
