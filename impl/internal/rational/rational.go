// Package rational has what package impl and those beneath it need of rational numbers beside math/big.
package rational

import (
	"fmt"
	"math/big"
)

// One is 1.
var One = big.NewRat(1, 1)

// MustParse returns the number written in s.
func MustParse(s string) *big.Rat {
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		panic("internal error: not a number: " + s)
	}
	return r
}

// Copy returns x in memory of its own; nil for nil.
func Copy(x *big.Rat) *big.Rat {
	if x == nil {
		return nil
	}
	return new(big.Rat).Set(x)
}

// Magnitude returns about log2(r).
func Magnitude(r *big.Rat) int { return r.Num().BitLen() - r.Denom().BitLen() }

// Float64 returns about r.
func Float64(r *big.Rat) float64 {
	f, _ := r.Float64()
	return f
}

// Max returns the larger one of two numbers.
func Max(x, y *big.Rat) *big.Rat {
	if x.Cmp(y) > 0 {
		return x
	}
	return y
}

// Min returns the smaller one of two numbers.
func Min(x, y *big.Rat) *big.Rat {
	if x.Cmp(y) < 0 {
		return x
	}
	return y
}

// Bits returns how many bits the numerator and the denominator take; 0 for nil.
func Bits(r *big.Rat) int {
	if r == nil {
		return 0
	}
	return r.Num().BitLen() + r.Denom().BitLen()
}

// Power returns r^n.
func Power(r *big.Rat, n int) *big.Rat {
	num, den := r.Num(), r.Denom()
	if n < 0 {
		num, den, n = den, num, -n
	}
	k := big.NewInt(int64(n))
	return new(big.Rat).SetFrac(new(big.Int).Exp(num, k, nil), new(big.Int).Exp(den, k, nil))
}

// Sum returns the sum of at least one number as a ratio that is not reduced: common factors of many long denominators
// take long to find. They are added by halves, so that long numbers are few.
func Sum(xs []*big.Rat) (num, denom *big.Int) {
	if len(xs) == 1 {
		return xs[0].Num(), xs[0].Denom()
	}
	a, b := Sum(xs[:len(xs)/2])
	c, d := Sum(xs[len(xs)/2:])
	if b.Cmp(d) == 0 {
		return new(big.Int).Add(a, c), b
	}
	num = new(big.Int).Mul(a, d)
	return num.Add(num, new(big.Int).Mul(c, b)), new(big.Int).Mul(b, d)
}

// Decimal prints r for a message: exactly if that is short, and "missing" if it is nil.
func Decimal(r *big.Rat) string {
	if r == nil {
		return "missing"
	}
	f, exact := r.Float64()
	if short := fmt.Sprintf("%g", f); exact || sameNumber(short, r) {
		return short
	}
	if digits, finite := r.FloatPrec(); finite && digits <= 40 && Magnitude(r) <= 128 {
		return r.FloatString(digits)
	}
	if s := r.RatString(); len(s) <= 40 {
		return s
	}
	return "about " + new(big.Float).SetPrec(64).SetRat(r).Text('g', 12)
}

// sameNumber reports whether the decimal s is r.
func sameNumber(s string, r *big.Rat) bool {
	x, ok := new(big.Rat).SetString(s)
	return ok && x.Cmp(r) == 0
}
