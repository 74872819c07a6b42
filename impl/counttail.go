package impl

import (
	"math/big"

	"checkrr/impl/interval"
)

// UpperCount returns e^ε·E[X] + ((e^ε + 1)/ε)·ln(1/δ): a sum X of independent {0,1} variables is at least that with a
// probability of at most δ.
//
// Source: Liu and Talwar (2019), Lemma A.4, eq. (3); PSC-LA.4. Also in the checks of PSC-LA.4.s2 and PSC-L4.3.s1.
// Symbols and deviation from print: as for spec.UpperCount.
// Domain: mean ≥ 0, ε and δ in (0, 1).
// Accuracy: contains it; relative width about 2^-180.
// Cost: O(1).
func UpperCount(mean, eps, delta *big.Rat) interval.Interval {
	n, e := bits, bits.ExpRat(eps)
	more := n.Mul(n.Quo(n.Add(e, n.Int(1)), n.Rat(eps)), n.Log(new(big.Rat).Inv(delta)))
	return n.Add(n.Mul(e, n.Rat(mean)), more)
}

// LowerCount returns e^−ε·E[Y] − ln(1/δ)/ε: a sum Y of independent {0,1} variables is at most that with a probability
// of at most δ.
//
// Source: Liu and Talwar (2019), Lemma A.5, eq. (4); PSC-LA.5. Also in the checks of PSC-LA.5.s2 and PSC-L4.3.s1.
// Symbols and deviation from print: as for spec.LowerCount.
// Domain: mean ≥ 0, ε and δ in (0, 1).
// Accuracy: contains it; its width is about 2^-180 of the larger term.
// Cost: O(1).
func LowerCount(mean, eps, delta *big.Rat) interval.Interval {
	n, e := bits, bits.ExpRat(new(big.Rat).Neg(eps))
	return n.Sub(n.Mul(e, n.Rat(mean)), n.Quo(n.Log(new(big.Rat).Inv(delta)), n.Rat(eps)))
}
