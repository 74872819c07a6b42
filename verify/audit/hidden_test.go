package audit

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"checkrr/impl/loss"
)

// hidden is a mechanism that breaks its claim in a place where one has to look for it, and a twin
// that keeps a claim of the same kind.
type hidden struct {
	name         string
	wrong, right Pair
	claim        Claim // of the wrong one
	twin         Claim // of the right one
	samples      int   // by which nine of ten audits find it
	bits         bool
}

// oneAnd is the claim of ε = 1 with a δ.
func oneAnd(delta string) Claim { return DP(loss.Nats(rat("1")), rat(delta)) }

// hiddens are the wrong mechanisms that were once missed, and others of their kinds.
func hiddens() []hidden {
	const million = 1_000_000
	same := func(h hidden) hidden { h.claim, h.twin = oneAnd("0"), oneAnd("0"); return h }
	return []hidden{
		same(hidden{name: "a cell of 100 without noise", wrong: cellsPair(1e-9), right: cellsPair(1), samples: million}),
		same(hidden{name: "unary, as numbers", wrong: unaryPair(1, asNumbers), right: unaryPair(0.5, asNumbers), samples: million}),
		same(hidden{name: "unary, as a text", wrong: unaryPair(1, asText), right: unaryPair(0.5, asText), samples: million}),
		same(hidden{name: "unary, as booleans", wrong: unaryPair(1, asBooleans), right: unaryPair(0.5, asBooleans), samples: million}),
		{name: "a word of twelve leaks", wrong: wordsPair(1e-3), right: wordsPair(1e-3), claim: oneAnd("0"), twin: oneAnd("1/1000"), samples: million},
		same(hidden{name: "a count in a text with a nonce", wrong: noncePair(1.0 / 3), right: noncePair(1), samples: million}),
		same(hidden{name: "SVT with value", wrong: valuePair(false), right: valuePair(true), samples: 3 * million}),
		{name: "a leak over an interval", wrong: spreadPair(2e-4), right: spreadPair(1e-4), claim: oneAnd("1/10000"), twin: oneAnd("1/10000"), samples: million},
		same(hidden{name: "low bits", wrong: lowPair(0b0111), right: lowPair(0b0101), samples: million, bits: true}),
	}
}

// cellsPair is 100 noisy cells, of which one differs and has noise of its own scale.
func cellsPair(scale float64) Pair {
	on := func(at float64) Sampler {
		return fake(func(dice *rand.Rand, s *Sample) {
			cells := make([]float64, 100)
			for i := range cells {
				cells[i] = laplaceOf(dice, 1)
			}
			cells[57] = at + laplaceOf(dice, scale)
			s.Group("", numbersShape(100), 100).Add(cells...)
		})
	}
	return pairOf(on(0), on(1))
}

// numbersShape is the shape of a list of so many numbers.
func numbersShape(n int) string { return "[" + strings.Repeat("#,", n-1) + "#]" }

// unaryPair is a category of 40, one-hot, each bit as it is with the odds of ε.
func unaryPair(eps float64, write func(s *Sample, bits []bool)) Pair {
	on := func(category int) Sampler {
		return fake(func(dice *rand.Rand, s *Sample) {
			bits := make([]bool, 40)
			for i := range bits {
				truth := dice.Float64() < 1/(1+math.Exp(-eps))
				bits[i] = truth == (i == category)
			}
			write(s, bits)
		})
	}
	return pairOf(on(34), on(38))
}

func asNumbers(s *Sample, bits []bool) {
	numbers := make([]float64, len(bits))
	for i, b := range bits {
		if b {
			numbers[i] = 1
		}
	}
	s.Group("", numbersShape(len(bits)), len(bits)).Add(numbers...)
}

func asText(s *Sample, bits []bool) {
	text := []byte{'"'}
	for _, b := range bits {
		digit := byte('0')
		if b {
			digit = '1'
		}
		text = append(text, digit)
	}
	s.Group("", string(append(text, '"')), 0).Add()
}

func asBooleans(s *Sample, bits []bool) {
	text := []byte{'['}
	for _, b := range bits[8:] { // 32 of them
		text = append(strconv.AppendBool(text, b), ',')
	}
	text[len(text)-1] = ']'
	s.Group("", string(text), 0).Add()
}

// wordsPair is a list of twelve words, the first of which is the input with probability p.
func wordsPair(p float64) Pair {
	on := func(input string) Sampler {
		return fake(func(dice *rand.Rand, s *Sample) {
			words := make([]string, 12)
			for i := range words {
				words[i] = fmt.Sprintf(`"word%d"`, dice.IntN(1000))
			}
			if dice.Float64() < p {
				words[0] = input
			}
			s.Group("", "["+strings.Join(words, ",")+"]", 0).Add()
		})
	}
	return pairOf(on(`"alice"`), on(`"bob"`))
}

// noncePair is a noisy count in a text that has a random number, too.
func noncePair(scale float64) Pair {
	on := func(at float64) Sampler {
		return fake(func(dice *rand.Rand, s *Sample) {
			s.Group("", fmt.Sprintf(`"request %08x: count %.3f, ok"`, dice.Uint32(), at+laplaceOf(dice, scale)), 0).Add()
		})
	}
	return pairOf(on(41), on(42))
}

