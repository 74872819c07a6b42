package ours

import (
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// orders are the statements on the hockey-stick divergence, and on what is known of some orders only.
func orders() register.Checks {
	return register.Checks{
		"OUR-X2": checked(with(responseDominates, finite.Pair.DeltaBothWays, rat.One),
			near("if it is (ε, δ)-DP in this order of neighbours", with(responseDominates, finite.Pair.Delta, rat.One)),
			near("with 19/20·δ", with(responseDominates, finite.Pair.DeltaBothWays, nearly))),
		"OUR-X3": checked(with(asTheorem15, rat.One), near("with 19/20·δ_k", with(asTheorem15, nearly))),
		"OUR-D1": checked(with(overEvents, rat.One), near("19/20 of it", with(overEvents, nearly))),
		"OUR-X4": checked(with(isBeaten, eachPair(fromOne), itself),
			alsoHolds("also where no law depends on earlier outputs", with(isBeaten, eachPair(fromOne),
				testCase.alone)),
			near("with pairs that dominate at all orders α ≥ 1 for neighbours in both orders", with(isBeaten,
				eachPair(fromOneBothWays), itself))),
		"OUR-X5": checked(with(turnedAround, func(order,
			back *big.Rat) *big.Rat {
			return rat.Add(rat.Complement(order), rat.Mul(order, back))
		}),
			near("1 − α + H_(1/α)(ν, μ)", with(turnedAround, func(order,
				back *big.Rat) *big.Rat {
				return rat.Add(rat.Complement(order), back)
			}))),
		"OUR-X6": checked(with(dominatedFrom, rat.One, true),
			near("with one order of neighbours", with(dominatedFrom, rat.One, false)),
			near("at all orders α ≥ 3/2", with(dominatedFrom, rat.Of("3/2"), true))),
		"OUR-X7": checked(with(meanDominates, new(big.Rat)),
			near("also if only orders α ≥ 1 are looked at", with(meanDominates, rat.One))),
	}
}

// isBeaten looks for a pipeline of certain steps that needs more than V_0(1, 1) of some pairs.
func isBeaten(t *register.T, pairs func(s testCase) []finite.Pair, steps func(s testCase) testCase) {
	beaten := 0
	ofCases(17, 3, 8, 100, func(t *register.T, s testCase) {
		used := pairs(s)
		for k, p := range used {
			if order := higher(s.pairs[k], p, rat.One); order != nil {
				t.Inconclusive("internal error: %v: pair %d does not dominate at α = %s", s, k+1, rat.Show(order))
			}
		}
		if steps(s).worst(t).Cmp(start(used, s.stops)) > 0 {
			beaten++
		}
	})(t)
	t.Require(beaten != 0, "none of these pipelines needs more than V_0(1, 1)")
}

// fromOneBothWays returns the least pair that dominates at all orders α ≥ 1, and whose Back does for neighbours in the
// other order.
func fromOneBothWays(p finite.Pair) finite.Pair { return join(fromOne(p), fromOne(p.Back()).Back()) }

// turnedAround compares H_α(μ, ν) with what is made of α and of H_(1/α)(ν, μ).
func turnedAround(t *register.T, made func(order, back *big.Rat) *big.Rat) {
	orders := rat.List("1/7", "1/2", "1", "4/3", "2", "5")
	t.Domain("all pairs of laws over up to 3 outputs with probabilities in multiples of 1/4, α in {%s}", orders)
	for p := range finite.Pairs(3, 4) {
		for _, order := range orders {
			t.At("%v, α = %s", p, order)
			h, back := stick(p, order), stick(p.Back(), rat.Quo(rat.One, order))
			t.Require(rat.Equal(h, made(order, back)), "H_α(P0, P1) = %s, H_(1/α)(P1, P0) = %s", h, back)
		}
	}
}

// smallLaws are pairs of laws over 2 and some over 3 outputs.
func smallLaws(t *register.T) []finite.Pair {
	t.Domain("all pairs of laws over 2 outputs with probabilities in multiples of 1/4, and one in 7 over 3 outputs " +
		"with multiples of 1/3")
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
				t.Refute("μ = (%v), ν = (%v), P = (%v), Q = (%v): at α = %s H is %s, of the pair %s",
					laws[0], laws[1], pair[0], pair[1], order, stick(laws, order), stick(pair, order))
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
			t.Require(higher(laws, meanOfOrders(p), from) != nil, "P = (%v), Q = (%v): the mean of both orders "+
				"dominates it at all of these α", laws[0], laws[1])
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
			t.Require(rat.Equal(rat.Mul(share, got), most), "%v, α = %s: the sum is %s, the supremum over events %s",
				p, order, got, most)
		}
	}
}

