package spec

import "math"

// LaplaceMechanism runs M_L(x, f, ε) and returns its output f(x) + (Y_1, …, Y_k).
//
// Source: Dwork and Roth (2014), Definition 3.3; AFD-D3.3.
// Also in the checks of AFD-T3.6, AFD-E3.2 and AFD-X11.
// Symbols: f(x) = value, Δf = sensitivity, ε = eps.
// Domain: f(x) finite; Δf, ε and the scale Δf/ε positive and finite. That f has this
// sensitivity, in ‖·‖_1, is the caller's word.
// Accuracy: that of the noise and of k additions.
// Deviation from print: none.
// Cost: O(k).
func LaplaceMechanism(value []float64, sensitivity, eps float64, noise Noise) ([]float64, error) {
	if err := domain("LaplaceMechanism", positive("sensitivity", sensitivity), positive("eps", eps),
		positive("scale of the noise", sensitivity/eps), allFinite("number", value)); err != nil {
		return nil, err
	}
	var output []float64
	for _, f := range value {
		output = append(output, f+noise.Laplace(sensitivity/eps))
	}
	return output, nil
}

// LaplaceDensity returns Lap(x|b) = (1/(2b))·exp(−|x|/b).
//
// Source: Dwork and Roth (2014), Definition 3.2; AFD-D3.2.
// Also in the checks of AFD-X2, AFD-T3.6 and AFD-E3.2.
// Symbols: as printed.
// Domain: x finite, b positive and finite.
// Accuracy: float64.
// Deviation from print: none.
// Cost: O(1).
func LaplaceDensity(x, b float64) float64 { return 1 / (2 * b) * math.Exp(-math.Abs(x)/b) }

// LaplaceTail returns exp(−t), the probability that |Y| ≥ t·b for Y ~ Lap(b).
//
// Source: Dwork and Roth (2014), Fact 3.7; AFD-F3.7.
// Domain: t ≥ 0, of which print says nothing; below 0 the probability is 1.
// Accuracy: float64.
// Deviation from print: none.
// Cost: O(1).
func LaplaceTail(t float64) float64 { return math.Exp(-t) }

// LaplaceError returns ln(k/δ)·(Δf/ε): with a probability of at most δ some of the k outputs of [LaplaceMechanism] is
// that far off, or farther.
//
// Source: Dwork and Roth (2014), Theorem 3.8; AFD-T3.8.
// Also in the checks of AFD-E3.3.
// Symbols: δ = delta, Δf = sensitivity, ε = eps.
// Domain: k ≥ 1, δ in (0, 1], Δf and ε positive.
// Accuracy: float64.
// Deviation from print: none.
// Cost: O(1).
func LaplaceError(k int, delta, sensitivity, eps float64) float64 {
	return math.Log(float64(k)/delta) * (sensitivity / eps)
}

// GaussianVariance returns Δf·ln(1/δ)/ε, to which the variance of Gaussian noise is said to be calibrated for (ε,
// δ)-DP.
//
// Source: Dwork and Roth (2014), Section 3.3, footnote 1; AFD-X3.
// Symbols: Δf = sensitivity, δ = delta, ε = eps.
// Domain: Δf and ε positive, δ in (0, 1).
// Accuracy: float64.
// Deviation from print: none; noise of this variance is not (ε, δ)-DP in general.
// Cost: O(1).
func GaussianVariance(sensitivity, delta, eps float64) float64 {
	return sensitivity * math.Log(1/delta) / eps
}

// LaplaceDelta returns the smallest δ with which adding Laplace noise is (ε, δ)-DP: 1 − e^((ε − Δ/b)/2) for ε ≤ Δ/b,
// and 0 above.
//
// Source: Balle, Barthe and Gaboardi (2018), Theorem 3; docs/dominating-pairs.md, Closed forms; OUR-X12.
// Symbols: Δ = sensitivity, b = scale, ε = eps.
// Domain: Δ > 0, b > 0, ε ≥ 0. Result in [0, 1].
// Accuracy: float64; the difference cancels where ε is close to Δ/b.
// Deviation from print: two cases for [·]_+.
// Cost: O(1).
func LaplaceDelta(sensitivity, scale, eps float64) float64 {
	if eps > sensitivity/scale {
		return 0
	}
	return 1 - math.Exp((eps-sensitivity/scale)/2)
}
