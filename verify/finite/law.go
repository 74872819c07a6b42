// Package finite has the finite mechanisms that the checks of all papers go through: laws over a few named
// outputs with rational probabilities, all of them up to a size or random ones; partitions of the outputs;
// mechanisms that run one after the other, and criteria for stopping early; pipelines; menus that an adversary
// chooses from, and the laws of what it sees; functions of outputs, and those of randomized response that every
// (ε, δ)-DP mechanism is. It has the grids of parameters that checks go through, and claims about their places.
//
// The neighbouring databases are 0 and 1. The outputs of enumerated laws are a, b, c, ….
package finite

import (
	"iter"
	"maps"
	"math/big"
	"slices"
	"strings"

	"checkrr/verify/rat"
)

// Law is the distribution of an output, by its name. Outputs that are not there have probability 0.
type Law map[string]*big.Rat

// Name returns the name of the output number i: a, b, c, ….
func Name(i int) string { return string(rune('a' + i)) }

// Laws yields all laws over m outputs with probabilities that are multiples of 1/d.
func Laws(m, d int) iter.Seq[Law] {
	return func(yield func(Law) bool) {
		counts := make([]int, m)
		var fill func(i, left int) bool
		fill = func(i, left int) bool {
			if i == m-1 {
				counts[i] = left
				l := Law{}
				for j, c := range counts {
					l[Name(j)] = big.NewRat(int64(c), int64(d))
				}
				return yield(l)
			}
			for c := range left + 1 {
				counts[i] = c
				if !fill(i+1, left-c) {
					return false
				}
			}
			return true
		}
		fill(0, d)
	}
}

func (l Law) String() string {
	var text []string
	for _, output := range l.Outputs() {
		text = append(text, output+": "+rat.Show(l[output]))
	}
	return strings.Join(text, ", ")
}

// Outputs returns the names of the outputs, in their order.
func (l Law) Outputs() []string { return slices.Sorted(maps.Keys(l)) }

// Pr returns the probability of an output.
func (l Law) Pr(output string) *big.Rat {
	if pr := l[output]; pr != nil {
		return pr
	}
	return new(big.Rat)
}

// Add makes an output more probable by pr.
func (l Law) Add(output string, pr *big.Rat) { l[output] = rat.Add(l.Pr(output), pr) }

// Mass returns the sum of the probabilities: 1, unless l is a part of a law.
func (l Law) Mass() *big.Rat { return rat.Sum(slices.Collect(maps.Values(l))...) }

// Times returns x·l.
func (l Law) Times(x *big.Rat) Law { return Combine(x, l, x, nil) }

// Combine returns x·a + y·b.
func Combine(x *big.Rat, a Law, y *big.Rat, b Law) Law {
	out := Law{}
	for output, pr := range a {
		out[output] = rat.Mul(x, pr)
	}
	for output, pr := range b {
		out.Add(output, rat.Mul(y, pr))
	}
	return out
}

// Map returns the law of f(o), where o has the law l.
func (l Law) Map(f map[string]string) Law {
	out := Law{}
	for output, pr := range l {
		out.Add(f[output], pr)
	}
	return out
}
