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
func WorstAdversary(ctx context.Context, menu []Choice, rounds int, admits Admits, expEps *big.Rat) (worst *big.Rat, adversaries int, err error) {
	if err := checkMenu(menu, rounds, expEps); err != nil {
		return nil, 0, fmt.Errorf("WorstAdversary: %w", err)
	}
	e := game{ctx: ctx, menu: menu, admits: admits}
	all, err := e.from(nil, rounds)
	if err != nil {
		return nil, 0, fmt.Errorf("WorstAdversary: %w", err)
	}
	worst = new(big.Rat)
	for _, a := range all {
		if err := ctx.Err(); err != nil {
			return nil, 0, fmt.Errorf("WorstAdversary: %w", err)
		}
		if d := a.excess(menu, one, one, expEps); d.Cmp(worst) > 0 {
			worst = d
		}
	}
	return worst, len(all), nil
}

// adversary is what is played now, and after each output; nil stops.
type adversary struct {
	choice int
	then   []*adversary
}

// excess returns the sum over the views of the positive parts of Pr_0 − e^ε Pr_1, of which
// a and b are the probabilities so far.
func (v *adversary) excess(menu []Choice, a, b, expEps *big.Rat) *big.Rat {
	sum := new(big.Rat)
	if v == nil {
		if sum.Sub(a, new(big.Rat).Mul(expEps, b)); sum.Sign() < 0 {
			return new(big.Rat)
		}
		return sum
	}
	laws := menu[v.choice].Laws
	for z, then := range v.then {
		a, b := new(big.Rat).Mul(a, laws[0][z]), new(big.Rat).Mul(b, laws[1][z])
		sum.Add(sum, then.excess(menu, a, b, expEps))
	}
	return sum
}

// game lists adversaries.
type game struct {
	ctx    context.Context
	menu   []Choice
	admits Admits
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
			if err != nil {
				return nil, err
			}
			if played, err = extend(e.ctx, played, after); err != nil {
				return nil, err
			}
		}
		all = append(all, played...)
	}
	return all, nil
}

// extend returns every adversary followed, at its next output, by each of the others.
func extend(ctx context.Context, played, after []*adversary) ([]*adversary, error) {
	if n := len(played) * len(after); n > maxAdversaries {
		return nil, fmt.Errorf("there are at least %d adversaries, must be at most %d", n, maxAdversaries)
	}
	var longer []*adversary
	for _, p := range played {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, a := range after {
			longer = append(longer, &adversary{p.choice, append(p.then[:len(p.then):len(p.then)], a)})
		}
	}
	return longer, nil
}

func checkMenu(menu []Choice, rounds int, expEps *big.Rat) error {
	if rounds < 0 {
		return fmt.Errorf("rounds is %d, must be at least 0", rounds)
	}
	if expEps == nil || expEps.Cmp(one) < 0 {
		return fmt.Errorf("exp_eps is %v, must be at least 1", expEps)
	}
	for i, c := range menu {
		for b, law := range c.Laws {
			if len(law) != len(c.Part) {
				return fmt.Errorf("choice %d: law %d has %d outputs, must be %d", i+1, b, len(law), len(c.Part))
			}
			sum := new(big.Rat)
			for z, pr := range law {
				if pr == nil || pr.Sign() < 0 {
					return fmt.Errorf("choice %d: law %d: probability of output %d is %v, must be at least 0", i+1, b, z, pr)
				}
				sum.Add(sum, pr)
			}
			if sum.Cmp(one) != 0 {
				return fmt.Errorf("choice %d: law %d sums to %s, must be 1", i+1, b, sum.RatString())
			}
		}
	}
	return nil
}
