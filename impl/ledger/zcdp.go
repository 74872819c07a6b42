package ledger

import (
	"math/big"

	"checkrr/impl/internal/rational"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// DPToZCDP returns the ρ for which (ε, δ)-DP is δ-approximate ρ-zCDP, ε²/2.
//
// Source: Whitehouse et al. (2023), Lemma 1 (i); FAC-L1.
// Domain: ε ≥ 0.
// Accuracy: contains it; relative width about 2^-190.
// Deviation from print: none.
// Cost: O(1).
func DPToZCDP(eps loss.Epsilon) interval.Interval {
	e := loss.Enclose(eps, bits)
	return bits.Half(bits.Mul(e, e))
}

// ZCDPToDP returns the (ε, δ) of δ-approximate ρ-zCDP: (ρ + 2√(ρ ln(1/δ′)), δ + (1 − δ)δ′).
//
// Source: Whitehouse et al. (2023), Lemma 1 (ii); FAC-L1.
// Symbols: δ′ = delta1.
// Domain: ρ ≥ 0, δ in [0, 1], δ′ in (0, 1).
// Accuracy: contains ε, with a relative width of about 2^-190; δ is exact.
// Deviation from print: none.
// Cost: O(1).
func ZCDPToDP(rho, delta, delta1 *big.Rat) (eps interval.Interval, dpDelta *big.Rat) {
	r := bits.Rat(rho)
	root := bits.Sqrt(bits.Mul(r, bits.Log(new(big.Rat).Inv(delta1))))
	rest := new(big.Rat).Sub(rational.One, delta)
	return bits.Add(r, bits.Add(root, root)), rest.Add(delta, rest.Mul(rest, delta1))
}

// DPToPDP returns (2ε, 2δ/(ε e^ε)), of which print says that (ε, δ)-DP is so much pDP.
// FAC-L2 fails as printed: use [PDP].
//
// Source: Whitehouse et al. (2023), Lemma 2 (ii); FAC-L2.
// Domain: ε in (0, 1e6], or any e^ε > 1; δ in [0, 1].
// Accuracy: contains both, with a relative width of about 2^-180.
// Deviation from print: none. For ε > 0.853, where 2/(ε e^ε) < 1, it does not even hold for (ε, δ)-randomized response,
// whose loss is infinite with probability δ.
// Cost: O(1).
func DPToPDP(eps loss.Epsilon, delta *big.Rat) (pdpEps, pdpDelta interval.Interval) {
	e, d := loss.Enclose(eps, bits), bits.Rat(delta)
	return bits.Add(e, e), bits.Quo(bits.Add(d, d), bits.Mul(e, loss.EncloseExp(eps, bits)))
}

// PDP returns an (ε′, δ′) for which (ε, δ)-DP is (ε′, δ′)-pDP: (2ε, δ·(1 + e^(−2ε))/(1 − e^(−ε))), the sum over both
// signs of the loss. For δ = 0 it is (ε, 0).
//
// Source: Whitehouse et al. (2023), Lemma 2 (ii), corrected; FAC-L2. FAC-L2 fails as printed.
// Domain: ε in (0, 1e6], or any e^ε > 1; δ in [0, 1]. δ′ may be more than 1, and then says nothing.
// Accuracy: contains both, with a relative width of about 2^-150 for ε of at least 2^-30.
// Cost: O(1).
func PDP(eps loss.Epsilon, delta *big.Rat) (pdpEps, pdpDelta interval.Interval) {
	e := loss.Enclose(eps, bits)
	if delta.Sign() == 0 {
		return e, interval.Interval{}
	}
	one, inverse := bits.Rat(rational.One), bits.Quo(bits.Rat(rational.One), loss.EncloseExp(eps, bits))
	both := bits.Quo(bits.Add(one, bits.Mul(inverse, inverse)), bits.Sub(one, inverse))
	return bits.Add(e, e), bits.Mul(bits.Rat(delta), both)
}
