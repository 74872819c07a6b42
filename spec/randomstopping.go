package spec

import (
	"math"
	"math/big"
)

// RandomStopping draws from the oracle, stops with the probability γ after each draw, and returns the highest sample.
//
// Source: Liu and Talwar (2019), Section 3, the algorithm that stops at random; PSC-A2.
// Also in the checks of PSC-T1.3b and PSC-T1.3c.
// Symbols: Q(D) = q, γ = gamma.
// Domain: γ in (0, 1].
// Deviation from print: γ = 0, with which it does not end. The algorithm's float is missing in the text at hand; its
// lines are those that the proof counts.
// Cost: 1/γ draws on average.
func RandomStopping[X any](q Candidate[X], higher Higher[X], gamma *big.Rat, coins Coins) Scored[X] {
	return HardStopping(q, higher, gamma, Unlimited, coins)
}

// HardStopping is [RandomStopping] that stops after T draws at the latest.
//
// Source: Liu and Talwar (2019), Section 3, Theorems 3.4 and 3.5; PSC-A3.
// Symbols: Q(D) = q, γ = gamma, T = t or [Unlimited].
// Domain: γ in [0, 1], t ≥ 1; or Unlimited and γ > 0.
// Deviation from print: none.
// Cost: at most T draws.
func HardStopping[X any](q Candidate[X], higher Higher[X], gamma *big.Rat, t int, coins Coins) Scored[X] {
	var s []Scored[X]
	for j := 1; t == Unlimited || j <= t; j++ {
		s = append(s, q())
		if coins.Bernoulli(gamma) {
			break
		}
	}
	return highest(s, higher)
}

// RandomStoppingLaw returns the law of the output of [RandomStopping].
//
// Source: Liu and Talwar (2019), proof of Theorem 3.2, the closed form; PSC-T3.2.s4.
// Also in the checks of PSC-T3.2, PSC-T3.3, PSC-T3.3.s1 and PSC-T1.3a.
// Symbols: oracle[i] = p, for the samples from the lowest to the highest; those above have p_0, and p_1 = p_0 + p.
// γ = gamma.
// Domain: probabilities that sum to 1; γ in (0, 1].
// Accuracy: exact. The result sums to 1.
// Deviation from print: none.
// Cost: O(n) operations for n samples.
func RandomStoppingLaw(oracle []*big.Rat, gamma *big.Rat) []*big.Rat {
	law := make([]*big.Rat, len(oracle))
	p0, stay := new(big.Rat), sub(one, gamma)
	for i := len(oracle) - 1; i >= 0; i-- {
		p1 := add(p0, oracle[i])
		law[i] = quo(mul(gamma, oracle[i]), mul(add(mul(p0, stay), gamma), add(mul(p1, stay), gamma)))
		p0 = p1
	}
	return law
}

// HardStoppingLaw returns the law of the output of [HardStopping].
//
// Source: Liu and Talwar (2019), Appendix A.2, eq. (2); PSC-T3.5.s1.
// Also in the checks of PSC-T3.4 and PSC-T3.5.
// Symbols: as for [RandomStoppingLaw]; T = t.
// Domain: probabilities that sum to 1; γ in [0, 1], t ≥ 1.
// Accuracy: exact. The result sums to 1.
// Deviation from print: none.
// Cost: O(n·T²) multiplications for n samples.
func HardStoppingLaw(oracle []*big.Rat, gamma *big.Rat, t int) []*big.Rat {
	law := make([]*big.Rat, len(oracle))
	below, stay := one, sub(one, gamma) // 1 − p_0
	for i := len(oracle) - 1; i >= 0; i-- {
		lower := sub(below, oracle[i]) // 1 − p_1
		law[i] = mul(power(stay, t), sub(power(below, t), power(lower, t)))
		for j := 1; j <= t; j++ {
			law[i] = add(law[i], mul(mul(power(stay, j-1), gamma), sub(power(below, j), power(lower, j))))
		}
		below = lower
	}
	return law
}

// HardStoppingLimit returns ⌈(1/γ)(L + ln L)⌉, L = ln(2(1+γ)²/(ε_0γ²)): the T of Theorem 3.5.
//
// Source: Liu and Talwar (2019), Theorem 3.5; PSC-T3.5.
// Symbols: γ = gamma, ε_0 = eps0.
// Domain: γ in (0, 1], ε_0 in (0, 1/2).
// Accuracy: float64.
// Deviation from print: γ = 0.
// Cost: O(1).
func HardStoppingLimit(gamma, eps0 float64) float64 {
	l := math.Log(2 * (1 + gamma) * (1 + gamma) / (eps0 * gamma * gamma))
	return math.Ceil(1 / gamma * (l + math.Log(l)))
}

// ApproximateHardStopping returns (1/γ)·log(1/δ_2), 3ε_1 + 3√(2δ_1) and √(2δ_1)·T + δ_2: the T of Theorem 3.4, and the
// ε and the δ of [HardStopping] with it.
//
// Source: Liu and Talwar (2019), Theorem 3.4; PSC-T3.4.
// Symbols: ε_1 = eps1, δ_1 = delta1, γ = gamma, δ_2 = delta2.
// Domain: ε_1 ≥ 0, δ_1 in [0, 1), γ in (0, 1], δ_2 in (0, 1].
// Accuracy: float64.
// Deviation from print: γ = 0. T is not rounded in print; "log" is read as the natural logarithm.
// Cost: O(1).
func ApproximateHardStopping(eps1, delta1, gamma, delta2 float64) (t, eps, delta float64) {
	t = 1 / gamma * math.Log(1/delta2)
	return t, 3*eps1 + 3*math.Sqrt(2*delta1), math.Sqrt(2*delta1)*t + delta2
}

// BelowQuantile returns γ/p: the output of [RandomStopping] has a lower score than Q^(p)(D) with at most that
// probability, where Q^(p)(D) = sup{z : Pr[Q(D) ≥ z] > p}.
//
// Source: Liu and Talwar (2019), Theorem 3.3; PSC-T3.3.
// Symbols: γ = gamma.
// Domain: p in (0, 1], γ in (0, 1].
// Accuracy: exact.
// Deviation from print: none.
// Cost: O(1).
func BelowQuantile(p, gamma *big.Rat) *big.Rat { return quo(gamma, p) }
