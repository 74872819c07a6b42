// Package finite has the finite mechanisms that the checks of all papers go through: laws over a few named
// outputs with rational probabilities, all of them up to a size or random ones; partitions of the outputs;
// mechanisms that run one after the other, and criteria for stopping early; pipelines; menus that an adversary
// chooses from, and the laws of what it sees; functions of outputs, and those of randomized response that every
// (ε, δ)-DP mechanism is. It has the grids of parameters that checks go through, and claims about their places.
//
// The neighbouring databases are 0 and 1. The outputs of enumerated laws are a, b, c, ….
package finite

import (
	"fmt"
	"iter"
	"maps"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"checkrr/verify/rat"
	"checkrr/verify/register"
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

// Map returns the law of f(o), where o has the law l. It panics if f leaves out an output.
func (l Law) Map(f map[string]string) Law {
	out := Law{}
	for output, pr := range l {
		image, isThere := f[output]
		if !isThere {
			panic(fmt.Sprintf("the function has nothing for the output %q of the law %v", output, l))
		}
		out.Add(image, pr)
	}
	return out
}

// Pair are the laws of a mechanism on two neighbouring databases.
type Pair [2]Law

// PairOf returns the pair of two laws.
func PairOf(laws [2]map[string]*big.Rat) Pair { return Pair{laws[0], laws[1]} }

// Pairs yields all pairs of laws over up to m outputs with probabilities that are multiples of 1/d, smaller
// ones first: fewer parts of a unit, then fewer outputs. Some come more than once.
func Pairs(m, d int) iter.Seq[Pair] {
	var sizes [][2]int // in units of 1/unit, over n outputs
	for unit := 1; unit <= d; unit++ {
		for n := 1; n <= m; n++ {
			if d%unit == 0 {
				sizes = append(sizes, [2]int{n, unit})
			}
		}
	}
	return inTurn(slices.Values(sizes), func(size [2]int) iter.Seq[Pair] { return PairsOf(Laws(size[0], size[1])) })
}

// PairsOf yields all pairs of some laws.
func PairsOf(laws iter.Seq[Law]) iter.Seq[Pair] {
	return inTurn(laws, func(l0 Law) iter.Seq[Pair] {
		return mapped(laws, func(l1 Law) Pair { return Pair{l0, l1} })
	})
}

func (p Pair) String() string { return fmt.Sprintf("P0 = (%v), P1 = (%v)", p[0], p[1]) }

// Equal reports whether the laws are the same, with the same outputs.
func (p Pair) Equal(q Pair) bool {
	return maps.EqualFunc(p[0], q[0], rat.Equal) && maps.EqualFunc(p[1], q[1], rat.Equal)
}

// Outputs returns the names of the outputs of either law, in their order.
func (p Pair) Outputs() []string { return slices.Sorted(p.outputs) }

func (p Pair) outputs(yield func(output string) bool) {
	for b, law := range p {
		for output := range law {
			if b == 1 && p[0][output] != nil {
				continue
			}
			if !yield(output) {
				return
			}
		}
	}
}

// Dense returns the probabilities of the outputs of either law, in one order.
func (p Pair) Dense() (law0, law1 []*big.Rat) {
	for _, o := range p.Outputs() {
		law0, law1 = append(law0, p[0].Pr(o)), append(law1, p[1].Pr(o))
	}
	return law0, law1
}

// Back is the pair for the databases exchanged.
func (p Pair) Back() Pair { return Pair{p[1], p[0]} }

// Possible leaves out what has probability 0 under both laws.
func (p Pair) Possible() Pair {
	out := Pair{{}, {}}
	for output := range p.outputs {
		if p[0].Pr(output).Sign() > 0 || p[1].Pr(output).Sign() > 0 {
			out[0][output], out[1][output] = p[0].Pr(output), p[1].Pr(output)
		}
	}
	return out
}

// Delta returns Σ max(0, Pr_0 − e^ℰ Pr_1), the smallest δ of ODP in one direction, and with a [Constant] charge
// that of DP. It is spec.SmallestDelta for laws with too many outputs to go through all sets of them.
func (p Pair) Delta(expE func(output string) *big.Rat) *big.Rat {
	total := new(big.Rat)
	for output, pr := range p[0] {
		excess := new(big.Rat).Set(pr)
		if other := p[1][output]; other != nil {
			excess.Sub(excess, rat.Mul(expE(output), other))
		}
		if excess.Sign() > 0 {
			total.Add(total, excess)
		}
	}
	return total
}

// DeltaBothWays is the larger [Pair.Delta] of both directions.
func (p Pair) DeltaBothWays(expE func(output string) *big.Rat) *big.Rat {
	return rat.Max(p.Delta(expE), p.Back().Delta(expE))
}

// Constant charges every output the same e^ε.
func Constant(expEps *big.Rat) func(output string) *big.Rat {
	return func(string) *big.Rat { return expEps }
}

// Random returns a random law over m outputs. The weights of outputs are up to most; some may be 0.
func Random(d register.Dice, m, most int) Law {
	weights, sum := make([]int64, m), int64(0)
	for i := range weights {
		weights[i] = int64(d.Roll(most + 1))
	}
	weights[d.Roll(m)]++
	for _, w := range weights {
		sum += w
	}
	l := Law{}
	for i, w := range weights {
		l[Name(i)] = big.NewRat(w, sum)
	}
	return l
}

// RandomPair returns two random laws: see [Random].
func RandomPair(d register.Dice, m, most int) Pair {
	return Pair{Random(d, m, most), Random(d, m, most)}
}

// Partition says in which part each of the outputs a, b, c, … is, in this order, and of no others. Parts are numbered
// from 0. Where outputs have names of their own, [Pair.DeltaBothWays] takes what each is charged, by its name.
type Partition []int

// Partitions yields all partitions of m outputs, the coarsest first. Parts are numbered in the order of their
// first outputs.
func Partitions(m int) iter.Seq[Partition] {
	return func(yield func(Partition) bool) {
		p := make(Partition, m)
		var fill func(i, parts int) bool
		fill = func(i, parts int) bool {
			if i == m {
				return yield(slices.Clone(p))
			}
			for k := range parts + 1 {
				p[i] = k
				if !fill(i+1, max(parts, k+1)) {
					return false
				}
			}
			return true
		}
		fill(0, 0)
	}
}

// Singletons is the partition of m outputs into parts of one.
func Singletons(m int) Partition {
	p := make(Partition, m)
	for i := range p {
		p[i] = i
	}
	return p
}

// Part returns the part that an output is in. It panics if that is not one of a, b, c, ….
func (p Partition) Part(output string) int {
	first, _ := utf8.DecodeRuneInString(output)
	if i := int(first - 'a'); i >= 0 && i < len(p) && Name(i) == output {
		return p[i]
	}
	panic(fmt.Sprintf("the output %q is in no part, must be one of the %d outputs %s to %s that the partition is of",
		output, len(p), Name(0), Name(len(p)-1)))
}

// Count returns the number of parts.
func (p Partition) Count() int { return slices.Max(p) + 1 }

func (p Partition) String() string {
	parts := make([]string, p.Count())
	for i, k := range p {
		parts[k] += Name(i)
	}
	return "parts {" + strings.Join(parts, "}, {") + "}"
}

// Charge returns e^ℰ of all parts, given by the number of the part.
func (p Partition) Charge(expE func(k int) *big.Rat) []*big.Rat {
	var e []*big.Rat
	for k := range p.Count() {
		e = append(e, expE(k))
	}
	return e
}

// Charges yields all e^ℰ of the parts with the given values.
func (p Partition) Charges(values []*big.Rat) iter.Seq[[]*big.Rat] { return Tuples(values, p.Count()) }

// RandomPartition returns a random partition of m outputs.
func RandomPartition(d register.Dice, m int) Partition {
	p, parts := make(Partition, m), 0
	for i := range p {
		p[i] = d.Roll(parts + 1)
		parts = max(parts, p[i]+1)
	}
	return p
}
