package stopping

import (
	"math"
	"math/big"

	"checkrr/impl/internal/rational"
)

// chargeDigits returns how many digits a charge has that is somewhat less than loss: as many as
// float64 gives or, next to the largest loss, where the δ of a stop is about the loss less the
// charge, as many as it takes for rounding to be far below error.
func chargeDigits(loss, error float64) int {
	if error == 0 {
		return leastDigits
	}
	return int(min(max(leastDigits, math.Ceil(math.Log10(loss/error))+2), mostDigits))
}

// How many digits charges have.
const (
	leastDigits = 15
	mostDigits  = 300
)

// RoundedUp returns the smallest decimal of the given number of digits that is not below r ≥ 0.
func RoundedUp(r *big.Rat, digits int) *big.Rat {
	if r.Sign() == 0 {
		return r
	}
	places := digits - int(math.Floor(float64(rational.Magnitude(r)-1)*math.Log10(2))) // or up to 2 more than needed
	most := tenTo(digits)
	for ; ; places-- {
		n := new(big.Int).Mul(r.Num(), tenTo(max(0, places)))
		up, rest := n.QuoRem(n, new(big.Int).Mul(r.Denom(), tenTo(max(0, -places))), new(big.Int))
		if rest.Sign() > 0 {
			up.Add(up, big.NewInt(1))
		}
		if up.Cmp(most) <= 0 {
			return new(big.Rat).SetFrac(up.Mul(up, tenTo(max(0, -places))), tenTo(max(0, places)))
		}
	}
}

// tenTo returns 10^n.
func tenTo(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }
