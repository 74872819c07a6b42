package selection

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/big"

	"checkrr/impl/internal/check"
	"checkrr/impl/internal/rational"
	"checkrr/impl/interval"
	"checkrr/impl/noise"
)

// Odds returns Φ(x) = x/(1 − x).
//
// Source: Liu and Talwar (2019), Section 4.1; PSC-X10.
// Also in the checks of PSC-X11, PSC-C4.2b, PSC-C4.2c and PSC-C4.2d.
// Symbols: x.
// Domain: x in [0, 1).
// Accuracy: exact.
// Deviation from print: none.
// Cost: O(1).
func Odds(x *big.Rat) *big.Rat { return new(big.Rat).Quo(x, complement(x)) }

// PercentileSparse returns ⊥ for queries until one has the probability p_* to exceed its threshold, or about: true
// for ⊤ and false for ⊥. It is told the probabilities, and makes the draws of spec.PercentileSparse in the same
// order.
//
// It compares logarithms, ξ_i + ln Φ(p) > ν + ln Φ(p_*): a sparse vector technique with queries of sensitivity 2ε_1.
//
// Source: Liu and Talwar (2019), Section 4.1, the sparse vector technique for percentiles; PSC-A4. Also in the check
// of PSC-X11.
// Symbols and deviation from print: as for spec.PercentileSparse.
// Domain: p in [0, 1], p_* in (0, 1), ε_1 and ε_3 positive. That every Q_i is ε_1-DP is the analyst's word.
// Accuracy: float64. The guarantees are those of real numbers.
// Cost: as many queries as the analyst asks.
func PercentileSparse(next func(a []bool) (p float64, stop bool), pStar, eps1, eps3 float64,
	random noise.Source) (a []bool, err error) {
	err = cmp.Or(checkPercentile(pStar, eps1, eps3), check.NotNil("next", next), check.NotNil("random", random))
	if err != nil {
		return nil, fmt.Errorf("PercentileSparse: %w", err)
	}
	noisy := random.Laplace(4*eps1/eps3) + logOdds(pStar)
	for {
		p, stop := next(a)
		if stop {
			return a, nil
		}
		if !(p >= 0 && p <= 1) {
			return a, fmt.Errorf("PercentileSparse: query %d: p is %g, must be at least 0 and at most 1", len(a)+1, p)
		}
		isAbove := random.Laplace(8*eps1/eps3)+logOdds(p) > noisy
		if a = append(a, isAbove); isAbove {
			return a, nil
		}
	}
}

// checkPercentile refuses what no percentile mechanism takes.
func checkPercentile(pStar, eps1, eps3 float64) error {
	var err error
	if !(pStar > 0 && pStar < 1) {
		err = fmt.Errorf("p_* is %g, must be greater than 0 and less than 1", pStar)
	}
	return cmp.Or(err, check.Positive("ε_1", eps1), check.Positive("ε_3", eps3))
}

func logOdds(p float64) float64 { return math.Log(p) - math.Log1p(-p) }

// CountConstant returns C = 2(e^(ε_0 + ε_1) + 1 + e^(ε_0/2)).
//
// Source: Liu and Talwar (2019), Lemma 4.3; PSC-L4.3.
// Also in the checks of PSC-L4.3.s2, PSC-T4.4e and PSC-T4.6d.
// Symbols and deviation from print: as for spec.CountConstant.
// Domain: ε_0 in (0, 1), ε_1 positive.
// Accuracy: contains it; relative width about 2^-180.
// Cost: O(1).
func CountConstant(eps0, eps1 *big.Rat) interval.Interval {
	n := bits
	sum := n.Add(n.ExpRat(new(big.Rat).Add(eps0, eps1)), n.ExpRat(new(big.Rat).Mul(eps0, big.NewRat(1, 2))))
	return n.Mul(n.Int(2), n.Add(sum, n.Int(1)))
}

