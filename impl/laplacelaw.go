package impl

import (
	"math/big"

	"checkrr/impl/interval"
)

// laplaceBetween returns Pr(x < X ≤ y) for X ~ Lap(1/rate), from the tails on one side if
// both ends are there: their difference keeps the relative accuracy far out.
func laplaceBetween(n interval.Precision, x, y, rate *big.Rat) interval.Interval {
	if x.Sign() >= 0 {
		return n.Max0(n.Sub(laplaceAbove(n, x, rate), laplaceAbove(n, y, rate)))
	}
	return n.Max0(n.Sub(laplaceBelow(n, y, rate), laplaceBelow(n, x, rate)))
}

// laplaceBelow returns Pr(X ≤ x) for X ~ Lap(1/rate): e^(rate·x)/2 for x ≤ 0, and
// 1 − e^(−rate·x)/2 above.
func laplaceBelow(n interval.Precision, x, rate *big.Rat) interval.Interval {
	if x.Sign() <= 0 {
		return n.Half(n.ExpRat(new(big.Rat).Mul(rate, x)))
	}
	return n.Sub(n.Int(1), laplaceAbove(n, x, rate))
}

// laplaceAbove returns Pr(X ≥ x) for X ~ Lap(1/rate).
func laplaceAbove(n interval.Precision, x, rate *big.Rat) interval.Interval {
	return laplaceBelow(n, new(big.Rat).Neg(x), rate)
}
