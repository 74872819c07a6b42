package odp

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"checkrr/impl"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
)

// drawMechanism draws a mechanism with 2 to most outputs, any partition, e^ℰ in {1, 3/2, 2, 3} and
// its smallest δ. Outputs that only one of the databases has, or none, are drawn too.
func drawMechanism(t *rapid.T, name string, most int) impl.Choice {
	m := rapid.IntRange(2, most).Draw(t, name+": outputs")
	heaviest := rapid.SampledFrom([]int{1, 4}).Draw(t, name+": heaviest") // 1: outputs that look the same
	laws, p := finite.RandomPair(rolls{t}, m, heaviest), finite.RandomPartition(rolls{t}, m)
	expE := p.Charge(func(int) *big.Rat {
		return rapid.SampledFrom(rat.List("1", "3/2", "2", "3")).Draw(t, name+": e^ℰ")
	})
	c := finite.NewChoice(laws, p, expE)
	c.Name = name
	return c
}

// drawMenu draws a menu of one or two mechanisms and a budget that admits some rounds.
func drawMenu(t *rapid.T, rounds, most int) finite.Menu {
	m := finite.Menu{Rounds: rounds, ExpEpsT: rat.One, DeltaT: new(big.Rat)}
	for i := range rapid.IntRange(1, 2).Draw(t, "menu") {
		m.Choices = append(m.Choices, drawMechanism(t, fmt.Sprintf("M%d", i+1), most))
	}
	for range rapid.IntRange(1, rounds).Draw(t, "rounds of budget") {
		c := rapid.SampledFrom(m.Choices).Draw(t, "budget for")
		m.ExpEpsT = rat.Mul(m.ExpEpsT, rapid.SampledFrom(c.ExpE).Draw(t, "ε of"))
		m.DeltaT = rat.Add(m.DeltaT, c.Delta)
	}
	return m
}

// What is printed says what is played.
func TestStrategyString(t *testing.T) {
	t.Parallel()
	_, s, err := impl.WorstAdversary(t.Context(), finite.BothWays(toy(big.NewRat(2, 1), rat.Half)), 2,
		laplaceRule(func(n int) bool { return n < 2 }), rat.One)
	if err != nil || !strings.HasPrefix(s.String(), "toy (after ") {
		t.Errorf("%v, %v", s, err)
	}
}
