package spec

// Toy runs M_toy(x) and returns its output: a number, or ⊥.
//
// Source: Hartmann et al. (2022), Section 1; ODP-X1. Comments give its lines.
// Also in the checks of ODP-X6.
// Symbols: f(x) = fx, ε = eps, c = heads, Lap = noise.
// Domain: ε and 1/ε positive and finite, f of sensitivity 1.
// Accuracy: that of the noise and of one addition.
// Deviation from print: none.
// Cost: O(1).
func Toy(fx, eps float64, heads func() bool, noise Noise) (value float64, bottom bool, err error) {
	if err := domain("Toy", positive("eps", eps), positive("scale of the noise", 1/eps),
		finite("f(x)", fx)); err != nil {
		return 0, false, err
	}
	c := heads() // 1
	if c {
		return fx + noise.Laplace(1/eps), false, nil // 2
	}
	return 0, true, nil // 3
}
