package spec

import (
	"math"
	"math/big"
)

// Unlimited is a number of runs T without end.
const Unlimited = 0

// Thresholding draws from the oracle until a score is at least τ, and gives up with the probability γ after each draw
// below it, and after T draws.
//
// Source: Liu and Talwar (2019), Section 3, the algorithm that knows a threshold; PSC-A1. Also in the checks of
// PSC-T1.2b and PSC-T3.1d.
// Symbols: Q(D) = q, τ = tau, γ = gamma, T = t or [Unlimited]. That nothing was found is ⊥.
// Domain: γ in [0, 1], t ≥ 1 or Unlimited. Without a limit, with γ = 0 and all scores below τ it does not end.
// Deviation from print: the algorithm's float is missing in the text at hand; its lines are those that the proof
// counts.
// Cost: at most T draws.
func Thresholding[X any](q Candidate[X], tau float64, gamma *big.Rat, t int,
	coins Coins) (found Scored[X], isFound bool) {
	for j := 1; t == Unlimited || j <= t; j++ {
		s := q()
		if s.Score >= tau {
			return s, true
		}
		if coins.Bernoulli(gamma) {
			break
		}
	}
	return found, false
}

// ThresholdingLaw returns the law of the output of [Thresholding]: the probability of each sample, and that of ⊥.
//
// Source: Liu and Talwar (2019), Appendix A.1, the first and third display of the proof of Theorem 3.1; PSC-T3.1.s1,
// PSC-T3.1.s3.
// Also in the checks of PSC-T3.1a, PSC-T3.1b, PSC-T3.1c and PSC-T3.1e.
// Symbols: p(x,q) = oracle[i], for the samples from the lowest to the highest; those from first on have q ≥ τ, p_1 is
// their sum. γ = gamma, T = t.
// Domain: probabilities that sum to 1, γ in [0, 1], t ≥ 1.
// Accuracy: exact. The result sums to 1.
// Deviation from print: none.
// Cost: O(T) operations.
func ThresholdingLaw(oracle []*big.Rat, first int, gamma *big.Rat, t int) (law []*big.Rat, none *big.Rat) {
	p1 := new(big.Rat)
	for _, p := range oracle[first:] {
		p1 = add(p1, p)
	}
	stay := mul(sub(one, p1), sub(one, gamma))
	draws, none := new(big.Rat), new(big.Rat)
	for j := 1; j <= t; j++ {
		draws = add(draws, power(stay, j-1))
		none = add(none, mul(power(stay, j-1), mul(sub(one, p1), gamma)))
	}
	none = add(none, power(stay, t))
	for i, p := range oracle {
		if i < first {
			p = new(big.Rat)
		}
		law = append(law, mul(p, draws))
	}
	return law, none
}

// ThresholdingLimit returns max{(1/γ)·ln(2/ε_0), 1 + 1/(eγ)}: the T of Theorem 3.1 are the integers from there on.
//
// Source: Liu and Talwar (2019), Theorem 3.1; PSC-T3.1b.
// Symbols: γ = gamma, ε_0 = eps0.
// Domain: γ in (0, 1], ε_0 in (0, 1].
// Accuracy: float64.
// Deviation from print: γ and ε_0 may be 0 in print, where this is infinite.
// Cost: O(1).
func ThresholdingLimit(gamma, eps0 float64) float64 {
	return max(1/gamma*math.Log(2/eps0), 1+1/(math.E*gamma))
}

// ThresholdingRuns returns 1/(p_1(1 − γ) + γ), which the expected number of draws of [Thresholding] is at most.
//
// Source: Liu and Talwar (2019), Theorem 3.1(d); PSC-T3.1d. Also in the checks of PSC-X7 and PSC-T1.2c.
// Symbols: p_1 = p1, γ = gamma.
// Domain: p_1 and γ in [0, 1], one of them positive.
// Accuracy: exact.
// Deviation from print: none.
// Cost: O(1).
func ThresholdingRuns(p1, gamma *big.Rat) *big.Rat {
	return quo(one, add(mul(p1, sub(one, gamma)), gamma))
}

// ThresholdingNone returns ((1 − p_1)(1 + ε_0/2)/p_1)·γ, which the probability of ⊥ is at most.
//
// Source: Liu and Talwar (2019), Theorem 3.1(e); PSC-T3.1e.
// Also in the checks of PSC-T3.1.s13, PSC-X7, PSC-T4.7.s2, PSC-T1.4d and PSC-T4.7d.
// Symbols: p_1 = p1, γ = gamma, ε_0 = eps0.
// Domain: p_1 in (0, 1], γ and ε_0 in [0, 1].
// Accuracy: exact.
// Deviation from print: p_1 may be 0 in print.
// Cost: O(1).
func ThresholdingNone(p1, gamma, eps0 *big.Rat) *big.Rat {
	return mul(quo(mul(sub(one, p1), add(one, quo(eps0, big.NewRat(2, 1)))), p1), gamma)
}

// LoweredNone returns (1 − p)·γ^R·((1 − p)/(p(1 − γ) + γ))^R: the probability of the score 0, where scores are 1 with
// probability p and else 0, and a threshold is lowered R times, with probability γ after each sample below it.
//
// Source: Liu and Talwar (2019), Appendix B.2; PSC-X19.
// Symbols: γ = gamma, R = r.
// Domain: p in [0, 1], γ in [0, 1], not both 0; r ≥ 0.
// Accuracy: exact.
// Deviation from print: none.
// Cost: O(r).
func LoweredNone(p, gamma *big.Rat, r int) *big.Rat {
	rest := sub(one, p)
	return mul(mul(rest, power(gamma, r)), power(quo(rest, add(mul(p, sub(one, gamma)), gamma)), r))
}
