package finite

import (
	"cmp"
	"iter"
	"maps"
	"math/big"
	"slices"
	"strings"

	"checkrr/verify/rat"
)

// Tree is a composition of mechanisms of which each may depend on the outputs of those before it: from the
// earlier outputs, one letter each, to the laws of the next one.
type Tree map[string]Pair

// Independent returns the tree of mechanisms that do not depend on earlier outputs.
func Independent(mechanisms ...Pair) Tree {
	c, ends := Tree{}, []string{""}
	for _, m := range mechanisms {
		var longer []string
		for _, s := range ends {
			c[s] = m
			for _, output := range m[0].Outputs() {
				longer = append(longer, s+output)
			}
		}
		ends = longer
	}
	return c
}

// Trees yields all trees with some of the mechanisms after the given earlier outputs. The mechanism after the
// first of them changes fastest.
func Trees(mechanisms []Pair, earlier ...string) iter.Seq[Tree] {
	return assignments[Tree](mechanisms, earlier)
}

// Earlier returns the sequences of outputs a and b that may come before one of k mechanisms, short ones first.
func Earlier(k int) []string {
	all := []string{""}
	for i := 0; len(all) < 1<<k-1; i++ {
		all = append(all, all[i]+"a", all[i]+"b")
	}
	return all
}

func (c Tree) String() string {
	var text []string
	for _, s := range shortFirst(c) {
		if s == "" {
			text = append(text, "first "+c[s].String())
		} else {
			text = append(text, "after "+s+" "+c[s].String())
		}
	}
	return strings.Join(text, "; ")
}

// shortFirst returns the keys by length, and then by letters.
func shortFirst[V any](m map[string]V) []string {
	return slices.SortedFunc(maps.Keys(m), func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
}

// Law returns the law of all outputs under a criterion: sequences that end where it stops, or where no mechanism
// follows.
func (c Tree) Law(h Criterion) Pair {
	out := Pair{{}, {}}
	var from func(s string, reached [2]*big.Rat)
	from = func(s string, reached [2]*big.Rat) {
		next, goesOn := c[s]
		if !goesOn {
			out[0][s], out[1][s] = reached[0], reached[1]
			return
		}
		if stop := h[s]; stop != nil && stop.Sign() > 0 {
			out[0][s], out[1][s] = rat.Mul(reached[0], stop), rat.Mul(reached[1], stop)
			reached = [2]*big.Rat{rat.Sub(reached[0], out[0][s]), rat.Sub(reached[1], out[1][s])}
			if stop.Cmp(rat.One) == 0 {
				return
			}
		}
		for o := range next[0] {
			from(s+o, [2]*big.Rat{rat.Mul(reached[0], next[0][o]), rat.Mul(reached[1], next[1][o])})
		}
	}
	from("", [2]*big.Rat{rat.One, rat.One})
	return out
}

// First returns the laws of the first k outputs.
func (c Tree) First(k int) Pair {
	first := Tree{}
	for s, laws := range c {
		if len(s) < k {
			first[s] = laws
		}
	}
	return first.Law(nil)
}

// Needs returns the smallest δ_k with which the k-th mechanism is (ε, δ_k)-DP, whatever the earlier outputs are.
func (c Tree) Needs(k int, expEps *big.Rat) *big.Rat {
	needs := new(big.Rat)
	for s, laws := range c {
		if len(s) == k-1 {
			needs = rat.Max(needs, laws.DeltaBothWays(Constant(expEps)))
		}
	}
	return needs
}
