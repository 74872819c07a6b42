package impl

import "math/big"

// laplaceBelow returns Pr(X ≤ x) for X ~ Lap(1/rate): e^(rate·x)/2 for x ≤ 0, and
// 1 − e^(−rate·x)/2 above.
func (n reals) laplaceBelow(x, rate *big.Rat) Interval {
	if x.Sign() <= 0 {
		return n.half(n.expRat(new(big.Rat).Mul(rate, x)))
	}
	return n.sub(n.int(1), n.laplaceAbove(x, rate))
}

// laplaceAbove returns Pr(X ≥ x) for X ~ Lap(1/rate).
func (n reals) laplaceAbove(x, rate *big.Rat) Interval {
	return n.laplaceBelow(new(big.Rat).Neg(x), rate)
}

// half returns x/2, exactly.
func (n reals) half(x Interval) Interval {
	return Interval{new(big.Float).SetMantExp(x.Lower, -1), new(big.Float).SetMantExp(x.Upper, -1)}
}
