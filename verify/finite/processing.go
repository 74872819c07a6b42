package finite

import (
	"fmt"
	"iter"
	"strings"
)

// Processing are functions f_1, f_2, … of the outputs of mechanisms that run one after the other: from the
// earlier outputs of f to the function of the next output.
type Processing map[string]map[string]string

// Processings yields all functions of the outputs a, b of k mechanisms. The first one changes fastest.
func Processings(k int) iter.Seq[Processing] {
	functions := []map[string]string{{"a": "a", "b": "b"}, {"a": "b", "b": "a"}, {"a": "a", "b": "a"}, {"a": "b", "b": "b"}}
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
