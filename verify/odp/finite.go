package odp

import (
	"checkrr/verify/rat"
	"fmt"
	"iter"
	"maps"
	"math/big"
	"slices"
	"strings"
)

// charges are the values that an e^ε or an e^ℰ takes in the checks.
var charges = []*big.Rat{rat.One, big.NewRat(3, 2), big.NewRat(3, 1)}

// law is the distribution of an output: its names are a, b, c, …
type law = map[string]*big.Rat

// pair are the laws of a mechanism on two neighbouring databases.
type pair [2]law

func (p pair) String() string {
	return fmt.Sprintf("P0 = (%s), P1 = (%s)", showLaw(p[0]), showLaw(p[1]))
}

func showLaw(l law) string {
	var text []string
	for _, output := range sorted(l) {
		text = append(text, output+": "+rat.Show(l[output]))
	}
	return strings.Join(text, ", ")
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// laws yields all laws over m outputs with probabilities that are multiples of 1/d.
func laws(m, d int) iter.Seq[law] {
	return func(yield func(law) bool) {
		counts := make([]int, m)
		var fill func(i, left int) bool
		fill = func(i, left int) bool {
			if i == m-1 {
				counts[i] = left
				l := law{}
				for j, c := range counts {
					l[name(j)] = big.NewRat(int64(c), int64(d))
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

// pairs yields all pairs of laws over m outputs with probabilities that are multiples of
// 1/d, smaller ones first: fewer parts of a unit, then fewer outputs.
func pairs(m, d int) iter.Seq[pair] {
	return func(yield func(pair) bool) {
		for unit := 1; unit <= d; unit++ {
			for n := 1; n <= m; n++ {
				if (unit < d || n < m) && d%unit != 0 {
					continue
				}
				for l0 := range laws(n, unit) {
					for l1 := range laws(n, unit) {
						if !yield(pair{l0, l1}) {
							return
						}
					}
				}
			}
		}
	}
}

func name(i int) string { return string(rune('a' + i)) }

// partition says in which part each of the outputs a, b, c, … is.
type partition []int

// partitions yields all partitions of m outputs, the coarsest first. Parts are numbered
// in the order of their first outputs.
func partitions(m int) iter.Seq[partition] {
	return func(yield func(partition) bool) {
		p := make(partition, m)
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

func (p partition) part(output string) int { return p[output[0]-'a'] }

// singletons is the partition of m outputs into parts of one.
func singletons(m int) partition {
	p := make(partition, m)
	for i := range p {
		p[i] = i
	}
	return p
}

// count returns the number of parts.
func (p partition) count() int { return slices.Max(p) + 1 }

func (p partition) String() string {
	parts := make([]string, p.count())
	for i, k := range p {
		parts[k] += name(i)
	}
	return "parts {" + strings.Join(parts, "}, {") + "}"
}

// charge returns e^ℰ, given by the number of the part.
func (p partition) charge(expE func(k int) *big.Rat) []*big.Rat {
	var e []*big.Rat
	for k := range p.count() {
		e = append(e, expE(k))
	}
	return e
}

// charges yields all e^ℰ with values in [charges].
func (p partition) charges() iter.Seq[[]*big.Rat] {
	return func(yield func([]*big.Rat) bool) {
		n := p.count()
		for code := range pow(len(charges), n) {
			e := p.charge(func(k int) *big.Rat { return charges[code/pow(len(charges), k)%len(charges)] })
			if !yield(e) {
				return
			}
		}
	}
}

func pow(base, exponent int) int {
	result := 1
	for range exponent {
		result *= base
	}
	return result
}

// delta returns Σ max(0, Pr_0 − e^ℰ Pr_1), the smallest δ of ODP in one direction. It is
// spec.SmallestDelta for laws with too many outputs to go through all sets of them.
func delta(law0, law1 law, expE func(output string) *big.Rat) *big.Rat {
	total := new(big.Rat)
	for output, p0 := range law0 {
		excess := new(big.Rat).Set(p0)
		if p1 := law1[output]; p1 != nil {
			excess.Sub(excess, rat.Mul(expE(output), p1))
		}
		if excess.Sign() > 0 {
			total.Add(total, excess)
		}
	}
	return total
}

// deltaBothWays is the larger of both directions.
func deltaBothWays(p pair, expE func(output string) *big.Rat) *big.Rat {
	return rat.Max(delta(p[0], p[1], expE), delta(p[1], p[0], expE))
}
