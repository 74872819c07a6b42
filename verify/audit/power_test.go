package audit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// seenBy returns what is seen by an audit of a pair.
func seenBy(t *testing.T, claim Claim, pair Pair, samples int) Seen {
	t.Helper()
	a, _ := played(t, claim, Options{Samples: samples, Alpha: 0.01, Full: true}, pair)
	return a.seen()
}

// Whether the release of the input would have been found hangs on how much is drawn, and not on the seed: as it is
// said, it is, whatever the other input has.
func TestSeen_Release(t *testing.T) {
	t.Parallel()
	for name, pair := range map[string]Pair{
		"a number": laplacePair(1),
		"a word":   response(2.7),
		"a vector": PairOf(vector(0, 5, 5), vector(1, 5, 5)),
		"never twice": textPair(func(dice *rand.Rand) string {
			return "[" + someWords(dice, 12, 1000) + "]"
		}),
	} {
		release := PairOf(discrete(0, 0, 1), pair.Samplers[1])
		sizes := []int{40, 50, 300, 30, 60, 100, 200}
		for _, samples := range sizes[:AtLeast(3, len(sizes))] {
			enough := samples >= 50
			for seed := range AtLeast(3, 8) {
				o := Options{Samples: samples, Alpha: 1e-3, Seed: uint64(seed)}
				if s := audited(t, nats(1), o, pair).Seen; math.IsInf(s.Delta, 1) == enough {
					t.Errorf("%s, %d outputs, seed %d: an output of one input is seen from %g",
						name, samples, seed, s.Delta)
				}
				if r := audited(t, nats(1), o, release); (r.Verdict == Refuted) != enough {
					t.Errorf("%s, %d outputs, seed %d: the release of the input: %s", name, samples, seed, r.Verdict)
				}
			}
		}
	}
}

// What is said to be seen with probability 0.9 is found in 6 of 10 audits, and with -full in 14 of 20, or more: less
// would have probability 0.002.
// A number that leaks is found wherever it is: also where there are others beside it, of which the same input has as
// many more as it may.
func TestSeen_NumbersAreFound(t *testing.T) {
	audits, atLeast := AtLeast(10, 20), AtLeast(6, 14)
	for _, test := range []struct{ eps, grid float64 }{{1, 1e-6}, {1, 0.01}, {3, 1e-6}} {
		number := func(at, p, where float64) Sampler {
			return Fake(func(dice *rand.Rand, s *Sample) {
				x := test.grid * math.Round((at+LaplaceOf(dice, 1/test.eps))/test.grid)
				if dice.Float64() < p {
					x = where
				}
				s.Group("", Number).Add(x)
			})
		}
		o := Options{Samples: 3000, Alpha: 0.01, Seed: 9}
		leak := seenBy(t, nats(test.eps), PairOf(number(1, 0, 0), number(0, 0, 0)), o.Samples).Delta
		for _, where := range []float64{77, 1 + 2.0015/test.eps, -2.0015 / test.eps} {
			pair := PairOf(number(1, leak, where), number(0, 0, 0))
			if n := Repeat(t, nats(test.eps), o, audits, pair); n < atLeast {
				t.Errorf("ε = %g, multiples of %g: a leak of %g at %g is found in %d of %d audits", test.eps,
					test.grid, leak, where, n, audits)
			}
		}
	}
}

// leaking has a leak in a part: with probability p, an output that others never have.
func leaking(s Sampler, part string, p float64) Sampler {
	return Fake(func(dice *rand.Rand, into *Sample) {
		if dice.Float64() < p {
			into.Group(part, parsed(`"leak"`)).Add()
			return
		}
		s.(Fake)(dice, into)
	})
}

// What is said to be seen of a part is found there: more is needed where a larger ε is claimed.
func TestSeen_PartsAreFound(t *testing.T) {
	audits, atLeast := AtLeast(10, 20), AtLeast(6, 14)
	claim, odds := partsClaim(1.2, 6), [2]float64{1.2, 6}
	o := Options{Samples: 3000, Alpha: 0.01, Seed: 9}
	seen := seenBy(t, claim, partedPair(odds), o.Samples)
	if seen.Part != 0 || seen.Leaks[0] != seen.Delta || !(seen.Leaks[1] > 2*seen.Delta) {
		t.Errorf("%+v", seen)
	}
	for part, leak := range seen.Leaks {
		pair := PairOf(leaking(parted(0, odds), claim.Parts[part].Name, leak), parted(1, odds))
		if n := Repeat(t, claim, o, audits, pair); n < atLeast {
			t.Errorf("part %d: a leak of %g is found in %d of %d audits", part, leak, n, audits)
		}
	}
}

// What is said to be seen is seen at all pairs of inputs, whatever their order, also where outputs are many numbers.
func TestSeen_PairsAreFound(t *testing.T) {
	audits, atLeast := AtLeast(10, 20), AtLeast(6, 14)
	numbers := func(leak float64) Sampler {
		return Fake(func(dice *rand.Rand, s *Sample) {
			x := make([]float64, 20)
			for i := range x {
				x[i] = LaplaceOf(dice, 1)
			}
			if dice.Float64() < leak {
				x = slices.Repeat([]float64{0.25}, len(x))
			}
			s.Group("", Numbers(20)).Add(x...)
		})
	}
	coin, vector := PairOf(discrete(0.5, 0.5), discrete(0.5, 0.5)), PairOf(numbers(0), numbers(0))
	o := Options{Samples: 2000, Alpha: 0.01, Seed: 9}
	var seen [2]Seen
	for i, pairs := range [][]Pair{{coin, vector}, {vector, coin}} {
		a, _ := played(t, nats(1), o, pairs...)
		seen[i] = a.seen()
	}
	leak := min(seen[0].Delta, seen[1].Delta)
	leaks := [][]Pair{{vector, PairOf(discrete(0.5, 0.5-leak, leak), discrete(0.5, 0.5))},
		{coin, PairOf(numbers(leak), numbers(0))}}
	for _, pairs := range leaks[AtLeast(1, 0):] {
		if n := Repeat(t, nats(1), o, audits, pairs...); n < atLeast {
			t.Errorf("a leak of %g is found in %d of %d audits", leak, n, audits)
		}
	}
}

// Where outputs do not depend on the input no losses were seen that could be larger: it is not known which ε would
// have been seen.
func TestSeen_EpsOfNothing(t *testing.T) {
	uniform := Fake(func(dice *rand.Rand, s *Sample) { s.Group("", Number).Add(dice.Float64()) })
	for _, claimed := range []float64{0, 0.02, 1} {
		if s := seenBy(t, nats(claimed), PairOf(uniform, uniform), 10_000); !math.IsInf(s.Eps[0], 1) || !(s.Delta < 1) {
			t.Errorf("where %g is claimed: %+v", claimed, s)
		}
	}
}
