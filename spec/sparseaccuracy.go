package spec

import "math"

// AboveThresholdAccuracy returns the α with which AboveThreshold is (α, β)-accurate for k queries of which only the
// last may be above T − α: 8(log k + log(2/β))/ε.
//
// Source: Dwork and Roth (2014), Theorem 3.24; AFD-T3.24.
// Also in the checks of AFD-T3.24.s5 and AFD-T3.26.s1.
// Symbols: β = beta, ε = eps.
// Domain: k ≥ 1, β in (0, 1], ε > 0.
// Accuracy: float64.
// Deviation from print: log is the natural logarithm.
// Cost: O(1).
func AboveThresholdAccuracy(k int, beta, eps float64) float64 {
	return 8 * (math.Log(float64(k)) + math.Log(2/beta)) / eps
}

// SparseAccuracy returns the α with which Sparse is (α, β)-accurate for k queries of which at most c are at least T −
// α: 8c(ln k + ln(2c/β))/ε if δ = 0, else (ln k + ln(2c/β))·√(512c·ln(1/δ))/ε.
//
// Source: Dwork and Roth (2014), Theorem 3.26; AFD-T3.26.
// Also in the checks of AFD-T3.26.s1 and AFD-T3.28.s1.
// Symbols: β = beta, ε = eps, δ = delta.
// Domain: k and c at least 1, β in (0, 1], ε > 0, δ in [0, 1).
// Accuracy: float64.
// Deviation from print: none. That it halts at the c-th ⊤, before f_k, must be allowed.
// Cost: O(1).
func SparseAccuracy(k, c int, beta, eps, delta float64) float64 {
	n := float64(c)
	logs := math.Log(float64(k)) + math.Log(2*n/beta)
	if delta == 0 {
		return 8 * n * logs / eps
	}
	return logs * math.Sqrt(512*n*math.Log(1/delta)) / eps
}

// NumericSparseAccuracy returns the α with which NumericSparse is said to be (α, β)-accurate for k queries of which at
// most c are at least T − α: 9c(ln k + ln(4c/β))/ε if δ = 0, else (ln k + ln(4c/β))·√(c·ln(2/δ))·(√512 + 1)/ε, which is
// not enough.
//
// Source: Dwork and Roth (2014), Theorem 3.28; AFD-T3.28.
// Also in the checks of AFD-T3.28.s1 and AFD-T3.28.s2.
// Symbols and domain: as for [SparseAccuracy].
// Accuracy: float64.
// Deviation from print: none. That it halts at the c-th number, before f_k, must be allowed.
// Cost: O(1).
func NumericSparseAccuracy(k, c int, beta, eps, delta float64) float64 {
	n := float64(c)
	logs := math.Log(float64(k)) + math.Log(4*n/beta)
	if delta == 0 {
		return 9 * n * logs / eps
	}
	return logs * math.Sqrt(n*math.Log(2/delta)) * (math.Sqrt(512) + 1) / eps
}
