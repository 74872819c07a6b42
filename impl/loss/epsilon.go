// Package loss has privacy parameters and their sums, exactly: ε as it was given, or as e^ε, and what they
// add up to, R + ln X with R and X rational, of which the sign is decided without error.
package loss

import (
	"fmt"
	"math/big"

	"checkrr/impl/certify"
	"checkrr/impl/internal/dd"
	"checkrr/impl/internal/rational"
	"checkrr/impl/interval"
)

// Epsilon is a privacy parameter ε ≥ 0 in nats, held exactly as it was given. The zero value is not valid, nor what
// [Fault] names; use [Nats] or [Exp].
type Epsilon = certify.Number

// Nats returns the parameter ε = eps. The number is copied.
func Nats(eps *big.Rat) Epsilon { return Epsilon{Value: rational.Copy(eps)} }

// Exp returns the parameter ε = ln(expEps). The number is copied.
func Exp(expEps *big.Rat) Epsilon { return Epsilon{Value: rational.Copy(expEps), Log: true} }

// Copy returns e in memory of its own.
func Copy(e Epsilon) Epsilon { return Epsilon{Value: rational.Copy(e.Value), Log: e.Log} }

// Float64 returns ε in nats, to about the nearest float64: for pictures and estimates.
func Float64(e Epsilon) float64 {
	if e.Log {
		return dd.LogRat(e.Value).Float64()
	}
	return dd.FromRat(e.Value).Float64()
}

// Enclose returns ε to the precision of n.
func Enclose(e Epsilon, n interval.Precision) interval.Interval {
	if e.Log {
		return n.Log(e.Value)
	}
	return n.Rat(e.Value)
}

// EncloseExp returns e^ε to the precision of n.
func EncloseExp(e Epsilon, n interval.Precision) interval.Interval {
	if e.Log {
		return n.Rat(e.Value)
	}
	return n.ExpRat(e.Value)
}

// MaxMagnitude bounds log2 of an ε, so that sums over all mechanisms stay inside
// float64's range: 2^960 is about 1e289.
const MaxMagnitude = 960

// Fault returns the field of an input that breaks a rule, and the rule; both are empty if e is valid.
func Fault(e Epsilon) (field, rule string) {
	switch {
	case e.Value == nil && e.Log:
		return "exp_eps", "is missing, must be a number"
	case e.Value == nil:
		return "eps", "is missing, must be a number"
	case e.Log && e.Value.Num().Cmp(e.Value.Denom()) < 0:
		return "exp_eps", fmt.Sprintf("is %s, must be at least 1", rational.Decimal(e.Value))
	case !e.Log && e.Value.Sign() < 0:
		return "eps", fmt.Sprintf("is %s, must be at least 0", rational.Decimal(e.Value))
	case !e.Log && rational.Magnitude(e.Value) > MaxMagnitude:
		return "eps", fmt.Sprintf("is %s, must be at most 1e289", rational.Decimal(e.Value))
	}
	return "", ""
}

// maxNats bounds an ε of which e^ε itself is computed: a number of 1.4 million bits.
var maxNats = big.NewRat(1e6, 1)

// FaultExp is [Fault] for an ε of which e^ε is computed.
func FaultExp(e Epsilon) (field, rule string) {
	if field, rule = Fault(e); rule == "" && !e.Log && e.Value.Cmp(maxNats) > 0 {
		return "eps", fmt.Sprintf("is %s, must be at most 1e6", rational.Decimal(e.Value))
	}
	return field, rule
}

// Factor returns an interval of relative width about 2^−256 that contains e^ε, for an ε
// of at most 1e6.
//
// Also in the checks of ODP-X1 and ODP-X6.
func Factor(e Epsilon) (interval.Interval, error) {
	if field, rule := FaultExp(e); rule != "" {
		return interval.Interval{}, fmt.Errorf("Factor: %s %s", field, rule)
	}
	return EncloseExp(e, 256), nil
}
