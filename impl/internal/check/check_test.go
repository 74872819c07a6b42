package check

import (
	"math/big"
	"testing"

	"checkrr/impl/internal/rational"
)

func TestIn(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"x is 0, must be greater than 0 and at most 1":       In("x", new(big.Rat), "(0, 1]"),
		"x is 2, must be greater than 0 and at most 1":       In("x", big.NewRat(2, 1), "(0, 1]"),
		"x is 1, must be at least 1e-3 and less than 1":      In("x", rational.One, "[1e-3, 1)"),
		"x is 0.0001, must be at least 1e-3 and less than 1": In("x", big.NewRat(1, 10_000), "[1e-3, 1)"),
		"x is missing, must be at least 0":                   In("x", nil, "[0, ∞)"),
		"x is -1, must be greater than 0":                    In("x", big.NewRat(-1, 1), "(0, ∞)"),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("%v, must be %s", err, want)
		}
	}
	for domain, x := range map[string]*big.Rat{"(0, 1]": rational.One, "[1, 2)": rational.One, "[0, ∞)": new(big.Rat)} {
		if err := In("x", x, domain); err != nil {
			t.Error(err)
		}
	}
}
