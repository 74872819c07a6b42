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

// Search are the parameters of [ThresholdSearch].
type Search struct {
	PStar                         *big.Rat // p_*
	R, N                          int      // number of thresholds, of samples
	Eps0, Eps1, Eps3, Delta, Beta *big.Rat
}

// offset returns Δ.
func (with Search) offset() interval.Interval {
	return CountOffset(with.Eps0, with.Eps1, shareOf(with.Delta, 2, with.R))
}

// swing returns S/ε_3 for S = ε_1 + ε_0.
func (with Search) swing() *big.Rat {
	s := new(big.Rat).Add(with.Eps0, with.Eps1)
	return s.Quo(s, with.Eps3)
}

func (with Search) check(counts ...count) error {
	counts = append(counts, count{"R", with.R})
	return cmp.Or(checkSampling(with.PStar, with.Eps0, with.Eps1, with.Eps3, with.Delta, counts...),
		checkShare("beta", with.Beta))
}

// ThresholdSearch looks for the largest threshold that Q(D) reaches with a probability of p_* or not much less: of 1
// − 1/R, 1 − 2/R, …, 0. It makes the draws of spec.ThresholdSearch in the same order.
//
// Samples are counted, not kept, and logarithms are compared, as in [SampledPercentileSparse].
//
// Source: Liu and Talwar (2019), Section 4.3, its sparse vector technique; PSC-A6.
// Symbols and deviation from print: as for spec.ThresholdSearch.
// Domain: scores in [0, 1]; R and N ≥ 1, ε_0, δ, β and p_* in (0, 1), ε_1 and ε_3 positive: as in print, ε_1 may be 1
// and more.
// Accuracy: float64. The guarantees are those of real numbers.
// Cost: N draws, R counters.
func ThresholdSearch[X any](ctx context.Context, q Candidate[X], with Search,
	random noise.Source) (tau float64, isFound bool, err error) {
	if err := cmp.Or(with.check(count{"N", with.N}), check.NotNil("random", random)); err != nil {
		return 0, false, fmt.Errorf("ThresholdSearch: %w", err)
	}
	s, offset := rational.Float64(with.swing()), with.offset().Float().Hi
	lambda := rational.Float64(with.Eps0)/2 - 6*s*math.Log(rational.Float64(with.Beta))
	noisy := random.Laplace(2*s) - lambda + math.Log(float64(with.N)*rational.Float64(with.PStar)+offset)
	taus := make([]float64, with.R)
	for i := range taus {
		taus[i] = 1 - float64(i+1)/float64(with.R)
	}
	above := make([]int, with.R)
	if err := tallyAbove(ctx, q, with.N, taus, above); err != nil {
		return 0, false, fmt.Errorf("ThresholdSearch: %w", err)
	}
	for i, tau := range taus {
		if random.Laplace(4*s)+math.Log(float64(above[i])+offset) >= noisy {
			return tau, true, nil
		}
	}
	return 0, false, nil
}

// SearchSamples returns (3Δe^(ε_0/2)/p_*)·β^(−12S/ε_3)·(R + 1)^(6S/ε_3), rounded up: the N of Theorem 4.6.
//
// Source: Liu and Talwar (2019), proof of Theorem 4.6, eq. (1); PSC-T4.6.s3.
// Also in the checks of PSC-T4.6b, PSC-T4.6c, PSC-T4.6.s2, PSC-T4.6.s4, PSC-T1.4b, PSC-T4.7b, PSC-T1.4c, PSC-T1.4d,
// PSC-T4.7c1, PSC-T4.7c2 and PSC-T4.7d.
// Symbols: as for spec.SearchSamples.
// Domain: scores in [0, 1]; R and N ≥ 1, ε_0, δ, β and p_* in (0, 1), ε_1 and ε_3 positive: as in print, ε_1 may be 1
// and more.
// Accuracy: exact, or 1 more.
// Deviation from print: rounded up.
// Cost: O(1).
func SearchSamples(with Search) *big.Int { return ceiling(with.samples().Upper) }

