package mechanisms

import (
	"cmp"
	"fmt"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/noise"
	"checkrr/verify/audit"
)

// normalBits is the precision of Gaussian probabilities.
const normalBits = interval.Precision(192)

func gaussians() []Mechanism {
	return []Mechanism{
		{
			Name: "gaussian", Title: "Gaussian mechanism for one count, with about the least variance; " + rounded,
			Source:   "AFD-U9, Balle and Wang 2018",
			defaults: Params{Eps: one, Delta: big.NewRat(1, 1000), Noise: one},
			make:     leastGaussianCase,
		},
		discreteGaussian(),
		{
			Name:     "gaussian-classical",
			Title:    "Gaussian mechanism with σ = √(2 ln(1.25/δ))/ε for a large ε; " + rounded,
			Source:   "AFD-T3.22",
			Wrong:    "the formula is for ε < 1",
			defaults: Params{Eps: whole(10), Delta: big.NewRat(1, 100_000)},
			make: smallGaussian(func(p Params) interval.Interval {
				sigma := impl.GaussianScale(one, p.Eps, p.Delta)
				return normalBits.Mul(sigma, sigma)
			}),
		},
		{
			Name: "gaussian-variance", Title: "Gaussian mechanism with the variance √(2 ln(1.25/δ))/ε; " + rounded,
			Source:   "AFD-T3.22",
			Wrong:    "the standard deviation is taken for the parameter, which is the variance",
			defaults: Params{Eps: one, Delta: big.NewRat(1, 100_000)},
			make: smallGaussian(func(p Params) interval.Interval {
				return impl.GaussianScale(one, p.Eps, p.Delta)
			}),
		},
		{
			Name:     "gaussian-printed",
			Title:    "Gaussian mechanism with the variance ln(1/δ)/ε; " + rounded,
			Source:   "AFD-X3",
			Wrong:    "the variance that is printed is too small",
			defaults: Params{Eps: big.NewRat(1, 10), Delta: big.NewRat(1, 100_000)},
			make: smallGaussian(func(p Params) interval.Interval {
				return impl.GaussianVariance(one, p.Delta, p.Eps)
			}),
		},
	}
}

// leastGaussianCase has the variance of [leastVariance].
func leastGaussianCase(p Params) (*Case, error) {
	if err := p.someDelta(leastTestDelta); err != nil {
		return nil, err
	}
	variance, err := leastVariance(p,
		func(variance *big.Rat) (interval.Interval, error) { return gaussianDelta(p, variance), nil })
	if err != nil {
		return nil, err
	}
	return gaussianCase(p, mul(variance, mul(p.Noise, p.Noise))), nil
}

// leastVariance returns a variance with which the claim is true: needed bounds the smallest δ for a variance, which
// falls as that grows. It is at most a thousandth above the least, and has few digits, with which whole numbers are
// drawn fast.
func leastVariance(p Params, needed func(variance *big.Rat) (interval.Interval, error)) (*big.Rat, error) {
	var failed error
	enough := func(variance *big.Rat) bool {
		delta, err := needed(variance)
		failed = cmp.Or(failed, err)
		return err == nil && !exceeds(delta.Upper, p.Delta)
	}
	const steps = 10
	double, high := whole(2), one
	for failed == nil && !enough(high) {
		high = mul(high, double)
	}
	low := quo(high, double)
	for ; failed == nil && enough(low); low = quo(low, double) {
		high = low
	}
	for range steps {
		if middle := quo(add(low, high), double); enough(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high, failed
}

// someDelta refuses a claim without δ, or with less.
func (p Params) someDelta(least *big.Rat) error {
	switch {
	case p.Delta.Sign() == 0:
		return fmt.Errorf("delta is 0, must be more than 0: Gaussian noise has losses of any size")
	case p.Delta.Cmp(least) < 0:
		return fmt.Errorf("delta is %s, must be at least %s", shown(p.Delta), shown(least))
	}
	return nil
}

// gaussianDelta returns the smallest δ for Gaussian noise.
func gaussianDelta(p Params, variance *big.Rat) interval.Interval {
	return impl.GaussianDelta(one, normalBits.Sqrt(normalBits.Rat(variance)), p.Eps)
}

// exceeds reports whether x > r.
func exceeds(x *big.Float, r *big.Rat) bool {
	exact, _ := x.Rat(nil)
	return exact.Cmp(r) > 0
}

// smallGaussian makes the case of a variance that is too small, and is refused where it is not: at its upper end.
func smallGaussian(variance func(p Params) interval.Interval) func(p Params) (*Case, error) {
	return func(p Params) (*Case, error) {
		if err := p.someDelta(leastTestDelta); err != nil {
			return nil, err
		}
		_, v := variance(p).Rats()
		if !exceeds(gaussianDelta(p, v).Lower, p.Delta) {
			return nil, fmt.Errorf("eps is %s, must be one for which delta %s is too little: the claim is true",
				shown(p.Eps), shown(p.Delta))
		}
		return gaussianCase(p, v), nil
	}
}

// gaussianCase has f(x) = 0 or 1.
func gaussianCase(p Params, variance *big.Rat) *Case {
	b := float(variance)
	return gaussianLaw(variance).dpCase(p, func(f int) program {
		return func(n int, random noise.Random, s *audit.Sample) error {
			g := s.Group("", audit.Number)
			for range n {
				output, err := impl.GaussianMechanism([]float64{float64(f)}, b, random)
				if err != nil {
					return err
				}
				g.Add(round(output[0]))
			}
			return nil
		}
	})
}

func gaussianLaw(variance *big.Rat) normalLaw {
	sigma := normalBits.Sqrt(normalBits.Rat(variance))
	return normalLaw{variance, new(big.Rat).SetFloat64(grid), func(x *big.Rat) (interval.Interval, error) {
		return normalBits.NormalTail(normalBits.Quo(normalBits.Rat(x), sigma)), nil
	}}
}
