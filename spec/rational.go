package spec

import "math/big"

var one = big.NewRat(1, 1)

func add(x, y *big.Rat) *big.Rat { return new(big.Rat).Add(x, y) }
func sub(x, y *big.Rat) *big.Rat { return new(big.Rat).Sub(x, y) }
func mul(x, y *big.Rat) *big.Rat { return new(big.Rat).Mul(x, y) }
func quo(x, y *big.Rat) *big.Rat { return new(big.Rat).Quo(x, y) }

// power returns x^n, also for n < 0.
func power(x *big.Rat, n int) *big.Rat {
	result := one
	for range max(n, -n) {
		result = mul(result, x)
	}
	if n < 0 {
		return quo(one, result)
	}
	return result
}

func larger(x, y *big.Rat) *big.Rat {
	if x.Cmp(y) > 0 {
		return x
	}
	return y
}