// valuePair is a sparse vector that returns the value with its first ⊤, and null for ⊥: the one that was
// compared with the threshold, or, with half of ε for either, a fresh one.
func valuePair(fresh bool) Pair {
	on := func(answers ...float64) Sampler {
		return fake(func(dice *rand.Rand, s *Sample) {
			scale := 2.0
			if fresh {
				scale = 4
			}
			rho := laplaceOf(dice, scale)
			shape := []byte{'['}
			for _, q := range answers {
				noisy := q + laplaceOf(dice, 2*scale)
				if noisy < rho {
					shape = append(shape, "null,"...)
					continue
				}
				if fresh {
					noisy = q + laplaceOf(dice, 2)
				}
				s.Group("", string(append(shape, "#]"...)), 1).Add(noisy)
				return
			}
			shape[len(shape)-1] = ']'
			s.Group("", string(shape), 0).Add()
		})
	}
	return pairOf(on(0, 0, 0, 0, 0, 0, 0, 1), on(1, 1, 1, 1, 1, 1, 1, 0))
}

// spreadPair is Laplace noise, and with probability p a number in an interval that is the input's own.
func spreadPair(p float64) Pair {
	on := func(at float64) Sampler {
		return fake(func(dice *rand.Rand, s *Sample) {
			x := at + laplaceOf(dice, 1)
			if dice.Float64() < p {
				x = 30 + 2*at + dice.Float64()
			}
			s.Group("", "#", 1).Add(x)
		})
	}
	return pairOf(on(0), on(1))
}

// lowPair is rounded noise whose last four bits tell the input, or not.
func lowPair(second uint64) Pair {
	on := func(at float64, low uint64) Sampler {
		return fake(func(dice *rand.Rand, s *Sample) {
			x := math.Ldexp(math.Round(math.Ldexp(at+laplaceOf(dice, 1), 20)), -20)
			s.Group("", "#", 1).Add(math.Float64frombits(math.Float64bits(x)&^15 | low))
		})
	}
	return pairOf(on(0, 0b0101), on(1, second))
}

var (
	hiddenRow   = flag.String("hidden", "", "measure the hidden mechanisms whose name contains this")
	hiddenSeeds = flag.Uint64("seeds", 10, "of a measurement")
	hiddenSize  = flag.Int("size", 0, "samples of a measurement; 0 for those of the row")
	hiddenRight = flag.Bool("right", false, "measure the right twins")
)

// TestMeasure_Hidden prints how many seeds find what, with how many samples and in what time.
func TestMeasure_Hidden(t *testing.T) {
	if *hiddenRow == "" {
		t.Skip("a measurement: see -hidden")
	}
	for _, h := range hiddens() {
		if !strings.Contains(h.name, *hiddenRow) && *hiddenRow != "all" {
			continue
		}
		pair, claim, samples := h.wrong, h.claim, h.samples
		if *hiddenRight {
			pair, claim = h.right, h.twin
		}
		if *hiddenSize > 0 {
			samples = *hiddenSize
		}
		var needed []int
		found := 0
		start := time.Now()
		for seed := range *hiddenSeeds {
			r := audited(t, claim, Options{Samples: samples, Alpha: 0.01, Seed: seed, Bits: h.bits}, pair)
			needed = append(needed, r.Samples)
			if r.Verdict == Refuted {
				found++
			}
			if seed == 0 && r.Witness != nil {
				t.Logf("%s: %q %v of %d", h.name, r.Witness.Event, r.Witness.Hits, r.Witness.Size)
			}
		}
		slices.Sort(needed)
		t.Logf("%s: refuted %d of %d, samples %v, %v each", h.name, found, *hiddenSeeds, needed, time.Since(start)/time.Duration(*hiddenSeeds))
	}
}

// Wrong mechanisms that have to be looked for are found, and their right twins pass. Seeds are
// fixed; 10 of 10 seeds find each with as many outputs. Null hypothesis for a twin: its claim is true; each is
// refuted with probability at most 0.001.
func TestControl_HiddenIsFound(t *testing.T) {
	t.Parallel()
	words := wordsPair(0.02)
	for _, h := range hiddens() {
		samples := 3000
		switch h.name {
		case "a word of twelve leaks":
			h.wrong, h.right, h.twin = words, words, oneAnd("1/50")
		case "SVT with value", "a leak over an interval":
			continue // they take long; see TestMeasure_Hidden
		}
		o := Options{Samples: samples, Alpha: 0.001, Seed: 1, Bits: h.bits}
		if r := audited(t, h.claim, o, h.wrong); r.Verdict != Refuted || len(r.Witness.Event) == 0 {
			t.Errorf("%s: %s", h.name, r.Verdict)
		}
		r := audited(t, h.twin, o, h.right)
		if r.Verdict == Refuted {
			t.Errorf("%s: the right twin is refuted by %+v", h.name, r.Witness)
		}
		if r.Looked.Features == 0 || r.Looked.Places == 0 {
			t.Errorf("%s: nothing was looked at", h.name)
		}
	}
}
