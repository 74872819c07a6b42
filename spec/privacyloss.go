package spec

import (
	"math"
	"math/big"
)

// ExpLoss returns e^Loss(x,x') = p^x(y)/p^x'(y) where the output of A(x) is y; nil if it is infinite.
//
// Source: Whitehouse et al. (2023), eq. (8) and, for laws given the output of B, Definition 4; FAC-E8, FAC-D4.
// Also in the checks of FAC-E9, FAC-L9, FAC-L12 and FAC-X32.
// Symbols: p^x = law0, p^x' = law1, y = output.
// Domain: an output that law0 does not exclude.
// Accuracy: exact.
// Deviation from print: e^Loss for Loss.
// Cost: O(1).
func ExpLoss(law0, law1 map[string]*big.Rat, output string) *big.Rat {
	other := probability(law1, []string{output})
	if other.Sign() == 0 {
		return nil
	}
	return quo(law0[output], other)
}

// SmallestPDPDelta returns the smallest δ with which A is (ε, δ)-pDP for these x and x', in this order:
// Pr(|Loss(x,x')| > ε).
//
// Source: Whitehouse et al. (2023), Section 4, and, for laws given the output of B, Definition 5; FAC-U5, FAC-D5.
// Also in the checks of FAC-X8, FAC-L2, FAC-X9, FAC-X28, FAC-L12, FAC-X29 and FAC-X32.
// Symbols: the laws of A(x) and A(x') are law0 and law1, e^ε = expEps.
// Domain: two laws, e^ε ≥ 1. Result in [0, 1].
// Accuracy: exact.
// Deviation from print: none.
// Cost: O(m) for m outputs.
func SmallestPDPDelta(law0, law1 map[string]*big.Rat, expEps *big.Rat) *big.Rat {
	delta := new(big.Rat)
	for output, pr := range law0 {
		if pr.Sign() == 0 {
			continue
		}
		expLoss := ExpLoss(law0, law1, output)
		if expLoss == nil || expLoss.Cmp(expEps) > 0 || mul(expLoss, expEps).Cmp(one) < 0 {
			delta = add(delta, pr)
		}
	}
	return delta
}

// ExpectedLoss returns E(Loss(x,x')), the mean of the privacy loss of A(x).
//
// Source: Whitehouse et al. (2023), Lemma 9; FAC-L9. Of laws it is the KL-divergence, Dwork and Roth (2014), Definition
// 3.5; AFD-D3.5.
// Also in the checks of FAC-D2 and AFD-T3.20.s3.
// Symbols: the laws of A(x) and A(x') are law0 and law1.
// Domain: two laws. Result in [0, ∞].
// Accuracy: float64.
// Deviation from print: none; laws given the output of B are given as such.
// Cost: O(m) for m outputs.
func ExpectedLoss(law0, law1 map[string]*big.Rat) float64 {
	mean := 0.0
	for output, pr := range law0 {
		p, _ := pr.Float64()
		if p > 0 {
			mean += p * math.Log(p/probabilityOf(law1, output))
		}
	}
	return mean
}
