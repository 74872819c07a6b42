package exhaustive

import (
	"context"
	"math/big"
)

// Exceeds is an odometer: it says whether the privacy loss ln(a/b), which is infinite for b = 0, is above
// the reading after the moves so far; a > 0.
type Exceeds func(moves []Move, a, b *big.Rat) bool

// WorstExcess goes through all deterministic adversaries that play at most the given number of
// rounds on a menu, and returns the largest probability Pr_0 that the privacy loss is ever above the
// reading, and their number. They are those of [WorstAdversary], without an accountant.
//
// Source: Whitehouse et al. (2023), Definition 6; FAC-D6.
// Also in the checks of FAC-X10.
// Domain: at most 2^20 adversaries; laws that are laws. Result in [0, 1].
// Accuracy: exact.
// Deviation from print: the adversary may stop, which is to play mechanisms with a fixed output from then on.
// Cost: the number of adversaries times the number of views.
func WorstExcess(ctx context.Context, menu []Choice, rounds int,
	exceeds Exceeds) (worst *big.Rat, adversaries int, err error) {
	freely := func([]Move, int) bool { return true }
	e := game{ctx, menu, freely, func(moves []Move, a, b *big.Rat, ended bool) *big.Rat {
		switch {
		case a.Sign() > 0 && exceeds(moves, a, b):
			return a
		case ended || a.Sign() == 0:
			return new(big.Rat)
		}
		return nil
	}}
	worst, adversaries, err = e.worst(rounds)
	return worst, adversaries, in("WorstExcess", err)
}
