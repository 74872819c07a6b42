package impl

import (
	"cmp"
	"fmt"
	"math/big"

	"checkrr/impl/internal/check"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// HomogeneousDelta returns δ_i such that k adaptively composed ε-DP mechanisms are
// ((k − 2i)ε, δ_i)-DP.
// ODP-TB1 fails as printed: numbers of its table are too large by one. The formula holds.
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
	if err := cmp.Or(check.Between("i", i, 0, k/2), check.Rule(loss.FaultExp(eps))); err != nil {
		return interval.Interval{}, fmt.Errorf("HomogeneousDelta: %w", err)
	}
	if i == 0 || eps.IsZero() {
		return interval.Of(0, 0), nil
	}
	return sharp(128, func(n interval.Precision) interval.Interval { return homogeneousDelta(n, k, i, eps) }), nil
}

func homogeneousDelta(n interval.Precision, k, i int, eps loss.Epsilon) interval.Interval {
	e := loss.EncloseExp(eps, n)
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

// AdvancedComposition returns the (ε, δ) of mechanisms that are (ε_m, δ_m)-DP, with parameters fixed beforehand:
// δ = δ′ + Σ δ_m and ε = √(2 ln(1/δ′) Σ ε_m²) + Σ ε_m (e^ε_m − 1)/(e^ε_m + 1).
//
// Source: Whitehouse et al. (2023), eq. (2); FAC-E2.
// Also in the check of AFD-K3.21.
// Symbols: ε_m = eps[m−1], δ_m = deltas[m−1], δ′ = delta1.
// Domain: as many ε_m ≥ 0 as δ_m in [0, 1]; δ′ in (0, 1].
// Accuracy: contains ε, with a relative width of about 2^-170 for ε_m of at least 2^-20; δ is exact.
// Deviation from print: none.
// Cost: O(n).
func AdvancedComposition(eps []loss.Epsilon, deltas []*big.Rat,
	delta1 *big.Rat) (epsilon interval.Interval, delta *big.Rat) {
	v, drift, one := bits.Int(0), bits.Int(0), bits.Int(1)
	delta = new(big.Rat).Set(delta1)
	for i, m := range eps {
		e, odds := loss.Enclose(m, bits), loss.EncloseExp(m, bits)
		v = bits.Add(v, bits.Mul(e, e))
		drift = bits.Add(drift, bits.Mul(e, bits.Quo(bits.Max0(bits.Sub(odds, one)), bits.Add(odds, one))))
		delta.Add(delta, deltas[i])
	}
	log := bits.Log(new(big.Rat).Inv(delta1))
	return bits.Add(bits.Sqrt(bits.Mul(bits.Add(log, log), v)), drift), delta
}

// KFoldComposition returns the ε′ with which k mechanisms that are (ε, δ)-DP are (ε′, kδ + δ′)-DP under k-fold adaptive
// composition: √(2k ln(1/δ′))·ε + kε(e^ε − 1).
//
// Source: Dwork and Roth (2014), Theorem 3.20; AFD-T3.20.
// Also in the checks of AFD-K3.21, AFD-X13, AFD-E3.7 and AFD-T3.20.s4.
// Symbols: ε = eps, δ′ = delta1.
// Domain: k ≥ 0; ε in [0, 1e6], or any e^ε; δ′ in (0, 1]; print has any δ′ ≥ 0, and no root for δ′ > 1.
// Accuracy: contains ε′; relative width about 2^-170 for ε of at least 2^-20.
// Deviation from print: none. [AdvancedComposition] is sharper: its second term is smaller by a factor of more than 2.
// Cost: O(1).
func KFoldComposition(k int, eps loss.Epsilon, delta1 *big.Rat) interval.Interval {
	e, n := loss.Enclose(eps, bits), bits.Int(int64(k))
	log := bits.Log(new(big.Rat).Inv(delta1))
	root := bits.Sqrt(bits.Mul(n, bits.Add(log, log)))
	return bits.Mul(e, bits.Add(root, bits.Mul(n, bits.Max0(bits.Sub(loss.EncloseExp(eps, bits), bits.Int(1))))))
}

// KFoldEpsilon returns the ε that is enough for each of k mechanisms such that together they are (ε′, kδ + δ′)-DP:
// ε′/(2·√(2k ln(1/δ′))).
//
// Source: Dwork and Roth (2014), Corollary 3.21; AFD-K3.21.
// Also in the check of AFD-X13.
// Symbols: ε′ = target, δ′ = delta1.
// Domain: k ≥ 1, ε′ in (0, 1), δ′ in (0, 1).
// Accuracy: contains ε; relative width about 2^-180.
// Deviation from print: it is enough for ε′ up to 8 ln(1/δ′), and not for δ′ near 1.
// Cost: O(1).
func KFoldEpsilon(k int, target, delta1 *big.Rat) interval.Interval {
	log := bits.Log(new(big.Rat).Inv(delta1))
	root := bits.Sqrt(bits.Mul(bits.Int(int64(k)), bits.Add(log, log)))
	return bits.Quo(bits.Rat(target), bits.Add(root, root))
}
