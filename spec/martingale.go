package spec

import (
	"math"
	"math/big"
	"slices"
)

// LineBoundary returns b/2 + (b/(2a))·V, which M_n reaches with probability at most exp(−b²/(2a)), the level.
//
// Source: Whitehouse et al. (2023), Theorem 4; FAC-T4.
// Also in the checks of FAC-X21.
// Symbols: V = v.
// Domain: V ≥ 0; a, b > 0.
// Accuracy: float64.
// Deviation from print: none.
// Cost: O(1).
func LineBoundary(v, a, b float64) (boundary, level float64) {
	return b/2 + (b/(2*a))*v, math.Exp(-b * b / (2 * a))
}

// MixtureBoundary returns √(2(V + γ) log((1/δ)√((V + γ)/γ))), which M_n reaches with probability at most δ.
//
// Source: Whitehouse et al. (2023), Theorem 5; FAC-T5.
// Also in the checks of FAC-X21.
// Symbols: V = v, γ = gamma, δ = delta.
// Domain: V ≥ 0; γ, δ > 0. NaN if δ > √((V + γ)/γ).
// Accuracy: float64.
// Deviation from print: none.
// Cost: O(1).
func MixtureBoundary(v, gamma, delta float64) float64 {
	return math.Sqrt(2 * (v + gamma) * math.Log((1/delta)*math.Sqrt((v+gamma)/gamma)))
}

// StitchedBoundary returns 1.7√(V(loglog(2V/v_0) + 0.72 log(5.2/δ))), which M_n reaches with V_n ≥ v_0 with
// probability at most δ, and ∞ for V < v_0.
//
// Source: Whitehouse et al. (2023), Theorem 6; FAC-T6.
// Also in the checks of FAC-X21.
// Symbols: V = v, v_0 = v0, δ = delta.
// Domain: V ≥ 0, v_0 > 0, δ in (0, 1).
// Accuracy: float64.
// Deviation from print: none.
// Cost: O(1).
func StitchedBoundary(v, v0, delta float64) float64 {
	if v < v0 {
		return math.Inf(1)
	}
	return 1.7 * math.Sqrt(v*(math.Log(math.Log(2*v/v0))+0.72*math.Log(5.2/delta)))
}

// SubGaussianRatio returns E(e^(λX))/e^(λ²σ²/2), which is at most 1 for all λ ≥ 0 if X is σ²-subGaussian.
//
// Source: Whitehouse et al. (2023), Appendix B; FAC-U9.
// Also in the checks of FAC-X20, FAC-T4, FAC-T5 and FAC-T6.
// Symbols: X is values[i] with probability prs[i]; σ² = sigma2, λ = lambda.
// Domain: σ² ≥ 0, λ ≥ 0.
// Accuracy: float64.
// Deviation from print: what X is conditioned on has been fixed.
// Cost: O(m) for m values.
func SubGaussianRatio(values, prs []float64, sigma2, lambda float64) float64 {
	mean := 0.0
	for i, x := range values {
		mean += prs[i] * math.Exp(lambda*x)
	}
	return mean / math.Exp(lambda*lambda*sigma2/2)
}

// PrEver returns the probability that a process is ever in an event, such as X_n ≥ E[X_0]/δ.
//
// Source: Whitehouse et al. (2023), Lemma 4; FAC-L4.
// Symbols: paths has the law of all that happens, one letter a step; the event is a function of what has happened
// so far.
// Domain: a law. Result in [0, 1].
// Accuracy: exact.
// Deviation from print: finitely many steps.
// Cost: O(m·n) calls of the event, for m paths of n steps.
func PrEver(paths map[string]*big.Rat, event func(soFar string) bool) *big.Rat {
	pr := new(big.Rat)
	for path, p := range paths {
		if slices.ContainsFunc(beginnings(path), event) {
			pr = add(pr, p)
		}
	}
	return pr
}

// StoppedMean returns E[X_τ] for a stopping time τ.
//
// Source: Whitehouse et al. (2023), Lemma 5; FAC-L5.
// Also in the checks of FAC-X7.
// Symbols: paths as for [PrEver]; X_n = value(what has happened so far); τ is the first time when stops says so.
// Domain: a law.
// Accuracy: exact.
// Deviation from print: finitely many steps; if τ is infinite, X_τ is the last one.
// Cost: O(m·n) calls for m paths of n steps.
func StoppedMean(paths map[string]*big.Rat, value func(soFar string) *big.Rat, stops func(soFar string) bool) *big.Rat {
	mean := new(big.Rat)
	for path, p := range paths {
		at := path
		if i := slices.IndexFunc(beginnings(path), stops); i >= 0 {
			at = beginnings(path)[i]
		}
		mean = add(mean, mul(p, value(at)))
	}
	return mean
}

// beginnings returns all beginnings of a path, from the empty one to all of it.
func beginnings(path string) (all []string) {
	for n := range len(path) + 1 {
		all = append(all, path[:n])
	}
	return all
}
