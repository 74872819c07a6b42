package audit

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// placeLeaks are mechanisms whose outputs never repeat, and that may leak at one place of them.
var placeLeaks = map[string]func(dice *rand.Rand, leaks bool) string{
	"a list of words": func(dice *rand.Rand, leaks bool) string { return "[" + strings.Join(someWords(dice, 12, leaks), ",") + "]" },
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
		return fake(func(dice *rand.Rand, s *Sample) { s.Group("", text(dice, dice.Float64() < p), 0).Add() })
	}
	return pairOf(with(p), with(0))
}

func TestMeasurePlace(t *testing.T) {
	for name, text := range placeLeaks {
		for _, samples := range []int{1000, 10_000, 60_000} {
			o := Options{Samples: samples, Alpha: 1e-3, Seed: 9}
			a, _ := newAuditor(nats(1), []Pair{placePair(text, 0)}, o)
			a.play(t.Context())
			s := a.seen()
			for _, f := range []float64{0.5, 1} {
				n, err := Repeat(t.Context(), nats(1), []Pair{placePair(text, f*s.Place)}, o, 20)
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%s, %d: %g×%g (whole %g) found in %d of 20", name, samples, f, s.Place, s.Delta, n)
			}
		}
	}
}
