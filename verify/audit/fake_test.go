package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"

	"checkrr/impl/loss"
)

// Fake is a sampler that is a function, which adds one output.
type Fake func(dice *rand.Rand, s *Sample)

func (f Fake) Sample(_ context.Context, n int, seed [32]byte, s *Sample) error {
	dice := rand.New(rand.NewChaCha8(seed))
	for range n {
		f(dice, s)
	}
	return nil
}

// watched is a sampler that is told of before it draws.
type watched struct {
	Sampler
	before func(n int, seed [32]byte) error
}

func (w watched) Sample(ctx context.Context, n int, seed [32]byte, s *Sample) error {
	if err := w.before(n, seed); err != nil {
		return err
	}
	return w.Sampler.Sample(ctx, n, seed, s)
}

// failing fails from a call on.
func failing(s Sampler, from int, fail func() error) Sampler {
	calls := 0
	return watched{s, func(int, [32]byte) error {
		if calls++; calls < from {
			return nil
		}
		return fail()
	}}
}

// seeded takes no seed twice.
func seeded(s Sampler, seeds map[[32]byte]bool) Sampler {
	return watched{s, func(_ int, seed [32]byte) error {
		if seeds[seed] {
			return errors.New("the seed was there before")
		}
		seeds[seed] = true
		return nil
	}}
}

// PairOf is a pair of inputs that have the numbers 0 and 1.
func PairOf(first, second Sampler) Pair {
	return Pair{Inputs: [2]string{"[0]", "[1]"}, Samplers: [2]Sampler{first, second}}
}

// pick returns i with probability p[i].
func pick(dice *rand.Rand, p []float64) int {
	x := dice.Float64()
	for i, q := range p {
		if x < q {
			return i
		}
		x -= q
	}
	return len(p) - 1
}

// saying has outputs that are written as JSON.
func saying(text func(dice *rand.Rand) string) Sampler {
	return Fake(func(dice *rand.Rand, s *Sample) {
		var value any
		err := json.Unmarshal([]byte(text(dice)), &value)
		if err == nil {
			err = s.AddValue("", value)
		}
		if err != nil {
			panic(err)
		}
	})
}

// discrete has words as outputs, by their probabilities.
func discrete(p ...float64) Sampler {
	return Fake(func(dice *rand.Rand, s *Sample) { s.Group("", Text(fmt.Sprint(pick(dice, p)))).Add() })
}

// response is randomized response with e^ε = odds: a pair of opposite inputs.
func response(odds float64) Pair {
	p := odds / (1 + odds)
	return PairOf(discrete(p, 1-p), discrete(1-p, p))
}

func laplacePair(scale float64) Pair {
	return PairOf(laplaceSampler{0, scale}, laplaceSampler{1, scale})
}

func LaplaceOf(dice *rand.Rand, scale float64) float64 {
	x := scale * dice.ExpFloat64()
	if dice.IntN(2) == 0 {
		return -x
	}
	return x
}

// drawing has lists of so many numbers, or with 0 a number.
func drawing(width int, number func(i int, dice *rand.Rand) float64) Sampler {
	shape := Number
	if width > 0 {
		shape = Numbers(width)
	}
	return Fake(func(dice *rand.Rand, s *Sample) {
		numbers := make([]float64, max(1, width))
		for i := range numbers {
			numbers[i] = number(i, dice)
		}
		s.Group("", shape).Add(numbers...)
	})
}

// leaky adds Laplace noise of scale 1, but releases the input with probability p.
func leaky(at, p float64) Sampler {
	return drawing(0, func(_ int, dice *rand.Rand) float64 {
		if dice.Float64() < p {
			return at
		}
		return at + LaplaceOf(dice, 1)
	})
}

// edged adds exponential noise: nothing is ever below the input.
func edged(at float64) Sampler {
	return drawing(0, func(_ int, dice *rand.Rand) float64 { return at + dice.ExpFloat64() })
}

// vector adds Laplace noise to each of so many numbers.
func vector(at float64, width int, scale float64) Sampler {
	return drawing(width, func(_ int, dice *rand.Rand) float64 { return at + LaplaceOf(dice, scale) })
}

// parted is randomized response with half of its outputs in a part a, with the odds given
// there, and half in a part b.
func parted(side int, odds [2]float64) Sampler {
	return Fake(func(dice *rand.Rand, s *Sample) {
		part := dice.IntN(2)
		word := side
		if dice.Float64() >= odds[part]/(1+odds[part]) {
			word = 1 - side
		}
		s.Group([]string{"a", "b"}[part], Text(fmt.Sprint(word))).Add()
	})
}

func partedPair(odds [2]float64) Pair { return PairOf(parted(0, odds), parted(1, odds)) }

// nats is the claim of ε-DP, about: a double is a rational number.
func nats(eps float64) Claim { return DP(loss.Nats(new(big.Rat).SetFloat64(eps)), new(big.Rat)) }

func partsClaim(odds ...float64) Claim {
	c := Claim{Delta: new(big.Rat)}
	for i, w := range odds {
		c.Parts = append(c.Parts, Part{string(rune('a' + i)), loss.Exp(new(big.Rat).SetFloat64(w))})
	}
	return c
}

// sampleOf draws a sample.
func sampleOf(sampler Sampler, n int, seed byte) *Sample {
	s := &Sample{}
	if err := sampler.Sample(context.Background(), n, [32]byte{seed}, s); err != nil {
		panic(err)
	}
	return s
}

// near reports whether two numbers differ by at most slack.
func near(x, y, slack float64) bool { return math.Abs(x-y) <= slack }

// parsed is the shape of outputs that are written as JSON, with # for a number.
func parsed(text string) *Shape {
	var value any
	err := json.Unmarshal([]byte(strings.ReplaceAll(text, "#", "0")), &value)
	if err == nil {
		var s *Shape
		if s, _, err = ShapeOf(value); err == nil {
			return s
		}
	}
	panic(fmt.Sprintf("%s: %v", text, err))
}
