package spec

import (
	"fmt"
	"math"
)

// CoinNoise also flips unbiased coins.
type CoinNoise interface {
	Noise
	Coin() (heads bool)
}

// Toy runs M_toy on a database of which a function of sensitivity 1 is fx, and returns
// its answer, or false for ⊥.
//
// Source: Hartmann et al. (2022), Section 1; ODP-X1. Comments give its lines.
// Symbols: f(x) = fx, ε = eps.
// Domain: fx finite, ε > 0.
// Accuracy: float64.
// Deviation from print: none.
// Cost: one coin and at most one draw of Laplace noise.
func Toy(fx, eps float64, noise CoinNoise) (float64, bool, error) {
	if math.IsNaN(fx) || math.IsInf(fx, 0) {
		return 0, false, fmt.Errorf("Toy: f(x) is %g, must be finite", fx)
	}
	if !(eps > 0) || math.IsInf(eps, 0) {
		return 0, false, fmt.Errorf("Toy: ε is %g, must be finite and greater than 0", eps)
	}
	c := noise.Coin() // 1
	if c {            // 2
		return fx + noise.Laplace(1/eps), true, nil
	}
	return 0, false, nil // 3
}
