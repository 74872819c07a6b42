package spec

import (
	"math"
	"math/big"
)

// TargetVariance returns y*, where the filter odometer is meant to be tightest.
//
// Source: Whitehouse et al. (2023), Theorem 3, 1, and eq. (11); FAC-T3, FAC-E11.
// Also in the checks of FAC-F2, FAC-X11, FAC-X18, FAC-X19, FAC-X24, FAC-X25 and FAC-X26.
// Symbols: ε = target, δ' = delta1.
// Domain: ε > 0, δ' in (0, 1).
// Accuracy: float64.
// Deviation from print: none.
// Cost: O(1).
func TargetVariance(target, delta1 float64) float64 {
	root := -math.Sqrt(2*math.Log(1/delta1)) + math.Sqrt((2*math.Log(1/delta1))+target)
	return root * root
}

// AdvancedCharge returns f(y) = √(2 log(1/δ') y) + y/2, for y = Σ_m ε_m².
//
// Source: Whitehouse et al. (2023), eq. (11); FAC-E11.
// Also in the checks of FAC-X1, FAC-X11, FAC-F2, FAC-F3, FAC-X19 and FAC-X24.
// Symbols: δ' = delta1.
// Domain: y ≥ 0, δ' in (0, 1).
// Accuracy: float64.
// Deviation from print: none.
// Cost: O(1).
func AdvancedCharge(y, delta1 float64) float64 { return math.Sqrt(2*math.Log(1/delta1)*y) + y/2 }

// LossMartingale returns M_n = Loss_{1:n} − Σ_{m≤n} E(Loss_m | F_{m−1}), for the privacy losses of n mechanisms and
// what was expected of each of them.
//
// Source: Whitehouse et al. (2023), eq. (10), and proof of Lemma 8; FAC-E10, FAC-X22, FAC-X23.
// Symbols: Loss_m = losses[m−1], E(Loss_m | F_{m−1}) = expected[m−1], in any unit.
// Domain: as many losses as expectations.
// Accuracy: exact.
// Deviation from print: F_{m−1}, as in the proof of Lemma 8, where eq. (10) has F_{n−1}.
// Cost: O(n).
func LossMartingale(losses, expected []*big.Rat) *big.Rat {
	m := new(big.Rat)
	for i := range losses {
		m = add(m, sub(losses[i], expected[i]))
	}
	return m
}

// FilterOdometer returns u^F_n(ε_{1:n}, δ_{1:n}).
//
// Source: Whitehouse et al. (2023), Theorem 3, 1; FAC-T3.
// Also in the checks of FAC-X1, FAC-F1, FAC-X10, FAC-X11, FAC-F2, FAC-F3, FAC-X15, FAC-X16, FAC-X17, FAC-X18,
// FAC-X19 and FAC-X31.
// Symbols: ε_m = eps[m−1], δ_m = delta[m−1]; δ' = delta1, δ″ = delta2; ε = target.
// Domain: n ≥ 1; ε_m, δ_m ≥ 0; δ' in (0, 1), δ″ ≥ 0, ε > 0. Result in [0, ∞].
// Accuracy: float64.
// Deviation from print: none.
// Cost: O(n²).
func FilterOdometer(eps, delta []float64, delta1, delta2, target float64) float64 {
	if len(eps) > lastRound(delta, delta2) {
		return math.Inf(1)
	}
	v, y := variance(eps), TargetVariance(target, delta1)
	return math.Sqrt(2*y*math.Log(1/delta1))/2 + (math.Sqrt(2*math.Log(1/delta1))/(2*math.Sqrt(y)))*v + v/2
}

// MixtureOdometer returns u^M_n(ε_{1:n}, δ_{1:n}).
//
// Source: Whitehouse et al. (2023), Theorem 3, 2; FAC-T3.
// Also in the checks of FAC-F1, FAC-X10, FAC-X12, FAC-F2, FAC-F3, FAC-X15, FAC-X16, FAC-X18, FAC-X19 and
// FAC-X31.
// Symbols and domain: as for [FilterOdometer]; γ = gamma > 0.
// Accuracy: float64.
// Deviation from print: none.
// Cost: O(n²).
func MixtureOdometer(eps, delta []float64, delta1, delta2, gamma float64) float64 {
	if len(eps) > lastRound(delta, delta2) {
		return math.Inf(1)
	}
	v := variance(eps)
	return math.Sqrt(2*math.Log((1/delta1)*math.Sqrt((v+gamma)/gamma))*(gamma+v)) + v/2
}

// StitchedOdometer returns u^S_n(ε_{1:n}, δ_{1:n}).
//
// Source: Whitehouse et al. (2023), Theorem 3, 3; FAC-T3.
// Also in the checks of FAC-X1, FAC-F1, FAC-X10, FAC-X13, FAC-F2, FAC-F3, FAC-X15, FAC-X16, FAC-X18, FAC-X19
// and FAC-X31.
// Symbols and domain: as for [FilterOdometer]; v_0 = v0 > 0.
// Accuracy: float64.
// Deviation from print: none.
// Cost: O(n²).
func StitchedOdometer(eps, delta []float64, delta1, delta2, v0 float64) float64 {
	v := variance(eps)
	if len(eps) > lastRound(delta, delta2) || v < v0 {
		return math.Inf(1)
	}
	return 1.7*math.Sqrt(v*(math.Log(math.Log(2*v/v0))+0.72*math.Log(5.2/delta1))) + v/2
}

// RogersOdometer returns u^R_n(ε_{1:n}, δ_{1:n}), the odometer of Rogers et al. (2016).
//
// Source: Whitehouse et al. (2023), Lemma 3; FAC-L3.
// Also in the checks of FAC-F1, FAC-F3, FAC-X14, FAC-X15, FAC-X16 and FAC-X18.
// Symbols and domain: as for [FilterOdometer]; |x| = size ≥ 2, δ' at most 1/e.
// Accuracy: float64.
// Deviation from print: none.
// Cost: O(n²).
func RogersOdometer(eps, delta []float64, delta1, delta2, size float64) float64 {
	v := variance(eps)
	switch {
	case len(eps) > lastRound(delta, delta2):
		return math.Inf(1)
	case 1/(size*size) <= v && v <= 1:
		return math.Sqrt(2*v*(math.Log(110*math.E)+2*math.Log(math.Log(size)/delta1))) + v/2
	}
	line := math.Log(math.Log((4 / delta1) * math.Log2(size)))
	return math.Sqrt(2*(1/(size*size)+v)*(1+math.Log(1+size*size*v)/2)*line) + v/2
}

// lastRound returns N = inf{n : δ″ < Σ_{m≤n+1} δ_m}, and len(δ) if there is no such n.
func lastRound(delta []float64, delta2 float64) int {
	for n := range delta {
		if sum := sum(delta[:n+1]); delta2 < sum {
			return n
		}
	}
	return len(delta)
}

// variance returns V_n = Σ_{m≤n} ε_m².
func variance(eps []float64) float64 {
	v := 0.0
	for _, e := range eps {
		v += e * e
	}
	return v
}
