package audit_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"

	"checkrr/impl/loss"
	"checkrr/verify/audit"
)

// hiddenRow is a mechanism that breaks its claim in a place where one has to look for it, and a twin
// that keeps a claim of the same kind.
type hiddenRow struct {
	name         string
	wrong, right audit.Pair
	claim        audit.Claim // of the wrong one
	twin         audit.Claim // of the right one
	samples      int         // by which nine of ten audits find it
	bits         bool
}

// claimOf is the claim of ε = 1 with a δ.
func claimOf(delta *big.Rat) audit.Claim { return audit.DP(loss.Nats(one), delta) }

// hiddenRows are the wrong mechanisms that were once missed, and others of their kinds.
func hiddenRows() []hiddenRow {
	const million = 1_000_000
	pure := func(h hiddenRow) hiddenRow {
		h.claim, h.twin, h.samples = claimOf(new(big.Rat)), claimOf(new(big.Rat)), max(h.samples, million)
		return h
	}
	seldom := claimOf(big.NewRat(1, 10_000))
	return []hiddenRow{
		pure(hiddenRow{name: "a cell of 100 without noise", wrong: cellsPair(100, 1e-9), right: cellsPair(100, 1)}),
		pure(hiddenRow{name: "unary, as numbers", wrong: unaryPair(1, asNumbers), right: unaryPair(0.5, asNumbers)}),
		pure(hiddenRow{name: "unary, as a text", wrong: unaryPair(1, asText), right: unaryPair(0.5, asText)}),
		pure(hiddenRow{name: "unary, as booleans", wrong: unaryPair(1, asBooleans), right: unaryPair(0.5, asBooleans)}),
		{name: "a word of twelve leaks", wrong: wordsPair(1e-3), right: wordsPair(1e-3),
			claim: claimOf(new(big.Rat)), twin: claimOf(big.NewRat(1, 1000)), samples: million},
		pure(hiddenRow{name: "a count in a text with a nonce", wrong: noncePair(1.0 / 3), right: noncePair(1)}),
		pure(hiddenRow{name: "SVT with value", wrong: valuePair(false), right: valuePair(true), samples: 3 * million}),
		{name: "a leak over an interval", wrong: spreadPair(2e-4), right: spreadPair(1e-4), claim: seldom,
			twin: seldom, samples: million},
		pure(hiddenRow{name: "low bits", wrong: lowPair(0b0111), right: lowPair(0b0101), bits: true}),
	}
}

// pairOn is a pair of inputs x and y, by what is drawn for either.
func pairOn[X any](x, y X, draw func(input X, dice *rand.Rand, s *audit.Sample)) audit.Pair {
	on := func(input X) audit.Sampler {
		return audit.Fake(func(dice *rand.Rand, s *audit.Sample) { draw(input, dice, s) })
	}
	return audit.PairOf(on(x), on(y))
}

// cellsPair is so many noisy cells, of which one differs and has noise of its own scale.
func cellsPair(count int, scale float64) audit.Pair {
	shape := audit.Numbers(count)
	if count == 1 {
		shape = audit.Number
	}
	return pairOn(0, 1, func(at float64, dice *rand.Rand, s *audit.Sample) {
		cells := make([]float64, count)
		for i := range cells {
			cells[i] = audit.LaplaceOf(dice, 1)
		}
		cells[count*57/100] = at + audit.LaplaceOf(dice, scale)
		s.Group("", shape).Add(cells...)
	})
}

// unaryPair is a category of 40, one-hot, each bit as it is with the odds of eps.
func unaryPair(eps float64, write func(s *audit.Sample, bits []bool)) audit.Pair {
	return pairOn(34, 38, func(category int, dice *rand.Rand, s *audit.Sample) {
		bits := make([]bool, 40)
		for i := range bits {
			truth := dice.Float64() < 1/(1+math.Exp(-eps))
			bits[i] = truth == (i == category)
		}
		write(s, bits)
	})
}

func asNumbers(s *audit.Sample, bits []bool) {
	numbers := make([]float64, len(bits))
	for i, b := range bits {
		if b {
			numbers[i] = 1
		}
	}
	s.Group("", audit.Numbers(len(bits))).Add(numbers...)
}

func asText(s *audit.Sample, bits []bool) {
	text := make([]byte, len(bits))
	for i, b := range bits {
		text[i] = '0'
		if b {
			text[i] = '1'
		}
	}
	s.Group("", audit.Text(string(text))).Add()
}

