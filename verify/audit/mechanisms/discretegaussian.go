package mechanisms

import (
	"fmt"
	"math/big"

	"checkrr/impl/interval"
	"checkrr/impl/noise"
	"checkrr/verify/rat"
)

func discreteGaussian() Mechanism {
	return Mechanism{
		Name:     "discrete-gaussian",
		Title:    "discrete Gaussian mechanism for one count, drawn exactly",
		Source:   exactNoise,
		defaults: Params{Eps: one, Delta: big.NewRat(1, 1000), Noise: one},
		make:     discreteGaussianCase,
	}
}

// The largest variance is such that a law takes seconds at most, and the smallest is such that no loss is too large
// to be compared.
var smallestVariance, largestVariance = big.NewRat(1, 200_000), big.NewRat(10_000_000, 1)

// leastDiscreteDelta is far above 2^-150, by which probabilities of the discrete Gaussian are known.
var leastDiscreteDelta = new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(40), nil))

// discreteGaussianCase has f(x) = 0 or 1, with the variance of [discreteVariance].
func discreteGaussianCase(p Params) (*Case, error) {
	variance, err := discreteVariance(p)
	if err != nil {
		return nil, err
	}
	known := map[string]interval.Interval{}
	law := normalLaw{variance, one, func(x *big.Rat) (tail interval.Interval, err error) {
		tail, ok := known[x.RatString()]
		if !ok {
			tail, err = discreteGaussianAbove(x, variance)
			known[x.RatString()] = tail
		}
		return tail, err
	}}
	return law.dpCase(p, func(f int) program {
		return wholeProgram(func(n int, random noise.Random) ([]int64, error) {
			return noise.AppendDiscreteGaussian(nil, []int64{int64(f)}, variance, n, random)
		})
	}), nil
}

// discreteVariance returns that of [leastVariance], times the square of the factor on the noise.
func discreteVariance(p Params) (*big.Rat, error) {
	if err := p.someDelta(leastDiscreteDelta); err != nil {
		return nil, err
	}
	scale := mul(p.Noise, p.Noise)
	variance, err := leastVariance(p, func(variance *big.Rat) (interval.Interval, error) {
		if rat.Max(variance, mul(variance, scale)).Cmp(largestVariance) > 0 {
			return interval.Interval{}, fmt.Errorf("eps is %s, which takes a variance of more than %s with delta %s "+
				"and noise %s", shown(p.Eps), shown(largestVariance), shown(p.Delta), shown(p.Noise))
		}
		return noise.DiscreteGaussianDelta(1, variance, p.Eps)
	})
	if err != nil {
		return nil, err
	}
	if variance = mul(variance, scale); variance.Cmp(smallestVariance) < 0 {
		return nil, fmt.Errorf("noise is %s, which leaves a variance of less than %s with eps %s and delta %s",
			shown(p.Noise), shown(smallestVariance), shown(p.Eps), shown(p.Delta))
	}
	return variance, nil
}

// discreteGaussianAbove returns Pr[Y > k − 1/2] for the x = k − 1/2 > 0 that is given. The smallest δ at ε = 0 for
// answers 2k − 1 apart is Pr[|Y| < k].
func discreteGaussianAbove(x, variance *big.Rat) (interval.Interval, error) {
	apart := mul(x, whole(2)).Num().Int64()
	within, err := noise.DiscreteGaussianDelta(apart, variance, new(big.Rat))
	if err != nil {
		return interval.Interval{}, err
	}
	return normalBits.Half(normalBits.Max0(complement(within))), nil
}
