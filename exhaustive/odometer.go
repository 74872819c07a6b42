package exhaustive

import (
	"context"
	"fmt"
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
func WorstExcess(ctx context.Context, menu []Choice, rounds int, exceeds Exceeds) (worst *big.Rat, adversaries int, err error) {
	if err := checkMenu(menu, rounds, one); err != nil {
		return nil, 0, fmt.Errorf("WorstExcess: %w", err)
	}
	e := game{ctx: ctx, menu: menu, admits: func([]Move, int) bool { return true }}
	all, err := e.from(nil, rounds)
	if err != nil {
		return nil, 0, fmt.Errorf("WorstExcess: %w", err)
	}
	worst = new(big.Rat)
	for _, a := range all {
		if err := ctx.Err(); err != nil {
			return nil, 0, fmt.Errorf("WorstExcess: %w", err)
		}
		if p := a.above(menu, nil, one, one, exceeds); p.Cmp(worst) > 0 {
			worst = p
		}
	}
	return worst, len(all), nil
}

// above returns the Pr_0 of the views in which the loss is above the reading, now or later; a and b are the
// probabilities of the moves so far.
func (v *adversary) above(menu []Choice, moves []Move, a, b *big.Rat, exceeds Exceeds) *big.Rat {
	sum := new(big.Rat)
	switch {
	case a.Sign() == 0:
		return sum
	case exceeds(moves, a, b):
		return sum.Set(a)
	case v == nil:
		return sum
	}
	laws := menu[v.choice].Laws
	for z, then := range v.then {
		a, b := new(big.Rat).Mul(a, laws[0][z]), new(big.Rat).Mul(b, laws[1][z])
		sum.Add(sum, then.above(menu, append(moves[:len(moves):len(moves)], Move{v.choice, z}), a, b, exceeds))
	}
	return sum
}