func asBooleans(s *audit.Sample, bits []bool) {
	var list []*audit.Shape
	for _, b := range bits[8:] { // 32 of them
		list = append(list, audit.Bool(b))
	}
	s.Group("", audit.List(list...)).Add()
}

// wordsPair is a list of twelve words, the first of which is the input with probability p.
func wordsPair(p float64) audit.Pair {
	return pairOn("alice", "bob", func(input string, dice *rand.Rand, s *audit.Sample) {
		words := make([]*audit.Shape, 12)
		for i := range words {
			words[i] = audit.Text(fmt.Sprintf("word%d", dice.IntN(1000)))
		}
		if dice.Float64() < p {
			words[0] = audit.Text(input)
		}
		s.Group("", audit.List(words...)).Add()
	})
}

// noncePair is a noisy count in a text that has a random number, too.
func noncePair(scale float64) audit.Pair {
	return pairOn(41, 42, func(at float64, dice *rand.Rand, s *audit.Sample) {
		s.Group("", audit.Text(fmt.Sprintf("request %08x: count %.3f, ok", dice.Uint32(),
			at+audit.LaplaceOf(dice, scale)))).Add()
	})
}

// valuePair is a sparse vector that returns the value with its first ⊤, and null for ⊥: the one that was
// compared with the threshold, or, with half of ε for either, a fresh one.
func valuePair(fresh bool) audit.Pair {
	draw := func(answers []float64, dice *rand.Rand, s *audit.Sample) {
		scale := 2.0
		if fresh {
			scale = 4
		}
		rho := audit.LaplaceOf(dice, scale)
		var shapes []*audit.Shape
		for _, q := range answers {
			noisy := q + audit.LaplaceOf(dice, 2*scale)
			if noisy < rho {
				shapes = append(shapes, audit.Null)
				continue
			}
			if fresh {
				noisy = q + audit.LaplaceOf(dice, 2)
			}
			s.Group("", audit.List(append(shapes, audit.Number)...)).Add(noisy)
			return
		}
		s.Group("", audit.List(shapes...)).Add()
	}
	return pairOn([]float64{0, 0, 0, 0, 0, 0, 0, 1}, []float64{1, 1, 1, 1, 1, 1, 1, 0}, draw)
}

// spreadPair is Laplace noise, and with probability p a number in an interval that is the input's own.
func spreadPair(p float64) audit.Pair {
	return pairOn(0, 1, func(at float64, dice *rand.Rand, s *audit.Sample) {
		x := at + audit.LaplaceOf(dice, 1)
		if dice.Float64() < p {
			x = 30 + 2*at + dice.Float64()
		}
		s.Group("", audit.Number).Add(x)
	})
}

// roundedPair is Gaussian noise on 1, if that is sampled with a probability, or on 0, rounded to so many digits: by
// 1e6 outputs many numbers come several times, and say little by themselves.
func roundedPair(sampling, sigma float64, digits int) audit.Pair {
	scale := math.Pow10(digits)
	return pairOn(1, 0, func(at float64, dice *rand.Rand, s *audit.Sample) {
		x := sigma * dice.NormFloat64()
		if dice.Float64() < sampling {
			x += at
		}
		s.Group("", audit.Number).Add(math.Round(x*scale) / scale)
	})
}

// apartPair is Laplace noise that is rounded to so many digits, with another number added: what one input gives the
// other never does.
func apartPair(digits int) audit.Pair {
	scale := math.Pow10(digits)
	return pairOn(0, 0.4, func(at float64, dice *rand.Rand, s *audit.Sample) {
		s.Group("", audit.Number).Add((math.Round(audit.LaplaceOf(dice, 1)*scale) + at) / scale)
	})
}

// lowPair is rounded noise whose last four bits tell the input, or not.
func lowPair(second uint64) audit.Pair {
	return pairOn(0, 1, func(side int, dice *rand.Rand, s *audit.Sample) {
		s.Group("", audit.Number).Add(lowBits(dice, float64(side), [2]uint64{0b0101, second}[side]))
	})
}

// lowBits is a number with noise that is rounded, with four last bits.
func lowBits(dice *rand.Rand, at float64, low uint64) float64 {
	x := math.Ldexp(math.Round(math.Ldexp(at+audit.LaplaceOf(dice, 1), 20)), -20)
	return math.Float64frombits(math.Float64bits(x)&^15 | low)
}
