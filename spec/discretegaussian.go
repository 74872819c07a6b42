package spec

import (
	"math"
	"math/big"
)

// DiscreteGaussian returns a sample from N_ℤ(0, σ²), where x has a probability proportional to e^(−x²/2σ²).
//
// Source: docs/exact-noise.md, Algorithm 3: Canonne, Kamath and Steinke (2020), Algorithm 3; OUR-A3.
// Comments give its lines.
// Symbols: σ² = sigma2.
// Domain: σ² > 0.
// Accuracy: exact.
// Deviation from print: none; ⌊σ⌋ is the whole part of the root of ⌊σ²⌋.
// Cost: some 25 coins, on average.
func DiscreteGaussian(sigma2 *big.Rat, coins Coins) (*big.Int, error) {
	if err := domain("DiscreteGaussian", aboveZero("σ²", sigma2)); err != nil {
		return nil, err
	}
	return discreteGaussian(sigma2, coins), nil
}

func discreteGaussian(sigma2 *big.Rat, coins Coins) *big.Int {
	sigma := new(big.Int).Sqrt(wholePart(sigma2))
	t := sigma.Add(sigma, big.NewInt(1)) // Set t ← ⌊σ⌋ + 1.
	for {                                // loop
		y := discreteLaplace(big.NewInt(1), t, coins) // Sample Y ← Lap_ℤ(t).
		gap := sub(new(big.Rat).SetInt(new(big.Int).Abs(y)), quo(sigma2, new(big.Rat).SetInt(t)))
		// Sample C ← Bernoulli(exp(−(|Y| − σ²/t)²/2σ²)).
		if bernoulliExp(quo(mul(gap, gap), add(sigma2, sigma2)), coins) {
			return y // if C = 1 then return Y.
		} // if C = 0 then reject and restart.
	}
}

// DiscreteGaussianMechanism returns f(x) + (Y_1, …, Y_k), where each Y_i ~ N_ℤ(0, σ²).
//
// Source: docs/exact-noise.md, Theorem 2: Canonne, Kamath and Steinke (2020), Theorem 7; OUR-T6.
// Symbols: f(x) = value, σ² = sigma2.
// Domain: σ² > 0.
// Accuracy: exact.
// Deviation from print: none.
// Cost: O(k).
func DiscreteGaussianMechanism(value []*big.Int, sigma2 *big.Rat, coins Coins) ([]*big.Int, error) {
	if err := domain("DiscreteGaussianMechanism", aboveZero("σ²", sigma2),
		allPresent("number", value)); err != nil {
		return nil, err
	}
	var output []*big.Int
	for _, f := range value {
		output = append(output, new(big.Int).Add(f, discreteGaussian(sigma2, coins)))
	}
	return output, nil
}

// DiscreteGaussianDelta returns the smallest δ for which f(x) + Y, Y ~ N_ℤ(0, σ²), is (ε, δ)-DP:
// Pr[Y > εσ²/Δ − Δ/2] − e^ε·Pr[Y > εσ²/Δ + Δ/2].
//
// Source: docs/exact-noise.md, Theorem 2: Canonne, Kamath and Steinke (2020), Theorem 7; OUR-T6.
// Symbols: Δ = sensitivity, of one answer f(x); σ² = sigma2, ε = eps.
// Domain: Δ ≥ 1, σ² in (0, 10^8], ε ≥ 0. Result in [0, 1].
// Accuracy: float64, but for the ends of the sums, which are exact: an error of about 1e-15·e^ε.
// Deviation from print: none.
// Cost: O(σ).
func DiscreteGaussianDelta(sensitivity int64, sigma2, eps *big.Rat) (float64, error) {
	if err := domain("DiscreteGaussianDelta",
		must(sensitivity >= 1, "sensitivity is %d, must be at least 1", sensitivity),
		aboveZero("σ²", sigma2),
		must(sigma2 == nil || sigma2.Cmp(largest) <= 0, "sigma2 is %s, must be at most 10^8", shown{sigma2}),
		notBelow("eps", eps, 0)); err != nil {
		return 0, err
	}
	e, _ := eps.Float64()
	delta := big.NewRat(sensitivity, 1)
	centre, half := quo(mul(eps, sigma2), delta), quo(delta, big.NewRat(2, 1)) // εσ²/Δ and Δ/2
	return max(0, gaussianAbove(sub(centre, half), sigma2)-math.Exp(e)*gaussianAbove(add(centre, half), sigma2)), nil
}

// largest is the largest σ² of [DiscreteGaussianDelta].
var largest = big.NewRat(1e8, 1)

// gaussianAbove returns Pr[Y > x] for Y ~ N_ℤ(0, σ²), from the terms that are not less than e^−800 times the first.
func gaussianAbove(x, sigma2 *big.Rat) float64 {
	variance, _ := sigma2.Float64()
	reach := int64(40 * (math.Sqrt(variance) + 1))
	above, all := 0.0, 0.0
	for y := -reach; y <= reach; y++ {
		weight := math.Exp(-float64(y) * float64(y) / (2 * variance))
		all += weight
		if big.NewRat(y, 1).Cmp(x) > 0 {
			above += weight
		}
	}
	return above / all
}
