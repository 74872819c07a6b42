package spec

import (
	"math"
	"math/big"
	"slices"
)

// Laws are two laws over the same outputs: of one step with x and with x', or a pair (P, Q) that dominates it.
type Laws = [2]map[string]*big.Rat

// HockeyStick returns H_α(P, Q), the sum of max(0, p − α·q) over the outputs.
//
// Source: docs/dominating-pairs.md, The statement; OUR-D1.
// Also in the checks of OUR-D3, OUR-X2, OUR-L2, OUR-X4, OUR-X5, OUR-X6, OUR-X7, OUR-X8, OUR-X9, OUR-L12,
// OUR-X22 and OUR-L5.
// Symbols: (P, Q) = laws, α = order.
// Domain: two laws over the same outputs, α ≥ 0. Result in [0, 1].
// Accuracy: exact.
// Deviation from print: a sum for ∫ max(0, p − α·q).
// Cost: O(m) for m outputs.
func HockeyStick(laws Laws, order *big.Rat) *big.Rat {
	sum := new(big.Rat)
	for output, p := range laws[0] {
		q := laws[1][output]
		sum = add(sum, larger(new(big.Rat), sub(p, mul(order, q))))
	}
	return sum
}

// PairsValue returns V_k(a, b), what can be gained from a and b after k steps; V_0(1, 1) is the value of the pairs.
//
// Source: docs/dominating-pairs.md, The statement; OUR-D4.
// Also in the checks of OUR-T1, OUR-T2, OUR-X1, OUR-X3, OUR-L1, OUR-L2, OUR-L3, OUR-T1.s2, OUR-T2.s1, OUR-X4, OUR-L9,
// OUR-L10, OUR-X8, OUR-X9, OUR-X10 and OUR-X14.
// Symbols: (P_k, Q_k) = pairs[k−1], K = len(pairs), k_i and e^(E_i) as in [Stop].
// Domain: pairs over the same outputs each, of which the sums need not be 1; stops in their order, the last after K
// steps; k in [0, K]; a, b ≥ 0. Result in [0, a] for laws.
// Accuracy: exact.
// Deviation from print: a sum for ∫ V_k(a·p_k(z), b·q_k(z)) dz.
// Cost: O(m^K) for m outputs.
func PairsValue(pairs []Laws, stops []Stop, k int, a, b *big.Rat) *big.Rat {
	pay := new(big.Rat)
	i := slices.IndexFunc(stops, func(s Stop) bool { return s.After == k })
	if i >= 0 {
		pay = larger(pay, sub(a, mul(stops[i].ExpEps, b)))
	}
	if k == len(pairs) {
		return pay
	}
	onward := new(big.Rat) // W_(k+1)(a, b)
	for z, p := range pairs[k][0] {
		q := pairs[k][1][z]
		onward = add(onward, PairsValue(pairs, stops, k+1, mul(a, p), mul(b, q)))
	}
	return larger(pay, onward)
}

// AllocationRatio returns r = P/Q of what the steps of an epoch show of a record that takes part in one of them, which
// is drawn at random: the mean of w_j = exp((2·x_j − 1)/(2σ²)).
//
// Source: docs/dominating-pairs.md, Random allocation; OUR-L12.
// Symbols: σ = noise, x_1, …, x_t = outputs.
// Domain: σ > 0, at least one output. Result above 0.
// Accuracy: float64.
// Deviation from print: none.
// Cost: O(t).
func AllocationRatio(noise float64, outputs []float64) float64 {
	sum := 0.0
	for _, x := range outputs {
		sum += math.Exp((2*x - 1) / (2 * noise * noise))
	}
	return sum / float64(len(outputs))
}

// RangeLaws returns the laws of a step of range ε that loses t or t − ε: p_t, 1 − p_t and q_t, 1 − q_t with q_t =
// (e^−t − e^−ε)/(1 − e^−ε) and p_t = e^t·q_t.
//
// Source: docs/dominating-pairs.md, Bounded range, Lemma 13; OUR-L13.
// Symbols: e^ε = expEps, e^t = expT.
// Domain: e^ε > 1, e^t in [1, e^ε].
// Accuracy: exact.
// Deviation from print: none.
// Cost: O(1).
func RangeLaws(expEps, expT *big.Rat) Laws {
	least := quo(one, expEps)
	q := quo(sub(quo(one, expT), least), sub(one, least))
	p := mul(expT, q)
	return Laws{{"t": p, "t − ε": sub(one, p)}, {"t": q, "t − ε": sub(one, q)}}
}
