package odp

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"checkrr/exhaustive"
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

var accountants = map[string]accountant{
	"[B]": impl.SumRule, "[A]": lastUsed, "δ by part": deltaByPart, "cheapest part": cheapestPart,
	"admit cheapest": admitCheapest, "δ is kept": deltaIsKept,
}

func drawAccountant(t *rapid.T) accountant {
	return accountants[rapid.SampledFrom([]string{"[B]", "[A]", "δ by part", "cheapest part", "admit cheapest",
		"δ is kept"}).Draw(t, "accountant")]
}

// Backward induction finds what going through all adversaries finds.
func TestPair_WorstAdversary(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(2, 3).Draw(t, "most outputs")
		m := drawMenu(t, 5-most, most)
		rule := drawAccountant(t)(m.ExpEpsT, m.DeltaT)
		choices, admits := judged(m, rule)
		at := rapid.SampledFrom([]*big.Rat{rat.One, big.NewRat(5, 4), m.ExpEpsT}).Draw(t, "e^ε")
		want, n, err := exhaustive.WorstAdversary(t.Context(), choices, m.Rounds, admits, at)
		if err != nil {
			t.Fatal(err)
		}
		got, s, err := impl.WorstAdversary(t.Context(), m.Choices, m.Rounds, rule, at)
		if err != nil || got.Cmp(want) != 0 {
			t.Fatalf("backward induction %v, %v; %d adversaries %v; %v", got, err, n, want, s)
		}
	})
}

// One round more or one mechanism more is never worse for the adversary.
func TestLaw_MoreForTheAdversary(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := drawMenu(t, 3, 3)
		rule := drawAccountant(t)(m.ExpEpsT, m.DeltaT)
		last := new(big.Rat)
		for rounds := range 4 {
			got, _, err := impl.WorstAdversary(t.Context(), m.Choices, rounds, rule, m.ExpEpsT)
			if err != nil || got.Cmp(last) < 0 {
				t.Fatalf("%d rounds: %v, %v, less than %v", rounds, got, err, last)
			}
			last = got
		}
		if less, _, err := impl.WorstAdversary(t.Context(), m.Choices[:1], 3, rule, m.ExpEpsT); err != nil ||
			less.Cmp(last) > 0 {
			t.Fatalf("with less on the menu %v, %v, with more %v", less, err, last)
		}
	})
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
