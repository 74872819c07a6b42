package certify

import "math/big"

// outward turns a number that was computed by sums, products and maxima of numbers that are at
// least 0, each rounded to nearest, into bounds of what it would be without rounding. All these
// operations are monotone: with at most so many roundings on the way of any term, each of a
// relative size of at most u = 2^-bits, the number is off by a factor of at most
// 1/(1 − u)^roundings < 1 + 1.01·roundings·u, and by what is lost where numbers are too small.
type outward struct {
	bits  uint
	slack *big.Float // 1.01·roundings·u
	lost  *big.Float
}

// newOutward returns the bounds of roundings, and of operations that may each have lost tiny.
func newOutward(bits uint, roundings, operations float64, tiny *big.Float) outward {
	o := outward{bits, new(big.Float).SetMantExp(big.NewFloat(1.01*roundings), -int(bits)), up(bits).SetFloat64(4*operations + 4)}
	if o.slack.Cmp(big.NewFloat(0.01)) > 0 {
		o.slack.SetInf(false)
	}
	o.lost.Mul(o.lost, tiny)
	return o
}

// upper returns an upper bound, at most 1.
func (o outward) upper(x *big.Float) *big.Float {
	one := big.NewFloat(1)
	if o.slack.IsInf() {
		return one
	}
	y := up(o.bits).Mul(x, o.slack)
	if y.Add(y, x).Add(y, o.lostBeside(x)); y.Cmp(one) > 0 {
		return one
	}
	return y
}

// lower returns a lower bound, at least 0.
func (o outward) lower(x *big.Float) *big.Float {
	if o.slack.IsInf() {
		return new(big.Float)
	}
	y := down(o.bits).Sub(x, up(o.bits).Mul(x, o.slack))
	if y.Sub(y, o.lostBeside(x)); y.Sign() < 0 {
		return new(big.Float)
	}
	return y
}

// lostBeside returns at least what is lost, and not so little that adding it to x takes long.
func (o outward) lostBeside(x *big.Float) *big.Float {
	least := new(big.Float).SetMantExp(x, -int(2*o.bits))
	if least.Cmp(o.lost) > 0 {
		return least
	}
	return o.lost
}
