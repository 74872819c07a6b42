package ours

import (
	"math/big"
	"slices"

	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// orders are the statements on the hockey-stick divergence, and on what is known of some orders only.
func orders() register.Checks {
	return register.Checks{
		"OUR-D1": register.Checked(register.With(overEvents, rat.One),
			register.NearMiss("19/20 of it", register.With(overEvents, nearly))),
		"OUR-X4": register.Checked(register.With2(isBeaten, atOrders(fromOne), itself),
			register.AlsoHolds("also where no law depends on earlier outputs",
				register.With2(isBeaten, atOrders(fromOne), testCase.alone)),
			register.NearMiss("with pairs that dominate at all orders α ≥ 1 for neighbours in both orders",
				register.With2(isBeaten, fromOneBothWays, itself)),
		),
		"OUR-X5": register.Checked(register.With(turnedAround,
			func(order, back *big.Rat) *big.Rat { return rat.Add(rat.Complement(order), rat.Mul(order, back)) },
		),
			register.NearMiss("1 − α + H_(1/α)(ν, μ)",
				register.With(turnedAround, func(order, back *big.Rat) *big.Rat { return rat.Add(rat.Complement(order), back) })),
		),
		"OUR-X6": register.Checked(register.With2(dominatedFrom, rat.One, true),
			register.NearMiss("with one order of neighbours", register.With2(dominatedFrom, rat.One, false)),
			register.NearMiss("at all orders α ≥ 3/2", register.With2(dominatedFrom, rat.Of("3/2"), true)),
		),
		"OUR-X7": register.Checked(register.With(meanDominates, new(big.Rat)),
			register.NearMiss("also if only orders α ≥ 1 are looked at", register.With(meanDominates, rat.One)),
		),
	}
}

// isBeaten looks for a pipeline of certain steps that needs more than V_0(1, 1) of some pairs.
func isBeaten(t *register.T, pairs func(s testCase) []finite.Pair, steps func(s testCase) testCase) {
	beaten := 0
	ofCases(17, 3, 8, 100, func(t *register.T, s testCase) {
		used := pairs(s)
		for k, p := range used {
			if order := higher(s.pairs[k], p, rat.One); order != nil {
				t.Undecided("internal error: %v: pair %d does not dominate at α = %s", s, k+1, rat.Show(order))
			}
		}
		if steps(s).worst(t).Cmp(start(used, s.stops)) > 0 {
			beaten++
		}
	})(t)
	t.Require(beaten != 0, "none of these pipelines needs more than V_0(1, 1)")
}

// fromOneBothWays returns the least pairs that dominate at all orders α ≥ 1, and whose Back does for neighbours in the
// other order.
func fromOneBothWays(s testCase) (pairs []finite.Pair) {
	for _, p := range s.pairs {
		pairs = append(pairs, join(merged(p, fromOne), merged(p.Back(), fromOne).Back()))
	}
	return pairs
}

// turnedAround compares H_α(μ, ν) with what is made of α and of H_(1/α)(ν, μ).
func turnedAround(t *register.T, made func(order, back *big.Rat) *big.Rat) {
	orders := rat.List("1/7", "1/2", "1", "4/3", "2", "5")
	t.Domain("all pairs of laws over up to 3 outputs with probabilities in multiples of 1/4, α in {%s}", orders)
	for p := range finite.Pairs(3, 4) {
		for _, order := range orders {
			t.Case()
			h, back := stick(p, order), stick(p.Back(), rat.Quo(rat.One, order))
			claimed := made(order, back)
			t.Require(rat.Equal(h, claimed), "%v, α = %s: H_α(P0, P1) = %s, H_(1/α)(P1, P0) = %s, claimed is %s", p, order, h,
				back, claimed)
		}
	}
}

// smallLaws are pairs of laws over 2 and some over 3 outputs.
func smallLaws(t *register.T) []finite.Pair {
	t.Domain("all pairs of laws over 2 outputs with probabilities in multiples of 1/4, and one in 7 over 3 outputs with " +
		"multiples of 1/3")
	return slices.Concat(slices.Collect(finite.PairsOf(finite.Laws(2, 4))),
		slices.Collect(finite.EveryNth(finite.PairsOf(finite.Laws(3, 3)), 7)))
}

// dominatedFrom looks for laws that a pair dominates at all orders of at least from, in one order of neighbours or
// both, but not at all orders.
func dominatedFrom(t *register.T, from *big.Rat, both bool) {
	menu := smallLaws(t)
	for _, pair := range menu {
		for _, laws := range menu {
			t.Case()
			if higher(laws, pair, from) != nil || both && higher(laws.Back(), pair.Back(), from) != nil {
				continue
			}
			if order := higher(laws, pair, new(big.Rat)); order != nil {
				t.Refute("μ = (%v), ν = (%v), P = (%v), Q = (%v): at α = %s H is %s, of the pair %s", laws[0], laws[1], pair[0],
					pair[1], order, stick(laws, order), stick(pair, order))
			}
		}
	}
}

// meanDominates looks for a pair that the mean of both orders dominates, in either order. Both differ.
func meanDominates(t *register.T, from *big.Rat) {
	for _, p := range smallLaws(t) {
		t.Case()
		if higher(p, p.Back(), new(big.Rat)) == nil && higher(p.Back(), p, new(big.Rat)) == nil {
			continue
		}
		for _, laws := range []finite.Pair{p, p.Back()} {
			t.Require(higher(laws, meanOfOrders(p), from) != nil, "P = (%v), Q = (%v): the mean of both orders dominates it "+
				"at all of these α", laws[0], laws[1])
		}
	}
}

// someOrders are orders below, at and above 1.
var someOrders = rat.List("0", "1/3", "1/2", "1", "3/2", "2", "5")

// overEvents compares a share of H_α with the largest difference over all events.
func overEvents(t *register.T, share *big.Rat) {
	t.Domain("all pairs of laws over up to 3 outputs with probabilities in multiples of 1/4, α in {%s}", someOrders)
	for p := range finite.Pairs(3, 4) {
		for _, order := range someOrders {
			t.Case()
			most, outputs := new(big.Rat), p[0].Outputs()
			for event := range 1 << len(outputs) {
				sum := new(big.Rat)
				for i, o := range outputs {
					if event>>i&1 == 1 {
						sum.Add(sum, rat.Sub(p[0][o], rat.Mul(order, p[1][o])))
					}
				}
				most = rat.Max(most, sum)
			}
			got := stick(p, order)
			t.Require(rat.Equal(rat.Mul(share, got), most), "%v, α = %s: the sum is %s, the supremum over events %s", p, order,
				got, most)
		}
	}
}
