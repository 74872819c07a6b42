// Package rat writes exact arithmetic as expressions: sums and products of big.Rat that leave their arguments
// as they are, and comparisons of intervals with rational numbers. It is for checks, which are exact first and
// fast second.
package rat

import (
	"math/big"
	"slices"
	"strings"
)

// One and Half are the numbers that probabilities are made of. No function of this package changes its arguments.
var (
	One  = big.NewRat(1, 1)
	Half = big.NewRat(1, 2)
)

// Of returns the number written in s, such as 3/2 or 1e-6.
func Of(s string) *big.Rat {
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		panic("internal error: not a number: " + s)
	}
	return r
}

// List returns the numbers written in s.
func List(s ...string) []*big.Rat {
	var all []*big.Rat
	for _, text := range s {
		all = append(all, Of(text))
	}
	return all
}

// Int returns n.
func Int(n int) *big.Rat { return big.NewRat(int64(n), 1) }

// Add returns x + y.
func Add(x, y *big.Rat) *big.Rat { return new(big.Rat).Add(x, y) }

// Sub returns x − y.
func Sub(x, y *big.Rat) *big.Rat { return new(big.Rat).Sub(x, y) }

// Mul returns x·y.
func Mul(x, y *big.Rat) *big.Rat { return new(big.Rat).Mul(x, y) }

// Quo returns x/y, for y ≠ 0.
func Quo(x, y *big.Rat) *big.Rat { return new(big.Rat).Quo(x, y) }

// Complement returns 1 − x.
func Complement(x *big.Rat) *big.Rat { return Sub(One, x) }

// Twice returns 2x.
func Twice(x *big.Rat) *big.Rat { return Add(x, x) }

// Power returns x^n, also for n < 0.
func Power(x *big.Rat, n int) *big.Rat {
	if n < 0 {
		x = Quo(One, x)
	}
	k := big.NewInt(int64(max(n, -n)))
	return new(big.Rat).SetFrac(new(big.Int).Exp(x.Num(), k, nil), new(big.Int).Exp(x.Denom(), k, nil))
}

// Sum returns the sum of the numbers.
func Sum(xs ...*big.Rat) *big.Rat {
	total := new(big.Rat)
	for _, x := range xs {
		total.Add(total, x)
	}
	return total
}

// Product returns the product of the numbers.
func Product(xs ...*big.Rat) *big.Rat {
	result := One
	for _, x := range xs {
		result = Mul(result, x)
	}
	return result
}

// Max returns the largest of the numbers, of which there must be one.
func Max(xs ...*big.Rat) *big.Rat { return slices.MaxFunc(xs, (*big.Rat).Cmp) }

// Min returns the smallest of the numbers, of which there must be one.
func Min(xs ...*big.Rat) *big.Rat { return slices.MinFunc(xs, (*big.Rat).Cmp) }

// Positive returns max(0, x).
func Positive(x *big.Rat) *big.Rat { return Max(x, new(big.Rat)) }

// Equal reports whether x = y.
func Equal(x, y *big.Rat) bool { return x.Cmp(y) == 0 }

// Same reports whether x = y, or both are nil.
func Same(x, y *big.Rat) bool {
	if x == nil || y == nil {
		return x == nil && y == nil
	}
	return Equal(x, y)
}

// Show writes numbers as ratios.
func Show(xs ...*big.Rat) string {
	var text []string
	for _, x := range xs {
		text = append(text, x.RatString())
	}
	return strings.Join(text, ", ")
}
