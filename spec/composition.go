package spec

import (
	"math"
	"math/big"
)

// HomogeneousDelta returns δ_i such that k adaptively composed ε-DP mechanisms are
// ((k − 2i)ε, δ_i)-DP:
//
//	δ_i = Σ_{l=0}^{i−1} C(k, l) (e^{(k−l)ε} − e^{(k−2i+l)ε}) / (1 + e^ε)^k.
//
// Source: Kairouz, Oh and Viswanath (2015), Theorem 3.3, for δ = 0, as it is used by
// Hartmann et al. (2022), Appendix A; ODP-X29, ODP-TB1.
// Symbols: k, i as printed; e^ε = expEps.
// Domain: 0 ≤ i ≤ k/2, e^ε ≥ 1. Result in [0, 1].
// Accuracy: exact.
// Deviation from print: none.
// Cost: O(i·k) operations on numbers whose length grows with k.
func HomogeneousDelta(k, i int, expEps *big.Rat) (*big.Rat, error) {
	if err := domain("HomogeneousDelta", must(0 <= i && 2*i <= k, "i is %d, must be between 0 and k/2 = %d/2", i, k),
		notBelow("e^eps", expEps, 1)); err != nil {
		return nil, err
	}
	sum := new(big.Rat)
	for l := 0; l <= i-1; l++ {
		choose := new(big.Rat).SetInt(new(big.Int).Binomial(int64(k), int64(l)))
		sum = add(sum, mul(choose, sub(power(expEps, k-l), power(expEps, k-2*i+l))))
	}
	return quo(sum, power(add(one, expEps), k)), nil
}

// AdvancedComposition returns the (ε, δ) of mechanisms that are (ε_m, δ_m)-DP, with parameters fixed beforehand:
// δ = δ' + Σ δ_m and ε = √(2 log(1/δ') Σ ε_m²) + Σ ε_m (e^ε_m − 1)/(e^ε_m + 1).
//
// Source: Whitehouse et al. (2023), eq. (2); FAC-E2.
// Also in the checks of FAC-X1, FAC-X2, FAC-X5 and AFD-K3.21.
// Symbols: ε_m = eps[m−1], δ_m = deltas[m−1], δ' = delta1.
// Domain: as many ε_m ≥ 0 as δ_m in [0, 1]; δ' in (0, 1].
// Accuracy: float64.
// Deviation from print: none.
// Cost: O(n).
func AdvancedComposition(eps, deltas []float64, delta1 float64) (epsilon, delta float64) {
	drift := 0.0
	for _, e := range eps {
		drift += e * ((math.Exp(e) - 1) / (math.Exp(e) + 1))
	}
	return math.Sqrt(2*math.Log(1/delta1)*variance(eps)) + drift, delta1 + sum(deltas)
}

// KFoldComposition returns the ε' with which k mechanisms that are (ε, δ)-DP are (ε', kδ + δ')-DP under k-fold adaptive
// composition: √(2k ln(1/δ'))·ε + kε(e^ε − 1).
//
// Source: Dwork and Roth (2014), Theorem 3.20; AFD-T3.20.
// Also in the checks of AFD-E3.7 and AFD-T3.20.s4.
// Symbols: ε = eps, δ' = delta1.
// Domain: k ≥ 0, ε ≥ 0, δ' in (0, 1]; print has any δ' ≥ 0, and no root for δ' > 1.
// Accuracy: float64.
// Deviation from print: none.
// Cost: O(1).
func KFoldComposition(k int, eps, delta1 float64) float64 {
	return math.Sqrt(2*float64(k)*math.Log(1/delta1))*eps + float64(k)*eps*(math.Exp(eps)-1)
}

// KFoldEpsilon returns the ε that is enough for each of k mechanisms such that together they are (ε', kδ + δ')-DP:
// ε'/(2·√(2k ln(1/δ'))).
//
// Source: Dwork and Roth (2014), Corollary 3.21; AFD-K3.21.
// Symbols: ε' = target, δ' = delta1.
// Domain: k ≥ 1, ε' in (0, 1), δ' in (0, 1); it is enough for ε' up to 8 ln(1/δ'), and not for δ' near 1.
// Accuracy: float64.
// Deviation from print: none.
// Cost: O(1).
func KFoldEpsilon(k int, target, delta1 float64) float64 {
	return target / (2 * math.Sqrt(2*float64(k)*math.Log(1/delta1)))
}
