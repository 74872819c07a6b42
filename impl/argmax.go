package impl

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"

	"checkrr/impl/internal/check"
	"checkrr/impl/internal/rational"
	"checkrr/impl/noise"
)

// OneSidedArgMax adds one-sided exponential noise to the utility of each output and returns the index of the largest
// sum, the first of them if there are more. It makes the draws of spec.OneSidedArgMax in the same order, and keeps
// only the largest.
//
// Source: Dwork and Roth (2014), Section 3.4, Report One-Sided Noisy Arg-Max; AFD-U6.
// Symbols and deviation from print: as for spec.OneSidedArgMax.
// Domain: at least one output; utilities finite; Δu, ε and the mean positive and finite. That Δu is the sensitivity,
// and u monotonic, is the caller's word.
// Accuracy: float64, by the same operations in the same order.
// Cost: O(|R|); no allocation.
func OneSidedArgMax(utilities []float64, sensitivity, eps float64, monotonic bool,
	random noise.Source) (index int, err error) {
	mean, err := laplaceScale(sensitivity, eps)
	if !monotonic && err == nil {
		mean, err = laplaceScale(2*sensitivity, eps)
	}
	err = cmp.Or(err, checkScores("utility", "utilities", utilities), check.NotNil("random", random))
	if err != nil {
		return 0, fmt.Errorf("OneSidedArgMax: %w", err)
	}
	largest := math.Inf(-1)
	for r, u := range utilities {
		if noisy := u + math.Abs(random.Laplace(mean)); noisy > largest {
			index, largest = r, noisy
		}
	}
	return index, nil
}

// OneSidedLaw returns the probability of every output of [OneSidedArgMax].
//
// It is q_r·∫_0^1 ∏_{j≠r} (1 − w·q_j) dw, as spec.OneSidedLaw derives. The product over all j is multiplied out once,
// and divided by (1 − w·q_r) for each r, which is exact: with P = (1 − wq)·Q the coefficients are Q_k = P_k +
// q·Q_{k−1}.
//
// Source: Dwork and Roth (2014), Section 3.4, Report One-Sided Noisy Arg-Max. In the checks of AFD-X10 and AFD-T3.13.
// Symbols, accuracy and deviation from print: as for spec.OneSidedLaw.
// Domain: base ≥ 1; at least one output, utilities whole numbers. The result sums to 1.
// Cost: O(|R|²) operations on rationals.
func OneSidedLaw(base *big.Rat, utilities []int) []*big.Rat {
	most := slices.Max(utilities)
	var q []*big.Rat
	all := []*big.Rat{rational.One}
	for _, u := range utilities {
		x := new(big.Rat).Inv(rational.Power(base, most-u))
		q = append(q, x)
		all = append(all, new(big.Rat))
		for k := len(all) - 1; k > 0; k-- {
			all[k] = new(big.Rat).Sub(all[k], new(big.Rat).Mul(x, all[k-1]))
		}
	}
	var law []*big.Rat
	for _, x := range q {
		mean, others := new(big.Rat), new(big.Rat)
		for k := range utilities { // ∫ Q_k·w^k dw = Q_k/(k + 1)
			others = others.Add(all[k], others.Mul(x, others))
			mean.Add(mean, new(big.Rat).Mul(others, big.NewRat(1, int64(k+1))))
		}
		law = append(law, mean.Mul(mean, x))
	}
	return law
}
