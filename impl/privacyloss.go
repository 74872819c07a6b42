package impl

import (
	"math/big"

	"checkrr/impl/internal/rational"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// ExpectedLoss returns E(Loss(x,x′)), the mean of the privacy loss of A(x), and whether it is finite.
//
// Source: Whitehouse et al. (2023), Lemma 9; FAC-L9.
// Also in the checks of FAC-D2, AFD-D3.5, AFD-X12, AFD-L3.18, AFD-L3.18.s1, AFD-L3.18.s2 and AFD-T3.20.s3.
// Symbols: the laws of A(x) and A(x′) are law0 and law1.
// Domain: two laws over the same outputs.
// Accuracy: contains it; absolute width about 2^-180.
// Deviation from print: none.
// Cost: O(m) logarithms for m outputs.
func ExpectedLoss(law0, law1 []*big.Rat) (mean interval.Interval, finite bool) {
	mean = bits.Int(0)
	for y := range law0 {
		switch {
		case law0[y].Sign() == 0:
			continue
		case law1[y].Sign() == 0:
			return interval.Interval{}, false
		}
		mean = bits.Add(mean, bits.Mul(bits.Rat(law0[y]), bits.Log(new(big.Rat).Quo(law0[y], law1[y]))))
	}
	return mean, true
}

// SmallestPDPDelta returns Pr(|Loss(x,x′)| > ε), the smallest δ of (ε, δ)-pDP for these x and x′, in this order.
//
// Source: Whitehouse et al. (2023), Section 4; FAC-U5.
// Also in the checks of FAC-X28.
// Symbols: the laws of A(x) and A(x′) are law0 and law1.
// Domain: two laws over the same outputs. Result in [0, 1].
// Accuracy: exact, whether ε or e^ε is given.
// Deviation from print: none.
// Cost: O(m) comparisons for m outputs.
func SmallestPDPDelta(law0, law1 []*big.Rat, eps loss.Epsilon) *big.Rat {
	delta := new(big.Rat)
	for y, pr := range law0 {
		if pr.Sign() == 0 {
			continue
		}
		if law1[y].Sign() > 0 && lossOf(rational.Max(pr, law1[y]), rational.Min(pr, law1[y])).Cmp(loss.Of(eps)) <= 0 {
			continue
		}
		delta.Add(delta, pr)
	}
	return delta
}

// lossOf returns ln(p/q).
func lossOf(p, q *big.Rat) loss.Sum { return loss.Of(loss.Exp(new(big.Rat).Quo(p, q))) }
