package impl

import (
	"cmp"
	"fmt"
	"math/big"

	"checkrr/impl/internal/check"
	"checkrr/impl/internal/rational"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// MaxSparseQueries is the largest number of queries, and of answers above, of the functions for the accuracy of
// sparse vectors.
const MaxSparseQueries = 1_000_000_000

// SparseSetting is a run of AboveThreshold, Sparse or NumericSparse, and the probability with which it may fail.
type SparseSetting struct {
	Queries, Above   int // k, and c: 1 for AboveThreshold
	Beta, Eps, Delta *big.Rat
}

// Validate says which of the numbers breaks which rule.
func (s SparseSetting) Validate() error {
	counts := cmp.Or(check.Between("queries", s.Queries, 1, MaxSparseQueries),
		check.Between("cutoff", s.Above, 1, MaxSparseQueries))
	err := cmp.Or(counts, check.In("beta", s.Beta, "[1e-100, 1)"), check.In("eps", s.Eps, "(0, ∞)"))
	if err == nil && (rational.Magnitude(s.Eps) > loss.MaxMagnitude || rational.Magnitude(s.Eps) < -loss.MaxMagnitude) {
		err = fmt.Errorf("eps is %s, must be between 1e-289 and 1e289", rational.Decimal(s.Eps))
	}
	return cmp.Or(err, check.In("delta", s.Delta, "[0, 1)"))
}

// ExactAboveThresholdAccuracy returns the smallest α at which AboveThreshold is (α, β)-accurate in the worst case of
// the theorem, that of [AboveThresholdFailure].
//
// Source: Dwork and Roth (2014), Theorem 3.24, of which this is the exact form; AFD-T3.24.
// Domain: as [SparseSetting.Validate] says; c and δ do not count.
// Accuracy: contains it; relative width about 10^-4.
// Cost: some 40 probabilities, of some thousand exponentials each.
func ExactAboveThresholdAccuracy(s SparseSetting) interval.Interval {
	return s.least(func(alpha interval.Interval) interval.Float {
		return AboveThresholdFailure(s.Queries, alpha, rational.One)
	})
}

// ExactSparseAccuracy returns the smallest α at which Sparse fails with a probability of at most β in the setting of
// [SparseFailure].
// AFD-T3.26 fails as printed if halting at the c-th ⊤ is a failure; here it is none.
//
// Source: Dwork and Roth (2014), Theorem 3.26, of which this is the exact form; AFD-T3.26.
// Domain: as [SparseSetting.Validate] says.
// Accuracy and cost: as for [ExactAboveThresholdAccuracy].
func ExactSparseAccuracy(s SparseSetting) interval.Interval {
	return s.least(func(alpha interval.Interval) interval.Float {
		return SparseFailure(s.Queries, s.Above, alpha, rational.One, s.Delta)
	})
}

// ExactNumericSparseAccuracy returns the smallest α at which NumericSparse fails with a probability of at most β in
// the setting of [NumericSparseFailure].
// AFD-T3.28 fails as printed: compare [NumericSparseAccuracy] with this.
//
// Source: Dwork and Roth (2014), Theorem 3.28, of which this is the exact form; AFD-T3.28.
// Domain: as [SparseSetting.Validate] says.
// Accuracy and cost: as for [ExactAboveThresholdAccuracy].
func ExactNumericSparseAccuracy(s SparseSetting) interval.Interval {
	return s.least(func(alpha interval.Interval) interval.Float {
		return NumericSparseFailure(s.Queries, s.Above, alpha, rational.One, s.Delta)
	})
}

// least returns [LeastAlpha] for failures at ε = 1, over ε: all noise is in proportion to 1/ε.
func (s SparseSetting) least(failure func(alpha interval.Interval) interval.Float) interval.Interval {
	alpha := LeastAlpha(failure, s.Beta)
	return bits.Quo(interval.Of(alpha.Lo, alpha.Hi), bits.Rat(s.Eps))
}
