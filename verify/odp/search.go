package odp

import (
	"fmt"
	"math/big"
	"slices"

	"checkrr/exhaustive"
	"checkrr/impl/ledger"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// judged returns the menu and the accountant for exhaustive: its accountant is asked from
// the first move on every time.
func judged(m finite.Menu, rule ledger.Rule) ([]exhaustive.Choice, exhaustive.Admits) {
	var choices []exhaustive.Choice
	for _, c := range m.Choices {
		choices = append(choices, exhaustive.Choice{Laws: c.Laws, Part: c.Part, ExpE: c.ExpE, Delta: c.Delta})
	}
	return choices, func(moves []exhaustive.Move, next int) bool {
		state := rule.Start
		for _, move := range moves {
			state = rule.Next(state, &m.Choices[move.Choice], move.Output)
		}
		return rule.Admits(state, &m.Choices[next])
	}
}

// asAdversary plays a strategy, and is silent where it stops.
func asAdversary(s *ledger.Strategy) spec.Adversary {
	return spec.Adversary{Coins: 1, Choose: func(_ string, outputs []string) spec.Choice {
		at := s
		for _, output := range outputs {
			if at != nil {
				at = at.Then[slices.Index(at.Choice.Outputs, output)]
			}
		}
		c := quiet()
		if at != nil {
			c = *at.Choice
		}
		return finite.ForSpec(&c)
	}}
}

// knows refutes that what three rooms know of the worst adversary on a menu, says of it, is what is known, if that is
// not nil, and the same: by backward induction, by going through all adversaries, and by playing the one that was found
// on paper.
func knows(t *register.T, says string, m finite.Menu, at, known *big.Rat) {
	rule := ledger.SumRule(m.ExpEpsT, m.DeltaT)
	fast, s := m.Worst(t, rule, at)
	choices, admits := judged(m, rule)
	slow, _, err := exhaustive.WorstAdversary(t.Context(), choices, m.Rounds, admits, at)
	t.Must(err)
	laws := register.Must(finite.ODPComposition(asAdversary(s), m.ExpEpsT, m.DeltaT, m.Rounds, spec.TextB))
	played := laws.Delta(finite.Constant(at))
	if known == nil {
		known = fast
	}
	t.Require(rat.Equal(fast, known) && rat.Equal(slow, known) && rat.Equal(played, known),
		"%d rounds of %s: at e^ε = %s they need δ = %s in three rooms, but %s is known", m.Rounds, says, at,
		[]*big.Rat{fast, slow, played}, known)
}

// randomMenu has one or two mechanisms, for few rounds if they have many outputs.
func randomMenu(d register.Dice) finite.Menu {
	m := finite.Menu{Rounds: 3, ExpEpsT: rat.One, DeltaT: new(big.Rat)}
	for i := range 1 + d.Roll(2) {
		c := randomChoice(d, []string{"M", "N"}[i])
		if len(c.Outputs) > 2 {
			m.Rounds = 2
		}
		m.Choices = append(m.Choices, c)
	}
	for range 1 + d.Roll(m.Rounds) {
		c := m.Choices[d.Roll(len(m.Choices))]
		m.ExpEpsT = rat.Mul(m.ExpEpsT, c.ExpE[d.Roll(len(c.ExpE))])
		m.DeltaT = rat.Add(m.DeltaT, c.Delta)
	}
	return m
}

// searches checks that the worst adversary is the same in all rooms, and for randomized response and a leak what is
// known: k rounds with (ε, δ) need 1 − (1 − δ)^k at kε; without δ, they need what optimal composition says at any ε.
func searches(t *register.T, known func(k int) int) {
	random, most := t.Size(60, 600), t.Size(3, 4)
	t.AlsoDomain("the worst adversaries on %d random menus, and those with 1 to %d randomized responses or leaks, in "+
		"three rooms", random, most)
	t.Random(11, random, func(t *register.T, d register.Dice) {
		m := randomMenu(d)
		at := []*big.Rat{m.ExpEpsT, rat.One, big.NewRat(5, 4)}[d.Roll(3)]
		knows(t, fmt.Sprint(m.Choices), m, at, nil)
	})
	for k := 1; k <= most; k++ {
		e, delta := big.NewRat(3, 2), big.NewRat(1, 10)
		t.Case()
		leaked := atLeastOnce(known(k), delta)
		knowsOf(t, leakOrBottom(delta), k, rat.One, leaked)
		if k <= 2 { // its four outputs make too many adversaries for three rounds
			knowsOf(t, responseWith(e, delta), k, rat.Power(e, k), leaked)
		}
		for _, at := range rat.List("1", "7/4") {
			t.Case()
			knowsOf(t, finite.ResponseChoice(e), k, at, optimalDelta(e, known(k), at))
		}
	}
}

// knowsOf checks what k rounds of a mechanism need, with just their budget.
func knowsOf(t *register.T, c ledger.Choice, k int, at, known *big.Rat) {
	knows(t, fmt.Sprintf("a %s with e^ε = %s, δ = %s", c.Name, rat.Show(c.ExpE[0]), rat.Show(c.Delta)),
		finite.Menu{Choices: []ledger.Choice{c}, Rounds: k, ExpEpsT: rat.Power(c.ExpE[0], k),
			DeltaT: rat.Mul(rat.Int(k), c.Delta)}, at, known)
}

// responseWith is randomized response: the worst (ε, δ)-DP mechanism.
func responseWith(expEps, delta *big.Rat) ledger.Choice {
	table := spec.RandomizedResponse(spec.Mechanism{ExpEps: expEps, Delta: delta})
	return ledger.Choice{Name: "response", Outputs: []string{"0", "1", "2", "3"},
		Laws: [2][]*big.Rat{table[0][:], table[1][:]},
		Part: []int{0, 0, 0, 0}, ExpE: []*big.Rat{expEps}, Delta: delta}
}

// expEs are the values that e^ℰ takes in the mechanisms.
var expEs = []*big.Rat{rat.One, big.NewRat(2, 1), big.NewRat(3, 1)}

// menus returns the menus, small ones first. Every mechanism is there both ways round.
func menus(t *register.T) (all []finite.Menu) {
	for rounds := 2; rounds <= t.Size(2, 4); rounds++ {
		for c := range finite.EveryNth(finite.Choices(3, 4, expEs), t.Size(2, 1)) {
			for _, b := range budgets(c, rounds) {
				all = append(all, finite.Menu{Choices: finite.BothWays(c), Rounds: rounds, ExpEpsT: b[0], DeltaT: b[1]})
			}
		}
	}
	return append(all, sharedMenus(t)...)
}

// menusDomain says what menus goes through.
func menusDomain(t *register.T) string {
	return fmt.Sprintf("%s mechanisms with at most 3 outputs, probabilities in 1/4, any partition and e^ℰ in "+
		"{1, 2, 3}, with its smallest δ, on its own, both ways round, for up to %d rounds and every budget that some "+
		"rounds use up; "+
		"a menu of all those in 1/%d for 3 rounds; a menu of M_toy, randomized response and a leak for %d",
		finite.Share(t.Size(2, 1)), t.Size(2, 4), t.Size(2, 3), t.Size(7, 10))
}

// sharedMenus are menus of many mechanisms, to be mixed, and of few, to be run often.
func sharedMenus(t *register.T) (menus []finite.Menu) {
	var many []ledger.Choice
	for c := range finite.Choices(3, t.Size(2, 3), expEs) {
		c.Name = fmt.Sprintf("M%d", len(many)/2+1)
		many = append(many, finite.BothWays(c)...)
	}
	two, quarter := big.NewRat(2, 1), big.NewRat(1, 4)
	few := slices.Concat(finite.BothWays(toy(two, rat.Half)), finite.BothWays(finite.ResponseChoice(two)),
		[]ledger.Choice{leakOrBottom(quarter)})
	for _, expEpsT := range rat.List("1", "2", "4", "6") {
		for _, deltaT := range rat.List("0", "1/4", "1/2", "3/4") {
			menus = append(menus, finite.Menu{Choices: few, Rounds: t.Size(7, 10), ExpEpsT: expEpsT, DeltaT: deltaT},
				finite.Menu{Choices: many, Rounds: 3, ExpEpsT: expEpsT, DeltaT: deltaT})
		}
	}
	return menus
}

// leakOrBottom tells the databases apart with probability δ, and says ⊥ otherwise.
func leakOrBottom(delta *big.Rat) ledger.Choice {
	rest, zero := rat.Complement(delta), new(big.Rat)
	return ledger.Choice{
		Name: "leak", Outputs: []string{"0", "⊥", "1"},
		Laws: [2][]*big.Rat{{delta, rest, zero}, {zero, rest, delta}},
		Part: []int{0, 1, 0}, ExpE: []*big.Rat{rat.One, rat.One}, Delta: delta,
	}
}

// isFree reports whether ℰ is 0 on all parts.
func isFree(m finite.Menu) bool {
	return !slices.ContainsFunc(m.Choices, func(c ledger.Choice) bool { return rat.Max(c.ExpE...).Cmp(rat.One) > 0 })
}
