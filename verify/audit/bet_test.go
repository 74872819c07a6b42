package audit

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"checkrr/impl/loss"
)

// mean returns the mean of the factor that a pair of outputs multiplies the capital by.
func mean(b bet, h hypothesis, p0 float64, p1 []float64) float64 {
	factor := func(hit bool, part int) float64 {
		t := tally{second: make([]float64, len(p1)), n: 1}
		if hit {
			t.first = 1
		}
		if part >= 0 {
			t.second[part] = 1
		}
		return math.Exp(b.log(t, h))
	}
	miss := 1.0
	for _, p := range p1 {
		miss -= p
	}
	sum := 0.0
	for _, side := range []struct {
		hit bool
		p   float64
	}{{true, p0}, {false, 1 - p0}} {
		sum += side.p * miss * factor(side.hit, -1)
		for part, p := range p1 {
			sum += side.p * p * factor(side.hit, part)
		}
	}
	return sum
}

// No bet can be expected to win against a claim that is true, on its edge or inside;
// and bets that are placed by the truth are expected to win against one that is not.
func TestLaw_BetsAreFair(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	won := 0
	for range 20_000 {
		h := hypothesis{weights: make([]float64, 1+dice.IntN(3)), delta: math.Max(0, dice.Float64()-0.5) * 0.2}
		p1 := make([]float64, len(h.weights))
		allowed, left := h.delta, 1.0
		for i := range h.weights {
			h.weights[i] = math.Exp(dice.Float64() * 3)
			p1[i] = left * dice.Float64() * dice.Float64()
			left -= p1[i]
			allowed += h.weights[i] * p1[i]
		}
		// the belief may be anything
		belief := tally{first: dice.Float64() * 100, second: make([]float64, len(p1)), n: 100}
		for i := range belief.second {
			belief.second[i] = dice.Float64() * 100 / float64(3*len(p1))
		}
		goal := prospect{1 + 20*dice.Float64(), math.Exp(10 * dice.Float64())}
		if b, _, ok := place(belief, h, goal); ok {
			for _, p0 := range []float64{allowed, allowed * dice.Float64(), 0} {
				if m := mean(b, h, math.Min(p0, 1), p1); p0 <= 1 && !(m <= 1+1e-12) {
					t.Fatalf("bet %+v on %+v, P0 = %g, P1 = %g: mean %.15g, must be at most 1", b, h, p0, p1, m)
				}
			}
		}
		if p0 := allowed * 1.5; p0 < 1 && p0 > 0.01 {
			truth := tally{first: p0, second: p1, n: 1}
			if b, _, ok := place(truth, h, prospect{1, 1e6}); ok && mean(b, h, p0, p1) > 1 {
				won++
			} else {
				t.Fatalf("a small stake on %+v, P0 = %g, P1 = %g does not win: %v, %v", h, p0, p1, b, ok)
			}
		}
	}
	if won < 1000 {
		t.Errorf("%d claims that are not true were bet on, must be many", won)
	}
}

// script is a sampler of randomized response that is told what to draw.
type script struct {
	bits *uint64 // the next outputs, lowest bit first
	ones *int    // how many were 1
}

func (s script) Sample(_ context.Context, n int, _ [32]byte, into *Sample) error {
	for range n {
		bit := *s.bits & 1
		*s.bits >>= 1
		*s.ones += int(bit)
		into.Group("", Text([2]string{"no", "yes"}[bit])).Add()
	}
	return nil
}

// Over all outputs that there can be, the capital of a whole audit of a tight mechanism has a mean
// of at most 1: whatever is learned, nothing is bet on what was seen before.
func TestExhaustive_AuditIsFair(t *testing.T) {
	defer func(before int) { minRepeats = before }(minRepeats)
	minRepeats = 1 // few outputs are enough to learn from
	n := AtLeast(6, 7)
	for _, odds := range []float64{1, 2} { // e^ε
		claim := DP(loss.Exp(new(big.Rat).SetFloat64(odds)), new(big.Rat))
		truth := odds / (1 + odds)
		var mean, cheated, alone [2]float64
		for outputs := range uint64(1) << uint(2*n) {
			bits, ones := outputs, [2]int{}
			p := Pair{Samplers: [2]Sampler{script{&bits, &ones[0]}, script{&bits, &ones[1]}}}
			a, _ := played(t, claim, Options{Samples: n, Alpha: 0.01, Full: true}, p)
			probability := 1.0
			for side, yes := range [2]float64{truth, 1 - truth} {
				probability *= math.Pow(yes, float64(ones[side])) * math.Pow(1-yes, float64(n-ones[side]))
			}
			for d := range mean {
				evidence, _ := a.evidence(player{a.matches[0], d})
				for _, e := range evidence {
					alone[d] += probability * 2 * math.Exp(e.Alone()) // of two directions
				}
				mean[d] += probability * math.Exp(a.matches[0].capitals[d].wealth)
				cheated[d] += probability * math.Exp(last(foresight(a.matches[0].history).logWealth(d,
					a.null, a.parts, a.goal(1))))
			}
		}
		for d, m := range mean {
			if !(m <= 1+1e-9) {
				t.Errorf("e^ε = %g, direction %d: mean capital is %.12f, must be at most 1", odds, d, m)
			}
			if !(alone[d] <= 1+1e-9) {
				t.Errorf("e^ε = %g, direction %d: what rounds have by themselves is %.12f on average, "+
					"must be at most 1", odds, d, alone[d])
			}
			if cheated[d] < 1.01 {
				t.Errorf("e^ε = %g, direction %d: who knows the outputs beforehand has %.3f, must have more",
					odds, d, cheated[d])
			}
		}
	}
}

// foresight is a history in which events and bets are chosen by the outputs that are bet on.
func foresight(h history) history {
	cheating := make(history, len(h))
	for i, r := range h {
		c := *r
		c.past, c.pastSize = r.fresh, r.freshSize
		cheating[i] = &c
	}
	return cheating
}

func last(x []float64) float64 { return x[len(x)-1] }
