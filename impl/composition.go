package impl

import (
	"fmt"
	"math/big"
	"math/bits"
	"sort"

	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// HomogeneousDelta returns δ_i such that k adaptively composed ε-DP mechanisms are
// ((k − 2i)ε, δ_i)-DP.
//
// With p = e^ε/(1 + e^ε) and q = 1 − p the printed sum is
// Σ_{l<i} C(k, l) p^(k−l) q^l (1 − e^(−2(i−l)ε)): all factors lie in [0, 1], so nothing
// overflows.
//
// Source: Kairouz, Oh and Viswanath (2015), Theorem 3.3, for δ = 0, as it is used by
// Hartmann et al. (2022), Appendix A; ODP-X29, ODP-TB1.
// Symbols: k, i as printed; ε = eps.
// Domain: 0 ≤ i ≤ k/2; ε at most 1e6, or any e^ε. Result in [0, 1].
// Accuracy: contains δ_i; relative width at most 2^-60, unless δ_i is below 2^-2147483648
// or ε below 2^-16000: then the lower end can be 0.
// Cost: O(i + log k) operations.
func HomogeneousDelta(k, i int, eps loss.Epsilon) (interval.Interval, error) {
	if i < 0 || i > k/2 {
		return interval.Interval{}, fmt.Errorf("HomogeneousDelta: i is %d, must be between 0 and k/2 = %d/2", i, k)
	}
	if field, rule := eps.FaultExp(); rule != "" {
		return interval.Interval{}, fmt.Errorf("HomogeneousDelta: %s %s", field, rule)
	}
	if i == 0 || eps.IsZero() {
		return interval.Of(0, 0), nil
	}
	for prec := uint(128); ; prec *= 2 {
		if x := homogeneousDelta(interval.Precision(prec), k, i, eps); x.RelWidth() <= privacyWidth || prec >= maxPrecision {
			return x, nil
		}
	}
}

func homogeneousDelta(n interval.Precision, k, i int, eps loss.Epsilon) interval.Interval {
	e := eps.EncloseExp(n)
	q := n.Quo(n.Int(1), n.Add(n.Int(1), e))
	p := n.Mul(q, e)
	down := n.Quo(n.Int(1), e)             // e^−ε
	weight, sum := n.Power(p, k), n.Int(0) // C(k, l) p^(k−l) q^l
	for l := range i {
		gap := n.Sub(n.Int(1), n.Power(down, 2*(i-l)))
		sum = n.Add(sum, n.Mul(weight, n.Max0(gap)))
		weight = n.Mul(weight, n.Mul(n.Rat(big.NewRat(int64(k-l), int64(l+1))), down))
	}
	return sum
}

// maxMechanisms is the largest result of [Table1].
const maxMechanisms = 1 << min(40, bits.UintSize-3)

// Table1 returns the least number of ε-DP mechanisms whose composition, in the list of
// Theorem 3.3, has an ε below simple composition at a δ of at most limit: the least k ≥ 2
// with δ_1 ≤ limit.
//
// Source: Hartmann et al. (2022), Table 1; ODP-TB1.
// Symbols: δ_1 is [HomogeneousDelta] with i = 1, which falls as k grows: by a factor
// e^ε/(1 + e^ε) for each mechanism.
// Domain: ε > 0, limit > 0; a result of more than 2^40 is an error (2^29 where an int has 32
// bits).
// Accuracy: exact, as long as δ_1 is not within 2^-60 of limit, which is an error.
// Cost: O(log k) evaluations of δ_1.
func Table1(eps loss.Epsilon, limit *big.Rat) (int, error) {
	if field, rule := eps.FaultExp(); rule != "" {
		return 0, fmt.Errorf("Table1: %s %s", field, rule)
	}
	if eps.IsZero() || limit == nil || limit.Sign() <= 0 {
		return 0, fmt.Errorf("Table1: eps and limit must be more than 0")
	}
	var failed error
	enough := func(k int) bool {
		x, err := HomogeneousDelta(k, 1, eps)
		if err != nil {
			failed = err
			return true
		}
		lower, _ := x.Lower.Rat(nil)
		upper, _ := x.Upper.Rat(nil)
		if lower.Cmp(limit) <= 0 && upper.Cmp(limit) > 0 {
			failed = fmt.Errorf("Table1: limit is too close to the δ of %d mechanisms", k)
		}
		return upper.Cmp(limit) <= 0
	}
	most := 2
	for !enough(most) {
		if most *= 2; most > maxMechanisms {
			return 0, fmt.Errorf("Table1: more than %d mechanisms", maxMechanisms)
		}
	}
	return 2 + sort.Search(most-2, func(k int) bool { return enough(2 + k) }), failed
}
