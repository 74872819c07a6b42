// Package loss has privacy parameters and their sums, exactly: ε as it was given, or as e^ε, and what they
// add up to, R + ln X with R and X rational, of which the sign is decided without error.
package loss

import (
	"fmt"
	"math/big"

	"checkrr/impl/internal/dd"
	"checkrr/impl/internal/rational"
	"checkrr/impl/interval"
)

// Epsilon is a privacy parameter ε ≥ 0 in nats, held exactly as it was given:
// as the rational number ε, or as the rational number e^ε.
// It is immutable. The zero value is not valid, nor what [Epsilon.Fault] names; use [Nats] or [Exp].
type Epsilon struct {
	rat *big.Rat
	exp bool
}

// Nats returns the parameter ε = eps. The number is copied.
func Nats(eps *big.Rat) Epsilon { return Epsilon{rat: rational.Copy(eps)} }

// Exp returns the parameter ε = ln(expEps). The number is copied.
func Exp(expEps *big.Rat) Epsilon { return Epsilon{rat: rational.Copy(expEps), exp: true} }

// Rat returns a copy of the number that was given: e^ε if IsExp, otherwise ε; nil if none was.
func (e Epsilon) Rat() *big.Rat { return rational.Copy(e.rat) }

// Bits returns how many bits that number takes as a ratio.
func (e Epsilon) Bits() int { return rational.Bits(e.rat) }

// IsExp reports whether the parameter was given as e^ε.
func (e Epsilon) IsExp() bool { return e.exp }

// Float64 returns ε in nats, to about the nearest float64: for pictures and estimates.
func (e Epsilon) Float64() float64 {
	if e.exp {
		return dd.LogRat(e.rat).Float64()
	}
	return dd.FromRat(e.rat).Float64()
}

// Enclose returns ε to the precision of n.
func (e Epsilon) Enclose(n interval.Precision) interval.Interval {
	if e.exp {
		return n.Log(e.rat)
	}
	return n.Rat(e.rat)
}

// EncloseExp returns e^ε to the precision of n.
func (e Epsilon) EncloseExp(n interval.Precision) interval.Interval {
	if e.exp {
		return n.Rat(e.rat)
	}
	return n.ExpRat(e.rat)
}

// String returns ε as it was given.
func (e Epsilon) String() string {
	if e.rat == nil {
		return "missing"
	}
	if e.exp {
		return "ln(" + e.rat.RatString() + ")"
	}
	return e.rat.RatString()
}

// IsZero reports whether ε = 0.
func (e Epsilon) IsZero() bool {
	return e.exp && e.rat.Cmp(rational.One) == 0 || !e.exp && e.rat.Sign() == 0
}

// Equal reports whether two parameters were given as the same number.
func (e Epsilon) Equal(f Epsilon) bool { return e.exp == f.exp && e.rat.Cmp(f.rat) == 0 }

// MaxMagnitude bounds log2 of an ε, so that sums over all mechanisms stay inside
// float64's range: 2^960 is about 1e289.
const MaxMagnitude = 960

// Fault returns the field of an input that breaks a rule, and the rule; both are empty if e is valid.
func (e Epsilon) Fault() (field, rule string) {
	switch {
	case e.rat == nil && e.exp:
		return "exp_eps", "is missing, must be a number"
	case e.rat == nil:
		return "eps", "is missing, must be a number"
	case e.exp && e.rat.Num().Cmp(e.rat.Denom()) < 0:
		return "exp_eps", fmt.Sprintf("is %s, must be at least 1", rational.Decimal(e.rat))
	case !e.exp && e.rat.Sign() < 0:
		return "eps", fmt.Sprintf("is %s, must be at least 0", rational.Decimal(e.rat))
	case !e.exp && rational.Magnitude(e.rat) > MaxMagnitude:
		return "eps", fmt.Sprintf("is %s, must be at most 1e289", rational.Decimal(e.rat))
	}
	return "", ""
}

// maxNats bounds an ε of which e^ε itself is computed: a number of 1.4 million bits.
var maxNats = big.NewRat(1e6, 1)

// FaultExp is [Epsilon.Fault] for an ε of which e^ε is computed.
func (e Epsilon) FaultExp() (field, rule string) {
	if field, rule = e.Fault(); rule == "" && !e.exp && e.rat.Cmp(maxNats) > 0 {
		return "eps", fmt.Sprintf("is %s, must be at most 1e6", rational.Decimal(e.rat))
	}
	return field, rule
}

// Factor returns an interval of relative width about 2^−256 that contains e^ε, for an ε
// of at most 1e6.
//
// Also in the checks of ODP-X1 and ODP-X6.
func (e Epsilon) Factor() (interval.Interval, error) {
	if field, rule := e.FaultExp(); rule != "" {
		return interval.Interval{}, fmt.Errorf("Factor: %s %s", field, rule)
	}
	return e.EncloseExp(256), nil
}
