package odp

import (
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/verify/rat"
)

// budgets returns the budgets, as e^(ε_t) and δ_t, that at most so many rounds of a
// mechanism use up, the smallest that admit one.
func budgets(c impl.Choice, rounds int) (all [][2]*big.Rat) {
	products := []*big.Rat{rat.One}
	for range rounds {
		for _, x := range slices.Clone(products) {
			for _, e := range c.ExpE {
				if y := rat.Mul(x, e); !containsRat(products, y) {
					products = append(products, y)
				}
			}
		}
	}
	slices.SortFunc(products, (*big.Rat).Cmp)
	for _, expEpsT := range products {
		for n := range rounds {
			if expEpsT.Cmp(rat.Max(c.ExpE...)) >= 0 && (n == 0 || c.Delta.Sign() > 0) {
				all = append(all, [2]*big.Rat{expEpsT, rat.Mul(rat.Int(n+1), c.Delta)})
			}
		}
	}
	return all
}

// budgetsOf returns the budgets that both use up, or that only just admit both.
func budgetsOf(c, second impl.Choice) (all [][2]*big.Rat) {
	deltas := []*big.Rat{rat.Max(c.Delta, second.Delta), rat.Add(c.Delta, second.Delta)}
	var products []*big.Rat
	for _, x := range c.ExpE {
		if y := rat.Mul(x, rat.Max(second.ExpE...)); y.Cmp(rat.Max(c.ExpE...)) >= 0 && !containsRat(products, y) {
			products = append(products, y)
		}
	}
	for _, x := range products {
		for _, delta := range deltas {
			all = append(all, [2]*big.Rat{x, delta})
		}
	}
	return all
}

func containsRat(xs []*big.Rat, x *big.Rat) bool {
	return slices.ContainsFunc(xs, func(y *big.Rat) bool { return rat.Equal(x, y) })
}
