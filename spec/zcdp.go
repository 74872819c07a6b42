package spec

import (
	"math"
	"math/big"
)

// DPToZCDP returns the ρ for which (ε, δ)-DP is δ-approximate ρ-zCDP, ε²/2.
//
// Source: Whitehouse et al. (2023), Lemma 1 (i); FAC-L1.
// Domain: ε ≥ 0.
// Accuracy: float64.
// Deviation from print: none.
// Cost: O(1).
func DPToZCDP(eps float64) float64 { return eps * eps / 2 }

// ZCDPToDP returns the (ε, δ) of δ-approximate ρ-zCDP: (ρ + 2√(ρ ln(1/δ')), δ + (1 − δ)δ').
//
// Source: Whitehouse et al. (2023), Lemma 1 (ii); FAC-L1.
// Also in the checks of FAC-T2.
// Symbols: δ' = delta1.
// Domain: ρ ≥ 0, δ in [0, 1], δ' in (0, 1).
// Accuracy: float64.
// Deviation from print: none.
// Cost: O(1).
func ZCDPToDP(rho, delta, delta1 float64) (eps, dpDelta float64) {
	return rho + 2*math.Sqrt(rho*math.Log(1/delta1)), delta + (1-delta)*delta1
}

// DPToPDP returns the (ε', δ') for which (ε, δ)-DP is (ε', δ')-pDP: (2ε, 2δ/(ε e^ε)).
//
// Source: Whitehouse et al. (2023), Lemma 2 (ii); FAC-L2.
// Domain: ε > 0, δ in [0, 1].
// Accuracy: float64.
// Deviation from print: none.
// Cost: O(1).
func DPToPDP(eps, delta float64) (pdpEps, pdpDelta float64) {
	return 2 * eps, 2 * delta / (eps * math.Exp(eps))
}

// MixtureStep holds the numbers of step m of a sequence y_1, y_2, … of outputs, with
// P_m = (1 − δ_m)·P'_m + δ_m·P”_m.
//
// Source: Whitehouse et al. (2023), proof of Theorem 1; FAC-E5, FAC-E6.
// Symbols: δ_m(y_{1:m−1}) = Delta, P'_m(y_m|y_{1:m−1}) = Pure, P”_m(y_m|y_{1:m−1}) = Rest.
type MixtureStep struct{ Delta, Pure, Rest *big.Rat }

// MixtureTerms returns w_S and f_S for all S ⊆ [n], the empty set first: the sum of w_S·f_S is P_{1:n}(y_1..y_n).
//
// Source: Whitehouse et al. (2023), Lemma 7; FAC-L7.
// Also in the checks of FAC-E5 and FAC-E6.
// Symbols: step m = steps[m−1]; m is in S number s if the bit m − 1 of s is 1.
// Domain: n ≤ 20.
// Accuracy: exact.
// Deviation from print: P'_m(y_m|y_{m−1}) in f_S is P'_m(y_m|y_{1:m−1}).
// Cost: O(n·2^n).
func MixtureTerms(steps []MixtureStep) (weights, factors []*big.Rat) {
	for s := range 1 << len(steps) {
		w, f := one, one
		for m, step := range steps {
			if s>>m&1 == 1 {
				w, f = mul(w, step.Delta), mul(f, step.Rest)
			} else {
				w, f = mul(w, sub(one, step.Delta)), mul(f, step.Pure)
			}
		}
		weights, factors = append(weights, w), append(factors, f)
	}
	return weights, factors
}

// RenyiMartingale returns M_n^(λ) = exp{(λ−1) Σ_{m≤n} [log(P'_m/Q'_m) − λρ_m]}.
//
// Source: Whitehouse et al. (2023), eq. (7); FAC-E7.
// Also in the checks of FAC-X7 and FAC-L6.
// Symbols: P'_m(Y'_m|Y'_{1:m−1})/Q'_m(Y'_m|Y'_{1:m−1}) = ratios[m−1], λ = order,
// e^(λ(λ−1)ρ_m(Y'_{1:m−1})) = growth[m−1].
// Domain: whole orders λ ≥ 1, as many ratios ≥ 0 as growths ≥ 1. Result at least 0.
// Accuracy: exact.
// Deviation from print: a power for the exponential of (λ−1) logarithms.
// Cost: O(n·λ).
func RenyiMartingale(ratios, growth []*big.Rat, order int) *big.Rat {
	m := one
	for i := range ratios {
		for range order - 1 {
			m = mul(m, ratios[i])
		}
		m = quo(m, growth[i])
	}
	return m
}

// ConditionalRest returns P” of the proof that Condition 1 implies Condition 2: (1/δ)·(Pr(A(x) ∈ · | A(x) ∈
// E^c)·Pr(A(x) ∈ E^c) + P'(·)·(Pr(A(x) ∈ E) − (1 − δ))).
//
// Source: Whitehouse et al. (2023), Theorem 7; FAC-T7.
// Symbols: Pr(A(x) ∈ · and E) = inside, which is P' times Pr(E); Pr(A(x) ∈ · and E^c) = outside; δ = delta.
// Domain: 0 < Pr(E) and 1 − δ ≤ Pr(E); δ > 0, since print divides by it.
// Accuracy: exact.
// Deviation from print: the product of Pr(· | E^c) and Pr(E^c) is Pr(· and E^c), also if Pr(E^c) = 0.
// Cost: O(m) for m outputs.
func ConditionalRest(inside, outside map[string]*big.Rat, delta *big.Rat) map[string]*big.Rat {
	prE := new(big.Rat)
	for _, pr := range inside {
		prE = add(prE, pr)
	}
	rest := map[string]*big.Rat{}
	for output := range inside {
		pure := quo(inside[output], prE)
		rest[output] = quo(add(outside[output], mul(pure, sub(prE, sub(one, delta)))), delta)
	}
	return rest
}
