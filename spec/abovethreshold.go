package spec

import (
	"cmp"
	"math"
)

// AboveThreshold runs AboveThreshold(D, {f_i}, T, ε) and returns its outputs, true for ⊤
// and false for ⊥.
//
// The analyst is the function query: from the outputs so far it chooses the next query
// and returns its answer f_i(D), or STOP.
//
// Source: Dwork and Roth (2014), Algorithm 1; AFD-A1. Comments give its lines.
// Also in the checks of AFD-T3.23, AFD-X19, AFD-T3.23.s1, AFD-T3.23.s4, AFD-T3.24.s1, AFD-T3.24.s5 and AFD-T3.25.s1.
// Symbols: D = x, T = t, ε = eps; T̂ = noisy.
// Domain: ε and the scales of the noise positive and finite; T and f_i(D) finite. That every
// query has sensitivity at most 1 is the analyst's word.
// Accuracy: float64. The guarantees are those of real numbers.
// Deviation from print: the stream of queries may end. query is given x to answer with; in
// print the analyst sees outputs only, and f_i is evaluated by the algorithm.
// Cost: as many queries as the analyst asks.
func AboveThreshold[X any](x X, query func(x X, a []bool) (q float64, stop bool), t, eps float64,
	noise Noise) ([]bool, error) {
	if err := domain("AboveThreshold", finite("threshold", t), positive("eps", eps),
		positive("scale of the noise", 4/eps)); err != nil {
		return nil, err
	}
	var a []bool
	noisy := t + noise.Laplace(2/eps) // Let T̂ = T + Lap(2/ε)
	for {                             // for Each query i do
		q, stop := query(x, a)
		if stop {
			return a, nil
		}
		if err := domainOf("AboveThreshold: query", len(a)+1, finite("answer", q)); err != nil {
			return nil, err
		}
		nu := noise.Laplace(4 / eps) // Let ν_i = Lap(4/ε)
		if q+nu >= noisy {           // if f_i(D) + ν_i ≥ T̂ then
			return append(a, true), nil // Output a_i = ⊤. Halt.
		}
		a = append(a, false) // else Output a_i = ⊥.
	}
}

// Sparse runs Sparse(D, {f_i}, T, c, ε, δ) and returns its outputs, true for ⊤ and false
// for ⊥.
//
// Source: Dwork and Roth (2014), Algorithm 2; AFD-A2. Comments give its lines.
// Also in the checks of AFD-X18 and AFD-T3.25.s1.
// Symbols: δ = delta, σ = sigma; otherwise as for [AboveThreshold].
// Domain: c ≥ 1, δ in [0, 1); otherwise as for [AboveThreshold].
// Accuracy, deviation from print and cost: as for [AboveThreshold].
func Sparse[X any](x X, query func(x X, a []bool) (q float64, stop bool), t float64, c int, eps, delta float64,
	noise Noise) (a []bool, err error) {
	sigma := SparseScale(c, eps, delta)
	if err := sparseDomain("Sparse", t, c, eps, delta, 2*sigma); err != nil {
		return nil, err
	}
	noisy := t + noise.Laplace(sigma) // Let T̂_0 = T + Lap(σ)
	for count := 0; count < c; {      // Let count = 0. for Each query i do … if count ≥ c then Halt.
		q, stop := query(x, a)
		if stop {
			return a, nil
		}
		if err := domainOf("Sparse: query", len(a)+1, finite("answer", q)); err != nil {
			return nil, err
		}
		if q+noise.Laplace(2*sigma) >= noisy { // Let ν_i = Lap(2σ); if f_i(D) + ν_i ≥ T̂_count then
			a = append(a, true)              // Output a_i = ⊤.
			count++                          // Let count = count + 1.
			noisy = t + noise.Laplace(sigma) // Let T̂_count = T + Lap(σ)
		} else {
			a = append(a, false) // else Output a_i = ⊥.
		}
	}
	return a, nil
}

// sparseDomain is that of a function with one threshold and noise of these scales.
func sparseDomain(function string, t float64, c int, eps, delta float64, scales ...float64) error {
	inOrder := must(delta >= 0 && delta < 1, "delta is %g, must be in [0, 1)", delta)
	broken := cmp.Or(atLeast("c", c, 1), inOrder, finite("threshold", t), positive("eps", eps))
	for _, x := range scales {
		broken = cmp.Or(broken, positive("scale of the noise", x))
	}
	return domain(function, broken)
}

// SparseScale returns σ of [Sparse]: 2c/ε if δ = 0, else √(32c·ln(1/δ))/ε.
//
// Source: Dwork and Roth (2014), Algorithm 2; AFD-A2.
// Also in the checks of AFD-T3.25, AFD-X20, AFD-T3.26, AFD-T3.27.s1 and AFD-T3.27.s2.
// Symbols: ε = eps, δ = delta.
// Domain: c ≥ 1, ε > 0, δ in [0, 1).
// Accuracy: float64.
// Deviation from print: none.
// Cost: O(1).
func SparseScale(c int, eps, delta float64) float64 {
	if delta == 0 { // If δ = 0 Let σ = 2c/ε
		return 2 * float64(c) / eps
	}
	return math.Sqrt(32*float64(c)*math.Log(1/delta)) / eps // Else Let σ = √(32c·ln(1/δ))/ε
}
