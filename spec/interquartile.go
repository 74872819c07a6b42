package spec

import (
	"fmt"
	"math"
	"math/big"
	"slices"
)

// SampleIQR returns x_(⌈3n/4⌉) − x_(⌈n/4⌉), the 75th minus the 25th percentile of the
// empirical distribution of the records: the percentile q is the least record that at
// least a share q of the records does not exceed.
//
// Source: Hartmann et al. (2022), Section 4.2; ODP-X16.
// Symbols: x_(k) = the k-th smallest of x, n = len(x).
// Domain: n ≥ 2. Result at least 0.
// Accuracy: exact.
// Deviation from print: the paper does not say which percentile of a sample is meant.
// Cost: O(n log n).
func SampleIQR(x []*big.Rat) (*big.Rat, error) {
	if err := checkRecords(x); err != nil {
		return nil, fmt.Errorf("SampleIQR: %w", err)
	}
	return iqr(x), nil
}

func iqr(x []*big.Rat) *big.Rat {
	n := len(x)
	sorted := slices.SortedFunc(slices.Values(x), (*big.Rat).Cmp)
	return sub(sorted[ceilQuarter(3*n)-1], sorted[ceilQuarter(n)-1])
}

// ceilQuarter returns ⌈k/4⌉.
func ceilQuarter(k int) int { return (k + 3) / 4 }

// iqrBin returns the number of the bin of discretization j that contains L, the
// logarithm of the interquartile range r to the base 1 + 1/ln n. The bins of j = 1 are
// [m, m + 1), those of j = 2 are [m − 1/2, m + 1/2). An interquartile range of 0 has
// L = −∞, which is a bin of its own.
func iqrBin(r *big.Rat, n, j int) float64 {
	f, _ := r.Float64()
	l := math.Log(f) / math.Log(1+1/math.Log(float64(n)))
	if j == 1 {
		return math.Floor(l)
	}
	return math.Floor(l + 0.5)
}

// IQRDistance returns A_j(x): the least number of records that have to be replaced for
// L to leave its bin.
//
// Sets of records are replaced, smaller sets first, by all combinations of the values
// that x has and of two beyond them, min x − w and max x + w with w = 3·IQR + 1, which
// is more than the upper edge of the bin, since 1 + 1/ln n < 3. No other values are
// needed. Let y be a database outside the bin and R its replaced records. Let u and v
// be its quartiles.
//
// If y lies above, replace the records of R that are at most u by min x − w and the
// others by max x + w. The lower quartile does not rise, and is at most max x. The
// upper one falls only if it becomes max x + w; then the new range is at least w.
//
// If y lies below, at most ⌈n/4⌉ − 1 records are less than u and at most n − ⌈3n/4⌉ are
// greater than v. Replace all of R by one record that was kept and is in [u, v]: these
// numbers do not grow, so neither does the range. If no such record was kept, take the
// nearest kept one below u, or above v, or any value if none was kept: both quartiles
// become that value.
//
// Source: Dwork and Lei (2009), algorithm for the interquartile range; ODP-X16.
// Symbols: j in {1, 2} is the discretization; L and bins as in [DiscretizedIQR].
// Domain: n in [2, 12]; an interquartile range that is 0 or inside float64's range.
// Result in [1, ⌈n/4⌉]: so many records can make the range as large as one likes.
// Accuracy: exact, unless an L that is met is within 1e-12·max(1, |L|) of an edge other
// than 0: edges are compared in float64.
// Deviation from print: none.
// Cost: O(n log n·Σ_a C(n, a)·(n + 2)^a), a up to the result.
func IQRDistance(x []*big.Rat, j int) (int, error) {
	if err := checkRecords(x); err != nil {
		return 0, fmt.Errorf("IQRDistance: %w", err)
	}
	if err := checkDiscretization(j); err != nil {
		return 0, fmt.Errorf("IQRDistance: %w", err)
	}
	n := len(x)
	if n > maxRecords {
		return 0, fmt.Errorf("IQRDistance: there are %d records, must be at most %d", n, maxRecords)
	}
	home, values := iqrBin(iqr(x), n, j), replacements(x)
	for a := 1; ; a++ {
		if replace(slices.Clone(x), 0, a, values, func(y []*big.Rat) bool { return iqrBin(iqr(y), n, j) != home }) {
			return a, nil
		}
	}
}

// replacements returns the values that records are replaced by.
func replacements(x []*big.Rat) []*big.Rat {
	w := add(mul(big.NewRat(3, 1), iqr(x)), one)
	low, high := slices.MinFunc(x, (*big.Rat).Cmp), slices.MaxFunc(x, (*big.Rat).Cmp)
	return append(slices.Clone(x), sub(low, w), add(high, w))
}

// replace reports whether some y satisfies the condition that has other values than x in
// a of the records from number i on.
func replace(x []*big.Rat, i, a int, values []*big.Rat, condition func(y []*big.Rat) bool) bool {
	if a == 0 {
		return condition(x)
	}
	if len(x)-i < a {
		return false
	}
	kept := x[i]
	for _, v := range values {
		x[i] = v
		if replace(x, i+1, a-1, values, condition) {
			return true
		}
	}
	x[i] = kept
	return replace(x, i+1, a, values, condition)
}

