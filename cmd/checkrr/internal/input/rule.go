package input

import (
	"math/big"

	"checkrr/cmd/checkrr/internal/report"
)

// A Rule returns what a number must be, if it is not that.
type Rule func(*big.Rat) string

func ruleOfNumber(says string, holds func(x *big.Rat) bool) Rule {
	return func(x *big.Rat) string {
		if holds(x) {
			return ""
		}
		return says
	}
}

func within(low, high *big.Rat) func(x *big.Rat) bool {
	return func(x *big.Rat) bool { return x.Cmp(low) >= 0 && x.Cmp(high) <= 0 }
}

var ratOne = big.NewRat(1, 1)

// The rules that flags and files have in common. What alpha is at least keeps it, and shares of it, within float64.
var (
	From0        = ruleOfNumber("at least 0", func(x *big.Rat) bool { return x.Sign() >= 0 })
	Positive     = ruleOfNumber("greater than 0", func(x *big.Rat) bool { return x.Sign() > 0 })
	Probability  = ruleOfNumber("between 0 and 1", within(new(big.Rat), ratOne))
	Between0And1 = ruleOfNumber("greater than 0 and less than 1", func(x *big.Rat) bool {
		return x.Sign() > 0 && x.Cmp(ratOne) < 0
	})
	Alpha = ruleOfNumber("between 1e-100 and 0.5", within(report.Scaled(big.NewInt(1), -100), big.NewRat(1, 2)))
)
