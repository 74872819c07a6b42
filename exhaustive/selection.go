package exhaustive

import "math/big"

// Thresholding goes through every way a selection with a threshold can go, in at most t draws: every sample, and both sides of
// the coin after it. It returns how likely each sample is to be the output, and ⊥.
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
	var draw func(reached *big.Rat, left int)
	draw = func(reached *big.Rat, left int) {
		for i, p := range oracle {
			here := new(big.Rat).Mul(reached, p)
			switch {
			case i >= first:
				law[i].Add(law[i], here)
			case left == 1:
				none.Add(none, here)
			default:
				none.Add(none, new(big.Rat).Mul(here, gamma))
				draw(new(big.Rat).Mul(here, new(big.Rat).Sub(big.NewRat(1, 1), gamma)), left-1)
			}
		}
	}
	draw(big.NewRat(1, 1), t)
	return law, none
}

// HardStopping goes through every way a selection that stops at random can go, in at most t draws: every sample, and both sides
// of the coin after it. It returns how likely each sample is to be the output.
//
// Source: Liu and Talwar (2019), Section 3, Theorem 3.5, and the proof of Theorem 3.2. In the checks of PSC-T3.2.s1,
// PSC-T3.2.s2, PSC-T3.2.s3, PSC-T3.2.s4, PSC-T3.5.s1 and PSC-T3.5.s2.
// Symbols, domain and accuracy: as for [Thresholding].
// Cost: O((2n)^T) for n samples.
func HardStopping(oracle []*big.Rat, gamma *big.Rat, t int) []*big.Rat {
	law := zeros(len(oracle))
	var draw func(reached *big.Rat, top, left int)
	draw = func(reached *big.Rat, top, left int) {
		for i, p := range oracle {
			here, top := new(big.Rat).Mul(reached, p), max(top, i)
			if left == 1 {
				law[top].Add(law[top], here)
				continue
			}
			law[top].Add(law[top], new(big.Rat).Mul(here, gamma))
			draw(new(big.Rat).Mul(here, new(big.Rat).Sub(big.NewRat(1, 1), gamma)), top, left-1)
		}
	}
	draw(big.NewRat(1, 1), 0, t)
	return law
}

func zeros(n int) []*big.Rat {
	list := make([]*big.Rat, n)
	for i := range list {
		list[i] = new(big.Rat)
	}
	return list
}
