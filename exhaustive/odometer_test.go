package exhaustive

import (
	"math/big"
	"testing"
)

// The loss after z zeros and o ones is (z − o) ln 3.
func TestWorstExcessByHand(t *testing.T) {
	t.Parallel()
	above := func(limit int64) Exceeds { // e^reading
		return func(_ []Move, a, b *big.Rat) bool {
			return a.Cmp(new(big.Rat).Mul(b, big.NewRat(limit, 1))) > 0
		}
	}
	tests := []struct {
		rounds  int
		exceeds Exceeds
		want    string
	}{
		{0, above(1), "0"},
		{1, above(1), "3/4"},
		{1, above(3), "0"},
		{2, above(1), "3/4"},
		{2, above(3), "9/16"},
		{3, above(1), "57/64"}, // 0, or 100: 3/4 + 1/4·9/16
		{3, func(moves []Move, a, b *big.Rat) bool { return len(moves) < 2 && above(1)(moves, a, b) }, "3/4"},
	}
	for _, test := range tests {
		got, _, err := WorstExcess(t.Context(), []Choice{response}, test.rounds, test.exceeds)
		if err != nil || got.RatString() != test.want {
			t.Errorf("%d rounds: %v, %v, want %s", test.rounds, got, err, test.want)
		}
	}
	for _, rounds := range []int{6, -1} {
		if _, _, err := WorstExcess(t.Context(), []Choice{response}, rounds, above(1)); err == nil {
			t.Errorf("%d rounds: no error", rounds)
		}
	}
}
