package mechanisms

import (
	"math/big"

	"checkrr/impl/interval"
)

// lawBits is the precision of probabilities.
const lawBits = 256

// outward returns an interval around numbers from low to high.
func outward(low, high *big.Rat) interval.Interval {
	return interval.Interval{
		Lower: new(big.Float).SetPrec(lawBits).SetMode(big.ToNegativeInf).SetRat(low),
		Upper: new(big.Float).SetPrec(lawBits).SetMode(big.ToPositiveInf).SetRat(high),
	}
}

// exactly returns the interval of one number.
func exactly(x *big.Rat) interval.Interval { return outward(x, x) }

// image returns the values of a function that rises, or falls, on an interval.
func image(x interval.Interval, f func(x *big.Rat) *big.Rat) interval.Interval {
	low, high := ends(x)
	low, high = f(low), f(high)
	if low.Cmp(high) > 0 {
		low, high = high, low
	}
	return outward(low, high)
}

// complement returns 1 − x.
func complement(x interval.Interval) interval.Interval {
	return image(x, func(x *big.Rat) *big.Rat { return sub(one, x) })
}

// product returns x·y for x, y ≥ 0.
func product(x, y interval.Interval) interval.Interval {
	low := new(big.Float).SetPrec(lawBits).SetMode(big.ToNegativeInf)
	high := new(big.Float).SetPrec(lawBits).SetMode(big.ToPositiveInf)
	return interval.Interval{Lower: low.Mul(x.Lower, y.Lower), Upper: high.Mul(x.Upper, y.Upper)}
}

// power returns x^n for x ≥ 0.
func power(x interval.Interval, n int) interval.Interval {
	result := exactly(one)
	for range n {
		result = product(result, x)
	}
	return result
}

// halved returns x/2.
func halved(x interval.Interval) interval.Interval { return product(x, exactly(big.NewRat(1, 2))) }

// ends returns the ends of an interval of finite numbers.
func ends(x interval.Interval) (low, high *big.Rat) {
	low, high = x.Rats()
	return low, high
}
