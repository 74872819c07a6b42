package exhaustive

import (
	"context"
	"fmt"
	"math/big"
	"slices"
)

// maxRules is the largest number of stopping rules that [WorstRule] goes through, after any outputs.
const maxRules = 1 << 20

// Branch is one step of a pipeline, after certain outputs: its laws, and the step that follows each of its own outputs.
type Branch struct {
	Laws [2][]*big.Rat // by database and output: its probability
	Then []*Branch     // by output; nil where no step follows
}

// History is what has happened so far.
type History struct {
	Steps int      // how many have run
	A, B  *big.Rat // its probability on two databases
	Next  *Branch  // the step that comes; nil at the end
}

// WorstRule goes through all deterministic stopping rules from a history on, and returns the largest
// Σ_i (Pr_0(S_i) − e^(E_i)·Pr_1(S_i)) over all of them and all events S = S_1 ∪ … ∪ S_n, and the number of rules. A
// rule says at each history at which the pipeline may end whether it does. Each one is added up to its end: nothing is
// said about which are good, and the laws after different outputs need have nothing in common.
//
// Source: docs/dominating-pairs.md, The statement; OUR-D2.
// Also in the checks of OUR-T1, OUR-T2, OUR-X1, OUR-T1.s1, OUR-T1.s2 and OUR-X4.
// Symbols: k_i, E_i = stops; with x and x' the probabilities are those of two databases.
// Domain: every E_i is given as e^(E_i), or is 0; the pipeline ends at a stop. Laws that are laws; at most 2^20 rules.
// Accuracy: exact.
// Deviation from print: of all events only the best is taken, which holds the outputs with a > e^(E_i)·b; no coins.
// Cost: the number of rules times the number of steps.
func WorstRule(ctx context.Context, from History, stops []Stop) (worst *big.Rat, rules int, err error) {
	gains, err := from.gains(ctx, stops)
	if err != nil {
		return nil, 0, in("WorstRule", err)
	}
	return slices.MaxFunc(gains, (*big.Rat).Cmp), len(gains), nil
}

// gains returns what each rule gains from h on.
func (h History) gains(ctx context.Context, stops []Stop) (gains []*big.Rat, err error) {
	for _, s := range stops {
		if s.After != h.Steps {
			continue
		}
		expE, err := rational{}.exp(s.Eps)
		if err != nil {
			return nil, err
		}
		gain := new(big.Rat).Sub(h.A, new(big.Rat).Mul(expE, h.B))
		gains = append(gains, rational{}.max(gain, new(big.Rat)))
	}
	if h.Next == nil && gains == nil {
		return nil, fmt.Errorf("there is no stop after %d steps, must be one at the end", h.Steps)
	}
	if h.Next == nil {
		return gains, nil
	}
	onward, err := h.onward(ctx, stops)
	return append(gains, onward...), err
}

// onward returns what each rule gains that does not end at h: one after each output, in all combinations.
func (h History) onward(ctx context.Context, stops []Stop) ([]*big.Rat, error) {
	if err := validateLaws(h.Next.Laws, len(h.Next.Then)); err != nil {
		return nil, err
	}
	sums := []*big.Rat{new(big.Rat)}
	for z, then := range h.Next.Then {
		laws := h.Next.Laws
		after := History{h.Steps + 1, new(big.Rat).Mul(h.A, laws[0][z]), new(big.Rat).Mul(h.B, laws[1][z]), then}
		gains, err := after.gains(ctx, stops)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		if n := len(sums) * len(gains); n > maxRules {
			return nil, fmt.Errorf("there are at least %d rules, must be at most %d", n, maxRules)
		}
		var longer []*big.Rat
		for _, x := range sums {
			for _, y := range gains {
				longer = append(longer, new(big.Rat).Add(x, y))
			}
		}
		sums = longer
	}
	return sums, nil
}
