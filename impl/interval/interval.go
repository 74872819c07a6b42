// Package interval is certified real arithmetic: what is computed is an interval that contains the real
// number.
//
// An [Interval] has ends of any [Precision], rounded outward. A [Float] has float64 ends, for where
// millions of operations are needed and 50 bits are enough.
package interval

import "math/big"

// Interval contains a real number: Lower ≤ number ≤ Upper. The zero value is not valid: it has no ends. Intervals may
// share ends, which must not be changed.
type Interval struct{ Lower, Upper *big.Float }

// New returns [lower, upper].
func New(lower, upper *big.Float) Interval { return Interval{lower, upper} }

// Of returns [lower, upper].
func Of(lower, upper float64) Interval {
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

// Rats returns both ends as rationals.
func (x Interval) Rats() (lower, upper *big.Rat) {
	lower, _ = x.Lower.Rat(nil)
	upper, _ = x.Upper.Rat(nil)
	return lower, upper
}

// IsZero reports whether the interval is the number 0.
func (x Interval) IsZero() bool { return x.Lower.Sign() == 0 && x.Upper.Sign() == 0 }

// Contains reports whether r is in x.
func (x Interval) Contains(r *big.Rat) bool {
	lower, upper := x.Rats()
	return lower.Cmp(r) <= 0 && upper.Cmp(r) >= 0
}

// isAcross reports whether 0 is inside x.
func (x Interval) isAcross() bool { return x.Lower.Sign() < 0 && x.Upper.Sign() > 0 }

// hull returns x and y, and what is between them.
func hull(x, y Interval) Interval { return Interval{Min(x, y).Lower, Max(x, y).Upper} }

// Min returns min(x, y).
func Min(x, y Interval) Interval {
	if y.Lower.Cmp(x.Lower) < 0 {
		x.Lower = y.Lower
	}
	if y.Upper.Cmp(x.Upper) < 0 {
		x.Upper = y.Upper
	}
	return x
}

// Max returns max(x, y).
func Max(x, y Interval) Interval {
	if y.Lower.Cmp(x.Lower) > 0 {
		x.Lower = y.Lower
	}
	if y.Upper.Cmp(x.Upper) > 0 {
		x.Upper = y.Upper
	}
	return x
}
