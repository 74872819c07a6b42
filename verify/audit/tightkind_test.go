package audit_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"

	"checkrr/impl/loss"
	"checkrr/verify/audit"
)

// tightKinds are mechanisms with outputs of every kind, each exactly as private as it is claimed: there is an
// output, or a set of them, whose probabilities differ by just the factor e^ε, with ε = 1.
func tightKinds() []subject {
	pure := claimOf(new(big.Rat))
	parts := audit.Claim{Delta: new(big.Rat),
		Parts: []audit.Part{{Name: "a", Eps: loss.Nats(big.NewRat(1, 2))}, {Name: "b", Eps: loss.Nats(one)}}}
	return []subject{
		{name: "a number", claim: pure, pairs: []audit.Pair{cellsPair(1, 1)}},
		{name: "a vector of 20 numbers", claim: pure, pairs: []audit.Pair{cellsPair(20, 1)}},
		{name: "a list of null and numbers", claim: pure, pairs: []audit.Pair{mixedPair()}},
		{name: "three words", claim: pure, pairs: []audit.Pair{wordPair()}},
		{name: "a text with a number", claim: pure, pairs: []audit.Pair{countPair()}},
		{name: "bits of a number", claim: pure, pairs: []audit.Pair{lowResponsePair()}, bits: true},
		{name: "a word in two parts", claim: parts, pairs: []audit.Pair{partsPair()}},
	}
}

// truthfully reports whether randomized response with e^ε = odds tells the truth.
func truthfully(dice *rand.Rand, eps float64) bool { return dice.Float64() < 1/(1+math.Exp(-eps)) }

// mixedPair is a list of three places, each null or a number: the second one the input with noise of scale 1/ε,
// the others noise alone.
func mixedPair() audit.Pair {
	return pairOn(0, 1, func(side int, dice *rand.Rand, s *audit.Sample) {
		var shapes []*audit.Shape
		var numbers []float64
		for place := range 3 {
			at := 0.0
			if place == 1 {
				at = float64(side)
			}
			if dice.IntN(2) == 0 {
				shapes = append(shapes, audit.Null)
				continue
			}
			shapes = append(shapes, audit.Number)
			numbers = append(numbers, at+audit.LaplaceOf(dice, 1))
		}
		s.Group("", audit.List(shapes...)).Add(numbers...)
	})
}

// wordPair is a list of three of eight words, the second of which is the input's own with the odds e^ε to each other
// one.
func wordPair() audit.Pair {
	return pairOn(0, 1, func(side int, dice *rand.Rand, s *audit.Sample) {
		word := side
		if dice.Float64() >= math.E/(math.E+7) {
			word = (side + 1 + dice.IntN(7)) % 8
		}
		var list []*audit.Shape
		for _, i := range []int{dice.IntN(8), word, dice.IntN(8)} {
			list = append(list, audit.Text(fmt.Sprintf("word%d", i)))
		}
		s.Group("", audit.List(list...)).Add()
	})
}

// countPair is a text with a nonce and a count with two-sided geometric noise, whose probabilities fall by e^ε.
func countPair() audit.Pair {
	return pairOn(0, 1, func(side int, dice *rand.Rand, s *audit.Sample) {
		noise := math.Floor(dice.ExpFloat64()) - math.Floor(dice.ExpFloat64())
		s.Group("", audit.Text(fmt.Sprintf("request %08x: count %d, ok", dice.Uint32(), 41+side+int(noise)))).Add()
	})
}

// lowResponsePair is noise that does not know the input, whose last four bits are a randomized response.
func lowResponsePair() audit.Pair {
	return pairOn(0, 1, func(side int, dice *rand.Rand, s *audit.Sample) {
		if !truthfully(dice, 1) {
			side = 1 - side
		}
		s.Group("", audit.Number).Add(lowBits(dice, 0, [2]uint64{0b0101, 0b0111}[side]))
	})
}

// partsPair is randomized response in one of two parts, with half of ε in the first one.
func partsPair() audit.Pair {
	return pairOn(0, 1, func(side int, dice *rand.Rand, s *audit.Sample) {
		part := dice.IntN(2)
		if !truthfully(dice, [2]float64{0.5, 1}[part]) {
			side = 1 - side
		}
		s.Group([2]string{"a", "b"}[part], audit.Text(fmt.Sprint(side))).Add()
	})
}
