package exhaustive

import (
	"math/big"
	"slices"
)

// Thresholding goes through every way a selection with a threshold can go, in at most t draws: every sample, and both
// sides of the coin after it. It returns how likely each sample is to be the output, and ⊥.
//
// Source: Liu and Talwar (2019), Section 3, the algorithm that knows a threshold. In the checks of PSC-A1, PSC-T3.1.s1,
// PSC-T3.1.s2, PSC-T3.1.s3 and PSC-T3.1.s4.
// Symbols: Pr[(xt,qt) = (x,q)] = oracle[i], for the samples from the lowest to the highest; those from first on have
// q ≥ τ; γ = gamma, T = t.
// Domain: probabilities that sum to 1, γ in [0, 1], t ≥ 1.
// Accuracy: exact.
// Cost: O((2n)^T) for n samples.
func Thresholding(oracle []*big.Rat, first int, gamma *big.Rat, t int) (law []*big.Rat, none *big.Rat) {
	law, none = zeros(len(oracle)), new(big.Rat)
	isHigh := func(sample int) bool { return sample >= first }
	eachRun(oracle, isHigh, gamma, nil, one, t, func(drawn []int, pr *big.Rat) {
		if last := drawn[len(drawn)-1]; isHigh(last) {
			law[last].Add(law[last], pr)
		} else {
			none.Add(none, pr)
		}
	})
	return law, none
}

// HardStopping goes through every way a selection that stops at random can go, in at most t draws: every sample, and
// both sides of the coin after it. It returns how likely each sample is to be the output.
//
// Source: Liu and Talwar (2019), Section 3, Theorem 3.5, and the proof of Theorem 3.2. In the checks of PSC-T3.2.s1,
// PSC-T3.2.s2, PSC-T3.2.s3, PSC-T3.2.s4, PSC-T3.5.s1 and PSC-T3.5.s2.
// Symbols, domain and accuracy: as for [Thresholding].
// Cost: O((2n)^T) for n samples.
func HardStopping(oracle []*big.Rat, gamma *big.Rat, t int) []*big.Rat {
	law, never := zeros(len(oracle)), func(int) bool { return false }
	eachRun(oracle, never, gamma, nil, one, t, func(drawn []int, pr *big.Rat) {
		top := law[slices.Max(drawn)]
		top.Add(top, pr)
	})
	return law
}

// eachRun goes on from what was drawn, with at most so many samples left: a run ends by a sample, by the coin after it
// or by the number of samples.
func eachRun(oracle []*big.Rat, isEnd func(sample int) bool, gamma *big.Rat, drawn []int, reached *big.Rat, left int,
	end func(drawn []int, pr *big.Rat)) {
	for i, p := range oracle {
		drawn, here := append(drawn[:len(drawn):len(drawn)], i), new(big.Rat).Mul(reached, p)
		if left == 1 || isEnd(i) {
			end(drawn, here)
			continue
		}
		end(drawn, new(big.Rat).Mul(here, gamma))
		eachRun(oracle, isEnd, gamma, drawn, here.Mul(here, new(big.Rat).Sub(one, gamma)), left-1, end)
	}
}

func zeros(n int) []*big.Rat {
	list := make([]*big.Rat, n)
	for i := range list {
		list[i] = new(big.Rat)
	}
	return list
}
