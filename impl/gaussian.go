package impl

import (
	"cmp"
	"fmt"
	"math"
	"math/big"

	"checkrr/impl/internal/check"
	"checkrr/impl/interval"
	"checkrr/impl/noise"
)

// GaussianMechanism runs the Gaussian mechanism with parameter b and returns f(x) with noise of variance b in each
// coordinate. It makes the draws of spec.GaussianMechanism in the same order.
//
// Source: Dwork and Roth (2014), Section 3.5.3; AFD-U9.
// Symbols: as for spec.GaussianMechanism.
// Domain: f(x) finite; b positive and finite.
// Accuracy: that of the noise and of k additions; see [RandomNoise].
// Deviation from print: none.
// Cost: O(k); one root and one allocation.
func GaussianMechanism(value []float64, b float64, random noise.GaussianSource) ([]float64, error) {
	err := cmp.Or(check.Positive("b", b), check.AllFinite("number", value), check.NotNil("random", random))
	if err != nil {
		return nil, fmt.Errorf("GaussianMechanism: %w", err)
	}
	sigma, output := math.Sqrt(b), make([]float64, len(value))
	for i, f := range value {
		output[i] = f + random.Gauss(sigma)
	}
	return output, nil
}

// GaussianScale returns √(2 ln(1.25/δ))·Δ/ε, which the σ of the theorem is above.
//
// Source: Dwork and Roth (2014), Theorem 3.22; AFD-T3.22.
// Also in the checks of AFD-X15 and AFD-X16.
// Symbols: Δ_2(f) = sensitivity, ε = eps, δ = delta.
// Domain: Δ_2(f) ≥ 0, ε > 0, δ in (0, 1].
// Accuracy: contains it; relative width about 2^-180.
// Deviation from print: σ is the standard deviation; the text's parameter is the variance.
// Cost: O(1).
func GaussianScale(sensitivity, eps, delta *big.Rat) interval.Interval {
	log := bits.Log(new(big.Rat).Quo(big.NewRat(5, 4), delta))
	return bits.Mul(bits.Sqrt(bits.Add(log, log)), bits.Rat(new(big.Rat).Quo(sensitivity, eps)))
}

// GaussianDelta returns the smallest δ with which the Gaussian mechanism is (ε, δ)-DP, by the tails of the normal law:
// with r = Δ/σ it is Pr(N ≥ ε/r − r/2) − e^ε·Pr(N ≥ ε/r + r/2).
//
// By the symmetry of the normal law only the distance of the two means counts, in any dimension.
//
// Source: Balle and Wang (2018), Theorem 8. In the checks of AFD-T3.22 and AFD-X15.
// Symbols: Δ = sensitivity, in ‖·‖_2; σ = sigma, the standard deviation; ε = eps.
// Domain: Δ > 0, σ > 0, ε ≥ 0. Result in [0, 1].
// Accuracy: contains it; the relative width is about 10^-48 times what the difference cancels.
// Deviation from print: none.
// Cost: O(1).
func GaussianDelta(sensitivity *big.Rat, sigma interval.Interval, eps *big.Rat) interval.Interval {
	ratio := bits.Quo(bits.Rat(sensitivity), sigma)
	cut, half := bits.Quo(bits.Rat(eps), ratio), bits.Half(ratio)
	far := bits.Mul(bits.ExpRat(eps), bits.NormalTail(bits.Add(cut, half)))
	return bits.Max0(bits.Sub(bits.NormalTail(bits.Sub(cut, half)), far))
}

// ComposedGaussianDelta returns the smallest δ with which k Gaussian mechanisms together are (ε, δ)-DP: that of one
// with a σ that is √k times smaller.
//
// Source: Dong, Roth and Su (2022), Corollaries 1 and 2; docs/dominating-pairs.md, Closed forms; OUR-X11, OUR-X17.
// Symbols: k = count; the others, accuracy and cost as for [GaussianDelta].
// Domain: k ≥ 1, Δ > 0, σ > 0, ε ≥ 0. Result in [0, 1].
// Deviation from print: none.
func ComposedGaussianDelta(count int, sensitivity *big.Rat, sigma interval.Interval, eps *big.Rat) interval.Interval {
	return GaussianDelta(sensitivity, bits.Quo(sigma, bits.Sqrt(bits.Int(int64(count)))), eps)
}
