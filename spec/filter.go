package spec

import "math"

// ZCDPFilter returns N(y_1, y_2, …) for the parameters that the rounds turn out to have:
// the number of rounds after which the composition is δ-approximate ρ-zCDP.
//
// Source: Whitehouse et al. (2023), Theorem 1; FAC-T1.
// Also in the checks of FAC-X6.
// Symbols: ρ_m = rho[m−1], δ_m = deltas[m−1]; ρ = target, δ = delta.
// Domain: as many ρ_m ≥ 0 as δ_m ≥ 0; ρ, δ ≥ 0. Result at most their number, if nothing stops before.
// Accuracy: float64.
// Deviation from print: the index ℓ on ρ is m.
// Cost: O(n²).
func ZCDPFilter(rho, deltas []float64, target, delta float64) int {
	for n := range rho {
		if sum(rho[:n+1]) > target || sum(deltas[:n+1]) > delta {
			return n
		}
	}
	return len(rho)
}

// DPFilter returns N of Theorem 2, and the ε of its guarantee with δ, ρ + 2√(ρ log(1/δ)).
//
// Source: Whitehouse et al. (2023), Theorem 2; FAC-T2.
// Symbols: ε_m = eps[m−1], δ_m = deltas[m−1]; ρ = rho, δ = delta.
// Domain: as many ε_m ≥ 0 as δ_m ≥ 0; ρ ≥ 0, δ in (0, 1).
// Accuracy: float64.
// Deviation from print: the index ℓ on ε² is m. ρ, which print does not introduce, is given.
// Cost: O(n²).
func DPFilter(eps, deltas []float64, rho, delta float64) (n int, guarantee float64) {
	guarantee = rho + 2*math.Sqrt(rho*math.Log(1/delta))
	for n := range eps {
		if variance(eps[:n+1])/2 > rho || sum(deltas[:n+1]) > delta {
			return n, guarantee
		}
	}
	return len(eps), guarantee
}

// AdaptiveFilter returns N((ε_n), (δ_n)) of Theorem 8: the number of rounds after which the
// composition is (ε, δ' + δ″)-DP.
//
// Source: Whitehouse et al. (2023), Theorem 8; FAC-T8.
// Also in the checks of FAC-I1, FAC-X5, FAC-L8, FAC-X26 and FAC-X27.
// Symbols: ε_m = eps[m−1], δ_m = deltas[m−1]; ε = target, δ' = delta1, δ″ = delta2.
// Domain: as many ε_m ≥ 0 as δ_m ≥ 0; ε > 0, δ' in (0, 1), δ″ ≥ 0.
// Accuracy: float64.
// Deviation from print: none.
// Cost: O(n²).
func AdaptiveFilter(eps, deltas []float64, target, delta1, delta2 float64) int {
	for n := range eps {
		v := variance(eps[:n+1])
		if target < math.Sqrt(2*math.Log(1/delta1)*v)+v/2 || delta2 < sum(deltas[:n+1]) {
			return n
		}
	}
	return len(eps)
}

func sum(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s
}