// response is the pair of (ε, δ).
func response(m spec.Mechanism) finite.Pair {
	p := finite.Pair{{}, {}}
	for b, law := range spec.RandomizedResponse(m) {
		for z, pr := range law {
			p[b][finite.Name(z)] = pr
		}
	}
	return p
}

// responseDominates checks steps that are (ε, δ)-DP in some way with the least δ, of which randomized response has a
// share.
func responseDominates(t *register.T, least func(p finite.Pair, expE func(string) *big.Rat) *big.Rat, share *big.Rat) {
	t.Domain("all pairs of laws over up to 3 outputs with probabilities in multiples of 1/4, e^ε in {1, 3/2, 3}, " +
		"at the ratios P/Q of both")
	for p := range finite.Pairs(3, 4) {
		for _, expEps := range finite.Charges {
			t.Case()
			m := spec.Mechanism{ExpEps: expEps, Delta: rat.Mul(share, least(p, finite.Constant(expEps)))}
			if order := higher(p, response(m), new(big.Rat)); order != nil {
				t.Refute("%v is (ε, δ)-DP with e^ε = %s, δ = %s, and at α = %s H is %s, of randomized response %s",
					p, expEps, least(p, finite.Constant(expEps)), order, stick(p, order), stick(response(m), order))
			}
		}
	}
}

// stick returns H_α of a pair.
func stick(p finite.Pair, order *big.Rat) *big.Rat {
	return spec.HockeyStick(spec.Laws{p[0], p[1]}, order)
}

// higher returns an order of at least from at which H of the laws is above that of the pair, or nil. Between ratios P/Q
// of either both are linear, and above all of them constant.
func higher(laws, pair finite.Pair, from *big.Rat) *big.Rat {
	for _, order := range append([]*big.Rat{from}, places(sticks(laws), sticks(pair))...) {
		if order.Cmp(from) >= 0 && stick(laws, order).Cmp(stick(pair, order)) > 0 {
			return order
		}
	}
	return nil
}

// asTheorem15 compares V_0(1, 1) of randomized responses with a share of δ_k with OptDel, by the families of sets
// where there are few of them.
func asTheorem15(t *register.T, share *big.Rat) {
	t.Domain("up to 3 mechanisms with (e^ε, δ) in {(3, 0), (3/2, 1/10), (1, 1/2)}, stops after 1, after 1 and 2, " +
		"after 1 and 3, e^ℰ in {1, 3/2, 3}; by spec for the first, and for δ = 0 for the second")
	pure := []spec.Mechanism{finite.Pure(finite.Charges[1]), finite.Pure(finite.Charges[2])}
	for _, x := range []struct {
		mechanisms []spec.Mechanism
		points     []int
		literally  bool
	}{{finite.Mechanisms, []int{1}, true}, {pure, []int{1, 2}, true}, {finite.Mechanisms, []int{1, 2}, false},
		{finite.Mechanisms, []int{1, 3}, false}} {
		for p := range finite.Pipelines(x.mechanisms, x.points...) {
			t.Case()
			var pairs []finite.Pair
			for _, m := range p.Mechanisms {
				pairs = append(pairs, response(spec.Mechanism{ExpEps: m.ExpEps, Delta: rat.Mul(share, m.Delta)}))
			}
			v := start(pairs, p)
			found, _, _, err := impl.Exact(t.Context(), p.Impl())
			if x.literally {
				found, err = spec.OptDel(spec.Pipeline(p))
			}
			if found = register.Must(found, err); !rat.Equal(found, v) {
				t.Refute("%v: OptDel = %s, V_0(1, 1) = %s", p, found, v)
			}
		}
	}
}
