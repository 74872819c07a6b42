package adversary

import (
	"errors"
	"math/big"
	"strings"
	"testing"

	"checkrr/impl/interval"
)

// walk is a problem of which the memories are the rounds, each with one step that moves the loss by a unit.
func walk(rounds, span int) Problem {
	half := interval.Point(0.5)
	return Problem{
		Units:  []int{span},
		Steps:  []Step{{Up: half, Down: half, Exact: Masses{new(big.Rat), big.NewRat(1, 2), big.NewRat(1, 2)}}},
		Rounds: rounds,
		Memory: func(n int32) (Memory, error) {
			return Memory{Next: []int32{n + 1}, Exceeds: 1, MayExceed: 1}, nil
		},
	}
}

// The probability that a fair walk is ever above 0 within so many steps: all but that of staying at or below.
func TestWorst_Walk(t *testing.T) {
	t.Parallel()
	for rounds, want := range []float64{0, 0.5, 0.5, 0.625, 0.625, 0.6875} {
		x, a, err := Worst(t.Context(), walk(rounds, 1))
		if err != nil || x.Lo > want || x.Hi < want || x.Hi-x.Lo > 1e-14 {
			t.Errorf("%d rounds: %v, %v, want %g", rounds, x, err, want)
		}
		plays, all := a.Plays(1000)
		if !all || len(plays) > rounds {
			t.Errorf("%d rounds: %v, %v", rounds, plays, all)
		}
		for _, claim := range []struct {
			of    float64
			holds bool
		}{{want, true}, {want - 1e-9, rounds == 0 && want < 0}} {
			if holds, err := AtMost(t.Context(), walk(rounds, 1), new(big.Rat).SetFloat64(claim.of)); err != nil ||
				holds != claim.holds {
				t.Errorf("%d rounds: at most %g: %v, %v", rounds, claim.of, holds, err)
			}
		}
	}
}

func TestWorst_Limits(t *testing.T) {
	defer func(m, n, v, r int) { maxMemories, maxNodes, maxValues, maxRuns = m, n, v, r }(maxMemories,
		maxNodes, maxValues, maxRuns)
	maxMemories, maxNodes, maxValues = 50, 70, 200
	for _, test := range []struct {
		rounds, span int
		want         string
	}{
		{40, 1, ""},
		{60, 1, "after 50 rounds the rule has had more than 50 different memories"},
		{40, 10, "after 20 rounds there are more than 200 situations"},
	} {
		_, _, err := Worst(t.Context(), walk(test.rounds, test.span))
		_, limit := errors.AsType[*LimitError](err)
		if limit != (test.want != "") || limit && !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%d rounds of %d: %v, want %q", test.rounds, test.span, err, test.want)
		}
	}
	maxNodes = 20
	if _, _, err := Worst(t.Context(), walk(40, 1)); err == nil ||
		!strings.HasPrefix(err.Error(), "after 20 rounds there have been more than 20 memories") {
		t.Error(err)
	}
	maxNodes, maxRuns = 70, 3
	_, a, err := Worst(t.Context(), walk(40, 1))
	if err != nil {
		t.Fatal(err)
	}
	if _, all := a.Plays(1000); all {
		t.Error("an adversary that was not kept is said to be complete")
	}
}
