package odp

import (
	"math/big"
	"strings"
	"testing"

	"checkrr/impl/ledger"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
)

// What is printed says what is played.
func TestStrategyString(t *testing.T) {
	t.Parallel()
	_, s, err := ledger.WorstAdversary(t.Context(), finite.BothWays(toy(big.NewRat(2, 1))), 2,
		laplaceRule(func(n int) bool { return n < 2 }), rat.One)
	if err != nil || !strings.HasPrefix(s.String(), "toy (after ") {
		t.Errorf("%v, %v", s, err)
	}
}
