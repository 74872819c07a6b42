package mechanisms

import (
	"math/big"

	"checkrr/impl/interval"
)

// lawBits is the precision of probabilities.
const lawBits = interval.Precision(256)

// image returns the values of a function that rises, or falls, on an interval.
func image(x interval.Interval, f func(x *big.Rat) *big.Rat) interval.Interval {
	low, high := x.Rats()
	low, high = f(low), f(high)
	if low.Cmp(high) > 0 {
		low, high = high, low
	}
	return interval.Interval{Lower: lawBits.Down().SetRat(low), Upper: lawBits.Up().SetRat(high)}
}

// complement returns 1 − x.
func complement(x interval.Interval) interval.Interval { return lawBits.Sub(lawBits.Int(1), x) }
