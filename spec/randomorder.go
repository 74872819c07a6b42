package spec

import "math/big"

// RandomOrderIQR runs M_IQR(x) with its two discretizations in random order, and returns its
// output, with false for ⊥: that of the first one, and if that is ⊥, that of the other.
//
// Source: Hartmann et al. (2022), Section 4.2; ODP-X18.
// Symbols, domain and accuracy: as for [DiscretizedIQR].
// Deviation from print: the coin for the order is the sign of a draw from Lap(1).
// Cost: twice that of [DiscretizedIQR]; one draw more.
func RandomOrderIQR(x, values []*big.Rat, eps, delta float64, noise Noise) (float64, bool, error) {
	first := 1
	if noise.Laplace(1) < 0 {
		first = 2
	}
	value, ok, err := DiscretizedIQR(x, values, first, eps, delta, noise)
	if ok || err != nil {
		return value, ok, err
	}
	return DiscretizedIQR(x, values, 3-first, eps, delta, noise)
}
