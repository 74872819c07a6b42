package impl

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"sort"

	"checkrr/impl/internal/check"
	"checkrr/impl/internal/rational"
	"checkrr/impl/loss"
	"checkrr/impl/noise"
)

// trimmed is a sorted list of records, of which discarded are left out at each end.
type trimmed struct {
	records   []*big.Rat
	discarded int // ⌊αn/2⌋
}

func newTrimmed(x []*big.Rat, alpha *big.Rat) (trimmed, error) {
	if err := cmp.Or(checkRecordsOf(x, 1), check.In("α", alpha, "[0, 1)")); err != nil {
		return trimmed{}, err
	}
	share := new(big.Rat).Mul(alpha, big.NewRat(int64(len(x)), 2))
	discarded := new(big.Int).Quo(share.Num(), share.Denom())
	return trimmed{slices.SortedFunc(slices.Values(x), (*big.Rat).Cmp), int(discarded.Int64())}, nil
}

// left returns how many records are left.
func (r trimmed) left() int { return len(r.records) - 2*r.discarded }

func (r trimmed) mean() *big.Rat {
	sum := new(big.Rat)
	for _, v := range r.records[r.discarded:][:r.left()] {
		sum.Add(sum, v)
	}
	return sum.Quo(sum, big.NewRat(int64(r.left()), 1))
}

// distance returns the least number a of records to replace for the local sensitivity to be
// above s.
//
// With g discarded at each end and m left, making one of the g + 1 smallest records very large
// raises the sum by x_(n−g+1) − x_(g+1), making one of the g + 1 largest very small lowers it by
// x_(n−g) − x_(g), and no other change of one record does more. Both are distances of records m
// places apart; a record with a number below 1 or above n can be as far away as one likes.
// Replacing a of the records between x_(i) and x_(i+m+a) by i' very small and a − i' very large
// ones puts these two m places apart. No replacement does more: of the new records, those that
// are at most the lower of the two and those that are at least the upper one are a together, at
// most. So s is exceeded if one of x_(i+m+a) − x_(i), i from g − a to g + 1, is above m·s,
// which is so for a = g, and for a + 1 if it is for a.
func (r trimmed) distance(s *big.Rat) int {
	g, m := r.discarded, r.left()
	limit := new(big.Rat).Mul(s, big.NewRat(int64(m), 1))
	return sort.Search(g, func(a int) bool {
		for low := g - a - 1; low <= g; low++ { // x_(low+1) is records[low]
			if new(big.Rat).Sub(r.records[low+m+a], r.records[low]).Cmp(limit) > 0 {
				return true
			}
		}
		return false
	})
}

// TrimmedMean returns the α-trimmed mean: the mean of what is left of the records without the
// ⌊αn/2⌋ smallest and the ⌊αn/2⌋ largest.
//
// Source: Hartmann et al. (2022), Section 4.2; ODP-X13.
// Symbols: α = alpha, n = len(x).
// Domain: n in [1, 2^20], α in [0, 1).
// Accuracy: exact.
// Deviation from print: how many records the quantiles α/2 and 1 − α/2 discard is not printed.
// Cost: O(n log n).
func TrimmedMean(x []*big.Rat, alpha *big.Rat) (*big.Rat, error) {
	r, err := newTrimmed(x, alpha)
	if err != nil {
		return nil, fmt.Errorf("TrimmedMean: %w", err)
	}
	return r.mean(), nil
}

// MedianTrim returns the α whose trimmed mean of n records is their median, (n − 1)/n: one
// record is left, or the two in the middle.
//
// Source: Hartmann et al. (2022), Section 4.2; ODP-X13.
// Domain: n ≥ 1. Result in [0, 1).
// Accuracy: exact.
// Deviation from print: print names M_median, and has no algorithm for it.
// Cost: O(1).
func MedianTrim(n int) (*big.Rat, error) {
	if err := check.Between("n", n, 1, math.MaxInt); err != nil {
		return nil, fmt.Errorf("MedianTrim: %w", err)
	}
	return big.NewRat(int64(n-1), int64(n)), nil
}

// TrimmedMeanDistance returns the least number of records of x to replace for the local
// sensitivity of the α-trimmed mean to be above s, where records may be any real numbers.
//
// Source: Hartmann et al. (2022), Section 4.2; ODP-X13.
// Symbols: α = alpha; s, the proposed bound.
// Domain: n in [1, 2^20], α in [0, 1); s > 0. Result in [0, ⌊αn/2⌋].
// Accuracy: exact.
// Deviation from print: print has no algorithm.
// Cost: O(n log n).
func TrimmedMeanDistance(x []*big.Rat, alpha, s *big.Rat) (int, error) {
	r, err := newTrimmed(x, alpha)
	if err = cmp.Or(err, check.In("s", s, "(0, ∞)")); err != nil {
		return 0, fmt.Errorf("TrimmedMeanDistance: %w", err)
	}
	return r.distance(s), nil
}

// PrivateTrimmedMean is the PTR function T(x, s) of the α-trimmed mean. It returns its output,
// with false for ⊥: the mean with noise Lap(s/ε), if the distance of x to a local sensitivity
// above s, with noise Lap(1/ε), is above ln(1/δ)/ε.
//
// Source: Hartmann et al. (2022), Section 4.2, in words; ODP-X13.
// Symbols: α = alpha; s, nil for ⊥; ε = eps, δ = delta. The distance is [TrimmedMeanDistance].
// Domain: n in [1, 2^20], α in [0, 1), s > 0; ε in [1e-300, 1000], δ in [1e-300, 1]; s/ε inside float64's range.
// Accuracy: float64 for what is drawn, scales rounded up; exact for the distance. What is beyond float64 is
// returned as the largest float64 of its sign.
// Deviation from print: print has no algorithm.
// Cost: O(n log n); up to two draws.
func PrivateTrimmedMean(x []*big.Rat, alpha, s *big.Rat, eps loss.Epsilon, delta *big.Rat,
	random noise.Source) (float64, bool, error) {
	r, err := newTrimmed(x, alpha)
	err = cmp.Or(err, checkPTRTest(eps, delta), check.NotNil("random", random))
	scale, valueScale := 0.0, 0.0
	if err == nil {
		scale = inverseAbove(eps)
	}
	if err == nil && s != nil {
		valueScale = math.Nextafter(rational.Float64(s)*scale, math.Inf(1))
		if s.Sign() <= 0 || math.IsInf(valueScale, 1) {
			err = fmt.Errorf("s is %s, must be positive, and s/ε less than 1.8e308", rational.Decimal(s))
		}
	}
	if err != nil {
		return 0, false, fmt.Errorf("PrivateTrimmedMean: %w", err)
	}
	if s == nil {
		return 0, false, nil
	}
	if float64(r.distance(s))+random.Laplace(scale) <= -math.Log(rational.Float64(delta))*scale {
		return 0, false, nil
	}
	return withinFloat64(withinFloat64(rational.Float64(r.mean())) + withinFloat64(random.Laplace(valueScale))), true,
		nil
}

// withinFloat64 returns x, and the largest float64 of its sign for what is beyond: no sum of two is NaN.
func withinFloat64(x float64) float64 { return max(-math.MaxFloat64, min(x, math.MaxFloat64)) }
