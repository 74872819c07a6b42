package ours

import (
	"math/big"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// responses are the statements on randomized response, the pair of (ε, δ).
func responses() register.Checks {
	return register.Checks{
		"OUR-X2": register.Checked(register.With2(responseDominates, finite.Pair.DeltaBothWays, rat.One),
			register.NearMiss("if it is (ε, δ)-DP in this order of neighbours",
				register.With2(responseDominates, finite.Pair.Delta, rat.One)),
			register.NearMiss("with 19/20·δ", register.With2(responseDominates, finite.Pair.DeltaBothWays, nearly)),
		),
		"OUR-X3": register.Checked(register.With(asTheorem15, rat.One),
			register.NearMiss("with 19/20·δ_k", register.With(asTheorem15, nearly))),
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
	t.Domain("all pairs of laws over up to 3 outputs with probabilities in multiples of 1/4, e^ε in {1, 3/2, 3}, at " +
		"the ratios P/Q of both")
	for p := range finite.Pairs(3, 4) {
		for _, expEps := range finite.Charges {
			t.Case()
			m := spec.Mechanism{ExpEps: expEps, Delta: rat.Mul(share, least(p, finite.Constant(expEps)))}
			if order := higher(p, response(m), new(big.Rat)); order != nil {
				t.Refute("%v is (ε, δ)-DP with e^ε = %s, δ = %s, and at α = %s H is %s, of randomized response %s", p, expEps,
					least(p, finite.Constant(expEps)), order, stick(p, order), stick(response(m), order))
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
	t.Domain("up to 3 mechanisms with (e^ε, δ) in {(3, 0), (3/2, 1/10), (1, 1/2)}, stops after 1, after 1 and 2, after " +
		"1 and 3, e^ℰ in {1, 3/2, 3}; by spec for the first, and for δ = 0 for the second")
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
			found, _, err := impl.Exact(t.Context(), p.Impl())
			if x.literally {
				found, err = spec.OptDel(spec.Pipeline(p))
			}
			if found = register.Must(found, err); !rat.Equal(found, v) {
				t.Refute("%v: OptDel = %s, V_0(1, 1) = %s", p, found, v)
			}
		}
	}
}
