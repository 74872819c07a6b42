package audit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// placeLeaks are mechanisms whose outputs never repeat, and that may leak at one place of them.
var placeLeaks = map[string]func(dice *rand.Rand, leaks bool) string{
	"a list of words": func(dice *rand.Rand, leaks bool) string {
		return "[" + strings.Join(someWords(dice, 12, leaks), ",") + "]"
	},
	"a text of words": func(dice *rand.Rand, leaks bool) string {
		return `"` + strings.ReplaceAll(strings.Join(someWords(dice, 12, leaks), " "), `"`, "") + `"`
	},
	"an object of texts": func(dice *rand.Rand, leaks bool) string {
		words := someWords(dice, 3, leaks)
		return fmt.Sprintf(`{"a":%s,"b":%s,"c":"%016x"}`, words[0], words[1], dice.Uint64())
	},
}

// someWords returns n words of a thousand; if they leak the first one is another.
func someWords(dice *rand.Rand, n int, leaks bool) []string {
	words := make([]string, n)
	for i := range words {
		words[i] = someWord(dice, 1000)
	}
	if leaks {
		words[0] = `"leak"`
	}
	return words
}

// placePair leaks with probability p, on the first input.
func placePair(text func(dice *rand.Rand, leaks bool) string, p float64) Pair {
	with := func(p float64) Sampler {
		return saying(func(dice *rand.Rand) string { return text(dice, dice.Float64() < p) })
	}
	return PairOf(with(p), with(0))
}

// The word or number that leaks is seen only if it is found among many features: what is said of a place is more than
// of a whole output. A leak of that size at one place of outputs that never repeat is found in 16 of 20 audits or
// more: less would have probability 0.04 if it were found with 0.9, and 355 of 360 were. A quarter of it is missed in
// half of them (with -full).
func TestSeen_PlaceIsFound(t *testing.T) {
	t.Parallel()
	const audits, atLeast = 20, 16
	for name, text := range placeLeaks {
		o := Options{Samples: 1000, Alpha: 1e-3, Seed: 9}
		seen := audited(t, nats(1), o, placePair(text, 0)).Seen
		if !(seen.Place > 1.5*seen.Delta && seen.Place < 4*seen.Delta) {
			t.Errorf("%s: a place is seen from %g, an output from %g", name, seen.Place, seen.Delta)
		}
		if n := Repeat(t, nats(1), o, audits, placePair(text, seen.Place)); n < atLeast {
			t.Errorf("%s: a leak of %g is found in %d of %d audits", name, seen.Place, n, audits)
		}
		if !*full {
			continue
		}
		if n := Repeat(t, nats(1), o, audits, placePair(text, seen.Place/4)); n > audits/2 {
			t.Errorf("%s: a quarter of a leak of %g is found in %d of %d audits", name, seen.Place, n, audits)
		}
	}
}

// An output that is one place only is seen as such; and where there are so few that nothing is learned of what they
// are made of, no place is.
func TestSeen_PlaceIsOutput(t *testing.T) {
	for name, pair := range map[string]Pair{"a number": laplacePair(1), "a word": response(2)} {
		if s := seenBy(t, nats(1), pair, 1000); s.Place != s.Delta {
			t.Errorf("%s: a place is seen from %g, an output from %g", name, s.Place, s.Delta)
		}
	}
	if s := seenBy(t, nats(1), placePair(placeLeaks["a list of words"], 0), 60); !math.IsInf(s.Place, 1) ||
		math.IsInf(s.Delta, 1) {
		t.Errorf("60 lists: a place is seen from %g, an output from %g", s.Place, s.Delta)
	}
}
