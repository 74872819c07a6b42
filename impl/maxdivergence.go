package impl

import (
	"math/big"
	"slices"

	"checkrr/impl/internal/rational"
)

// ExpMaxDivergence returns e^(D_∞(Y‖Z)), the largest Pr[Y = o]/Pr[Z = o]; nil if it is infinite.
//
// The ratio of sums is at most the largest ratio of their terms.
//
// Source: Dwork and Roth (2014), Definition 3.6; AFD-D3.6.
// Also in the checks of AFD-L3.18, AFD-T3.14, AFD-K3.15, AFD-L3.17.s7, AFD-L3.18.s2, AFD-L3.18.s3, AFD-T3.20.s3 and
// AFD-T3.20.s5.
// Symbols: the laws of Y and Z are y and z.
// Domain: two laws over the same outputs. Result at least 1.
// Accuracy: exact.
// Deviation from print: e^(D_∞) for D_∞.
// Cost: O(m log m) for m outputs.
func ExpMaxDivergence(y, z []*big.Rat) *big.Rat {
	return ExpApproximateMaxDivergence(y, z, new(big.Rat))
}

// ExpApproximateMaxDivergence returns e^(D_∞^δ(Y‖Z)), the largest (Pr[Y ∈ S] − δ)/Pr[Z ∈ S] over S with
// Pr[Y ∈ S] > δ; nil if it is infinite, and 0 if there is no such S.
//
// If t is the largest, S = {Y > t·Z} attains it, as it maximizes Pr[Y ∈ S] − t·Pr[Z ∈ S]: so the outputs with the
// largest Y/Z, down to some place, are enough.
//
// Source: Dwork and Roth (2014), Definition 3.6; AFD-D3.6.
// Symbols: the laws of Y and Z are y and z, δ = delta.
// Domain: two laws over the same outputs, δ in [0, 1]. Result at least 0.
// Accuracy: exact.
// Deviation from print: e^D for D; see spec.
// Cost: O(m log m) for m outputs.
func ExpApproximateMaxDivergence(y, z []*big.Rat, delta *big.Rat) *big.Rat {
	return mostRatio(y, z, everywhere, delta)
}

// mostRatio is [ExpApproximateMaxDivergence] for sets S of the outputs that are included.
func mostRatio(y, z []*big.Rat, included func(o int) bool, delta *big.Rat) *big.Rat {
	var order []int // without what has probability 0 under both laws: 0/0 equals every ratio, which is no order
	for o := range y {
		if included(o) && y[o].Sign()+z[o].Sign() > 0 {
			order = append(order, o)
		}
	}
	slices.SortFunc(order, func(a, b int) int { // y_a/z_a ≥ y_b/z_b, also where z is 0
		return new(big.Rat).Mul(y[b], z[a]).Cmp(new(big.Rat).Mul(y[a], z[b]))
	})
	most, numerator, denominator := new(big.Rat), new(big.Rat).Neg(delta), new(big.Rat)
	for _, o := range order {
		numerator.Add(numerator, y[o])
		denominator.Add(denominator, z[o])
		switch {
		case numerator.Sign() <= 0:
		case denominator.Sign() == 0:
			return nil
		default:
			most = rational.Max(most, new(big.Rat).Quo(numerator, denominator))
		}
	}
	return most
}

// StatisticalDistance returns Δ(Y, Z) = Σ max(0, Pr[Y = o] − Pr[Z = o]).
//
// Source: Dwork and Roth (2014), Section 3.5.1; AFD-U7.
// Also in the check of AFD-T3.20.s5.
// Symbols: the laws of Y and Z are y and z.
// Domain: two laws over the same outputs. Result in [0, 1].
// Accuracy: exact.
// Deviation from print: none.
// Cost: O(m) for m outputs.
func StatisticalDistance(y, z []*big.Rat) *big.Rat {
	sum := new(big.Rat)
	for o := range y {
		sum.Add(sum, rational.Max(new(big.Rat), new(big.Rat).Sub(y[o], z[o])))
	}
	return sum
}
