package spec

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
	if err := domain("LaplaceMechanism", positive("sensitivity", sensitivity), positive("eps", eps),
		positive("scale of the noise", sensitivity/eps), allFinite("number", value)); err != nil {
		return nil, err
	}
	var output []float64
	for _, f := range value {
		output = append(output, f+noise.Laplace(sensitivity/eps))
	}
	return output, nil
}
