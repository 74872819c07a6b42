package spec

import "math"

// BetCharge returns c, the least number with e^(λL − c) ≤ 1 + μ(1 − e^(−L)) for all |L| ≤ ε: what a part with ℰ = ε is
// charged for the bet μ. It is the larger of its values for L = ε and L = −ε. For μ = 0 it is λε.
//
// Source: docs/odp-filter.md, Lemma 2; OUR-L20.
// Also in the check of OUR-L21.
// Symbols: λ = lambda, μ = mu, ε = eps.
// Domain: λ > 0, μ in [0, λ], μ(e^ε − 1) < 1, ε ≥ 0.
// Accuracy: float64.
// Cost: O(1).
func BetCharge(lambda, mu, eps float64) float64 {
	return max(lambda*eps-math.Log(1+mu*(1-math.Exp(-eps))), -lambda*eps-math.Log(1-mu*(math.Exp(eps)-1)))
}

// FairBet returns the μ for which [BetCharge] is the same at both ends. It is charged least: as much as
// λ times the Rényi divergence of order 1 + λ of randomized response.
//
// Source: docs/odp-filter.md, Lemma 3; OUR-L21.
// Symbols: λ = lambda, ε = eps.
// Domain: λ > 0, ε ≥ 0. Result in (0, λ].
// Accuracy: float64.
// Cost: O(1).
func FairBet(lambda, eps float64) float64 {
	if eps == 0 {
		return lambda
	}
	return 2 * math.Sinh(lambda*eps) / (math.Exp(lambda*eps)*math.Expm1(eps) - math.Exp(-lambda*eps)*math.Expm1(-eps))
}

// ResponseCharge returns λ times the Rényi divergence of order 1 + λ of ε-randomized response.
//
// Source: docs/odp-filter.md, Lemma 3; OUR-L21.
// Symbols: λ = lambda, ε = eps.
// Domain: λ > 0, ε ≥ 0.
// Accuracy: float64.
// Cost: O(1).
func ResponseCharge(lambda, eps float64) float64 {
	return math.Log((math.Exp((1+lambda)*eps) + math.Exp(-lambda*eps)) / (1 + math.Exp(eps)))
}

// ODPBet returns the bet for a mechanism by its smallest and its largest ℰ: the fair bet of the smallest, unless the
// part with the largest would be charged more than twice its [ResponseCharge] then.
//
// Source: docs/odp-filter.md, "Which bet"; OUR-X19.
// Symbols: λ = lambda.
// Domain: λ > 0, 0 ≤ least ≤ most.
// Accuracy: float64.
// Cost: O(1).
func ODPBet(lambda, least, most float64) float64 {
	if most == 0 {
		return lambda
	}
	return min(FairBet(lambda, least), (1-math.Exp(-lambda*most-2*ResponseCharge(lambda, most)))/math.Expm1(most))
}
