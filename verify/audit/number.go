package audit

import (
	"math/big"

	"checkrr/impl/interval"
	"checkrr/verify/rat"
)

// prec is the precision of sums and products of probabilities. It is more than those have
// themselves, so that nothing is lost that was known.
const prec = 320

var floatOne = big.NewFloat(1)

// down returns 0, as a number that is rounded down, and up one that is rounded up.
func down() *big.Float { return new(big.Float).SetPrec(prec).SetMode(big.ToNegativeInf) }
func up() *big.Float   { return new(big.Float).SetPrec(prec).SetMode(big.ToPositiveInf) }

// outward returns an interval around a rational number.
func outward(r *big.Rat) interval.Interval {
	return interval.Interval{Lower: down().SetRat(r), Upper: up().SetRat(r)}
}

// contains reports whether r is in x.
func contains(x interval.Interval, r *big.Rat) bool {
	return rat.Exact(x.Lower).Cmp(r) <= 0 && rat.Exact(x.Upper).Cmp(r) >= 0
}

// isZero reports whether x is exactly 0.
func isZero(x interval.Interval) bool { return x.Upper.Sign() == 0 }

// excess returns p − f·q for p, q, f ≥ 0, or 0 where that is negative.
func excess(p, f, q interval.Interval) interval.Interval {
	low := down().Sub(p.Lower, up().Mul(f.Upper, q.Upper))
	high := up().Sub(p.Upper, down().Mul(f.Lower, q.Lower))
	return interval.Interval{Lower: atLeast0(low), Upper: atLeast0(high)}
}

// atLeast0 returns max(x, 0).
func atLeast0(x *big.Float) *big.Float {
	if x.Sign() < 0 {
		return x.SetInt64(0)
	}
	return x
}
