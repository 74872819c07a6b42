package impl

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"checkrr/impl/internal/laplace"
	"checkrr/impl/internal/rational"
	"checkrr/impl/interval"
)

// LaplaceMechanism runs M_L(x, f, ε) and returns its output f(x) + (Y_1, …, Y_k). It makes
// the draws of spec.LaplaceMechanism in the same order.
//
// Source: Dwork and Roth (2014), Definition 3.3; AFD-D3.3.
// Symbols and domain: as for spec.LaplaceMechanism.
// Accuracy: that of the noise and of k additions; see [RandomNoise].
// Deviation from print: none.
// Cost: O(k); one allocation.
func LaplaceMechanism(value []float64, sensitivity, eps float64, noise Noise) ([]float64, error) {
	output, err := AppendLaplace(nil, value, sensitivity, eps, 1, noise)
	if err != nil {
		return nil, fmt.Errorf("LaplaceMechanism: %w", err)
	}
	return output, nil
}

// AppendLaplace appends the outputs of so many runs of [LaplaceMechanism] to a list and
// returns it. What can be wrong is looked at once for all of them.
func AppendLaplace(list, value []float64, sensitivity, eps float64, runs int, noise Noise) ([]float64, error) {
	scale, err := laplaceScale(sensitivity, eps)
	if err != nil {
		return nil, err
	}
	for i, f := range value {
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, fmt.Errorf("number %d is %g, must be finite", i+1, f)
		}
	}
	list = slices.Grow(list, runs*len(value))
	for range runs {
		for _, f := range value {
			list = append(list, f+noise.Laplace(scale))
		}
	}
	return list, nil
}

// laplaceScale returns Δf/ε.
func laplaceScale(sensitivity, eps float64) (float64, error) {
	if err := checkPositive("sensitivity", sensitivity); err != nil {
		return 0, err
	}
	if err := checkPositive("eps", eps); err != nil {
		return 0, err
	}
	return sensitivity / eps, checkPositive("scale of the noise", sensitivity/eps)
}

// LaplaceCells returns the probabilities with which mean + Lap(scale) lies in
// (−∞, t_1], (t_1, t_2], …, (t_n, ∞).
//
// Source: Dwork and Roth (2014), Definition 3.2; AFD-D3.2.
// Symbols: t_i = cuts[i−1].
// Domain: scale > 0; cuts strictly increasing. Results in [0, 1].
// Accuracy: each interval contains the real number, and has a width of about 2^−256.
// Deviation from print: none.
// Cost: O(n) exponentials.
func LaplaceCells(mean, scale *big.Rat, cuts []*big.Rat) ([]interval.Interval, error) {
	if mean == nil || scale == nil || scale.Sign() <= 0 {
		return nil, fmt.Errorf("LaplaceCells: mean is %s and scale %s, must be a number and a positive one", rational.Decimal(mean), rational.Decimal(scale))
	}
	n, rate := interval.Precision(laplacePrec), new(big.Rat).Inv(scale)
	var cells []interval.Interval
	for i, t := range cuts {
		if t == nil || i > 0 && cuts[i-1].Cmp(t) >= 0 {
			return nil, fmt.Errorf("LaplaceCells: cut %d is %s, must be a number, more than the one before", i+1, rational.Decimal(t))
		}
		if i == 0 {
			cells = append(cells, laplace.Below(n, new(big.Rat).Sub(t, mean), rate))
			continue
		}
		cells = append(cells, laplace.Between(n, new(big.Rat).Sub(cuts[i-1], mean), new(big.Rat).Sub(t, mean), rate))
	}
	if len(cuts) == 0 {
		return []interval.Interval{n.Int(1)}, nil
	}
	return append(cells, laplace.Above(n, new(big.Rat).Sub(cuts[len(cuts)-1], mean), rate)), nil
}

// laplacePrec is the precision of [LaplaceCells].
const laplacePrec = 256
