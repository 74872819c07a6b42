package impl

import "math/big"

// Interval contains a real number: Lower ≤ number ≤ Upper.
type Interval struct{ Lower, Upper *big.Float }

// interval returns [lower, upper].
func interval(lower, upper float64) Interval {
	return Interval{big.NewFloat(lower), big.NewFloat(upper)}
}

// RelWidth returns (Upper − Lower)/Upper, and 0 for the interval [0, 0] and where there is none.
func (x Interval) RelWidth() float64 {
	if x.Upper == nil || x.Upper.Sign() == 0 {
		return 0
	}
	w := new(big.Float).Sub(x.Upper, x.Lower)
	r, _ := w.Quo(w, x.Upper).Float64()
	return r
}
