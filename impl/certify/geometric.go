package certify

import "math"

// geometricBlock is how many numbers of a geometric sequence come from one exponential.
const geometricBlock = 64

// geometric sets dst[i] to e^(first + rate·i), and to the last of those within ±mostExponent where that is beyond. An
// exponential is a product of two of [exp], the first of the block's and that of a place in it. With E the largest
// |exponent|, which is that of the first or the last number, exponents are rounded five times, to numbers of at most
// 2·E, and the two exponentials and their product are off by 15 roundings: [geometricRounds] of E in all.
func geometric(dst []float64, first, rate float64) {
	var beside [geometricBlock]float64
	n := min(len(dst), geometricBlock)
	if math.Abs(rate)*geometricBlock > mostExponent {
		n = 1
	}
	for j := range beside[:n] {
		beside[j] = exp(rate * float64(j))
	}
	for i := 0; i < len(dst); i += n {
		block := dst[i:min(i+n, len(dst))]
		from, to := first+rate*float64(i), first+rate*float64(i+len(block)-1)
		if max(math.Abs(from), math.Abs(to)) > mostExponent {
			for j := range block {
				block[j] = exp(min(max(-mostExponent, first+rate*float64(i+j)), mostExponent))
			}
			continue
		}
		x := exp(from)
		for j := range block {
			block[j] = x * beside[j]
		}
	}
}

// geometricRounds bounds the roundings of a number of a geometric sequence of which the exponents are at most so large.
func geometricRounds(most float64) float64 { return 20 + 10*most }
