package program

import (
	"hash/maphash"
	"math"
)

// beginning is the first outputs of a reply, by hash.
type beginning []uint64

const (
	// longestBeginning is how many outputs are remembered.
	longestBeginning = 512
	// surprise is the −ln of the probability with which two beginnings may be the same by chance.
	surprise = 40
)

var hashSeed = maphash.MakeSeed()

// with returns the beginning with one output more, unless it is long enough.
func (b beginning) with(output []byte) beginning {
	if len(b) == longestBeginning {
		return b
	}
	return append(b, maphash.Bytes(hashSeed, output))
}

// repeats reports whether two replies begin with the same outputs, and too many of them for
// chance: if outputs are drawn independently, with the frequencies that they have here, the
// probability is (Σ p²)^n.
func (b beginning) repeats(c beginning) bool {
	n := min(len(b), len(c))
	count := map[uint64]float64{}
	for i := range n {
		if b[i] != c[i] {
			return false
		}
		count[b[i]]++
	}
	match := 0.0
	for _, k := range count {
		match += k * k / float64(n*n)
	}
	return -float64(n)*math.Log(match) > surprise
}
