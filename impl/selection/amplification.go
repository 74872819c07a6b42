package selection

import (
	"checkrr/impl"
	"checkrr/impl/noise"
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
)

// Amplification runs every candidate once, adds dummies that reach τ, and returns one by the exponential mechanism:
// false for a dummy. Scores above τ count as τ. It makes the draws of spec.Amplification in the same order.
//
// Source: Liu and Talwar (2019), Appendix C; PSC-A9.
// Symbols and deviation from print: as for spec.Amplification.
// Domain: at least one dummy, ε_2 positive.
// Accuracy: as for [ExponentialMechanism].
// Cost: a run of each candidate.
func Amplification[X any](ctx context.Context, candidates []Candidate[X], tau float64, dummies int, eps2 float64,
	random noise.Source) (found Scored[X], isFound bool, err error) {
	if dummies < 1 {
		return found, false, fmt.Errorf("Amplification: there are %d dummies, must be at least 1", dummies)
	}
	drawn := make([]Scored[X], len(candidates))
	a := slices.Repeat([]float64{tau}, len(candidates)+dummies)
	for i, q := range candidates {
		if drawn[i], err = q.run(ctx); err != nil {
			return found, false, fmt.Errorf("Amplification: candidate %d: %w", i+1, err)
		}
		drawn[i].Score = math.Min(tau, drawn[i].Score)
		a[i] = drawn[i].Score
	}
	i, err := impl.ExponentialMechanism(a, 0.5, eps2, random)
	if err != nil {
		return found, false, fmt.Errorf("Amplification: %w", err)
	}
	if i >= len(drawn) {
		return found, false, nil
	}
	return drawn[i], true, nil
}

// AmplificationLaw returns the law of the output of [Amplification]: of each candidate with each of its scores, and
// of a dummy.
//
// A candidate with the weight w is drawn with w·E[1/(w + S)], where S is the sum of all other weights: sums are what
// counts, not which candidates made them.
//
// Source: Liu and Talwar (2019), Appendix C, proof of Theorem C.1; PSC-TC.1.s1.
// Also in the checks of PSC-A9, PSC-TC.1a1, PSC-TC.1a2, PSC-TC.1b, PSC-TC.1.s2, PSC-TC.1.s3 and PSC-X21.
// Symbols and deviation from print: as for spec.AmplificationLaw.
// Domain: laws over the weights, which are at most 1, that sum to 1; at least one dummy.
// Accuracy: exact.
// Cost: O(N²·m·s) for N candidates, m weights and s different sums; candidates with the same law are computed once.
func AmplificationLaw(oracles [][]*big.Rat, weights []*big.Rat, dummies int) (found [][]*big.Rat, dummy *big.Rat) {
	count := big.NewRat(int64(dummies), 1)
	known := map[string][]*big.Rat{}
	all := sumOfWeights(nil, weights)
	for i, own := range oracles {
		key := fmt.Sprint(own)
		if known[key] == nil {
			others := sumOfWeights(slices.Delete(slices.Clone(oracles), i, i+1), weights)
			if i == 0 { // the first, which is not known
				all = others.plus(own, weights)
			}
			row := make([]*big.Rat, len(weights))
			for l, w := range weights {
				mean := others.meanOf(func(sum *big.Rat) *big.Rat {
					total := new(big.Rat).Add(count, w)
					return total.Quo(w, total.Add(total, sum))
				})
				row[l] = mean.Mul(mean, own[l])
			}
			known[key] = row
		}
		found = append(found, known[key])
	}
	dummy = all.meanOf(func(sum *big.Rat) *big.Rat {
		total := new(big.Rat).Add(count, sum)
		return total.Quo(count, total)
	})
	return found, dummy
}

// weightSum is the law of a sum of weights.
type weightSum map[string]*weighedSum

type weighedSum struct{ value, pr *big.Rat }

func sumOfWeights(oracles [][]*big.Rat, weights []*big.Rat) weightSum {
	law := weightSum{"0": {new(big.Rat), big.NewRat(1, 1)}}
	for _, oracle := range oracles {
		law = law.plus(oracle, weights)
	}
	return law
}

// plus returns the law of the sum with one more weight.
func (law weightSum) plus(oracle, weights []*big.Rat) weightSum {
	next := weightSum{}
	for _, x := range law {
		for l, p := range oracle {
			if p.Sign() == 0 {
				continue
			}
			sum := new(big.Rat).Add(x.value, weights[l])
			key := sum.RatString()
			if next[key] == nil {
				next[key] = &weighedSum{sum, new(big.Rat)}
			}
			next[key].pr.Add(next[key].pr, new(big.Rat).Mul(x.pr, p))
		}
	}
	return next
}

// meanOf returns the mean of a function of the sum.
func (law weightSum) meanOf(f func(sum *big.Rat) *big.Rat) *big.Rat {
	mean := new(big.Rat)
	for _, x := range law {
		mean.Add(mean, new(big.Rat).Mul(x.pr, f(x.value)))
	}
	return mean
}
