package certify

import (
	"math"
	"math/big"

	"checkrr/impl/certify/internal/num"
)

// outward turns a number of a pass into bounds of what it would be without rounding.
//
// It was computed by sums, products and maxima of numbers that are at least 0, each rounded to
// nearest. All these operations are monotone. With at most so many roundings on the way of any
// term, each of a relative size of at most u = 2^-53, the number is off by a factor of at most
// 1/(1 − u)^roundings < 1 + 1.01·roundings·u, and by what is lost where results are too small.
type outward struct{ slack, lost float64 }

// outward returns what bounds the roundings of passes so far.
func (l *lattice) outward() outward {
	return outward{slack(l.rounds + 2*num.SumRounds(l.widest) + float64(2*len(l.payoffs)+4*num.OneMinusExpRounds)),
		(4*l.work + 4) * 0x1p-1074}
}

// slack bounds the relative error after so many roundings. From a hundredth on nothing is certain.
func slack(roundings float64) float64 {
	if s := 1.01 * roundings * 0x1p-53; s < 0.01 {
		return s
	}
	return math.Inf(1)
}

// upper returns an upper bound, at most 1. Its own roundings are among those of outward.
func (o outward) upper(x float64) *big.Float {
	y := next(next(x*(1+o.slack)+o.lost, 2), 2)
	if !(y < 1) {
		y = 1
	}
	return big.NewFloat(y)
}

// lower returns a lower bound, at least 0.
func (o outward) lower(x float64) *big.Float {
	y := next(next(x*(1-o.slack)-o.lost, -1), -1)
	if !(x > 0 && y > 0) { // slack may be infinite
		y = 0
	}
	return big.NewFloat(y)
}

var next = math.Nextafter
