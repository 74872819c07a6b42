package spec

import "math"

// BetCapacity returns what all charges together may be: λε − ln(1/δ') + (1 + λ)ln(1 + λ) − λ ln λ.
//
// Source: docs/odp-filter.md, Theorem 2; OUR-X20.
// Symbols: λ = lambda, ε = eps, δ' = delta1.
// Domain: λ > 0, ε ≥ 0, δ' in (0, 1).
// Accuracy: float64.
// Cost: O(1).
func BetCapacity(lambda, eps, delta1 float64) float64 {
	return lambda*eps - math.Log(1/delta1) + (1+lambda)*math.Log(1+lambda) - lambda*math.Log(lambda)
}

// ODPReading returns the ε of everything so far: Σ ℰ_i of the parts observed or, if that is less, what their
// charges say, (Σ c_i + ln(1/δ') − (1 + λ)ln(1 + λ) + λ ln λ)/λ.
//
// Source: docs/odp-filter.md, Theorem 1; OUR-T3.
// Symbols: λ = lambda, δ' = delta1, Σ ℰ_i = eps, Σ c_i = charges.
// Domain: λ > 0, δ' in (0, 1), sums ≥ 0. Result at least 0.
// Accuracy: float64.
// Cost: O(1).
func ODPReading(lambda, delta1, eps, charges float64) float64 {
	return min(eps, max(0, charges-BetCapacity(lambda, 0, delta1))/lambda)
}

// ODPRound is a mechanism with the ℰ of its parts, its δ, and which part its output was in.
type ODPRound struct {
	Parts    []float64
	Delta    float64
	Observed int
}

// AdvancedODPFilter returns how many of the rounds are admitted, one after the other: those after which the reading
// would be at most ε even if the part with the largest ℰ were observed, and Σ δ_i at most δ″.
//
// Source: docs/odp-filter.md, Theorem 2; OUR-T4.
// Symbols: λ = lambda, ε = target, δ' = delta1, δ″ = delta2.
// Domain: λ > 0, ε ≥ 0, δ' in (0, 1), δ″ ≥ 0; rounds with at least one part, ℰ ≥ 0 and δ_i ≥ 0.
// Accuracy: float64.
// Cost: O(parts).
func AdvancedODPFilter(rounds []ODPRound, target, delta1, delta2, lambda float64) int {
	eps, charges, deltas := 0.0, 0.0, 0.0
	for n, r := range rounds {
		least, most := r.Parts[0], r.Parts[0]
		for _, e := range r.Parts {
			least, most = min(least, e), max(most, e)
		}
		mu := ODPBet(lambda, least, most)
		if ODPReading(lambda, delta1, eps+most, charges+BetCharge(lambda, mu, most)) > target ||
			deltas+r.Delta > delta2 {
			return n
		}
		observed := r.Parts[r.Observed]
		eps, charges, deltas = eps+observed, charges+BetCharge(lambda, mu, observed), deltas+r.Delta
	}
	return len(rounds)
}

// BestLambda returns about the λ for which a budget admits the most mechanisms of small ε: it maximizes [BetCapacity]
// over λ(λ + 1)/2, where a charge is nearly λ(λ + 1)ε²/2.
//
// Source: docs/odp-filter.md, "Which λ"; OUR-X20.
// Symbols: ε = eps, δ' = delta1.
// Domain: ε ≥ 0, δ' in (0, 1).
// Accuracy: one of the numbers e^(k/100).
// Cost: O(1).
func BestLambda(eps, delta1 float64) float64 {
	best, most := 0.0, math.Inf(-1)
	for k := -2000; k <= 4000; k++ {
		lambda := math.Exp(float64(k) / 100)
		if v := BetCapacity(lambda, eps, delta1) / (lambda * (lambda + 1)); v > most {
			best, most = lambda, v
		}
	}
	return best
}
