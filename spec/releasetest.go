package spec

import "math"

// ErrorSensitivity returns the bound of the sensitivity of the error s with respect
// to x^train, at a given q: 2(exp(2/(n^train·Λ)) − 1).
//
// Source: Hartmann et al. (2022), Appendix D, the display after eq. (15); ODP-L21.
// Symbols: n^train = n, Λ = lambda.
// Domain: n ≥ 1, Λ > 0.
// Accuracy: float64.
// Deviation from print: none.
// Cost: O(1).
func ErrorSensitivity(n int, lambda float64) float64 {
	return 2 * (math.Exp(2/(float64(n)*lambda)) - 1)
}

// ReleaseTestScale returns a = max(2/n^test, 2(exp(2/(n^train·Λ)) − 1)).
//
// Source: Hartmann et al. (2022), Algorithm 5, line 2; ODP-A5, ODP-T17. Also in the checks of ODP-F2.
// Symbols: n^train = nTrain, n^test = nTest, Λ = lambda.
// Domain: n^train, n^test ≥ 1, Λ > 0.
// Accuracy: float64.
// Deviation from print: none.
// Cost: O(1).
func ReleaseTestScale(nTrain, nTest int, lambda float64) float64 {
	return max(2/float64(nTest), ErrorSensitivity(nTrain, lambda))
}

// ReleaseTestCharges returns ℰ(ℝ^d) = max(ε_1, ((2/n^test)/a)·ε_2) and
// ℰ({⊥}) = min(ℰ(ℝ^d), ε_2).
//
// Source: Hartmann et al. (2022), Theorem 17; ODP-T17.
// Also in the checks of ODP-C18 and ODP-X28.
// Symbols: ε_1 = eps1, ε_2 = eps2; otherwise as for [ReleaseTestScale].
// Domain: ε_1, ε_2 > 0; otherwise as for [ReleaseTestScale].
// Accuracy: float64.
// Deviation from print: none.
// Cost: O(1).
func ReleaseTestCharges(nTrain, nTest int, eps1, eps2, lambda float64) (released, refused float64) {
	a := ReleaseTestScale(nTrain, nTest, lambda)
	released = max(eps1, 2/float64(nTest)/a*eps2)
	return released, min(released, eps2)
}
