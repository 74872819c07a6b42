package spec

import (
	"fmt"
	"math"
)

// AboveThreshold runs AboveThreshold(D, {f_i}, T, ε) and returns its outputs, true for ⊤
// and false for ⊥.
//
// The analyst is the function query: from the outputs so far it chooses the next query
// and returns its answer f_i(D), or STOP.
//
// Source: Dwork and Roth (2014), Algorithm 1; AFD-A1. Comments give its lines.
// Symbols: D = x, T = t, ε = eps; T̂ = noisy.
// Domain: ε and the scales of the noise positive and finite; T and f_i(D) finite. That every
// query has sensitivity at most 1 is the analyst's word.
// Accuracy: float64. The guarantees are those of real numbers.
// Deviation from print: the stream of queries may end.
// Cost: as many queries as the analyst asks.
func AboveThreshold[X any](x X, query func(x X, a []bool) (q float64, stop bool), t, eps float64, noise Noise) ([]bool, error) {
	if err := checkThreshold(t, 2/eps, eps); err != nil {
		return nil, fmt.Errorf("AboveThreshold: %w", err)
	}
	var a []bool
	noisy := t + noise.Laplace(2/eps) // Let T̂ = T + Lap(2/ε)
	for {                             // for Each query i do
		q, stop := query(x, a)
		if stop {
			return a, nil
		}
		if err := checkQuery(len(a)+1, q, t); err != nil {
			return nil, fmt.Errorf("AboveThreshold: %w", err)
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
// Symbols: δ = delta, σ = sigma; otherwise as for [AboveThreshold].
// Domain: c ≥ 1, δ in [0, 1); otherwise as for [AboveThreshold].
// Accuracy, deviation from print and cost: as for [AboveThreshold].
func Sparse[X any](x X, query func(x X, a []bool) (q float64, stop bool), t float64, c int, eps, delta float64, noise Noise) (a []bool, err error) {
	sigma, err := sparseScale(t, c, eps, delta)
	if err != nil {
		return nil, fmt.Errorf("Sparse: %w", err)
	}
	noisy := t + noise.Laplace(sigma) // Let T̂_0 = T + Lap(σ)
	for count := 0; count < c; {      // Let count = 0. for Each query i do … if count ≥ c then Halt.
		q, stop := query(x, a)
		if stop {
			return a, nil
		}
		if err := checkQuery(len(a)+1, q, t); err != nil {
			return nil, fmt.Errorf("Sparse: %w", err)
		}
		nu := noise.Laplace(2 * sigma) // Let ν_i = Lap(2σ)
		if q+nu >= noisy {             // if f_i(D) + ν_i ≥ T̂_count then
			a = append(a, true)              // Output a_i = ⊤.
			count++                          // Let count = count + 1.
			noisy = t + noise.Laplace(sigma) // Let T̂_count = T + Lap(σ)
		} else {
			a = append(a, false) // else Output a_i = ⊥.
		}
	}
	return a, nil
}

// sparseScale returns σ. It checks all numbers that [Sparse] is given.
func sparseScale(t float64, c int, eps, delta float64) (sigma float64, err error) {
	if c < 1 {
		return 0, fmt.Errorf("c is %d, must be at least 1", c)
	}
	if !(delta >= 0 && delta < 1) {
		return 0, fmt.Errorf("delta is %g, must be at least 0 and less than 1", delta)
	}
	if delta == 0 {
		sigma = 2 * float64(c) / eps
	} else {
		sigma = math.Sqrt(32*float64(c)*math.Log(1/delta)) / eps
	}
	return sigma, checkThreshold(t, sigma, eps)
}

// checkThreshold checks what both algorithms have; 2σ is the larger scale.
func checkThreshold(t, sigma, eps float64) error {
	if math.IsNaN(t) || math.IsInf(t, 0) {
		return fmt.Errorf("threshold is %g, must be finite", t)
	}
	if err := checkPositive("eps", eps); err != nil {
		return err
	}
	for _, scale := range []float64{sigma, 2 * sigma} {
		if err := checkPositive("scale of the noise", scale); err != nil {
			return err
		}
	}
	return nil
}
