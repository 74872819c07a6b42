package finite

import (
	"cmp"
	"fmt"
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

// Independent returns the tree of mechanisms that do not depend on earlier outputs. It panics if an output is not one
// letter.
func Independent(mechanisms ...Pair) Tree {
	c, ends := Tree{}, []string{""}
	for _, m := range mechanisms {
		var longer []string
		for _, s := range ends {
			c[s] = m
			for _, output := range m.Outputs() {
				if len(output) != 1 {
					panic(fmt.Sprintf("the output %q of a mechanism in a tree must be one letter, such as a", output))
				}
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
	return slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		return cmp.Or(len(a)-len(b), strings.Compare(a, b))
	})
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
		for o := range next.outputs {
			from(s+o, [2]*big.Rat{rat.Mul(reached[0], next[0].Pr(o)), rat.Mul(reached[1], next[1].Pr(o))})
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

// Criterion is a criterion for stopping early: from the outputs so far to the probability of stopping there. It
// goes on after those that are not there.
type Criterion map[string]*big.Rat

// The probabilities of deterministic and of randomized criteria.
var (
	Deterministic = []*big.Rat{new(big.Rat), rat.One}
	Randomized    = []*big.Rat{new(big.Rat), rat.One, rat.Half}
)

// Criteria yields all criteria on the given sequences of outputs, with the given probabilities.
func Criteria(probabilities []*big.Rat, sequences []string) iter.Seq[Criterion] {
	return assignments[Criterion](probabilities, sequences)
}

func (h Criterion) String() string {
	var surely, maybe []string
	for _, s := range h.sequences() {
		switch {
		case h[s].Cmp(rat.One) == 0:
			surely = append(surely, s)
		case h[s].Sign() > 0:
			maybe = append(maybe, fmt.Sprintf("%s (with probability %s)", s, rat.Show(h[s])))
		}
	}
	if surely == nil && maybe == nil {
		return "never stop"
	}
	return "stop if the output is " + strings.Join(append(surely, maybe...), " or ")
}

func (h Criterion) sequences() []string { return slices.Sorted(maps.Keys(h)) }

// Drawn yields the deterministic criteria that h can turn out to be, if it flips its coins beforehand, and their
// probabilities.
func (h Criterion) Drawn() iter.Seq2[Criterion, *big.Rat] {
	return func(yield func(Criterion, *big.Rat) bool) {
		for g := range Criteria(Deterministic, h.sequences()) {
			weight := rat.One
			for s, p := range h {
				if g[s].Sign() == 0 {
					p = rat.Complement(p)
				}
				weight = rat.Mul(weight, p)
			}
			if weight.Sign() > 0 && !yield(g, weight) {
				return
			}
		}
	}
}

// Processing are functions f_1, f_2, … of the outputs of mechanisms that run one after the other: from the
// earlier outputs of f to the function of the next output.
type Processing map[string]map[string]string

// Processings yields all functions of the outputs a, b of k mechanisms. The first one changes fastest.
func Processings(k int) iter.Seq[Processing] {
	functions := []map[string]string{{"a": "a", "b": "b"}, {"a": "b", "b": "a"},
		{"a": "a", "b": "a"}, {"a": "b", "b": "b"}}
	return assignments[Processing](functions, Earlier(k))
}

func (f Processing) String() string {
	var text []string
	for _, v := range shortFirst(f) {
		name := fmt.Sprintf("f_%d", len(v)+1)
		if v != "" {
			name += " after " + v
		}
		text = append(text, fmt.Sprintf("%s: a ↦ %s, b ↦ %s", name, f[v]["a"], f[v]["b"]))
	}
	return strings.Join(text, "; ")
}

// Of returns f of a sequence of outputs.
func (f Processing) Of(s string) string {
	var v string
	for _, o := range s {
		v += f[v][string(o)]
	}
	return v
}

// Apply returns the tree of f_k ∘ M_k. M_k gets the outputs before it, which are now those of f.
func (f Processing) Apply(c Tree) Tree {
	out := Tree{}
	for v, laws := range c {
		out[v] = Pair{laws[0].Map(f[v]), laws[1].Map(f[v])}
	}
	return out
}
