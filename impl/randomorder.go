package impl

import (
	"cmp"
	"fmt"
	"math/big"

	"checkrr/impl/internal/check"
	"checkrr/impl/loss"
	"checkrr/impl/noise"
)

// RandomOrderIQR runs M_IQR(x) with its two discretizations in random order, and returns its
// output, with false for ⊥. Both return the same value, but for ⊥, so that the law of the output
// is that of [PrivateIQR], [LawOfPrivateIQR]; only what is spent differs, where each
// discretization is charged by itself.
//
// Source: Hartmann et al. (2022), Section 4.2; ODP-X18.
// Symbols, accuracy and cost: as for [PrivateIQR].
// Domain: n in [2, 2^20]; ε in [1e-300, 1000], δ in [1e-300, 1].
// Deviation from print: the coin for the order is the sign of a draw from Lap(1).
func RandomOrderIQR(x []*big.Rat, eps loss.Epsilon, delta *big.Rat, random noise.Source) (float64, bool, error) {
	r, err := NewPrivateIQRRuns(x, eps, delta)
	if err = cmp.Or(err, check.NotNil("random", random)); err != nil {
		return 0, false, fmt.Errorf("RandomOrderIQR: %w", err)
	}
	if random.Laplace(1) < 0 {
		r.first, r.second = r.second, r.first
	}
	value, ok := r.Draw(random)
	return value, ok, nil
}
