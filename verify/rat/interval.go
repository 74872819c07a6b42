package rat

import (
	"math/big"

	"checkrr/impl/interval"
)

// Exact returns the number that x is, for a finite x.
func Exact(x *big.Float) *big.Rat {
	r, _ := x.Rat(nil)
	return r
}

// Float64 returns the float64 nearest to x, for messages.
func Float64(x *big.Rat) float64 {
	f, _ := x.Float64()
	return f
}

// Floats returns the float64 nearest to each of xs.
func Floats(xs []*big.Rat) (floats []float64) {
	for _, x := range xs {
		floats = append(floats, Float64(x))
	}
	return floats
}

// IsAbove reports whether all of x is above r.
func IsAbove(x interval.Interval, r *big.Rat) bool { return Exact(x.Lower).Cmp(r) > 0 }

// IsAtMost reports whether all of x is at most r.
func IsAtMost(x interval.Interval, r *big.Rat) bool { return Exact(x.Upper).Cmp(r) <= 0 }

// Meet reports whether two intervals have a number in common.
func Meet(x, y interval.Interval) bool { return x.Lower.Cmp(y.Upper) <= 0 && y.Lower.Cmp(x.Upper) <= 0 }
