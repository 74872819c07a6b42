package exhaustive

import (
	"context"
	"fmt"
	"math/big"
	"slices"
)

// The largest problem that [Criteria] accepts.
const (
	maxCriteriaMechanisms = 8
	maxCriteriaBits       = 20 // of the number of sequences of stopping criteria
)

// Criteria returns the maximum, over every sequence of deterministic stopping
// criteria h^[k_i]: {0,1,2,3}^(k_i) → {0,1}, i < n, of the smallest δ of the
// resulting mechanism: the sum of max(0, a − e_i·b) over its outputs. Nothing is
// said about which criteria are good; each one is run on every sequence.
//
// Source: Hartmann et al. (2022), Appendix C, eq. (12); ODP-E12.
// Also in the checks of ODP-E13 and ODP-X22.
// Symbols: h^[k_i](q) is a bit of a number, one bit for each i < n and q that occurs.
// Domain: every ε is given as e^ε, or is 0; at most 2^20 sequences of criteria and 8
// mechanisms. Result in [0, 1].
// Accuracy: exact.
// Deviation from print: h^[k_n], which eq. (12) uses but Algorithm 3 does not
// have, is 1 throughout.
// Cost: O(2^(4^(k_1) + … + 4^(k_(n−1))) · 4^(k_n)), with 2 for 4 in the exponent where
// δ_k = 0, on one processor.
func Criteria(ctx context.Context, p Pipeline) (*big.Rat, error) {
	t, err := newTree(p, rational{})
	if err != nil {
		return nil, fmt.Errorf("Criteria: %w", err)
	}
	c, err := newCriteria(p, t)
	if err != nil {
		return nil, fmt.Errorf("Criteria: %w", err)
	}
	worst := new(big.Rat)
	for h := range 1 << c.bits {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("Criteria: %w", err)
		}
		worst = t.number.max(worst, c.delta(h, 0, 0))
	}
	return worst, nil
}

// criteria numbers the sequences of criteria. A sequence q of length k has the
// index of its digits in base 4.
type criteria struct {
	tree  *tree[*big.Rat]
	parts [][]*big.Rat // by stop and index of q: max(0, a − e_i·b)
	bit   [][]int      // by stop but the last and index of q: its bit in h, or never
	bits  int          // bits in all
}

// never is the bit of a sequence that occurs neither with b = 0 nor with b = 1: no criterion is asked.
const never = -1

func newCriteria(p Pipeline, t *tree[*big.Rat]) (*criteria, error) {
	if k := len(p.Mechanisms); k > maxCriteriaMechanisms {
		return nil, fmt.Errorf("mechanisms: there are %d, must be at most %d", k, maxCriteriaMechanisms)
	}
	if i := slices.IndexFunc(p.Mechanisms, func(m Mechanism) bool { return m.Law != nil }); i >= 0 {
		return nil, fmt.Errorf("mechanism %d: a law is given, must be eps and delta", i+1)
	}
	c := &criteria{tree: t}
	for _, s := range p.Stops[:len(p.Stops)-1] {
		c.bit = append(c.bit, c.number(s.After))
	}
	if c.bits > maxCriteriaBits {
		return nil, fmt.Errorf("there are 2^%d sequences of criteria, must be at most %d", c.bits, 1<<maxCriteriaBits)
	}
	for i, s := range p.Stops {
		c.parts = append(c.parts, t.positiveParts(i, s.After))
	}
	return c, nil
}

// number gives the sequences of length k that occur a bit each.
func (c *criteria) number(k int) (bit []int) {
	for index := range 1 << (2 * k) {
		if q := c.tree.node(k, index); q.a.Sign() > 0 || q.b.Sign() > 0 {
			bit = append(bit, c.bits)
			c.bits++
		} else {
			bit = append(bit, never)
		}
	}
	return bit
}

// node returns the sequence of length k with an index, computed from its digits alone.
func (t *tree[T]) node(k, index int) node[T] {
	q := node[T]{t.number.rat(one), t.number.rat(one)}
	for j := range k {
		q = t.child(j, q, index>>(2*(k-1-j))&3)
	}
	return q
}

// positiveParts returns max(0, a − e_i·b) for every sequence of length k.
func (t *tree[T]) positiveParts(i, k int) []T {
	n := t.number
	var parts []T
	for index := range 1 << (2 * k) {
		q := t.node(k, index)
		parts = append(parts, n.max(n.sub(q.a, n.mul(t.expE[i], q.b)), t.zero))
	}
	return parts
}

// delta returns the sum of the positive parts over the outputs, under the
// criteria h, that begin with the sequence of length k with the given index.
func (c *criteria) delta(h, k, index int) *big.Rat {
	i := c.tree.stopAt[k]
	switch {
	case k == len(c.tree.responses):
		return c.parts[i][index]
	case i != noStop && c.bit[i][index] != never && h>>c.bit[i][index]&1 == 1:
		return c.parts[i][index]
	}
	sum := new(big.Rat)
	for z := range 4 {
		sum.Add(sum, c.delta(h, k+1, 4*index+z))
	}
	return sum
}
