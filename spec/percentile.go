package spec

import "math"

// Odds returns Φ(x) = x/(1 − x).
//
// Source: Liu and Talwar (2019), Section 4.1; PSC-X10.
// Also in the checks of PSC-X11, PSC-C4.2b, PSC-C4.2c and PSC-C4.2d.
// Symbols: x.
// Domain: x in [0, 1]; Φ(1) is infinite.
// Accuracy: float64.
// Deviation from print: x may be 1.
// Cost: O(1).
func Odds(x float64) float64 { return x / (1 - x) }

// PercentileSparse returns ⊥ for queries until one has the probability p_* to exceed its threshold, or about: true for
// ⊤ and false for ⊥. It is told the probabilities.
//
// The analyst is the function next: from the outputs so far it chooses Q_i and τ_i, and returns p(τ_i, Q_i), or STOP.
//
// Source: Liu and Talwar (2019), Section 4.1, the sparse vector technique for percentiles; PSC-A4. Also in the check of
// PSC-X11.
// Symbols: p_* = pStar, ε_1 = eps1, ε_3 = eps3; p(τ_i, Q_i) = p.
// Domain: p in [0, 1], p_* in (0, 1), ε_1 and ε_3 positive. That every Q_i is ε_1-DP is the analyst's word.
// Accuracy: float64. The guarantees are those of real numbers.
// Deviation from print: the algorithm's float is missing in the text at hand; its lines are those that the proofs use.
// The stream of queries may end.
// Cost: as many queries as the analyst asks.
func PercentileSparse(next func(a []bool) (p float64, stop bool), pStar, eps1, eps3 float64, noise Noise) (a []bool) {
	nu := noise.Laplace(4 * eps1 / eps3)
	for {
		p, stop := next(a)
		if stop {
			return a
		}
		xi := noise.Laplace(8 * eps1 / eps3)
		if math.Exp(xi)*Odds(p) > math.Exp(nu)*Odds(pStar) {
			return append(a, true)
		}
		a = append(a, false)
	}
}

// CountConstant returns C = 2(e^(ε_0 + ε_1) + 1 + e^(ε_0/2)).
//
// Source: Liu and Talwar (2019), Lemma 4.3; PSC-L4.3.
// Also in the checks of PSC-L4.3.s2, PSC-T4.4e and PSC-T4.6d.
// Symbols: ε_0 = eps0, ε_1 = eps1.
// Domain: ε_0 in (0, 1), ε_1 positive.
// Accuracy: float64.
// Deviation from print: Lemma 4.3 has ε_1 in (0, 1), for C < 21. Theorems 4.4 and 4.6, which have the same C, have no
// bound of ε_1, and C exceeds 21 for some from 1.07 on (PSC-T4.4e); nothing else needs the bound.
// Cost: O(1).
func CountConstant(eps0, eps1 float64) float64 {
	return 2 * (math.Exp(eps0+eps1) + 1 + math.Exp(eps0/2))
}

// CountOffset returns Δ = C·ln(2/δ_0)/(ε_0(e^(ε_0 + ε_1) − 1)): counts X and Y with E[X] ≤ e^ε_1·E[Y] have
// X + Δ ≥ e^(ε_0 + ε_1)(Y + Δ) with a probability of at most δ_0.
//
// Source: Liu and Talwar (2019), Lemma 4.3; PSC-L4.3.
// Also in the checks of PSC-T4.4a, PSC-T4.4.s3, PSC-T4.4.s7, PSC-T4.4.s10, PSC-T4.6a, PSC-T4.6.s1 and PSC-T4.6.s5.
// Symbols: δ_0 = delta0; otherwise as for [CountConstant].
// Domain: as for [CountConstant]; δ_0 in (0, 1).
// Accuracy: float64.
// Deviation from print: as for [CountConstant].
// Cost: O(1).
func CountOffset(eps0, eps1, delta0 float64) float64 {
	return CountConstant(eps0, eps1) * math.Log(2/delta0) / (eps0 * (math.Exp(eps0+eps1) - 1))
}

