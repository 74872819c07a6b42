package spec

import "math"

// RunSparseRelease releases entries of a vector f(x). M_SVT, with the queries q_i(x) = |f_i(x)| and
// one threshold, says which ones; each of these gets Laplace noise for its share of what the ODP
// analysis leaves, ε_3'/c' as in [SparseRelease]. It returns their indices, in order, and their private values.
//
// Source: Hartmann et al. (2022), Section 4.1; ODP-X12.
// Symbols: f(x) = f; T = threshold, the sensitivity of an entry Δ = delta; ε_1, ε_2, ε_3 = eps1, eps2, eps3.
// Domain: as for [SparseVector]; ε_3 > 0; entries finite.
// Accuracy: float64. The guarantees are those of real numbers.
// Deviation from print: print has no algorithm; what is left if nothing is released stays unused.
// Cost: O(len(f)).
func RunSparseRelease(f []float64, threshold, delta float64, c int, eps1, eps2, eps3 float64,
	noise Noise) (indices []int, values []float64, err error) {
	if err := domain("RunSparseRelease", positive("ε_3", eps3), finite("ε_2 + ε_3", eps2+eps3),
		finite("threshold", threshold), allFinite("entry", f), positive("scale of the noise", delta/(eps3+eps2)),
		positive("scale of the noise", delta/(eps3/float64(c)))); err != nil {
		return nil, nil, err
	}
	query := func(f []float64, a []bool) (q, t float64, stop bool) {
		if len(a) == len(f) {
			return 0, 0, true
		}
		return math.Abs(f[len(a)]), threshold, false
	}
	a, err := SparseVector(f, query, delta, c, eps1, eps2, noise)
	for i, above := range a {
		if above {
			indices = append(indices, i)
		}
	}
	left := eps3 + float64(c-len(indices))/float64(c)*eps2
	for _, i := range indices {
		values = append(values, f[i]+noise.Laplace(delta/(left/float64(len(indices)))))
	}
	return indices, values, err
}
