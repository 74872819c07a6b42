package impl

import (
	"cmp"
	"fmt"
	"math/big"

	"checkrr/impl/internal/check"
	"checkrr/impl/interval"
	"checkrr/impl/noise"
)

// Toy runs M_toy(x): with heads, f(x) + Lap(1/ε); with tails, ⊥.
//
// Source: Hartmann et al. (2022), Section 1; ODP-X1.
// Also in the checks of ODP-X6.
// Symbols: f(x) = fx, ε = eps, c = heads, Lap = noise.
// Domain: ε > 0, f of sensitivity 1.
// Accuracy: that of the noise and of one addition; see [RandomNoise].
// Deviation from print: none.
// Cost: O(1).
func Toy(fx, eps float64, heads func() bool, random noise.Source) (value float64, bottom bool, err error) {
	err = cmp.Or(check.Positive("eps", eps), check.Positive("1/eps", 1/eps), check.Finite("f(x)", fx),
		check.NotNil("heads", heads), check.NotNil("random", random))
	if err != nil {
		return 0, false, fmt.Errorf("Toy: %w", err)
	}
	if !heads() {
		return 0, true, nil
	}
	return fx + random.Laplace(1/eps), false, nil
}

// ToyCells returns the probabilities with which M_toy(x) puts its output into the cells
// (−∞, t_1], (t_1, t_2], …, (t_n, ∞), and last of all the probability of ⊥.
//
// Source: Hartmann et al. (2022), Section 1; ODP-X1.
// Also in the checks of ODP-X6.
// Symbols: f(x) = fx, ε = eps, t_i = cuts[i−1].
// Domain: ε > 0; cuts strictly increasing. Results in [0, 1].
// Accuracy: each interval contains the real number, and has a width of about 2^−256.
// Deviation from print: none.
// Cost: O(n) exponentials.
func ToyCells(fx, eps *big.Rat, cuts []*big.Rat) ([]interval.Interval, error) {
	if err := check.In("eps", eps, "(0, ∞)"); err != nil {
		return nil, fmt.Errorf("ToyCells: %w", err)
	}
	cells, err := LaplaceCells(fx, new(big.Rat).Inv(eps), cuts)
	if err != nil {
		return nil, fmt.Errorf("ToyCells: %w", err)
	}
	n := interval.Precision(laplacePrec)
	for i := range cells {
		cells[i] = n.Half(cells[i])
	}
	return append(cells, n.Half(n.Int(1))), nil
}
