package spec

import "math"

// Numeric is an output of [NumericSparse]: ⊥, or a number.
type Numeric struct {
	Above bool    // it is a number
	Value float64 // which
}

// NumericSparse runs NumericSparse(D, {f_i}, T, c, ε, δ) and returns its outputs.
//
// Source: Dwork and Roth (2014), Algorithm 3; AFD-A3. Comments give its lines.
// Symbols: as for [Sparse].
// Domain, accuracy, deviation from print and cost: as for [Sparse].
func NumericSparse[X any](x X, query func(x X, a []Numeric) (q float64, stop bool), t float64, c int,
	eps, delta float64, noise Noise) (a []Numeric, err error) {
	first, second := NumericSparseScales(c, eps, delta)
	if err := sparseDomain("NumericSparse", t, c, eps, delta, 2*first, second); err != nil {
		return nil, err
	}
	noisy := t + noise.Laplace(first) // Let T̂_0 = T + Lap(σ(ε_1))
	for count := 0; count < c; {      // Let count = 0. for Each query i do … if count ≥ c then Halt.
		q, stop := query(x, a)
		if stop {
			return a, nil
		}
		if err := domainOf("NumericSparse: query", len(a)+1, finite("answer", q)); err != nil {
			return nil, err
		}
		if q+noise.Laplace(2*first) >= noisy { // Let ν_i = Lap(2σ(ε_1)); if f_i(D) + ν_i ≥ T̂_count then
			a = append(a, Numeric{true, q + noise.Laplace(second)}) // Let v_i ← Lap(σ(ε_2)). Output a_i = f_i(D) + v_i.
			count++                                                 // Let count = count + 1.
			noisy = t + noise.Laplace(first)                        // Let T̂_count = T + Lap(σ(ε_1))
		} else {
			a = append(a, Numeric{}) // else Output a_i = ⊥.
		}
	}
	return a, nil
}

// NumericSparseScales returns σ(ε_1) and σ(ε_2): if δ = 0, ε_1 = (8/9)ε, ε_2 = (2/9)ε and σ(ε) = 2c/ε; else
// ε_1 = √512/(√512 + 1)·ε, ε_2 = 2/(√512 + 1)·ε and σ(ε) = √(32c·ln(2/δ))/ε.
//
// Source: Dwork and Roth (2014), Algorithm 3; AFD-A3.
// Also in the checks of AFD-T3.27, AFD-T3.28, AFD-T3.27.s1, AFD-T3.27.s2 and AFD-T3.28.s2.
// Symbols: δ = delta, ε = eps.
// Domain: c ≥ 1, ε > 0, δ in [0, 1).
// Accuracy: float64.
// Deviation from print: none.
// Cost: O(1).
func NumericSparseScales(c int, eps, delta float64) (first, second float64) {
	if delta == 0 {
		return 2 * float64(c) / (8 * eps / 9), 2 * float64(c) / (2 * eps / 9)
	}
	eps1, eps2 := math.Sqrt(512)/(math.Sqrt(512)+1)*eps, 2/(math.Sqrt(512)+1)*eps
	sigma := math.Sqrt(32 * float64(c) * math.Log(2/delta))
	return sigma / eps1, sigma / eps2
}
