package spec

import (
	"math"
	"math/big"
)

// RenyiMoment returns E_{Y~P}[(P(Y)/Q(Y))^(λ−1)], which is e^((λ−1)·D_λ(P‖Q)); nil if it is infinite.
//
// Source: Whitehouse et al. (2023), Definition 2; FAC-D2.
// Also in the checks of FAC-X4, FAC-L1, FAC-E7, FAC-X7, FAC-L6 and FAC-T7.
// Symbols: P = p, Q = q, λ = order.
// Domain: two laws, whole orders λ ≥ 1. Result at least 1.
// Accuracy: exact.
// Deviation from print: none.
// Cost: O(m·λ) for m outputs.
func RenyiMoment(p, q map[string]*big.Rat, order int) *big.Rat {
	mean := new(big.Rat)
	for output, pr := range p {
		if pr.Sign() == 0 {
			continue
		}
		ratio := ExpLoss(p, q, output)
		if ratio == nil && order > 1 {
			return nil
		}
		term := pr
		for range order - 1 {
			term = mul(term, ratio)
		}
		mean = add(mean, term)
	}
	return mean
}

// RenyiDivergence returns D_λ(P‖Q) = (1/(λ−1)) log(E_{Y~P}[(P(Y)/Q(Y))^(λ−1)]).
//
// Source: Whitehouse et al. (2023), Definition 2; FAC-D2.
// Symbols: P = p, Q = q, λ = order.
// Domain: two laws, λ > 1, as printed also 1, where it is 0/0. Result in [0, ∞].
// Accuracy: float64.
// Deviation from print: none.
// Cost: O(m) for m outputs.
func RenyiDivergence(p, q map[string]*big.Rat, order float64) float64 {
	mean := 0.0
	for output, pr := range p {
		py, _ := pr.Float64()
		if py > 0 {
			mean += py * math.Pow(py/probabilityOf(q, output), order-1)
		}
	}
	return 1 / (order - 1) * math.Log(mean)
}

// probabilityOf returns the float64 nearest to the probability of an output.
func probabilityOf(law map[string]*big.Rat, output string) float64 {
	pr, _ := probability(law, []string{output}).Float64()
	return pr
}
