package certify

import (
	"math/big"

	"checkrr/impl/certify/internal/num"
)

// Number is a number of nats, at least 0, held exactly as it was given: Value, or ln(Value) if Log. It is an ε, a
// charge or a loss. Nobody changes a Value.
type Number struct {
	Value *big.Rat
	Log   bool
}

// fault returns the rule that x breaks; empty if there is none.
func (x Number) fault() string {
	switch {
	case x.Value == nil:
		return "eps is missing, must be at least 0, or exp_eps at least 1"
	case x.Log && x.Value.Cmp(num.One) < 0, !x.Log && x.Value.Sign() < 0:
		return "eps must be at least 0, exp_eps at least 1"
	}
	return ""
}

// IsZero reports whether x is 0.
func (x Number) IsZero() bool {
	return x.Log && x.Value.Cmp(num.One) == 0 || !x.Log && x.Value.Sign() == 0
}

// Equal reports whether x and y were given as the same number.
func (x Number) Equal(y Number) bool { return x.Log == y.Log && x.Value.Cmp(y.Value) == 0 }

// Rat returns a copy of Value; nil if there is none.
func (x Number) Rat() *big.Rat {
	if x.Value == nil {
		return nil
	}
	return new(big.Rat).Set(x.Value)
}

// String returns x as it was given.
func (x Number) String() string {
	switch {
	case x.Value == nil:
		return "missing"
	case x.Log:
		return "ln(" + x.Value.RatString() + ")"
	}
	return x.Value.RatString()
}