// SmoothedOdds returns Φ^(N,Δ)(x) = (Nx + Δ)/(N(1 − x) + Δ).
//
// Source: Liu and Talwar (2019), Section 4.2; PSC-N10.
// Also in the checks of PSC-T4.4a, PSC-T4.4b1, PSC-T4.4c1, PSC-T4.4d, PSC-T4.4.s8 and PSC-T4.4.s9.
// Symbols: N = n, Δ = offset.
// Domain: x in [0, 1], N ≥ 1, Δ ≥ 0.
// Accuracy: float64.
// Deviation from print: none.
// Cost: O(1).
func SmoothedOdds(x float64, n int, offset float64) float64 {
	return (float64(n)*x + offset) / (float64(n)*(1-x) + offset)
}

// SampledPercentile are the parameters of [SampledPercentileSparse].
type SampledPercentile struct {
	PStar                   float64 // p_*
	T, N                    int     // most queries, samples of each
	Eps0, Eps1, Eps3, Delta float64
}

// SampledPercentileSparse is [PercentileSparse] that estimates the probabilities from samples.
//
// Source: Liu and Talwar (2019), Section 4.2, its sparse vector technique; PSC-A5.
// Symbols: p_* , T, N, ε_0, ε_1, ε_3 and δ are the fields of with.
// Domain: p_* in (0, 1), T and N ≥ 1, ε_0 and δ in (0, 1), ε_1 and ε_3 positive: as in print, ε_1 may be 1 and more.
// That every Q_i is ε_1-DP is the analyst's word.
// Accuracy: float64. The guarantees are those of real numbers.
// Deviation from print: as for [PercentileSparse]. Of N the text has a lower bound, [PercentileSamples].
// Cost: NT draws.
func SampledPercentileSparse[X any](next func(a []bool) (q Candidate[X], tau float64, stop bool),
	with SampledPercentile, noise Noise) (a []bool) {
	s := 2 * (with.Eps1 + with.Eps0)
	offset := CountOffset(with.Eps0, with.Eps1, with.Delta/float64(4*with.T))
	nu := noise.Laplace(2 * s / with.Eps3)
	for i := 1; i <= with.T; i++ {
		q, tau, stop := next(a)
		if stop {
			return a
		}
		estimate := above(draw(q, with.N), tau)
		xi := noise.Laplace(4 * s / with.Eps3)
		if math.Exp(xi)*SmoothedOdds(estimate, with.N, offset) >=
			math.Exp(nu)*SmoothedOdds(with.PStar, with.N, offset) {
			return append(a, true)
		}
		a = append(a, false)
	}
	return a
}

// draw returns the scores of n samples.
func draw[X any](q Candidate[X], n int) (scores []float64) {
	for range n {
		scores = append(scores, q().Score)
	}
	return scores
}

// above returns the share of the scores that are at least τ: Σ[q_j ≥ τ]/N.
func above(scores []float64, tau float64) float64 {
	sum := 0
	for _, q := range scores {
		if q >= tau {
			sum++
		}
	}
	return float64(sum) / float64(len(scores))
}

// PercentileSamples returns max{(e^ε_0·Δ/p_*), (e^ε_0·Δ/(1 − p_*))}·((T + 1)/β)^(6S/ε_3): the N of Theorem 4.4 are at
// least that.
//
// Source: Liu and Talwar (2019), proof of Theorem 4.4, (b) and (c); PSC-T4.4.s8, PSC-T4.4.s9.
// Also in the checks of PSC-T4.4b1, PSC-T4.4b2, PSC-T4.4c1, PSC-T4.4c2 and PSC-T4.4d.
// Symbols: β = beta; S = 2(ε_1 + ε_0), and Δ is that of [SampledPercentileSparse]; otherwise as there. N is not used.
// Domain: β in (0, 1).
// Accuracy: float64.
// Deviation from print: not rounded.
// Cost: O(1).
func PercentileSamples(with SampledPercentile, beta float64) float64 {
	offset := CountOffset(with.Eps0, with.Eps1, with.Delta/float64(4*with.T))
	rare := math.Min(with.PStar, 1-with.PStar)
	return math.Exp(with.Eps0) * offset / rare * math.Pow(float64(with.T+1)/beta, 12*(with.Eps1+with.Eps0)/with.Eps3)
}
