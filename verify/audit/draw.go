package audit

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// normalFrom is the variance from which on a binomial law is taken for a normal one, with its skewness.
const normalFrom = 30

// binomial returns how many of n events with probability p come.
//
// Accuracy: exact but for rounding up to a variance of normalFrom. Beyond it, a quantile is off by about
// 0.1 at three standard deviations: it is for imagined games only.
// Cost: O(1 + variance) time.
func binomial(n int, p float64, source *rand.Rand) int {
	switch {
	case n == 0 || p <= 0:
		return 0
	case p >= 1:
		return n
	case p == 0.5 && n <= 64:
		return bits.OnesCount64(source.Uint64() >> (64 - n))
	case p > 0.5:
		return n - binomial(n, 1-p, source)
	}
	mean := float64(n) * p
	if variance := mean * (1 - p); variance > normalFrom {
		z := source.NormFloat64()
		x := mean + math.Sqrt(variance)*z + (1-2*p)*(z*z-1)/6 // Cornish and Fisher (1937)
		return min(n, max(0, int(math.Round(x))))
	}
	// One uniform number goes down the probabilities of 0, 1, …
	odds := p / (1 - p)
	u, chance := source.Float64(), math.Exp(float64(n)*math.Log1p(-p))
	k := 0
	for u > chance && k < n {
		u -= chance
		chance *= odds * float64(n-k) / float64(k+1)
		k++
		if chance == 0 { // rounding
			break
		}
	}
	return k
}

// multinomial returns how often each cell comes in n draws.
func multinomial(n int, p []float64, source *rand.Rand) []int {
	counts := make([]int, len(p))
	left := 1.0
	for i, x := range p {
		if i == len(p)-1 {
			counts[i] = n
			break
		}
		counts[i] = binomial(n, min(1, x/max(left, x)), source)
		n -= counts[i]
		left -= x
	}
	return counts
}

// thinned returns counts of outputs of which so many of so many are kept.
func thinned(counts [2][]int, all, kept int, source *rand.Rand) [2][]int {
	var few [2][]int
	for side := range counts {
		for _, n := range counts[side] {
			few[side] = append(few[side], binomial(n, float64(kept)/float64(all), source))
		}
	}
	return few
}
