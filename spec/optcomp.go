package spec

import (
	"cmp"
	"math/big"
	"slices"
)

// OptComp returns e^(ε_g) for the least ε_g ≥ 0 such that the composition of the
// mechanisms is (ε_g, δ_g)-DP, whatever they are: the least ε_g ≥ 0 with
//
//	(1/Π(1 + e^{ε_i})) Σ_{S⊆{1,…,k}} max{e^{Σ_{i∈S} ε_i} − e^{ε_g} e^{Σ_{i∉S} ε_i}, 0}
//	    ≤ 1 − (1 − δ_g)/Π(1 − δ_i);
//
// and nil if there is none. The left side falls as ε_g grows. In e^{ε_g} it is linear
// between neighbouring values of Π_{i∈S} e^{ε_i} / Π_{i∉S} e^{ε_i}.
//
// Source: Murtagh and Vadhan (2016), Theorem 1.5; for equal ε_i and δ_i, Kairouz, Oh and
// Viswanath (2015), Theorem 3.3. It is the δ of Hartmann et al. (2022), Theorem 15, for
// n = 1, solved for the charge. Also in the checks of ODP-E4, OUR-L14 and OUR-X21.
// Symbols: e^{ε_i} = mechanisms[i−1].ExpEps, δ_i = mechanisms[i−1].Delta, δ_g = delta.
// Domain: at least one mechanism, 4^k at most [MaxSets]; δ_i and δ_g in [0, 1). Result at
// least 1.
// Accuracy: exact.
// Deviation from print: none.
// Cost: 4^k products of k factors.
func OptComp(mechanisms []Mechanism, delta *big.Rat) (expEps *big.Rat, err error) {
	if err := domain("OptComp", optCompRules(mechanisms), inUnit("δ_g", delta, "[0, 1)")); err != nil {
		return nil, err
	}
	sets := subsetProducts(mechanisms)
	right := one
	for _, m := range mechanisms {
		right = mul(right, sub(one, m.Delta))
	}
	right = sub(one, quo(sub(one, delta), right))
	bend := one
	if leftSide(mechanisms, sets, bend).Cmp(right) <= 0 {
		return bend, nil
	}
	for _, next := range bends(sets) {
		high, low := leftSide(mechanisms, sets, bend), leftSide(mechanisms, sets, next)
		if low.Cmp(right) <= 0 {
			part := quo(sub(high, right), sub(high, low))
			return add(bend, mul(part, sub(next, bend))), nil
		}
		bend = next
	}
	return nil, nil
}

// subsetProducts returns, for every S ⊆ {1, …, k}, Π_{i∈S} e^{ε_i} and Π_{i∉S} e^{ε_i}.
func subsetProducts(mechanisms []Mechanism) [][2]*big.Rat {
	sets := [][2]*big.Rat{{one, one}}
	for _, m := range mechanisms {
		var longer [][2]*big.Rat
		for _, s := range sets {
			longer = append(longer, [2]*big.Rat{mul(s[0], m.ExpEps), s[1]}, [2]*big.Rat{s[0], mul(s[1], m.ExpEps)})
		}
		sets = longer
	}
	return sets
}

// leftSide returns the left side of the inequality of [OptComp] at e^{ε_g} = expEps.
func leftSide(mechanisms []Mechanism, sets [][2]*big.Rat, expEps *big.Rat) *big.Rat {
	sum := new(big.Rat)
	for _, s := range sets {
		sum = add(sum, larger(sub(s[0], mul(expEps, s[1])), new(big.Rat)))
	}
	for _, m := range mechanisms {
		sum = quo(sum, add(one, m.ExpEps))
	}
	return sum
}

// bends returns where the left side bends above e^{ε_g} = 1, in order.
func bends(sets [][2]*big.Rat) []*big.Rat {
	var bends []*big.Rat
	for _, s := range sets {
		if x := quo(s[0], s[1]); x.Cmp(one) > 0 {
			bends = append(bends, x)
		}
	}
	slices.SortFunc(bends, (*big.Rat).Cmp)
	return slices.CompactFunc(bends, func(x, y *big.Rat) bool { return x.Cmp(y) == 0 })
}

func optCompRules(mechanisms []Mechanism) error {
	p := Pipeline{mechanisms, []Stop{{len(mechanisms), one}}}
	broken := cmp.Or(p.rules(), p.sequencesRule())
	for i, m := range mechanisms {
		broken = cmp.Or(broken, domainOf("mechanism", i+1, inUnit("delta", m.Delta, "[0, 1)")))
	}
	return broken
}
