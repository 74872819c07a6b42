package laplace

import (
	"math/big"

	"checkrr/impl/interval"
)

// Between returns Pr(x < X ≤ y) for X ~ Lap(1/rate), from the tails on one side if
// both ends are there: their difference keeps the relative accuracy far out.
func Between(n interval.Precision, x, y, rate *big.Rat) interval.Interval {
	if x.Sign() >= 0 {
		return n.Max0(n.Sub(Above(n, x, rate), Above(n, y, rate)))
	}
	return n.Max0(n.Sub(Below(n, y, rate), Below(n, x, rate)))
}

// Below returns Pr(X ≤ x) for X ~ Lap(1/rate): e^(rate·x)/2 for x ≤ 0, and
// 1 − e^(−rate·x)/2 above.
func Below(n interval.Precision, x, rate *big.Rat) interval.Interval {
	if x.Sign() <= 0 {
		return n.Half(n.ExpRat(new(big.Rat).Mul(rate, x)))
	}
	return n.Sub(n.Int(1), Above(n, x, rate))
}

// Above returns Pr(X ≥ x) for X ~ Lap(1/rate).
func Above(n interval.Precision, x, rate *big.Rat) interval.Interval {
	return Below(n, new(big.Rat).Neg(x), rate)
}
