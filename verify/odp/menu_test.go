package odp

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"checkrr/exhaustive"
	"checkrr/impl"
	"checkrr/spec"
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
	c := offer(laws, p, expE)
	c.Name = name
	return c
}

// drawMenu draws a menu of one or two mechanisms and a budget that admits some rounds.
func drawMenu(t *rapid.T, rounds, most int) menu {
	m := menu{rounds: rounds, expEpsT: rat.One, deltaT: new(big.Rat)}
	for i := range rapid.IntRange(1, 2).Draw(t, "menu") {
		m.choices = append(m.choices, drawMechanism(t, fmt.Sprintf("M%d", i+1), most))
	}
	for range rapid.IntRange(1, rounds).Draw(t, "rounds of budget") {
		c := rapid.SampledFrom(m.choices).Draw(t, "budget for")
		m.expEpsT = rat.Mul(m.expEpsT, rapid.SampledFrom(c.ExpE).Draw(t, "ε of"))
		m.deltaT = rat.Add(m.deltaT, c.Delta)
	}
	return m
}

var accountants = map[string]accountant{
	"[B]": impl.SumRule, "[A]": lastUsed, "δ by part": deltaByPart, "cheapest part": cheapestPart,
	"admit cheapest": admitCheapest, "δ is kept": deltaIsKept,
}

func drawAccountant(t *rapid.T) accountant {
	return accountants[rapid.SampledFrom([]string{"[B]", "[A]", "δ by part", "cheapest part", "admit cheapest", "δ is kept"}).Draw(t, "accountant")]
}

// judged returns the menu and the accountant for exhaustive: its accountant is asked from
// the first move on every time.
func (m menu) judged(rule impl.Rule) ([]exhaustive.Choice, exhaustive.Admits) {
	var choices []exhaustive.Choice
	for _, c := range m.choices {
		choices = append(choices, exhaustive.Choice{Laws: c.Laws, Part: c.Part, ExpE: c.ExpE, Delta: c.Delta})
	}
	return choices, func(moves []exhaustive.Move, next int) bool {
		state := rule.Start
		for _, move := range moves {
			state = rule.Next(state, &m.choices[move.Choice], move.Output)
		}
		return rule.Admits(state, &m.choices[next])
	}
}

// asAdversary plays a strategy, and is silent where it stops.
func asAdversary(s *impl.Strategy) spec.Adversary {
	return spec.Adversary{Coins: 1, Choose: func(_ string, outputs []string) spec.Choice {
		at := s
		for _, output := range outputs {
			if at == nil {
				break
			}
			next := at.Then
			for z, name := range at.Choice.Outputs {
				if name == output {
					at = next[z]
					break
				}
			}
		}
		if at == nil {
			return silence()
		}
		return forSpec(at.Choice)
	}}
}

// Backward induction finds what going through all adversaries finds.
func TestPair_WorstAdversary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(2, 3).Draw(t, "most outputs")
		m := drawMenu(t, 5-most, most)
		rule := drawAccountant(t)(m.expEpsT, m.deltaT)
		choices, admits := m.judged(rule)
		at := rapid.SampledFrom([]*big.Rat{rat.One, big.NewRat(5, 4), m.expEpsT}).Draw(t, "e^ε")
		want, n, err := exhaustive.WorstAdversary(t.Context(), choices, m.rounds, admits, at)
		if err != nil {
			t.Fatal(err)
		}
		got, s, err := impl.WorstAdversary(t.Context(), m.choices, m.rounds, rule, at)
		if err != nil || got.Cmp(want) != 0 {
			t.Fatalf("backward induction %v, %v; %d adversaries %v; %v", got, err, n, want, s)
		}
	})
}

// One round more or one mechanism more is never worse for the adversary.
func TestLaw_MoreForTheAdversary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMenu(t, 3, 3)
		rule := drawAccountant(t)(m.expEpsT, m.deltaT)
		last := new(big.Rat)
		for rounds := range 4 {
			got, _, err := impl.WorstAdversary(t.Context(), m.choices, rounds, rule, m.expEpsT)
			if err != nil || got.Cmp(last) < 0 {
				t.Fatalf("%d rounds: %v, %v, less than %v", rounds, got, err, last)
			}
			last = got
		}
		if less, _, err := impl.WorstAdversary(t.Context(), m.choices[:1], 3, rule, m.expEpsT); err != nil || less.Cmp(last) > 0 {
			t.Fatalf("with less on the menu %v, %v, with more %v", less, err, last)
		}
	})
}

// What is printed says what is played.
func TestStrategyString(t *testing.T) {
	_, s, err := impl.WorstAdversary(t.Context(), bothWays(toy(big.NewRat(2, 1), rat.Half)), 2, laplaceRule(func(n int) bool { return n < 2 }), rat.One)
	if err != nil || !strings.HasPrefix(s.String(), "toy (after ") {
		t.Errorf("%v, %v", s, err)
	}
}
