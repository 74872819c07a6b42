package spec

import (
	"math"
	"math/big"
)

// Search are the parameters of [ThresholdSearch].
type Search struct {
	PStar                         float64 // p_*
	R, N                          int     // number of thresholds, of samples
	Eps0, Eps1, Eps3, Delta, Beta float64
}

// ThresholdSearch looks for the largest threshold that Q(D) reaches with a probability of p_* or not much less: of 1 −
// 1/R, 1 − 2/R, …, 0.
//
// Source: Liu and Talwar (2019), Section 4.3, its sparse vector technique; PSC-A6.
// Symbols: p_*, R, N, ε_0, ε_1, ε_3, δ and β are the fields of with; τ̃ = tau.
// Domain: scores in [0, 1]; R and N ≥ 1, ε_0, δ, β and p_* in (0, 1), ε_1 and ε_3 positive: as in print, ε_1 may be 1
// and more.
// Accuracy: float64. The guarantees are those of real numbers.
// Deviation from print: the algorithm's float is missing in the text at hand; its lines are those that the proof uses.
// Neither the thresholds are in print, nor what is returned if no test passes.
// Cost: N draws.
func ThresholdSearch[X any](q Candidate[X], with Search, noise Noise) (tau float64, isFound bool) {
	s := with.Eps1 + with.Eps0
	n, offset := float64(with.N), CountOffset(with.Eps0, with.Eps1, with.Delta/float64(2*with.R))
	lambda := 6*s/with.Eps3*math.Log(1/with.Beta) + with.Eps0/2
	nu := noise.Laplace(2 * s / with.Eps3)
	scores := draw(q, with.N)
	for i := 1; i <= with.R; i++ {
		tau := 1 - float64(i)/float64(with.R)
		xi := noise.Laplace(4 * s / with.Eps3)
		if math.Exp(xi)*(n*above(scores, tau)+offset) >= math.Exp(nu-lambda)*(n*with.PStar+offset) {
			return tau, true
		}
	}
	return 0, false
}

// SearchSamples returns (3Δe^(ε_0/2)/p_*)·β^(−12S/ε_3)·(R + 1)^(6S/ε_3): the N of Theorem 4.6.
//
// Source: Liu and Talwar (2019), proof of Theorem 4.6, eq. (1); PSC-T4.6.s3.
// Also in the checks of PSC-T4.6b, PSC-T4.6c, PSC-T4.6.s2 and PSC-T4.6.s4.
// Symbols: S = ε_1 + ε_0, and Δ is that of [ThresholdSearch]; otherwise as there. N is not used.
// Domain: as for [ThresholdSearch].
// Accuracy: float64.
// Deviation from print: not rounded.
// Cost: O(1).
func SearchSamples(with Search) float64 {
	s, offset := with.Eps1+with.Eps0, CountOffset(with.Eps0, with.Eps1, with.Delta/float64(2*with.R))
	return 3 * offset * math.Exp(with.Eps0/2) / with.PStar *
		math.Pow(with.Beta, -12*s/with.Eps3) * math.Pow(float64(with.R+1), 6*s/with.Eps3)
}

// PrivateSelection looks for a threshold that the best of the candidates reaches in about half of its runs, and then
// for a sample that reaches it.
//
// Source: Liu and Talwar (2019), Section 4.3, after Theorem 4.7; PSC-A7.
// Symbols: K = len(candidates), R = r, ε_0 = eps0, ε_1 = eps1, δ = delta, β = beta.
// Domain: scores in [0, 1]; at least one candidate, R ≥ 1, ε_0, δ and β in (0, 1), ε_1 positive.
// Accuracy: float64. The guarantees are those of real numbers.
// Deviation from print: p_* = 1/(2K), the share of ε_0 that the limit of the second part costs, and that no threshold
// is found, are not in print: the limit costs ε_0 once more, and ⊥ is returned.
// Cost: [SearchSamples] draws, and then those of [Thresholding]. That is more than 10^6 for the easiest of parameters.
func PrivateSelection[X any](candidates []Candidate[X], r int, eps0, eps1, delta, beta float64, noise Noise,
	coins Coins) (found Scored[Chosen[X]], isFound bool) {
	k := float64(len(candidates))
	q := func() Scored[Chosen[X]] { return Oracle(candidates, coins) }
	with := Search{PStar: 1 / (2 * k), R: r, Eps0: eps0, Eps1: eps1, Eps3: eps0, Delta: delta, Beta: beta}
	with.N = int(math.Ceil(SearchSamples(with)))
	tau, isFound := ThresholdSearch(q, with, noise)
	if !isFound {
		return found, false
	}
	gamma := SelectionCoin(len(candidates), r, eps0, eps1, beta)
	t := int(math.Ceil(ThresholdingLimit(gamma, eps0)))
	return Thresholding(q, tau, new(big.Rat).SetFloat64(gamma), t, coins)
}

// SelectionCoin returns p_1·β with p_1 = (β²/(R + 1))^(6 + 12ε_1/ε_0)/(12K): the γ of the second part of
// [PrivateSelection].
//
// Source: Liu and Talwar (2019), after Theorem 4.7; PSC-A7.
// Also in the checks of PSC-T1.4a, PSC-T4.7a and PSC-T4.7.s1.
// Symbols: K = k; otherwise as for [PrivateSelection].
// Domain: K ≥ 1, R ≥ 1, ε_0 and β in (0, 1), ε_1 positive.
// Accuracy: float64.
// Deviation from print: none.
// Cost: O(1).
func SelectionCoin(k, r int, eps0, eps1, beta float64) float64 {
	return 1 / (12 * float64(k)) * math.Pow(beta*beta/float64(r+1), 6+12*eps1/eps0) * beta
}
