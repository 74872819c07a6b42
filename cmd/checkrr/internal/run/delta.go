package run

import (
	"fmt"
	"math/big"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
)

// from0 is which δ most flags take, beside that it is less than 1: whether there is an answer for 0 is for the
// mechanisms to say.
const from0 = "at least 0"

// ReadDelta reads a δ that is asked for, or allowed: from0, or what else is said to be the least.
func ReadDelta(flag, text, least string) (*big.Rat, error) {
	x, err := input.ParseNumber(text)
	if err != nil {
		return nil, fmt.Errorf("%s %w", flag, err)
	}
	why := ""
	switch {
	case x.Cmp(big.NewRat(1, 1)) >= 0:
		why = ": with δ = 1 all is private, whatever it does"
	case x.Sign() > 0 || x.Sign() == 0 && least == from0:
		return x, nil
	}
	return nil, fmt.Errorf("%s is %s, must be %s and less than 1%s", flag, report.Quote(text), least, why)
}
