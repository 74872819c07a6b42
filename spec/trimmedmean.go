package spec

import (
	"errors"
	"math"
	"math/big"
	"slices"
)

// TrimmedMean returns the α-trimmed mean: the mean of what is left of the records without the
// ⌊αn/2⌋ smallest and the ⌊αn/2⌋ largest.
//
// Source: Hartmann et al. (2022), Section 4.2; ODP-X13.
// Symbols: α = alpha, n = len(x).
// Domain: n ≥ 1, α in [0, 1).
// Accuracy: exact.
// Deviation from print: how many records the quantiles α/2 and 1 − α/2 discard is not printed.
// Cost: O(n log n).
func TrimmedMean(x []*big.Rat, alpha *big.Rat) (*big.Rat, error) {
	if err := domain("TrimmedMean", must(len(x) >= 1, "there are 0 records, must be at least 1"), present("record", x),
		inUnit("α", alpha, "[0, 1)")); err != nil {
		return nil, err
	}
	return trimmedMean(x, alpha), nil
}

func trimmedMean(x []*big.Rat, alpha *big.Rat) *big.Rat {
	sorted := slices.SortedFunc(slices.Values(x), (*big.Rat).Cmp)
	discarded := floor(quo(mul(alpha, count(len(x))), count(2)))
	sum, left := new(big.Rat), sorted[discarded:len(x)-discarded]
	for _, r := range left {
		sum = add(sum, r)
	}
	return quo(sum, count(len(left)))
}

// MedianTrim returns the α whose trimmed mean of n records is their median, 1 − 1/n: one record
// is left, or the two in the middle.
//
// Source: Hartmann et al. (2022), Section 4.2; ODP-X13.
// Domain: n ≥ 1. Result in [0, 1).
// Accuracy: exact.
// Deviation from print: print names M_median, and has no algorithm for it.
// Cost: O(1).
func MedianTrim(n int) (*big.Rat, error) {
	if err := domain("MedianTrim", atLeast("n", n, 1)); err != nil {
		return nil, err
	}
	return sub(one, quo(one, count(n))), nil
}

// trimmedSensitivity returns the local sensitivity of the α-trimmed mean at x: the largest
// |TrimmedMean(x) − TrimmedMean(x')| over the x' that differ from x in the value of one record.
func trimmedSensitivity(x, values []*big.Rat, alpha *big.Rat) *big.Rat {
	largest := new(big.Rat)
	for i := range x {
		for _, v := range values {
			y := slices.Clone(x)
			y[i] = v
			difference := sub(trimmedMean(y, alpha), trimmedMean(x, alpha))
			largest = larger(largest, difference.Abs(difference))
		}
	}
	return largest
}

// TrimmedMeanDistance returns the least number of records of x to replace for the local
// sensitivity of the α-trimmed mean to be above s.
//
// Source: Hartmann et al. (2022), Section 4.2; ODP-X13.
// Symbols: α = alpha; s, the proposed bound; 𝒳 = values, what a record may be.
// Domain: as for [TrimmedMean], n ≤ 12; s > 0; some values in 𝒳 far enough apart for the local
// sensitivity to get above s.
// Accuracy: exact.
// Deviation from print: print has no algorithm.
// Cost: O(Σ_a C(n, a)·|𝒳|^a) local sensitivities, a up to the result.
func TrimmedMeanDistance(x, values []*big.Rat, alpha, s *big.Rat) (int, error) {
	if err := domain("TrimmedMeanDistance",
		must(len(x) >= 1 && len(x) <= 12, "there are %d records, must be at least 1 and at most 12", len(x)),
		present("record", x), present("value", values), inUnit("α", alpha, "[0, 1)"),
		must(s != nil && s.Sign() > 0, "s is %s, must be positive", shown{s})); err != nil {
		return 0, err
	}
	exceeds := func(y []*big.Rat) bool { return trimmedSensitivity(y, values, alpha).Cmp(s) > 0 }
	for a := range len(x) + 1 {
		if replace(slices.Clone(x), 0, a, values, exceeds) {
			return a, nil
		}
	}
	return 0, errors.New("TrimmedMeanDistance: values are such that " +
		"the local sensitivity stays at most s, must be others")
}

// PrivateTrimmedMean is the PTR function T(x, s) of the α-trimmed mean. It returns its output,
// with false for ⊥.
//
//	1: if s = ⊥, return ⊥
//	2: propose s as a bound on the local sensitivity; A = TrimmedMeanDistance(x, s)
//	3: if A + Lap(1/ε) ≤ ln(1/δ)/ε, return ⊥
//	4: return TrimmedMean(x) + Lap(s/ε)
//
// Source: Hartmann et al. (2022), Section 4.2, in words; ODP-X13.
// Symbols: α = alpha; s, nil for ⊥; 𝒳 = values; ε = eps, δ = delta.
// Domain: as for [TrimmedMeanDistance]; ε > 0, δ in (0, 1]; the mean and s/ε inside float64's range.
// Accuracy: float64 for what is drawn; exact for A.
// Deviation from print: print has no algorithm.
// Cost: that of [TrimmedMeanDistance]; up to two draws.
func PrivateTrimmedMean(x, values []*big.Rat, alpha, s *big.Rat, eps, delta float64,
	noise Noise) (float64, bool, error) {
	if err := domain("PrivateTrimmedMean", positive("ε", eps), positive("scale of the noise", 1/eps),
		must(delta > 0 && delta <= 1, "δ is %g, must be in (0, 1]", delta)); err != nil || s == nil {
		return 0, false, err // 1
	}
	a, err := TrimmedMeanDistance(x, values, alpha, s) // 2
	if err != nil {
		return 0, false, err
	}
	bound, _ := s.Float64()
	mean, _ := trimmedMean(x, alpha).Float64()
	if err := domain("PrivateTrimmedMean", positive("scale of the noise", bound/eps),
		finite("mean", mean)); err != nil {
		return 0, false, err
	}
	if float64(a)+noise.Laplace(1/eps) <= math.Log(1/delta)/eps {
		return 0, false, nil // 3
	}
	return mean + noise.Laplace(bound/eps), true, nil // 4
}

// count returns n as a rational number.
func count(n int) *big.Rat { return big.NewRat(int64(n), 1) }

// floor returns ⌊x⌋ for x ≥ 0.
func floor(x *big.Rat) int { return int(new(big.Int).Quo(x.Num(), x.Denom()).Int64()) }
