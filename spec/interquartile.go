package spec

import (
	"cmp"
	"errors"
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
	if err := domain("SampleIQR", present("record", x),
		must(len(x) >= 2, "there are %d records, must be at least 2", len(x))); err != nil {
		return nil, err
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

// IQRDistance returns A_j(x): the least number of records that have to be replaced, by some
// of the values that records may have, for L to leave its bin.
//
// Source: Dwork and Lei (2009), algorithm for the interquartile range; ODP-X16.
// Symbols: j in {1, 2} is the discretization; L and bins as in [DiscretizedIQR].
// Domain: n in [2, 12]; an interquartile range that is 0 or inside float64's range; values
// with which L can leave its bin. Result in [1, n].
// Accuracy: exact, unless an L that is met is within 1e-12·max(1, |L|) of an edge other
// than 0: edges are compared in float64.
// Deviation from print: records have finitely many values, in print any.
// Cost: O(n log n·Σ_a C(n, a)·v^a) for v values, a up to the result.
func IQRDistance(x, values []*big.Rat, j int) (int, error) {
	if err := domain("IQRDistance", present("record", x), present("value", values),
		must(len(x) >= 2 && len(x) <= 12, "there are %d records, must be at least 2 and at most 12", len(x)),
		between("discretization", j, 1, 2)); err != nil {
		return 0, err
	}
	home := iqrBin(iqr(x), len(x), j)
	leaves := func(y []*big.Rat) bool { return iqrBin(iqr(y), len(y), j) != home }
	for a := 1; a <= len(x); a++ {
		if replace(slices.Clone(x), 0, a, values, leaves) {
			return a, nil
		}
	}
	return 0, errors.New("IQRDistance: values are such that L stays in its bin, must be others")
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
// Symbols: ε = eps, δ = delta, n = len(x); records have the values of [IQRDistance].
// Domain: n in [2, 12], because A_j is found by brute force; ε > 0, δ in (0, 1].
// Accuracy: float64 for what is drawn; [IQRDistance] for A_j.
// Deviation from print: the paper does not print the algorithm.
// Cost: that of [IQRDistance]; one or two draws.
func DiscretizedIQR(x, values []*big.Rat, j int, eps, delta float64, noise Noise) (float64, bool, error) {
	a, err := IQRDistance(x, values, j)
	if err = domain("DiscretizedIQR", err, positive("ε", eps), positive("scale of the noise", 1/eps),
		must(delta > 0 && delta <= 1, "δ is %g, must be in (0, 1]", delta)); err != nil {
		return 0, false, err
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
	value := size * math.Pow(1+1/math.Log(float64(len(x))), z)
	return min(value, math.MaxFloat64), true, nil // 4
}

// PrivateIQR runs M_IQR(x) and returns its output, with false for ⊥: M^D_1, and if it
// returns ⊥, M^D_2.
//
// Source: Hartmann et al. (2022), Section 4.2; ODP-X16.
// Symbols, domain, accuracy and deviation from print: as for [DiscretizedIQR].
// Cost: twice that of [DiscretizedIQR].
func PrivateIQR(x, values []*big.Rat, eps, delta float64, noise Noise) (float64, bool, error) {
	value, ok, err := DiscretizedIQR(x, values, 1, eps, delta, noise)
	if ok || err != nil {
		return value, ok, err
	}
	return DiscretizedIQR(x, values, 2, eps, delta, noise)
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
	if err := domain("IQRBottom", atLeast("distance", a, 1), notBelow("e^eps", expEps, 1),
		inUnit("δ", delta, "(0, 1]")); err != nil {
		return nil, err
	}
	inverse := mul(delta, power(expEps, a-1)) // e^(−εt)
	if inverse.Cmp(one) >= 0 {
		return quo(big.NewRat(1, 2), inverse), nil
	}
	return sub(one, quo(inverse, big.NewRat(2, 1))), nil
}

// present is the rule of a list of numbers.
func present(name string, x []*big.Rat) (broken error) {
	for i, r := range x {
		broken = cmp.Or(broken, must(r != nil, "%s %d is missing, must be a number", name, i+1))
	}
	return broken
}
