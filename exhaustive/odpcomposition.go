package exhaustive

import (
	"context"
	"fmt"
	"math/big"
)

// maxAdversaries is the largest number of adversaries that [WorstAdversary] goes through.
const maxAdversaries = 1 << 20

// Choice is a mechanism on two neighbouring databases, and what is claimed about it.
type Choice struct {
	Laws  [2][]*big.Rat // by database and output: its probability
	Part  []int         // by output: the part of the partition that it is in
	ExpE  []*big.Rat    // by part: e^ℰ
	Delta *big.Rat
}

// Move is what happened in one round: a choice from the menu, and its output.
type Move struct{ Choice, Output int }

// Admits is an accountant: it says whether the choice with the number next may be made
// after the moves so far. To stop is always admitted.
type Admits func(moves []Move, next int) bool

// WorstAdversary goes through all deterministic adversaries that play at most the given
// number of rounds on a menu, and returns the largest Pr(V^[0] ∈ 𝒱) − e^ε Pr(V^[1] ∈ 𝒱)
// over all of them and all sets of views 𝒱, and their number. An adversary is a choice,
// or to stop, at each node of the tree of outputs; each one is played to its end, and no two
// views are merged.
//
// Source: Hartmann et al. (2022), Algorithm 1 and Theorem 7; ODP-A1, ODP-T7.
// Symbols: e^ε = expEps; I = rounds.
// Domain: at most 2^20 adversaries; laws that are laws. Result in [0, 1].
// Accuracy: exact.
// Deviation from print: a coin toss of the adversary changes nothing, since the largest
// difference given the coins is no less on one side of the toss than on average.
// Cost: the number of adversaries times the number of views.
func WorstAdversary(ctx context.Context, menu []Choice, rounds int, admits Admits,
	expEps *big.Rat) (worst *big.Rat, adversaries int, err error) {
	if expEps == nil || expEps.Cmp(one) < 0 {
		return nil, 0, fmt.Errorf("WorstAdversary: exp_eps is %v, must be at least 1", expEps)
	}
	e := game{ctx, menu, admits, func(_ []Move, a, b *big.Rat, ended bool) *big.Rat {
		if !ended {
			return nil
		}
		d := new(big.Rat).Sub(a, new(big.Rat).Mul(expEps, b))
		return rational{}.max(d, new(big.Rat))
	}}
	worst, adversaries, err = e.worst(rounds)
	return worst, adversaries, in("WorstAdversary", err)
}

// adversary is what is played now, and after each output; nil stops.
type adversary struct {
	choice int
	then   []*adversary
}

// game goes through adversaries.
type game struct {
	ctx    context.Context
	menu   []Choice
	admits Admits
	// gain is what an adversary has after moves with the probabilities a and b; nil if that is decided later
	gain func(moves []Move, a, b *big.Rat, ended bool) *big.Rat
}

func (e game) validate(rounds int) error {
	if rounds < 0 {
		return fmt.Errorf("rounds is %d, must be at least 0", rounds)
	}
	for i, c := range e.menu {
		if err := validateLaws(c.Laws, len(c.Part)); err != nil {
			return fmt.Errorf("choice %d: %w", i+1, err)
		}
	}
	return nil
}

// worst returns the largest gain of an adversary, and how many there are.
func (e game) worst(rounds int) (worst *big.Rat, adversaries int, err error) {
	if err := e.validate(rounds); err != nil {
		return nil, 0, err
	}
	all, err := e.from(nil, rounds)
	if err != nil {
		return nil, 0, err
	}
	worst = new(big.Rat)
	for _, a := range all {
		if err := e.ctx.Err(); err != nil {
			return nil, 0, err
		}
		worst = rational{}.max(worst, e.play(a, nil, one, one))
	}
	return worst, len(all), nil
}

// play returns the sum of the gains of an adversary over the views, after moves with the probabilities a and b.
func (e game) play(v *adversary, moves []Move, a, b *big.Rat) *big.Rat {
	if gain := e.gain(moves, a, b, v == nil); gain != nil {
		return gain
	}
	sum, laws := new(big.Rat), e.menu[v.choice].Laws
	for z, then := range v.then {
		a, b := new(big.Rat).Mul(a, laws[0][z]), new(big.Rat).Mul(b, laws[1][z])
		sum.Add(sum, e.play(then, append(moves[:len(moves):len(moves)], Move{v.choice, z}), a, b))
	}
	return sum
}

// from returns all adversaries after the moves so far, the one that stops first.
func (e game) from(moves []Move, rounds int) ([]*adversary, error) {
	all := []*adversary{nil}
	if rounds == 0 {
		return all, nil
	}
	for choice := range e.menu {
		if !e.admits(moves, choice) {
			continue
		}
		played := []*adversary{{choice, nil}}
		for output := range e.menu[choice].Part {
			after, err := e.from(append(moves[:len(moves):len(moves)], Move{choice, output}), rounds-1)
			if err == nil {
				err = e.ctx.Err()
			}
			if err != nil {
				return nil, err
			}
			if n := len(played) * len(after); n > maxAdversaries {
				return nil, fmt.Errorf("there are at least %d adversaries, must be at most %d", n, maxAdversaries)
			}
			var longer []*adversary
			for _, p := range played {
				for _, a := range after {
					longer = append(longer, &adversary{p.choice, append(p.then[:len(p.then):len(p.then)], a)})
				}
			}
			played = longer
		}
		all = append(all, played...)
	}
	return all, nil
}
