package spec

import "math"

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
