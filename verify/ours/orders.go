package ours

import (
	"math/big"
	"slices"

	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// orders are the statements on what is known of some orders only.
func orders() []register.Statement {
	return []register.Statement{
		{
			ID: "OUR-X4", Title: "Where the orders α < 1 are left out, Lemma 2 fails, and the theorem with it", Printed: "What if only part is known",
			Reading: "There is a pipeline that is not ODP with V_0(1, 1) of pairs that dominate its steps at all orders α ≥ 1.",
			Kind:    register.Exact, Verdict: register.Holds, In: []string{"spec.PairsValue", "spec.HockeyStick", "exhaustive.WorstRule"},
			Note: "By hand: two steps with P0 = (0, 1) and P1 = (1/2, 1/2), charged 0 after both, need δ = 3/4. P = (1/2, 1/2), Q = (1, 0) dominates the second at all α ≥ 1, as H_α is 1/2 there; " +
				"with it, and the first step's own laws, V_0(1, 1) = 1/2.",
			Check:    isBeaten(atOrders(fromOne), itself),
			Readings: []register.Reading{{Claim: register.Claim{Says: "also where no law depends on earlier outputs", Check: isBeaten(atOrders(fromOne), scene.alone)}, Verdict: register.Holds}},
			Controls: []register.Claim{{Says: "where no order is left out", Check: isBeaten(func(s scene) []finite.Pair { return s.pairs }, itself)}},
			Near:     []register.Claim{{Says: "with pairs that dominate at all orders α ≥ 1 for neighbours in both orders", Check: isBeaten(fromOneBothWays, itself)}},
		},
		{
			ID: "OUR-X5", Title: "H_α(μ, ν) = 1 − α + α·H_(1/α)(ν, μ)", Printed: "What if only part is known",
			Kind: register.Exact, Verdict: register.Holds, In: []string{"spec.HockeyStick"},
			Check: turnedAround(func(order, back *big.Rat) *big.Rat { return rat.Add(rat.Complement(order), rat.Mul(order, back)) }),
			Controls: []register.Claim{
				{Says: "α·H_(1/α)(ν, μ)", Check: turnedAround(rat.Mul)},
				{Says: "H_(1/α)(ν, μ)", Check: turnedAround(func(_, back *big.Rat) *big.Rat { return back })},
			},
			Near: []register.Claim{{Says: "1 − α + H_(1/α)(ν, μ)", Check: turnedAround(func(order, back *big.Rat) *big.Rat { return rat.Add(rat.Complement(order), back) })}},
		},
		{
			ID: "OUR-X6", Title: "With both orders of neighbours dominated at all orders α ≥ 1, all orders are dominated", Printed: "What if only part is known: pairs for both orders that come from a table of α ≥ 1 are enough if each is the other one turned around",
			Kind: register.Exact, Verdict: register.Holds, In: []string{"spec.HockeyStick"},
			Check:    dominatedFrom(rat.One, true),
			Controls: []register.Claim{{Says: "with one order of neighbours", Check: dominatedFrom(rat.One, false)}},
			Near:     []register.Claim{{Says: "at all orders α ≥ 3/2", Check: dominatedFrom(rat.Of("3/2"), true)}},
		},
		{
			ID: "OUR-X7", Title: "The mean of two orders is a pair for neither", Printed: "What if only part is known",
			Reading: "Unless both have the same hockey-stick divergences.",
			Kind:    register.Exact, Verdict: register.Holds, In: []string{"spec.HockeyStick"},
			Check:    meanDominates(new(big.Rat), false),
			Controls: []register.Claim{{Says: "also if both are the same", Check: meanDominates(new(big.Rat), true)}},
			Near:     []register.Claim{{Says: "also if only orders α ≥ 1 are looked at", Check: meanDominates(rat.One, false)}},
		},
	}
}

// isBeaten looks for a pipeline of certain steps that needs more than V_0(1, 1) of some pairs.
func isBeaten(pairs func(s scene) []finite.Pair, steps func(s scene) scene) register.Check {
	return func(t *register.T) {
		beaten := 0
		try := func(t *register.T, s scene) {
			used := pairs(s)
			for k, p := range used {
				if order := higher(s.pairs[k], p, rat.One); order != nil {
					t.Undecided("internal error: %v: pair %d does not dominate at α = %s", s, k+1, rat.Show(order))
				}
			}
			if steps(s).worst(t).Cmp(start(used, s.stops)) > 0 {
				beaten++
			}
		}
		scenes(t, t.Size(17, 3), func(s scene) { try(t, s) })
		someScenes(t, 8, t.Size(100, 1000), try)
		if beaten == 0 {
			t.Refute("none of these pipelines needs more than V_0(1, 1)")
		}
	}
}

// fromOneBothWays returns the least pairs that dominate at all orders α ≥ 1, and whose Back does for neighbours in the other order.
func fromOneBothWays(s scene) (pairs []finite.Pair) {
	for _, p := range s.pairs {
		pairs = append(pairs, join(merged(p, fromOne), merged(p.Back(), fromOne).Back()))
	}
	return pairs
}

// turnedAround compares H_α(μ, ν) with what is made of α and of H_(1/α)(ν, μ).
func turnedAround(made func(order, back *big.Rat) *big.Rat) register.Check {
	return func(t *register.T) {
		orders := rat.List("1/7", "1/2", "1", "4/3", "2", "5")
		t.Domain("all pairs of laws over up to 3 outputs with probabilities in multiples of 1/4, α in {%s}", rat.Show(orders...))
		for p := range finite.Pairs(3, 4) {
			for _, order := range orders {
				t.Case()
				h, back := stick(p, order), stick(p.Back(), rat.Quo(rat.One, order))
				if claimed := made(order, back); !rat.Equal(h, claimed) {
					t.Refute("%v, α = %s: H_α(P0, P1) = %s, H_(1/α)(P1, P0) = %s, claimed is %s", p, rat.Show(order), rat.Show(h), rat.Show(back), rat.Show(claimed))
				}
			}
		}
	}
}

// smallLaws are pairs of laws over 2 and some over 3 outputs.
func smallLaws(t *register.T) []finite.Pair {
	t.Domain("all pairs of laws over 2 outputs with probabilities in multiples of 1/4, and one in 7 over 3 outputs with multiples of 1/3")
	return slices.Concat(slices.Collect(finite.PairsOf(finite.Laws(2, 4))), slices.Collect(finite.EveryNth(finite.PairsOf(finite.Laws(3, 3)), 7)))
}

// dominatedFrom looks for laws that a pair dominates at all orders of at least from, in one order of neighbours or both, but not at
// all orders.
func dominatedFrom(from *big.Rat, both bool) register.Check {
	return func(t *register.T) {
		menu := smallLaws(t)
		for _, pair := range menu {
			for _, laws := range menu {
				t.Case()
				if higher(laws, pair, from) != nil || both && higher(laws.Back(), pair.Back(), from) != nil {
					continue
				}
				if order := higher(laws, pair, new(big.Rat)); order != nil {
					t.Refute("μ = (%v), ν = (%v), P = (%v), Q = (%v): at α = %s H is %s, of the pair %s", laws[0], laws[1], pair[0], pair[1], rat.Show(order), rat.Show(stick(laws, order)), rat.Show(stick(pair, order)))
				}
			}
		}
	}
}

// meanDominates looks for a pair that the mean of both orders dominates, in either order.
func meanDominates(from *big.Rat, symmetric bool) register.Check {
	return func(t *register.T) {
		for _, p := range smallLaws(t) {
			t.Case()
			same := higher(p, p.Back(), new(big.Rat)) == nil && higher(p.Back(), p, new(big.Rat)) == nil
			if same && !symmetric {
				continue
			}
			for _, laws := range []finite.Pair{p, p.Back()} {
				if higher(laws, meanOfOrders(p), from) == nil {
					t.Refute("P = (%v), Q = (%v): the mean of both orders dominates it at all of these α", laws[0], laws[1])
				}
			}
		}
	}
}
