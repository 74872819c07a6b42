package exhaustive

import (
	"context"
	"math/big"
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

func TestWorstAdversaryDomain(t *testing.T) {
	t.Parallel()
	ended, end := context.WithCancel(t.Context())
	end()
	of := func(ctx context.Context, rounds int, expEps *big.Rat, menu ...Choice) error {
		_, _, err := WorstAdversary(ctx, menu, rounds, freely, expEps)
		return err
	}
	law := func(law0, law1 []*big.Rat) error {
		return of(t.Context(), 1, one, Choice{Laws: [2][]*big.Rat{law0, law1}, Part: []int{0, 0}})
	}
	refuse(t, map[string]error{
		"adversaries, must be at most": of(t.Context(), 6, one, response),
		"rounds is -1":                 of(t.Context(), -1, one, response),
		"exp_eps is 1/2":               of(t.Context(), 1, big.NewRat(1, 2), response),
		"exp_eps is <nil>":             of(t.Context(), 1, nil, response),
		"context canceled":             of(ended, 3, one, response),
		"choice 1: law 1 sums to 3/4":  law(rats(3, 1), rats(1, 2)),
		"law 1 has 1 outputs":          law(rats(3, 1), rats(4)),
		"is -1/4":                      law(rats(5, -1), rats(4, 0)),
	})
}
