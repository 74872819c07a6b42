package impl

import (
	"context"
	"math/big"
	"slices"

	"checkrr/impl/internal/challenge"
	"checkrr/impl/internal/rational"
)

// atMost reports whether the best adversary is known to get at most a claim, where the intervals do not tell because
// it is the same or nearly so: by a pass upwards in rationals over the layers that were solved. It gives up on large
// problems.
func (m *odpMatch) atMost(ctx context.Context, layers []*odpLayer, claim *big.Rat) (bool, error) {
	situations := 0
	for _, l := range layers {
		for _, n := range l.nodes {
			situations += n.high - n.low + 1
		}
	}
	if situations > challenge.MaxExact {
		return false, nil
	}
	var then *odpLayer
	for _, l := range slices.Backward(layers) {
		for _, n := range l.nodes {
			if err := ctx.Err(); err != nil {
				return false, err
			}
			if err := m.solveExactly(n, then); err != nil {
				return false, err
			}
		}
		then = l
	}
	return then.nodes[0].exact[0].Cmp(claim) <= 0, nil
}

// solveExactly finds upper bounds of what a node is worth at all losses.
func (m *odpMatch) solveExactly(n *odpNode, then *odpLayer) error {
	stop, err := m.stopExactly(n.memory)
	if err != nil {
		return err
	}
	n.exact = make([]*big.Rat, n.high-n.low+1)
	for x := range n.exact {
		at := n.low + x
		best := stop(at)
		for _, s := range m.steps {
			if then == nil || best.Cmp(rational.One) >= 0 {
				break
			}
			if v := m.stepExactly(n.memory, s, at, then); v != nil && v.Cmp(best) > 0 {
				best = v
			}
		}
		n.exact[x] = challenge.Shortened(best)
	}
	return nil
}

// stopExactly returns what it is worth to stop at a memory, or a number hardly above it.
func (m *odpMatch) stopExactly(memory int32) (at func(units int) *big.Rat, err error) {
	if m.exactly != nil {
		return m.exactly, nil
	}
	stop, _, err := m.worth(memory)
	return func(units int) *big.Rat { return new(big.Rat).SetFloat64(stop(units).Hi) }, err
}

// stepExactly returns an upper bound of what a step is worth at a loss, or nil if it is not admitted.
func (m *odpMatch) stepExactly(memory int32, s odpStep, at int, then *odpLayer) *big.Rat {
	var ends [2]*big.Rat
	for b, by := range s.by {
		to, admitted := m.after(memory, s.choice, s.parts[b])
		if !admitted {
			return nil
		}
		next := then.place[to]
		ends[b] = next.exact[at+by-next.low]
	}
	up, _ := m.after(memory, s.choice, s.parts[0])
	return s.exact.Worth(ends[0], ends[1], new(big.Rat).SetFloat64(then.place[up].beyond.Hi))
}
