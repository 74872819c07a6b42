package impl

import (
	"fmt"
	"math/big"
)

// Epsilon is a privacy parameter ε ≥ 0 in nats, held exactly as it was given:
// as the rational number ε, or as the rational number e^ε.
// The zero value is not valid; use [Nats] or [Exp].
type Epsilon struct {
	rat *big.Rat
	exp bool
}

// Nats returns the parameter ε = eps.
func Nats(eps *big.Rat) Epsilon { return Epsilon{rat: eps} }

// Exp returns the parameter ε = ln(expEps).
func Exp(expEps *big.Rat) Epsilon { return Epsilon{rat: expEps, exp: true} }

// Rat returns the number that was given: e^ε if IsExp, otherwise ε.
func (e Epsilon) Rat() *big.Rat { return e.rat }

// IsExp reports whether the parameter was given as e^ε.
func (e Epsilon) IsExp() bool { return e.exp }

// maxEpsilon keeps sums of ε over all mechanisms inside float64's range.
var maxEpsilon, _ = new(big.Rat).SetString("1e290")

var one = big.NewRat(1, 1)

// broken returns the field that breaks a rule, and the rule.
func (e Epsilon) broken() (field, rule string) {
	field, least := "eps", new(big.Rat)
	if e.exp {
		field, least = "exp_eps", one
	}
	switch {
	case e.rat == nil:
		return field, "is missing, must be a number"
	case e.rat.Cmp(least) < 0:
		return field, fmt.Sprintf("is %s, must be at least %s", decimal(e.rat), least.RatString())
	case !e.exp && e.rat.Cmp(maxEpsilon) > 0:
		return field, fmt.Sprintf("is %s, must be at most 1e290", decimal(e.rat))
	}
	return "", ""
}

// decimal prints r for a message: exactly if that is short.
func decimal(r *big.Rat) string {
	if s := r.RatString(); len(s) <= 12 && r.IsInt() {
		return s
	}
	f, _ := r.Float64()
	return fmt.Sprintf("%g", f)
}
