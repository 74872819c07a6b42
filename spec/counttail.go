package spec

import "math"

// UpperCount returns e^ε·E[X] + ((e^ε + 1)/ε)·ln(1/δ): a sum X of independent {0,1} variables is at least that with a
// probability of at most δ.
//
// Source: Liu and Talwar (2019), Lemma A.4, eq. (3); PSC-LA.4. Also in the check of PSC-LA.4.s2.
// Symbols: E[X] = mean, ε = eps, δ = delta.
// Domain: mean ≥ 0, ε and δ in (0, 1).
// Accuracy: float64.
// Deviation from print: none.
// Cost: O(1).
func UpperCount(mean, eps, delta float64) float64 {
	return math.Exp(eps)*mean + (math.Exp(eps)+1)/eps*math.Log(1/delta)
}

// LowerCount returns e^−ε·E[Y] − ln(1/δ)/ε: a sum Y of independent {0,1} variables is at most that with a probability
// of at most δ.
//
// Source: Liu and Talwar (2019), Lemma A.5, eq. (4); PSC-LA.5. Also in the check of PSC-LA.5.s2.
// Symbols: E[Y] = mean, ε = eps, δ = delta.
// Domain: mean ≥ 0, ε and δ in (0, 1).
// Accuracy: float64.
// Deviation from print: none.
// Cost: O(1).
func LowerCount(mean, eps, delta float64) float64 {
	return math.Exp(-eps)*mean - math.Log(1/delta)/eps
}
