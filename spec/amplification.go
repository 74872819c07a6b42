package spec

import (
	"math"
	"math/big"
)

// Amplification runs every candidate once, adds dummies that reach τ, and returns one by the exponential mechanism:
// false for a dummy. Scores above τ count as τ.
//
// Source: Liu and Talwar (2019), Appendix C; PSC-A9.
// Symbols: Q_i = candidates[i−1], τ = tau, 1 + 1/γ = dummies, ε_2 = eps2; q̃_i is the score of the result.
// Domain: at least one dummy, ε_2 positive.
// Accuracy: as for [ExponentialMechanism].
// Deviation from print: 1/γ is a whole number.
// Cost: a run of each candidate.
func Amplification[X any](candidates []Candidate[X], tau float64, dummies int, eps2 float64,
	noise Noise) (found Scored[X], isFound bool, err error) {
	var drawn []Scored[X]
	var a []float64
	for _, q := range candidates {
		s := q()
		s.Score = math.Min(tau, s.Score)
		drawn, a = append(drawn, s), append(a, s.Score)
	}
	for range dummies {
		a = append(a, tau)
	}
	i, err := ExponentialMechanism(a, 0.5, eps2, noise) // exp(ε_2·A_i), without a factor of 1/2
	if err != nil || i >= len(drawn) {
		return found, false, err
	}
	return drawn[i], true, nil
}

// AmplificationLaw returns the law of the output of [Amplification]: of each candidate with each of its scores, and of
// a dummy.
//
// Source: Liu and Talwar (2019), Appendix C, proof of Theorem C.1; PSC-TC.1.s1.
// Also in the checks of PSC-A9, PSC-TC.1a1, PSC-TC.1a2, PSC-TC.1b, PSC-TC.1.s2, PSC-TC.1.s3 and PSC-X21.
// Symbols: exp(ε_2(q̃_i − τ)) is one of weights, with the probabilities oracles[i]; 1 + 1/γ = dummies.
// Domain: laws over the weights, which are at most 1, that sum to 1; at least one dummy.
// Accuracy: exact. The result sums to 1.
// Deviation from print: none.
// Cost: O(m^N) for N candidates and m weights.
func AmplificationLaw(oracles [][]*big.Rat, weights []*big.Rat, dummies int) (found [][]*big.Rat, dummy *big.Rat) {
	for range oracles {
		found = append(found, noChances(len(weights)))
	}
	dummy = new(big.Rat)
	levels := make([]int, len(oracles))
	var draw func(i int, p, sum *big.Rat)
	draw = func(i int, p, sum *big.Rat) {
		if i < len(oracles) {
			for l, chance := range oracles[i] {
				levels[i] = l
				draw(i+1, mul(p, chance), add(sum, weights[l]))
			}
			return
		}
		dummy.Add(dummy, mul(p, quo(big.NewRat(int64(dummies), 1), sum)))
		for j, l := range levels {
			found[j][l].Add(found[j][l], mul(p, quo(weights[l], sum)))
		}
	}
	draw(0, one, big.NewRat(int64(dummies), 1))
	return found, dummy
}

func noChances(n int) (list []*big.Rat) {
	for range n {
		list = append(list, new(big.Rat))
	}
	return list
}
