package spec

import (
	"fmt"
	"math"
)

// LaplaceMechanism runs M_L(x, f, ε) and returns its output f(x) + (Y_1, …, Y_k).
//
// Source: Dwork and Roth (2014), Definition 3.3; AFD-D3.3.
// Symbols: f(x) = value, Δf = sensitivity, ε = eps.
// Domain: f(x) finite; Δf, ε and the scale Δf/ε positive and finite. That f has this
// sensitivity, in ‖·‖_1, is the caller's word.
// Accuracy: that of the noise and of k additions.
// Deviation from print: none.
// Cost: O(k).
func LaplaceMechanism(value []float64, sensitivity, eps float64, noise Noise) ([]float64, error) {
	if err := checkLaplace(sensitivity, eps); err != nil {
		return nil, fmt.Errorf("LaplaceMechanism: %w", err)
	}
	if err := checkFinite("number", value); err != nil {
		return nil, fmt.Errorf("LaplaceMechanism: %w", err)
	}
	var output []float64
	for _, f := range value {
		output = append(output, f+noise.Laplace(sensitivity/eps))
	}
	return output, nil
}

func checkLaplace(sensitivity, eps float64) error {
	if err := checkPositive("sensitivity", sensitivity); err != nil {
		return err
	}
	if err := checkPositive("eps", eps); err != nil {
		return err
	}
	return checkPositive("scale of the noise", sensitivity/eps)
}

// checkFinite checks a list of what each is called.
func checkFinite(name string, values []float64) error {
	for i, x := range values {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("%s %d is %g, must be finite", name, i+1, x)
		}
	}
	return nil
}
