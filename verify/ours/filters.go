package ours

import (
	"math/big"
	"slices"

	"checkrr/impl/ledger"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// filters are the statements on mechanisms that are chosen on the way.
func filters() register.Checks {
	return register.Checks{
		"OUR-L14": checked(games(game.chosen),
			near("the worst of all that could have been fixed before", games(game.fixed)),
			near("with a round more", games(game.longer))),
		"OUR-X21": checked(with(isPassed, withLeak, "5/16"),
			alsoHolds("also if every δ is 0, in three rounds", with(isPassed, pure, "1/2")),
			alsoHolds("no probabilities in halves or thirds do in two rounds: of any two mechanisms with them one "+
				"dominates the other", with(areOrdered, 3)),
			near("δ = 51/160 is needed", with(isPassed, withLeak, "51/160")),
			near("with 49/50 of e^ε", with(isPassed, withLess, "5/16")),
			near("of any two with quarters one dominates the other", with(areOrdered, 4))),
		"OUR-X22": checked(with(someBudgetIsPassed, true, true),
			near("also if one of them dominates the other", with(someBudgetIsPassed, false, true)),
			near("with the first of them before", with(someBudgetIsPassed, true, false))),
	}
}

// game is the natural filter with a budget, and a menu of randomized responses. It admits a mechanism if that and those
// before compose into the budget.
type game struct {
	menu   []spec.Mechanism
	budget spec.Mechanism
	rounds int
}

// right is right with probability 3/4, and leaks tells all with probability 1/4, and nothing otherwise.
var (
	right, leaks = finite.Pure(rat.Int(3)), spec.Mechanism{ExpEps: rat.One, Delta: rat.Of("1/4")}

	withLeak = game{[]spec.Mechanism{right, leaks}, spec.Mechanism{ExpEps: rat.Int(5), Delta: leaks.Delta}, 2}
	withLess = game{withLeak.menu, spec.Mechanism{ExpEps: rat.Of("49/10"), Delta: leaks.Delta}, 2}
	pure     = game{[]spec.Mechanism{finite.Pure(rat.Int(2)), right, finite.Pure(rat.Int(5))},
		spec.Mechanism{ExpEps: rat.Of("5/2"), Delta: rat.Of("5/12")}, 3}
)

// admits says whether the last of some mechanisms is admitted.
func (g game) admits(played []spec.Mechanism) bool {
	if len(played) > g.rounds {
		return false
	}
	expEps := register.Must(spec.OptComp(played, g.budget.Delta))
	return expEps != nil && expEps.Cmp(g.budget.ExpEps) <= 0
}

// then yields what may follow some mechanisms, and all with it.
func (g game) then(played []spec.Mechanism, yield func(pair finite.Pair, all []spec.Mechanism)) {
	for _, m := range g.menu {
		if all := append(slices.Clip(played), m); g.admits(all) {
			yield(finite.Responses(m), all)
		}
	}
}

// chosen returns H_α of the remainder after some mechanisms, by α.
func (g game) chosen(played []spec.Mechanism) curve {
	most := sticks(nothing())
	g.then(played, func(pair finite.Pair, all []spec.Mechanism) { most = largest(most, onward(pair, g.chosen(all))) })
	return most
}

// fixed returns the largest H_α of what is admitted, by α, if it is all fixed before.
func (g game) fixed(played []spec.Mechanism) curve {
	most := sticks(nothing())
	for _, m := range played {
		most = onward(finite.Responses(m), most)
	}
	g.then(played, func(_ finite.Pair, all []spec.Mechanism) { most = largest(most, g.fixed(all)) })
	return most
}

// longer is chosen with a round more.
func (g game) longer(played []spec.Mechanism) curve {
	return game{g.menu, g.budget, g.rounds + 1}.chosen(played)
}

// worst returns the largest P(V) − α·Q(V) of all adversaries, and sets V of what they see, by going through them.
func (g game) worst(t *register.T, order *big.Rat) *big.Rat {
	m := finite.Menu{Rounds: g.rounds}
	for _, x := range g.menu {
		p, q := finite.Responses(x).Dense()
		m.Choices = append(m.Choices, ledger.Choice{Outputs: make([]string, len(p)), Laws: [2][]*big.Rat{p, q},
			Part: make([]int, len(p)), ExpE: []*big.Rat{x.ExpEps}, Delta: x.Delta})
	}
	after := func(seen []*big.Rat, c *ledger.Choice, _ int) []*big.Rat {
		return append(slices.Clip(seen), c.ExpE[0], c.Delta)
	}
	worst, _ := m.Worst(t, ledger.Rule{Next: after, Admits: func(seen []*big.Rat, c *ledger.Choice) bool {
		var played []spec.Mechanism
		for x := range slices.Chunk(after(seen, c, 0), 2) {
			played = append(played, spec.Mechanism{ExpEps: x[0], Delta: x[1]})
		}
		return g.admits(played)
	}}, order)
	return worst
}

// games compares all adversaries with what is claimed that they attain, by α.
var games = finite.Over("a in {3/2, 3}, δ in {1/10, 1/4}, e^ε in {2, 5}, δ_t in {1/4, 5/12}, α in {1, 5/4, 2, 5}, "+
	"rounds in {2, 3}; a menu of (ln a, 0), (ln 5, 0) and (0, δ)",
	func(t *register.T, claimed func(g game, played []spec.Mechanism) curve,
		a, delta, expEps, deltaT, order *big.Rat, rounds int) {
		g := game{[]spec.Mechanism{finite.Pure(a), finite.Pure(rat.Int(5)), {ExpEps: rat.One, Delta: delta}},
			spec.Mechanism{ExpEps: expEps, Delta: deltaT}, rounds}
		worst, claim := g.worst(t, order), claimed(g, nil).at(order)
		t.Require(rat.Equal(worst, claim), "the worst adversary attains %s, claimed is %s", worst, claim)
	})

// isPassed checks that an adversary needs so much, and more than the budget.
func isPassed(t *register.T, g game, needs *big.Rat) {
	t.Domain("all adversaries of %d rounds, with the budget e^ε = %s, δ = %s", g.rounds, rat.Show(g.budget.ExpEps),
		rat.Show(g.budget.Delta))
	t.Case()
	worst := g.worst(t, g.budget.ExpEps)
	t.Require(rat.Equal(worst, needs) && worst.Cmp(g.budget.Delta) > 0, "the worst adversary needs δ = %s", worst)
}

// mirrored are all mechanisms with up to three outputs and probabilities in multiples of 1/d that are the same for
// neighbours in either order.
func mirrored(d int) (all []finite.Pair) {
	for p := range finite.Pairs(3, d) {
		if p.IsSorted() && dominates(p, p.Back()) && dominates(p.Back(), p) {
			all = append(all, p)
		}
	}
	return all
}

// dominates says whether p dominates q.
func dominates(p, q finite.Pair) bool { return higher(q, p, new(big.Rat)) == nil }

// areOrdered checks that of any two mechanisms with denominators up to the largest one dominates the other.
func areOrdered(t *register.T, largest int) {
	t.Domain("mechanisms with up to three outputs, and probabilities in multiples of 1/2 to 1/%d", largest)
	for d := 2; d <= largest; d++ {
		all := mirrored(d)
		finite.Each2(all, all, func(p, q finite.Pair) {
			t.Case()
			t.Require(dominates(p, q) || dominates(q, p), "%s: neither dominates", show([]finite.Pair{p, q}))
		})
	}
}

// someBudgetIsPassed checks, for mechanisms of which neither dominates the other, that one of them can be followed by
// the one or by the other, as its output is, so that some H_α is above that of both sequences: the budget is the least
// pair that dominates those.
func someBudgetIsPassed(t *register.T, unordered, either bool) {
	t.Domain("mechanisms with up to three outputs, and probabilities in multiples of 1/4 to 1/7")
	for d := 4; d <= 7; d++ {
		all := mirrored(d)
		finite.Each2(all, all, func(p, q finite.Pair) {
			if unordered && (dominates(p, q) || dominates(q, p)) {
				return
			}
			t.Case()
			t.Require(gains(p, p, q) || either && gains(q, p, q), "%s: nothing is gained", show([]finite.Pair{p, q}))
		})
	}
}

// gains says whether the output of the first helps to choose between two others.
func gains(first, p, q finite.Pair) bool {
	h, k := sticks(p), sticks(q)
	told, budget := onward(first, largest(h, k)), largest(onward(first, h), onward(first, k))
	return slices.ContainsFunc(places(told, budget), func(x *big.Rat) bool { return told.at(x).Cmp(budget.at(x)) > 0 })
}
