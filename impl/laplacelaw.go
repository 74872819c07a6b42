package impl

import "math/big"

// laplaceBetween returns Pr(x < X ≤ y) for X ~ Lap(1/rate), from the tails on one side if
// both ends are there: their difference keeps the relative accuracy far out.
func laplaceBetween(n reals, x, y, rate *big.Rat) Interval {
	if x.Sign() >= 0 {
		return n.max0(n.sub(laplaceAbove(n, x, rate), laplaceAbove(n, y, rate)))
	}
	return n.max0(n.sub(laplaceBelow(n, y, rate), laplaceBelow(n, x, rate)))
}

// laplaceBelow returns Pr(X ≤ x) for X ~ Lap(1/rate): e^(rate·x)/2 for x ≤ 0, and
// 1 − e^(−rate·x)/2 above.
func laplaceBelow(n reals, x, rate *big.Rat) Interval {
	if x.Sign() <= 0 {
		return n.half(n.expRat(new(big.Rat).Mul(rate, x)))
	}
	return n.sub(n.int(1), laplaceAbove(n, x, rate))
}

// laplaceAbove returns Pr(X ≥ x) for X ~ Lap(1/rate).
func laplaceAbove(n reals, x, rate *big.Rat) Interval {
	return laplaceBelow(n, new(big.Rat).Neg(x), rate)
}
