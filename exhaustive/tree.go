package exhaustive

import (
	"context"
	"fmt"
	"math/big"
	"slices"
)

// tree is the tree of all sequences of outputs, over {0,1,2,3} without laws, up to the length k_n, with
// what it takes to compute V(q) for each.
type tree[T any] struct {
	number    arithmetic[T]
	responses [][2][]T // by mechanism: Pr(M̃(b) = z) at [b][z], ODP-L12, or what its law says
	expE      []T      // by stop: e^ℰ(P_i)
	stopAt    []int    // by length, from 0 to k_n: the index of the stop, or noStop
	zero      T
}

// node holds P_0(q) and P_1(q) of a sequence q.
type node[T any] struct {
	a, b T
}

const noStop = -1

func newTree[T any](p Pipeline, number arithmetic[T]) (*tree[T], error) {
	if err := p.validate(); err != nil {
		return nil, err
	}
	t := &tree[T]{number: number, zero: number.rat(new(big.Rat))}
	for k, m := range p.Mechanisms {
		response, err := t.response(m)
		if err != nil {
			return nil, fmt.Errorf("mechanism %d: %w", k+1, err)
		}
		t.responses = append(t.responses, response)
	}
	t.stopAt = slices.Repeat([]int{noStop}, len(p.Mechanisms)+1)
	for i, s := range p.Stops {
		expE, err := number.exp(s.Eps)
		if err != nil {
			return nil, fmt.Errorf("stop %d: %w", i+1, err)
		}
		t.expE = append(t.expE, expE)
		t.stopAt[s.After] = i
	}
	return t, nil
}

// response returns the table of ODP-L12, or that of a law.
func (t *tree[T]) response(m Mechanism) (table [2][]T, err error) {
	n := t.number
	if m.Law != nil {
		for b, law := range m.laws() {
			for _, x := range law {
				table[b] = append(table[b], n.rat(x))
			}
		}
		return table, nil
	}
	expEps, err := n.exp(m.Eps)
	if err != nil {
		return table, err
	}
	delta, rest := n.rat(m.Delta), n.rat(new(big.Rat).Sub(one, m.Delta))
	unlikely := n.quo(rest, n.add(n.rat(one), expEps))
	likely := n.mul(expEps, unlikely)
	return [2][]T{
		{delta, likely, unlikely, t.zero},
		{t.zero, unlikely, likely, delta},
	}, nil
}

// root is the empty sequence.
func (t *tree[T]) root() node[T] { return node[T]{t.number.rat(one), t.number.rat(one)} }

// walk visits every sequence once and returns what it found.
//
// The nodes at a certain depth are the roots of subtrees, and any worker takes
// any subtree; the rest is put together afterwards, in the order of the nodes.
func (t *tree[T]) walk(ctx context.Context, workers int, progress func(float64)) (Values[T], error) {
	levels := t.top(splitDepth(len(t.responses)))
	depth := len(levels) - 1
	values, singles := make([]T, len(levels[depth])), make([][]T, len(levels[depth]))
	err := inParallel(ctx, workers, len(values), progress, func(i int) {
		singles[i] = t.zeros()
		values[i] = t.value(depth, levels[depth][i], singles[i])
	})
	if err != nil {
		return Values[T]{}, err
	}
	single := t.zeros()
	for i := range single {
		for _, s := range singles {
			single[i] = t.number.add(single[i], s[i])
		}
	}
	for k := depth - 1; k >= 0; k-- {
		n := len(t.responses[k][0])
		for j, q := range levels[k] {
			values[j] = t.settle(k, q, t.sum(values[n*j:n*j+n]), single)
		}
	}
	return Values[T]{OptDel: values[0], Single: single, Lemma11: t.sum(single)}, nil
}

// splitDepth returns the length of the sequences at which a tree of depth k is
// cut into subtrees: many and small, for even work and quick cancellation, but
// not so small that handing them out costs more than walking them.
func splitDepth(k int) int { return min(k/2, 6) }

// top returns the nodes of the lengths 0, …, depth.
func (t *tree[T]) top(depth int) [][]node[T] {
	levels := [][]node[T]{{t.root()}}
	for k := range depth {
		var next []node[T]
		for _, q := range levels[k] {
			for z := range t.responses[k][0] {
				next = append(next, t.child(k, q, z))
			}
		}
		levels = append(levels, next)
	}
	return levels
}

// child returns the node of the sequence qz, where q has the length k.
func (t *tree[T]) child(k int, q node[T], z int) node[T] {
	r := &t.responses[k]
	return node[T]{t.number.mul(q.a, r[0][z]), t.number.mul(q.b, r[1][z])}
}

// value returns V(q) of a sequence q of length k, and adds its subtree's
// positive parts to single.
func (t *tree[T]) value(k int, q node[T], single []T) T {
	onward := t.zero
	if k < len(t.responses) {
		for z := range t.responses[k][0] {
			onward = t.number.add(onward, t.value(k+1, t.child(k, q, z), single))
		}
	}
	return t.settle(k, q, onward, single)
}

// settle returns V(q) of a sequence q of length k, given onward = Σ_z V(qz), or
// 0 at the end, and adds its positive part to single.
func (t *tree[T]) settle(k int, q node[T], onward T, single []T) T {
	i := t.stopAt[k]
	if i == noStop {
		return onward
	}
	n, bracket := t.number, t.bracket(i, q)
	single[i] = n.add(single[i], n.max(bracket, t.zero))
	return n.max(bracket, onward)
}

// bracket returns a − e_i·b.
func (t *tree[T]) bracket(i int, q node[T]) T { return t.number.sub(q.a, t.number.mul(t.expE[i], q.b)) }

func (t *tree[T]) zeros() []T { return slices.Repeat([]T{t.zero}, len(t.expE)) }

func (t *tree[T]) sum(terms []T) T {
	sum := t.zero
	for _, term := range terms {
		sum = t.number.add(sum, term)
	}
	return sum
}
