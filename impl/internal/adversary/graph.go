package adversary

import (
	"cmp"
	"context"
	"fmt"
	"math/big"

	"checkrr/impl/interval"
)

// Step is a mechanism of the worst: where its output is in one part of the menu the loss goes up by the units of that
// part, where it is in the other one it goes down, and an infinite loss is in the first. Randomized response has one
// part.
type Step struct {
	UpPart, DownPart   int
	Up, Down, Infinite interval.Float // P0-masses
	Exact              Masses
}

// Memory is what a rule remembers.
type Memory struct {
	Next []int32 // by part: the number of the memory after an output in it; Refused if its mechanism is not admitted

	// The least losses, in units, that are known to exceed the reading, and that may; both Never for a filter.
	Exceeds, MayExceed int
	// Whether an infinite loss is known to count here, and whether it may.
	Infinite, MayBeInfinite bool
}

// What stands for no memory, and for no loss.
const (
	Refused = -1
	Never   = 1 << 30
)

// Problem is a rule and what its adversary may do.
type Problem struct {
	Units  []int // by part of the menu: by how much the loss goes up or down
	Steps  []Step
	Rounds int
	// Memory returns the memory of a number, of which 0 is the first. It is called once for each, in
	// the order of their numbers, which begin where a memory is first named as the next of another.
	Memory func(number int32) (Memory, error)
	// Stop returns what it is worth to stop at a loss; nil if that is nothing.
	Stop      func(units int) interval.Float
	ExactStop func(units int) *big.Rat // the same or, where that is not rational, a number hardly above it
	Progress  func(done float64)       // may be nil
}

// Limits of what is kept. They are variables for the tests.
var (
	maxMemories = 1 << 20
	maxNodes    = 1 << 22 // pairs of a round and a memory
	maxValues   = 1 << 24 // losses of all memories of one round: 128 MB, four times
	maxUnits    = 1 << 24 // the largest loss
	maxRuns     = 1 << 24 // what is kept of the adversary
)

// LimitError says that there are too many situations.
type LimitError struct{ Rule string }

func (e *LimitError) Error() string {
	return e.Rule + ": take fewer rounds, a smaller menu, or numbers ε and δ of which more are multiples of each other"
}

// graph is all that can happen.
type graph struct {
	Problem
	memories []Memory
	layers   []layer // by rounds played
	values   int     // the most values of a layer
	reach    int32   // the largest loss
	positive bool    // whether anything may be worth something
}

// layer is the memories after some rounds.
type layer struct {
	nodes []node
	size  int // of the values of all nodes
}

// node is a memory in a round. Losses from −reach to reach units are possible, in steps of stride: 2 if all ways there
// have a loss of the same parity, otherwise 1.
type node struct {
	memory int32
	span
	first int32 // where its values start
}

type span struct{ reach, stride int32 }

// count returns how many losses are possible.
func (s span) count() int { return 2*int(s.reach)/int(s.stride) + 1 }

// joined returns the span of losses that are in s or in o.
func (s span) joined(o span) span {
	stride := min(s.stride, o.stride)
	if (s.reach-o.reach)%2 != 0 {
		stride = 1
	}
	return span{max(s.reach, o.reach), stride}
}

// at returns the place of the value of a loss.
func (n node) at(loss int) int { return int(n.first) + (loss+int(n.reach))/int(n.stride) }

// newGraph goes through all that can happen.
func newGraph(ctx context.Context, p Problem) (*graph, error) {
	g := &graph{Problem: p}
	here, nodes := map[int32]span{0: {0, 2}}, 0 // by memory
	order := []int32{0}
	for t := 0; t <= p.Rounds && len(order) > 0; t++ {
		l, err := g.layerOf(ctx, t, order, here)
		if err != nil {
			return nil, err
		}
		g.layers = append(g.layers, l)
		if nodes += len(l.nodes); nodes > maxNodes {
			return nil, &LimitError{fmt.Sprintf("after %d rounds there have been more than %d memories, "+
				"counted in every round", t, maxNodes)}
		}
		if t < p.Rounds {
			order, here = g.follow(l)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// layerOf places the values of the memories after t rounds, of which those not met before are asked for.
func (g *graph) layerOf(ctx context.Context, t int, order []int32, spans map[int32]span) (l layer, err error) {
	for _, m := range order {
		for int(m) >= len(g.memories) {
			if len(g.memories) >= maxMemories {
				return l, &LimitError{fmt.Sprintf("after %d rounds the rule has had more than %d different memories",
					t, maxMemories)}
			}
			memory, err := g.Memory(int32(len(g.memories)))
			if err = cmp.Or(err, ctx.Err()); err != nil {
				return l, err
			}
			g.memories = append(g.memories, memory)
		}
		r, first := spans[m], l.size
		if l.size += r.count(); l.size > maxValues || int(r.reach) > maxUnits {
			return l, &LimitError{fmt.Sprintf("after %d rounds there are more than %d situations", t, maxValues)}
		}
		l.nodes = append(l.nodes, node{m, r, int32(first)})
		g.reach, g.values = max(g.reach, r.reach), max(g.values, l.size)
		g.note(m, int(r.reach))
	}
	return l, nil
}

// note notes whether something is worth something there.
func (g *graph) note(memory int32, reach int) {
	m := &g.memories[memory]
	if g.positive = g.positive || m.MayExceed <= reach || g.Stop != nil && g.Stop(reach).Hi > 0; g.positive {
		return
	}
	for _, s := range g.Steps {
		g.positive = g.positive || m.Next[s.UpPart] != Refused && s.Infinite.Hi > 0
	}
}

// follow returns the memories of the next round, and how far their losses reach.
func (g *graph) follow(l layer) (order []int32, spans map[int32]span) {
	spans = make(map[int32]span, len(l.nodes))
	for _, n := range l.nodes {
		for part, next := range g.memories[n.memory].Next {
			if next == Refused {
				continue
			}
			s := span{n.reach + int32(min(g.Units[part], maxUnits)), n.stride}
			before, met := spans[next]
			if !met {
				order = append(order, next)
				before = s
			}
			spans[next] = before.joined(s)
		}
	}
	return order, spans
}
