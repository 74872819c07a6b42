package adversary

import (
	"context"
	"math/big"

	"checkrr/impl/internal/rational"
)

// How large a problem may be that is solved in rationals, and how long numbers may get before they are
// rounded up, to a multiple of which 2^-k.
var (
	maxExact      = 20_000 // situations
	exactBits     = 4096
	exactFraction = uint(1024)
)

// AtMost reports whether the best adversary is known to get at most a claim, where intervals of float64 do
// not tell because it is the same or nearly so: by a pass upwards in rationals, with the Exact masses of each
// step and the ExactStop. It gives up on large problems.
func AtMost(ctx context.Context, p Problem, claim *big.Rat) (bool, error) {
	g, err := newGraph(ctx, p)
	if err != nil {
		return false, err
	}
	situations := 0
	for _, l := range g.layers {
		if situations += l.size; situations > maxExact {
			return false, nil
		}
	}
	e := exactPass{graph: g, place: make([]int32, len(g.memories))}
	for t := len(g.layers) - 1; t >= 0; t-- {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		l := g.layers[t]
		now, infinite := make([]*big.Rat, l.size), make([]bool, len(l.nodes))
		for i, n := range l.nodes {
			infinite[i] = e.infiniteAt(t, n)
			for x := -int(n.reach); x <= int(n.reach); x += int(n.stride) {
				now[n.at(x)] = e.at(t, n, x)
			}
		}
		for i, n := range l.nodes {
			e.place[n.memory] = int32(i)
		}
		e.then, e.infinite = now, infinite
	}
	return e.then[0].Cmp(claim) <= 0, nil
}

// exactPass is a pass upwards in rationals.
type exactPass struct {
	*graph
	place    []int32
	then     []*big.Rat // values of the next round
	infinite []bool     // by node: whether an infinite loss may count, now or later
}

// infiniteAt reports whether an infinite loss may count at a node, or later.
func (e *exactPass) infiniteAt(t int, n node) bool {
	m := &e.memories[n.memory]
	if m.MayBeInfinite || t == e.Rounds {
		return m.MayBeInfinite
	}
	for _, next := range m.Next {
		if next != Refused && e.infinite[e.place[next]] {
			return true
		}
	}
	return false
}

// at returns an upper bound of what a situation is worth.
func (e *exactPass) at(t int, n node, x int) *big.Rat {
	m, best := &e.memories[n.memory], new(big.Rat)
	if x >= m.MayExceed {
		return best.SetInt64(1)
	}
	if e.ExactStop != nil {
		best = e.ExactStop(x)
	}
	if t == e.Rounds {
		return best
	}
	after := func(part, by int) *big.Rat {
		return e.then[e.layers[t+1].nodes[e.place[m.Next[part]]].at(x+by)]
	}
	for _, s := range e.Steps {
		if m.Next[s.UpPart] == Refused {
			continue
		}
		infinite := new(big.Rat)
		if e.infinite[e.place[m.Next[s.UpPart]]] {
			infinite = rational.One
		}
		up, down := after(s.UpPart, e.Units[s.UpPart]), after(s.DownPart, -e.Units[s.DownPart])
		if v := s.Exact.worth(up, down, infinite); v.Cmp(best) > 0 {
			best = v
		}
	}
	return shortened(best)
}

// Masses are the P0-masses of a step: of an infinite loss, and, of the rest, between which numbers is what goes up.
// They are equal if it is rational.
type Masses struct{ Infinite, Least, Most *big.Rat }

// worth returns an upper bound of what a step is worth, given what its three ends are. The masses add up to 1
// whatever the mass of up is, so that a step between equals is worth exactly that.
func (m Masses) worth(up, down, infinite *big.Rat) *big.Rat {
	more, p := new(big.Rat).Sub(up, down), m.Most
	if more.Sign() < 0 {
		p = m.Least
	}
	finite := more.Add(more.Mul(more, p), down)
	worth := new(big.Rat).Sub(infinite, finite)
	return worth.Add(worth.Mul(worth, m.Infinite), finite)
}

// shortened returns r, rounded up if it is long.
func shortened(r *big.Rat) *big.Rat {
	if r.Num().BitLen()+r.Denom().BitLen() <= exactBits {
		return r
	}
	n := new(big.Int).Lsh(r.Num(), exactFraction)
	n.Div(n, r.Denom()).Add(n, big.NewInt(1))
	return new(big.Rat).SetFrac(n, new(big.Int).Lsh(big.NewInt(1), exactFraction))
}
