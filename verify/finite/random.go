package finite

import (
	"math/big"

	"checkrr/verify/register"
)

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

// RandomPartition returns a random partition of m outputs.
func RandomPartition(d register.Dice, m int) Partition {
	p, parts := make(Partition, m), 0
	for i := range p {
		p[i] = d.Roll(parts + 1)
		parts = max(parts, p[i]+1)
	}
	return p
}
