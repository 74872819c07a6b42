package spec

import "math"

// GaussianMechanism runs the Gaussian mechanism with parameter b and returns f(x) with noise of variance b in each
// coordinate.
//
// Source: Dwork and Roth (2014), Section 3.5.3; AFD-U9.
// Symbols: f(x) = value.
// Domain: f(x) finite; b positive and finite.
// Accuracy: that of the noise and of k additions.
// Deviation from print: none.
// Cost: O(k).
func GaussianMechanism(value []float64, b float64, noise GaussianNoise) ([]float64, error) {
	if err := domain("GaussianMechanism", positive("b", b), allFinite("number", value)); err != nil {
		return nil, err
	}
	var output []float64
	for _, f := range value {
		output = append(output, f+noise.Gauss(math.Sqrt(b)))
	}
	return output, nil
}

// GaussianScale returns cΔ/ε for c² = 2 ln(1.25/δ), which the σ of the theorem is above.
//
// Source: Dwork and Roth (2014), Theorem 3.22; AFD-T3.22.
// Also in the checks of AFD-X15 and AFD-X16.
// Symbols: Δ_2(f) = sensitivity, ε = eps, δ = delta.
// Domain: Δ_2(f) ≥ 0, ε > 0, δ in (0, 1].
// Accuracy: float64.
// Deviation from print: σ is the standard deviation; the text's parameter is the variance.
// Cost: O(1).
func GaussianScale(sensitivity, eps, delta float64) float64 {
	return math.Sqrt(2*math.Log(1.25/delta)) * sensitivity / eps
}

// GaussianDelta returns the smallest δ with which the Gaussian mechanism is (ε, δ)-DP:
// Φ(Δ/(2σ) − εσ/Δ) − e^ε·Φ(−Δ/(2σ) − εσ/Δ).
//
// Source: Balle and Wang (2018), Theorem 8. In the check of AFD-T3.22.
// Symbols: Δ = sensitivity, in ‖·‖_2; σ = sigma, the standard deviation; ε = eps.
// Domain: Δ > 0, σ > 0, ε in [0, 700]. Result in [0, 1].
// Accuracy: float64; differences of nearly equal numbers cancel.
// Deviation from print: none.
// Cost: O(1).
func GaussianDelta(sensitivity, sigma, eps float64) float64 {
	mean, cut := sensitivity/(2*sigma), eps*sigma/sensitivity
	return phi(mean-cut) - math.Exp(eps)*phi(-mean-cut)
}

// ComposedGaussianDelta returns the smallest δ with which k Gaussian mechanisms together are (ε, δ)-DP:
// Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ) with μ = √k·Δ/σ.
//
// Source: Dong, Roth and Su (2022), Corollary 1 (μ-GDP as (ε, δ)-DP) and Corollary 2 (composition);
// docs/dominating-pairs.md, Closed forms; OUR-X11, OUR-X17.
// Symbols: k = count; Δ = sensitivity, in ‖·‖_2; σ = sigma, the standard deviation; ε = eps.
// Domain: k ≥ 1, Δ > 0, σ > 0, ε in [0, 700]. Result in [0, 1].
// Accuracy: float64; differences of nearly equal numbers cancel.
// Deviation from print: none.
// Cost: O(1).
func ComposedGaussianDelta(count int, sensitivity, sigma, eps float64) float64 {
	mu := math.Sqrt(float64(count)) * sensitivity / sigma
	return phi(mu/2-eps/mu) - math.Exp(eps)*phi(-mu/2-eps/mu)
}

// phi returns Φ(x), the probability that a standard normal variable is at most x.
func phi(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
