package certificate

import (
	"math/big"
	"strconv"
	"strings"

	"checkrr/impl/certify"
)

func exactly(x certify.Interval) Range {
	lower, _ := x.Lower.Rat(nil)
	upper, _ := x.Upper.Rat(nil)
	return Range{lower, upper}
}

// newRange returns x, rounded outward to short decimals.
func newRange(x certify.Interval) Range {
	return Range{outwardDecimal(x.Lower, false), outwardDecimal(x.Upper, true)}
}

// outwardDecimal returns the shortest decimal that reads back as x ≥ 0 and is not on the wrong
// side of it.
func outwardDecimal(x *big.Float, isUp bool) *big.Rat {
	exact, _ := x.Rat(nil)
	mantissa, _, _ := strings.Cut(x.Text('e', -1), "e")
	for digits := max(1, len(mantissa)-1); ; digits++ {
		nearest := x.Text('e', digits-1)
		r, _ := new(big.Rat).SetString(nearest)
		if side := r.Cmp(exact); side != 0 && (side < 0) == isUp {
			_, exponent, _ := strings.Cut(nearest, "e")
			unit, _ := new(big.Rat).SetString("1e" + exponent)
			unit.Quo(unit, new(big.Rat).SetInt(pow10(digits-1)))
			if !isUp {
				unit.Neg(unit)
			}
			r.Add(r, unit)
		}
		if back := new(big.Float).SetPrec(x.Prec()).SetRat(r); back.Cmp(x) == 0 {
			return r
		}
	}
}

func pow10(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// text returns r as a decimal if it is one, otherwise as a ratio.
func text(r *big.Rat) string {
	places, isDecimal := r.FloatPrec()
	if !isDecimal {
		return r.RatString()
	}
	digits := new(big.Int).Quo(new(big.Int).Mul(r.Num(), pow10(places)), r.Denom()).String()
	exponent := len(digits) - 1 - places
	if exponent > -6 {
		return r.FloatString(places)
	}
	if len(digits) > 1 {
		digits = digits[:1] + "." + digits[1:]
	}
	return digits + "e" + strconv.Itoa(exponent)
}
