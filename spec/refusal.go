package spec

import "math"

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
