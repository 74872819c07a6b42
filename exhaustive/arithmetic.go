package exhaustive

import "math/big"

// arithmetic computes with numbers of type T. None of its functions changes an
// operand, so numbers may be shared, also between goroutines.
type arithmetic[T any] interface {
	rat(x *big.Rat) T
	exp(e Epsilon) (T, error) // e^ε
	add(x, y T) T
	sub(x, y T) T
	mul(x, y T) T // x, y ≥ 0
	quo(x, y T) T // x ≥ 0, y ≥ 1
	max(x, y T) T
}
