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
// Source: Hartmann et al. (2022), Algorithm 5, line 2; ODP-A5, ODP-T17.
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

// RefusalProbability returns Pr(A5 returns ⊥) for one covariate, d = 1: the integral over
// q of the density of q and Pr(s(p_min + q, x^test) + r > t), as a sum over a million
// slices of equal probability.
//
// Source: Hartmann et al. (2022), Algorithm 5; ODP-A5.
// Symbols: as for [LogRegWithTest], with any a > 0 in line 2.
// Domain: as for [LogRegWithTest], d = 1.
// Accuracy: about 1e-6.
// Deviation from print: a is a parameter.
// Cost: O(10^6·n^test).
func RefusalProbability(train, test []Record, eps1, eps2, lambda, t, a float64) (float64, error) {
	p, err := Minimizer(train, LogisticLoss(), L2Regularizer(), lambda)
	if err != nil {
		return 0, err
	}
	const slices = 1_000_000
	scale := 2 / (float64(len(train)) * lambda * eps1)
	sum := 0.0
	for i := range slices {
		q := laplaceQuantile((float64(i)+0.5)/slices, scale)
		sum += 1 - laplaceBelow(t-PredictionError([]float64{p[0] + q}, test), a/eps2)
	}
	return sum / slices, nil
}

// laplaceQuantile returns the x with Pr(X ≤ x) = u for X ~ Lap(scale).
func laplaceQuantile(u, scale float64) float64 {
	if u < 0.5 {
		return scale * math.Log(2*u)
	}
	return -scale * math.Log(2*(1-u))
}

// laplaceBelow returns Pr(X ≤ x) for X ~ Lap(scale).
func laplaceBelow(x, scale float64) float64 {
	if x < 0 {
		return math.Exp(x/scale) / 2
	}
	return 1 - math.Exp(-x/scale)/2
}