// CountOffset returns Δ = C·ln(2/δ_0)/(ε_0(e^(ε_0 + ε_1) − 1)): counts X and Y with E[X] ≤ e^ε_1·E[Y] have
// X + Δ ≥ e^(ε_0 + ε_1)(Y + Δ) with a probability of at most δ_0.
//
// Source: Liu and Talwar (2019), Lemma 4.3; PSC-L4.3.
// Also in the checks of PSC-T4.4a, PSC-T4.4.s3, PSC-T4.4.s7, PSC-T4.4.s10, PSC-T4.6a, PSC-T4.6.s1 and PSC-T4.6.s5.
// Symbols and deviation from print: as for spec.CountOffset.
// Domain: ε_0 in (0, 1), ε_1 positive.
// Accuracy: contains it; relative width about 2^-180 for ε that are not tiny.
// Cost: O(1).
func CountOffset(eps0, eps1, delta0 *big.Rat) interval.Interval {
	n := bits
	rise := n.Sub(n.ExpRat(new(big.Rat).Add(eps0, eps1)), n.Int(1))
	top := n.Mul(CountConstant(eps0, eps1), n.Log(new(big.Rat).Quo(big.NewRat(2, 1), delta0)))
	return n.Quo(top, n.Mul(n.Rat(eps0), rise))
}

// SmoothedOdds returns Φ^(N,Δ)(x) = (Nx + Δ)/(N(1 − x) + Δ).
//
// Source: Liu and Talwar (2019), Section 4.2; PSC-N10.
// Also in the checks of PSC-T4.4a, PSC-T4.4b1, PSC-T4.4c1, PSC-T4.4d, PSC-T4.4.s4, PSC-T4.4.s8 and PSC-T4.4.s9.
// Symbols and deviation from print: as for spec.SmoothedOdds.
// Domain: x in [0, 1], N ≥ 1, Δ ≥ 0.
// Accuracy: contains it, for every Δ of the interval.
// Cost: O(1).
func SmoothedOdds(x *big.Rat, count int, offset interval.Interval) interval.Interval {
	n, times := bits, new(big.Rat).SetInt64(int64(count))
	top := n.Add(n.Rat(new(big.Rat).Mul(times, x)), offset)
	return n.Quo(top, n.Add(n.Rat(times.Mul(times, complement(x))), offset))
}

// SampledPercentile are the parameters of [SampledPercentileSparse].
type SampledPercentile struct {
	PStar                   *big.Rat // p_*
	T, N                    int      // most queries, samples of each
	Eps0, Eps1, Eps3, Delta *big.Rat
}

// offset returns Δ.
func (with SampledPercentile) offset() interval.Interval {
	return CountOffset(with.Eps0, with.Eps1, shareOf(with.Delta, 4, with.T))
}

// SampledPercentileSparse is [PercentileSparse] that estimates the probabilities from samples. It makes the draws of
// spec.SampledPercentileSparse in the same order.
//
// Samples are counted, not kept. As p̃ = k/N, Φ^(N,Δ)(p̃) is (k + Δ)/(N − k + Δ).
//
// Source: Liu and Talwar (2019), Section 4.2, its sparse vector technique; PSC-A5.
// Symbols and deviation from print: as for spec.SampledPercentileSparse.
// Domain: p_* in (0, 1), T and N ≥ 1, ε_0 and δ in (0, 1), ε_1 and ε_3 positive: as in print, ε_1 may be 1 and more.
// That every Q_i is ε_1-DP is the analyst's word.
// Accuracy: float64. The guarantees are those of real numbers.
// Cost: NT draws.
func SampledPercentileSparse[X any](ctx context.Context, next func(a []bool) (q Candidate[X], tau float64, stop bool),
	with SampledPercentile, random noise.Source) (a []bool, err error) {
	counts := []count{{"T", with.T}, {"N", with.N}}
	err = cmp.Or(checkSampling(with.PStar, with.Eps0, with.Eps1, with.Eps3, with.Delta, counts...),
		check.NotNil("next", next), check.NotNil("random", random))
	if err != nil {
		return nil, fmt.Errorf("SampledPercentileSparse: %w", err)
	}
	n, offset := float64(with.N), with.offset().Float().Hi
	s := 2 * (rational.Float64(with.Eps1) + rational.Float64(with.Eps0)) / rational.Float64(with.Eps3)
	star := n * rational.Float64(with.PStar)
	noisy := random.Laplace(2*s) + math.Log((star+offset)/(n-star+offset))
	for len(a) < with.T {
		q, tau, stop := next(a)
		if stop {
			break
		}
		k := make([]int, 1)
		if err := tallyAbove(ctx, q, with.N, []float64{tau}, k); err != nil {
			return a, fmt.Errorf("SampledPercentileSparse: query %d: %w", len(a)+1, err)
		}
		estimate := float64(k[0])
		isAbove := random.Laplace(4*s)+math.Log((estimate+offset)/(n-estimate+offset)) >= noisy
		if a = append(a, isAbove); isAbove {
			break
		}
	}
	return a, nil
}