// DiscretizedIQR runs M^D_j(x) and returns its output, with false for ⊥.
//
//	1: R_j = A_j(x) + Lap(1/ε)
//	2: if R_j ≤ 1 + ln(1/δ)/ε, return ⊥
//	3: z ~ Lap(1/ε)
//	4: return IQR(x)·(1 + 1/ln n)^z
//
// L is the logarithm of IQR(x) to the base 1 + 1/ln n. Discretization 1 has the bins
// [m, m + 1) for integers m, discretization 2 has them shifted by 1/2. A_j(x) is the
// least number of records to replace for L to leave its bin. Where it is 1, Pr(≠ ⊥) is
// δ/2; otherwise L is in the same bin for all neighbours, so that it differs by less
// than 1. An interquartile range of 0 is a bin of its own and is released as 0. What is
// beyond float64 is released as the largest float64.
//
// Source: Dwork and Lei (2009), algorithm for the interquartile range; ODP-X16.
// Also in the checks of ODP-X13 and ODP-X18.
// Symbols: ε = eps, δ = delta, n = len(x).
// Domain: n in [2, 12], because A_j is found by brute force; ε > 0, δ in (0, 1].
// Accuracy: float64 for what is drawn; [IQRDistance] for A_j.
// Deviation from print: the paper does not print the algorithm.
// Cost: that of [IQRDistance]; one or two draws.
func DiscretizedIQR(x []*big.Rat, j int, eps, delta float64, noise Noise) (float64, bool, error) {
	a, err := IQRDistance(x, j)
	if err == nil {
		err = checkTest(eps, delta)
	}
	if err != nil {
		return 0, false, fmt.Errorf("DiscretizedIQR: %w", err)
	}
	r := float64(a) + noise.Laplace(1/eps) // 1
	if r <= 1+math.Log(1/delta)/eps {
		return 0, false, nil // 2
	}
	z := noise.Laplace(1 / eps) // 3
	size, _ := iqr(x).Float64()
	if size == 0 {
		return 0, true, nil
	}
	value := min(size, math.MaxFloat64) * math.Pow(1+1/math.Log(float64(len(x))), z)
	return min(value, math.MaxFloat64), true, nil // 4
}

// PrivateIQR runs M_IQR(x) and returns its output, with false for ⊥: M^D_1, and if it
// returns ⊥, M^D_2.
//
// Source: Hartmann et al. (2022), Section 4.2; ODP-X16.
// Symbols, domain, accuracy and deviation from print: as for [DiscretizedIQR].
// Cost: twice that of [DiscretizedIQR].
func PrivateIQR(x []*big.Rat, eps, delta float64, noise Noise) (float64, bool, error) {
	value, ok, err := DiscretizedIQR(x, 1, eps, delta, noise)
	if ok || err != nil {
		return value, ok, err
	}
	return DiscretizedIQR(x, 2, eps, delta, noise)
}

// IQRBottom returns Pr(M^D_j(x) = ⊥) for A_j(x) = a: Pr(Lap(1/ε) ≤ t) with
// t = 1 − a + ln(1/δ)/ε, which is e^(εt)/2 for t ≤ 0 and 1 − e^(−εt)/2 above. Because
// e^(εt) = 1/(δ e^(ε(a − 1))), it is rational.
//
// Source: [DiscretizedIQR], lines 1 and 2; ODP-X16.
// Also in the checks of ODP-L10 and ODP-X18.
// Symbols: e^ε = expEps, δ = delta.
// Domain: a ≥ 1, e^ε ≥ 1, δ in (0, 1]. Result in (0, 1).
// Accuracy: exact.
// Deviation from print: none.
// Cost: O(a) multiplications.
func IQRBottom(a int, expEps, delta *big.Rat) (*big.Rat, error) {
	if a < 1 {
		return nil, fmt.Errorf("IQRBottom: distance is %d, must be at least 1", a)
	}
	if err := checkExpEps(expEps); err != nil {
		return nil, fmt.Errorf("IQRBottom: %w", err)
	}
	if delta == nil || delta.Sign() <= 0 || delta.Cmp(one) > 0 {
		return nil, fmt.Errorf("IQRBottom: δ is %s, must be in (0, 1]", show(delta))
	}
	inverse := delta // e^(−εt)
	for range a - 1 {
		inverse = mul(inverse, expEps)
	}
	if inverse.Cmp(one) >= 0 {
		return quo(big.NewRat(1, 2), inverse), nil
	}
	return sub(one, quo(inverse, big.NewRat(2, 1))), nil
}

// maxRecords is how many records brute force can replace.
const maxRecords = 12

func checkRecords(x []*big.Rat) error {
	if len(x) < 2 {
		return fmt.Errorf("there are %d records, must be at least 2", len(x))
	}
	for i, r := range x {
		if r == nil {
			return fmt.Errorf("record %d is missing, must be a number", i+1)
		}
	}
	return nil
}

func checkDiscretization(j int) error {
	if j != 1 && j != 2 {
		return fmt.Errorf("discretization is %d, must be 1 or 2", j)
	}
	return nil
}

func checkTest(eps, delta float64) error {
	if !(eps > 0) || math.IsInf(eps, 0) {
		return fmt.Errorf("ε is %g, must be finite and greater than 0", eps)
	}
	if !(delta > 0 && delta <= 1) {
		return fmt.Errorf("δ is %g, must be in (0, 1]", delta)
	}
	return nil
}
