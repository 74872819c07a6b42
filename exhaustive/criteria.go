package exhaustive

import (
	"context"
	"math/big"
	"slices"
)

// Criteria returns the maximum, over every sequence of deterministic stopping
// criteria h^[k_i]: {0,1,2,3}^(k_i) → {0,1}, i < n, of the smallest δ of the
// resulting mechanism: the sum of max(0, a − e_i·b) over its outputs. Nothing is
// said about which criteria are good; each one is run on every sequence.
//
// Source: Hartmann et al. (2022), Appendix C, eq. (12); ODP-E12.
// Also in the checks of ODP-E13 and ODP-X22.
// Symbols: the h^[k_i] together are a rule of [WorstRule]; what they say after a stop makes no difference.
// Domain: every ε is given as e^ε, or is 0; at most 2^20 rules. Result in [0, 1].
// Accuracy: exact.
// Deviation from print: h^[k_n], which eq. (12) uses but Algorithm 3 does not
// have, is 1 throughout.
// Cost: that of [WorstRule].
func Criteria(ctx context.Context, p Pipeline) (*big.Rat, error) {
	t, err := newTree(p, rational{})
	if err != nil {
		return nil, in("Criteria", err)
	}
	worst, _, err := WorstRule(ctx, History{A: one, B: one, Next: stepsOf(t.responses)}, p.Stops)
	return worst, in("Criteria", err)
}

// stepsOf returns the steps of a pipeline, without the outputs that occur on neither database: no criterion is asked
// after them.
func stepsOf(responses [][2][]*big.Rat) (first *Branch) {
	for _, r := range slices.Backward(responses) {
		b := &Branch{}
		for z := range r[0] {
			if r[0][z].Sign() > 0 || r[1][z].Sign() > 0 {
				b.Laws[0], b.Laws[1] = append(b.Laws[0], r[0][z]), append(b.Laws[1], r[1][z])
				b.Then = append(b.Then, first)
			}
		}
		first = b
	}
	return first
}