// samples returns N before it is rounded.
func (with Search) samples() interval.Interval {
	n := bits
	first := n.Mul(n.Mul(n.Int(3), with.offset()), n.ExpRat(new(big.Rat).Mul(with.Eps0, big.NewRat(1, 2))))
	return n.Quo(n.Quo(first, n.Rat(with.PStar)), with.shift())
}

// shift returns (β²/(R + 1))^(6S/ε_3): how far below p_* the probability of the threshold that is found may be.
func (with Search) shift() interval.Interval {
	base := new(big.Rat).Mul(with.Beta, with.Beta)
	base.Quo(base, oneMore(with.R))
	return realPower(base, new(big.Rat).Mul(big.NewRat(6, 1), with.swing()))
}

// PrivateSelection looks for a threshold that the best of the candidates reaches in about half of its runs, and then
// for a sample that reaches it. It makes the draws of spec.PrivateSelection in the same order.
//
// Source: Liu and Talwar (2019), Section 4.3, after Theorem 4.7; PSC-A7.
// Symbols and deviation from print: as for spec.PrivateSelection.
// Domain: scores in [0, 1]; at least one candidate, R ≥ 1, ε_0, δ and β in (0, 1), ε_1 positive. More samples than an
// int holds are refused.
// Accuracy: float64. The guarantees are those of real numbers.
// Cost: [SearchSamples] draws, and then those of [Thresholding].
func PrivateSelection[X any](ctx context.Context, candidates []Candidate[X], r int, eps0, eps1, delta, beta *big.Rat,
	random noise.Source, coins noise.Coins) (found Scored[Chosen[X]], isFound bool, err error) {
	q := Candidate[Chosen[X]](func(ctx context.Context) (Scored[Chosen[X]], error) {
		return Oracle(ctx, candidates, coins)
	})
	with := Search{PStar: big.NewRat(1, 2*int64(max(len(candidates), 1))), R: r, Eps0: eps0, Eps1: eps1, Eps3: eps0,
		Delta: delta, Beta: beta}
	err = cmp.Or(with.check(), check.NotNil("random", random), check.NotNil("coins", coins))
	if err != nil {
		return found, false, fmt.Errorf("PrivateSelection: %w", err)
	}
	gamma, _ := SelectionCoin(len(candidates), r, eps0, eps1, beta).Rats()
	limit := ThresholdingLimit(gamma, eps0)
	if runs := bits.Add(with.samples(), limit).Upper; runs.Cmp(new(big.Float).SetInt64(maxLimit)) > 0 {
		return found, false, fmt.Errorf("PrivateSelection: %.3g runs would be needed, must be at most %d",
			runs, maxLimit)
	}
	with.N = int(SearchSamples(with).Int64())
	tau, isFound, err := ThresholdSearch(ctx, q, with, random)
	if err != nil || !isFound {
		return found, false, err
	}
	found, isFound, _, err = Thresholding(ctx, q, tau, gamma, int(ceiling(limit.Upper).Int64()), coins)
	return found, isFound, err
}

// SelectionCoin returns p_1·β with p_1 = (β²/(R + 1))^(6 + 12ε_1/ε_0)/(12K): the γ of the second part of
// [PrivateSelection].
//
// Source: Liu and Talwar (2019), after Theorem 4.7; PSC-A7.
// Also in the checks of PSC-T1.4a, PSC-T4.7a, PSC-T4.7.s1, PSC-T1.4c, PSC-T1.4d, PSC-T4.7c1, PSC-T4.7c2 and PSC-T4.7d.
// Symbols and deviation from print: as for spec.SelectionCoin.
// Domain: K ≥ 1, R ≥ 1, ε_0 and β in (0, 1), ε_1 positive.
// Accuracy: contains it; relative width about 2^-170.
// Cost: O(1).
func SelectionCoin(k, r int, eps0, eps1, beta *big.Rat) interval.Interval {
	base := new(big.Rat).Mul(beta, beta)
	base.Quo(base, oneMore(r))
	exponent := new(big.Rat).Quo(new(big.Rat).Mul(big.NewRat(12, 1), eps1), eps0)
	p1 := bits.Mul(realPower(base, exponent.Add(exponent, big.NewRat(6, 1))), bits.Rat(big.NewRat(1, 12*int64(k))))
	return bits.Mul(p1, bits.Rat(beta))
}