// count is a number of queries, thresholds or samples.
type count struct {
	name  string
	value int
}

// checkSampling refuses what no mechanism that estimates percentiles takes.
func checkSampling(pStar, eps0, eps1, eps3, delta *big.Rat, counts ...count) error {
	err := cmp.Or(checkShare("p_*", pStar), check.In("ε_0", eps0, "[1e-30, 1)"), check.Above0("ε_1", eps1),
		check.Above0("ε_3", eps3), checkShare("delta", delta))
	for _, c := range counts {
		err = cmp.Or(err, check.Between(c.name, c.value, 1, math.MaxInt))
	}
	return err
}

// checkShare refuses what is not between 0 and 1.
func checkShare(name string, x *big.Rat) error {
	err := check.Above0(name, x)
	if err == nil && x.Cmp(rational.One) >= 0 {
		err = fmt.Errorf("%s is %s, must be less than 1", name, rational.Decimal(x))
	}
	return err
}

// shareOf returns δ/(times·n).
func shareOf(delta *big.Rat, times int64, n int) *big.Rat {
	return new(big.Rat).Quo(delta, new(big.Rat).Mul(big.NewRat(times, 1), new(big.Rat).SetInt64(int64(n))))
}

// oneMore returns n + 1.
func oneMore(n int) *big.Rat {
	return new(big.Rat).Add(rational.One, new(big.Rat).SetInt64(int64(n)))
}

// tallyAbove draws n samples, and counts for each threshold those with at least that score.
func tallyAbove[X any](ctx context.Context, q Candidate[X], n int, taus []float64, above []int) error {
	for j := range n {
		s, err := q.run(ctx)
		if err != nil {
			return fmt.Errorf("run %d: %w", j+1, err)
		}
		for i, tau := range taus {
			if s.Score >= tau {
				above[i]++
			}
		}
	}
	return nil
}

// PercentileSamples returns the least N that is at least max{(e^ε_0·Δ/p_*), (e^ε_0·Δ/(1 − p_*))}·((T +
// 1)/β)^(6S/ε_3), as Theorem 4.4 asks.
//
// Source: Liu and Talwar (2019), proof of Theorem 4.4, (b) and (c); PSC-T4.4.s8, PSC-T4.4.s9.
// Also in the checks of PSC-T4.4b1, PSC-T4.4b2, PSC-T4.4c1, PSC-T4.4c2 and PSC-T4.4d.
// Symbols: as for spec.PercentileSamples.
// Domain: β in (0, 1).
// Accuracy: exact, or 1 more.
// Deviation from print: rounded up.
// Cost: O(1).
func PercentileSamples(with SampledPercentile, beta *big.Rat) *big.Int {
	n := bits
	s := new(big.Rat).Add(with.Eps0, with.Eps1)
	exponent := s.Quo(s.Mul(s, big.NewRat(12, 1)), with.Eps3)
	rare := rational.Min(with.PStar, complement(with.PStar))
	least := n.Quo(n.Mul(n.ExpRat(with.Eps0), with.offset()), n.Rat(rare))
	return ceiling(n.Mul(least, realPower(new(big.Rat).Quo(oneMore(with.T), beta), exponent)).Upper)
}

// realPower returns x^y for x > 0.
func realPower(x, y *big.Rat) interval.Interval {
	return bits.Exp(bits.Mul(bits.Rat(y), bits.Log(x)))
}
