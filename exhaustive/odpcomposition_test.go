package exhaustive

import (
	"context"
	"math/big"
	"strings"
	"testing"
)

func rats(xs ...int64) (out []*big.Rat) {
	for _, x := range xs {
		out = append(out, big.NewRat(x, 4))
	}
	return out
}

// response is randomized response with e^ε = 3.
var response = Choice{Laws: [2][]*big.Rat{rats(3, 1), rats(1, 3)}, Part: []int{0, 0}}

func freely([]Move, int) bool { return true }

// Two rounds of a menu of one: stop, or play and then stop or play after each of two outputs.
func TestWorstAdversaryCount(t *testing.T) {
	t.Parallel()
	for rounds, want := range []int{1, 2, 5, 26, 677} {
		_, n, err := WorstAdversary(t.Context(), []Choice{response}, rounds, freely, one)
		if err != nil || n != want {
			t.Errorf("%d rounds: %d adversaries, %v, want %d", rounds, n, err, want)
		}
	}
}

func TestWorstAdversaryByHand(t *testing.T) {
	t.Parallel()
	tests := []struct {
		rounds int
		admits Admits
		expEps int64
		want   string
	}{
		{0, freely, 1, "0"},
		{1, freely, 1, "1/2"}, // 3/4 − 1/4
		{1, freely, 3, "0"},
		{2, freely, 1, "1/2"}, // outputs 00 and 01: 12/16 − 4/16
		{2, freely, 3, "3/8"}, // output 00: 9/16 − 3/16
		{2, func(moves []Move, _ int) bool { return len(moves) == 0 || moves[0].Output == 1 }, 3, "0"},
	}
	for _, test := range tests {
		got, _, err := WorstAdversary(t.Context(), []Choice{response}, test.rounds, test.admits, big.NewRat(test.expEps, 1))
		if err != nil || got.RatString() != test.want {
			t.Errorf("%d rounds, e^ε = %d: %v, %v, want %s", test.rounds, test.expEps, got, err, test.want)
		}
	}
}

func TestWorstAdversaryDomain(t *testing.T) {
	t.Parallel()
	tests := []struct {
		menu   []Choice
		rounds int
		expEps *big.Rat
		want   string
	}{
		{[]Choice{response}, 6, one, "adversaries, must be at most"},
		{[]Choice{response}, -1, one, "rounds is -1"},
		{[]Choice{response}, 1, big.NewRat(1, 2), "exp_eps is 1/2"},
		{[]Choice{response}, 1, nil, "exp_eps is <nil>"},
		{[]Choice{{Laws: [2][]*big.Rat{rats(3, 1), rats(1, 2)}, Part: []int{0, 0}}}, 1, one, "choice 1: law 1 sums to 3/4"},
		{[]Choice{{Laws: [2][]*big.Rat{rats(3, 1), rats(4)}, Part: []int{0, 0}}}, 1, one, "law 1 has 1 outputs"},
		{[]Choice{{Laws: [2][]*big.Rat{rats(5, -1), rats(4, 0)}, Part: []int{0, 0}}}, 1, one, "is -1/4"},
	}
	for _, test := range tests {
		_, _, err := WorstAdversary(t.Context(), test.menu, test.rounds, freely, test.expEps)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %q", err, test.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := WorstAdversary(ctx, []Choice{response}, 3, freely, one); err == nil {
		t.Error("a context that has ended: no error")
	}
}
