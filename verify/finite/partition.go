package finite

import (
	"iter"
	"math/big"
	"slices"
	"strings"

	"checkrr/verify/register"
)

// Partition says in which part each of the outputs a, b, c, … is. Parts are numbered from 0.
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

// Part returns the part that an output is in.
func (p Partition) Part(output string) int { return p[output[0]-'a'] }

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
