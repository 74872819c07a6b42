package odp

import (
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"checkrr/impl"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
)

// drawMenu draws a menu of one or two mechanisms with at most 3 outputs, and a budget that admits some rounds.
func drawMenu(t *rapid.T, rounds, _ int) finite.Menu {
	m := randomMenu(rolls{t})
	m.Rounds = rounds
	return m
}

// What is printed says what is played.
func TestStrategyString(t *testing.T) {
	t.Parallel()
	_, s, err := impl.WorstAdversary(t.Context(), finite.BothWays(toy(big.NewRat(2, 1), rat.Half)), 2,
		laplaceRule(func(n int) bool { return n < 2 }), rat.One)
	if err != nil || !strings.HasPrefix(s.String(), "toy (after ") {
		t.Errorf("%v, %v", s, err)
	}
}
