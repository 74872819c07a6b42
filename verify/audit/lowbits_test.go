package audit

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"checkrr/impl/loss"
)

// rounded is Laplace noise of scale 1, as a multiple of 2^−20.
func rounded(at float64) Sampler {
	return Fake(func(dice *rand.Rand, s *Sample) {
		s.Group("", Number).Add(math.Ldexp(math.Round(math.Ldexp(at+LaplaceOf(dice, 1), 20)), -20))
	})
}

// The last bits of x + Laplace noise give x away (Mironov 2012): as reals there is a warning, and
// as float64 a violation. Multiples of 2^−20 have no such bits.
func TestLowBits(t *testing.T) {
	grid := PairOf(rounded(0), rounded(1))
	o := Options{Samples: 5000, Alpha: 0.001, Seed: 1}
	if r := audited(t, nats(1), o, laplacePair(1)); r.Verdict != NoViolation || !r.LowBits {
		t.Errorf("float64, as reals: %s, warning %v", r.Verdict, r.LowBits)
	}
	if r := audited(t, nats(1), o, grid); r.Verdict != NoViolation || r.LowBits {
		t.Errorf("multiples of 2^-20, as reals: %s, warning %v", r.Verdict, r.LowBits)
	}
	// chance alone is no reason to warn
	for seed := range uint64(8) {
		if a, _ := played(t, nats(1), Options{Samples: 1000, Alpha: 0.001, Seed: seed}, grid); a.lowBits() {
			t.Errorf("multiples of 2^-20, seed %d: a warning", seed)
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

// mixed has a number in some outputs, and a text or one of many objects with a number in the others.
func mixed(share float64, number func(dice *rand.Rand) float64, other func(dice *rand.Rand, s *Sample)) Sampler {
	return Fake(func(dice *rand.Rand, s *Sample) {
		if dice.Float64() < share {
			s.Group("", Number).Add(number(dice))
		} else {
			other(dice, s)
		}
	})
}

// Outputs that differ as the claim allows are no reason to warn of bits, whatever they are: numbers of one input
// only, constants, most outputs without numbers, or hardly any two of one shape.
func TestLowBits_Mixed(t *testing.T) {
	t.Parallel()
	constant := func(x float64) func(*rand.Rand) float64 { return func(*rand.Rand) float64 { return x } }
	coin := func(p float64) func(*rand.Rand) float64 {
		return func(dice *rand.Rand) float64 { return []float64{0.1, 0.75}[pick(dice, []float64{p, 1 - p})] }
	}
	text := func(_ *rand.Rand, s *Sample) { s.Group("", parsed(`"none"`)).Add() }
	object := func(dice *rand.Rand, s *Sample) { s.Group("", parsed(fmt.Sprintf(`{"%08x":#}`, dice.Uint32()))).Add(1) }
	claim := func(eps, delta float64) Claim {
		return DP(loss.Nats(new(big.Rat).SetFloat64(eps)), new(big.Rat).SetFloat64(delta))
	}
	odds := math.E / (1 + math.E)
	for name, test := range map[string]struct {
		claim Claim
		pair  Pair
	}{
		"numbers of one input": {claim(1, 0.1001),
			PairOf(mixed(0.1, constant(7), text), mixed(0, nil, text))},
		"numbers of the other": {claim(1, 0.3001),
			PairOf(mixed(0, nil, text), mixed(0.3, (*rand.Rand).ExpFloat64, text))},
		"constants": {claim(1, 1),
			PairOf(mixed(1, constant(0.1), nil), mixed(1, constant(7), nil))},
		"one constant": {claim(0, 0),
			PairOf(mixed(1, constant(0.1), nil), mixed(1, constant(0.1), nil))},
		"two numbers as far as allowed": {claim(1.0001, 0),
			PairOf(mixed(1, coin(odds), nil), mixed(1, coin(1-odds), nil))},
		"numbers as often as is allowed": {claim(1.0001, 0),
			PairOf(mixed(odds, coin(0.5), text), mixed(1-odds, coin(0.5), text))},
		"an object of many shapes": {claim(1.0001, 0),
			PairOf(mixed(odds, coin(0.5), object), mixed(1-odds, coin(0.5), object))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := audited(t, test.claim, Options{Samples: AtLeast(30_000, 300_000), Alpha: 0.001, Seed: 1}, test.pair)
			if r.Verdict != NoViolation || r.LowBits {
				t.Errorf("%s, warning %v, must be none", r.Verdict, r.LowBits)
			}
		})
	}
	// and bits that tell are seen beside texts
	laplace := func(at float64) Sampler {
		return mixed(0.5, func(dice *rand.Rand) float64 { return at + LaplaceOf(dice, 1) }, text)
	}
	if r := audited(t, nats(1), Options{Samples: 30_000, Alpha: 0.001, Seed: 1},
		PairOf(laplace(0), laplace(1))); !r.LowBits {
		t.Errorf("%s, no warning of last bits", r.Verdict)
	}
}

// A share of a sample is fair: groups keep their shares, and the others do not come in the place of a large one.
func TestSample_Some(t *testing.T) {
	s := &Sample{}
	s.Group("", parsed(`"none"`)).Count = 900_000
	g := s.Group("", Number)
	g.Count, g.Numbers = 50_000, make([]float64, 50_000)
	for i := range 50_000 {
		s.Group("", parsed(fmt.Sprintf(`{"%d":#}`, i))).Add(1)
	}
	few := s.some(10_000, rand.New(rand.NewPCG(1, 1)))
	text, numbers, all := few.countOf(key{"", `"none"`}), few.countOf(key{"", "#"}), few.Count()
	if text < 8999 || text > 9001 || numbers < 499 || numbers > 501 || all-text-numbers < 400 ||
		all-text-numbers > 600 {
		t.Errorf("%d texts, %d numbers, %d others, must be about 9000, 500 and 500", text, numbers, all-text-numbers)
	}
}
