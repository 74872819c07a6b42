package num

import "math"

// GeometricBlock is how many numbers of a geometric sequence come from one exponential.
const GeometricBlock = 64

// Geometric sets dst[i] to e^(first + rate·i), and to the last of those within ±mostExponent where that is beyond. An
// exponential is a product of two of [Exp], the first of the block's and that of a place in it. With E the largest
// |exponent|, which is that of the first or the last number, exponents are rounded five times, to numbers of at most
// 2·E, and the two exponentials and their product are off by 15 roundings: [GeometricRounds] of E in all.
func Geometric(dst []float64, first, rate float64) {
	var beside [GeometricBlock]float64
	n := min(len(dst), GeometricBlock)
	if math.Abs(rate)*GeometricBlock > MostExponent {
		n = 1
	}
	for j := range beside[:n] {
		beside[j] = Exp(rate * float64(j))
	}
	for i := 0; i < len(dst); i += n {
		block := dst[i:min(i+n, len(dst))]
		from, to := first+rate*float64(i), first+rate*float64(i+len(block)-1)
		if max(math.Abs(from), math.Abs(to)) > MostExponent {
			for j := range block {
				block[j] = Exp(min(max(-MostExponent, first+rate*float64(i+j)), MostExponent))
			}
			continue
		}
		x := Exp(from)
		for j := range block {
			block[j] = x * beside[j]
		}
	}
}

// GeometricRounds bounds the roundings of a number of a geometric sequence of which the exponents are at most so large.
func GeometricRounds(most float64) float64 { return 20 + 10*most }
