package spec

import (
	"math"
	"math/big"
)

// SparseVector runs M_SVT(x, Q, Δ, T_1, T_2, …, c) and returns its outputs, true for ⊤
// and false for ⊥.
//
// The analyst is the function query: from the outputs so far it chooses the next
// query and returns its answer q_i(x) and its threshold T_i, or STOP.
//
// Source: Hartmann et al. (2022), Algorithm 2; ODP-A2. Comments give its lines.
// Also in the check of AFD-X18.
// Symbols: Δ = delta, ε_1 = eps1, ε_2 = eps2.
// Domain: Δ, ε_1, ε_2 and the scales of the noise positive and finite; c ≥ 1; q_i(x) and
// T_i finite. That every query has sensitivity at most Δ is the analyst's word.
// Accuracy: float64. The guarantees are those of real numbers.
// Deviation from print: query is given x to answer with; in print the analyst sees outputs
// only, and M_SVT evaluates q_i.
// Cost: as many queries as the analyst asks.
func SparseVector[X any](x X, query func(x X, a []bool) (q, t float64, stop bool), delta float64, c int,
	eps1, eps2 float64, noise Noise) ([]bool, error) {
	if err := sparseVectorDomain(delta, c, eps1, eps2); err != nil {
		return nil, err
	}
	var a []bool
	rho := noise.Laplace(delta / eps1) // 1
	count := 0                         // 2
	for {                              // 3
		q, t, stop := query(x, a)
		if stop || count >= c { // 4
			return a, nil // 5
		}
		if err := domainOf("SparseVector: query", len(a)+1, finite("answer", q), finite("threshold", t)); err != nil {
			return nil, err
		}
		nu := noise.Laplace(2 * float64(c) * delta / eps2) // 6
		if q+nu >= t+rho {                                 // 7
			a = append(a, true) // 8
			count++             // 9
		} else { // 10
			a = append(a, false) // 11
		}
	}
}

func sparseVectorDomain(delta float64, c int, eps1, eps2 float64) error {
	return domain("SparseVector", positive("Δ", delta), positive("ε_1", eps1), positive("ε_2", eps2),
		atLeast("c", c, 1), positive("scale of the noise", delta/eps1),
		positive("scale of the noise", 2*float64(c)*delta/eps2))
}

// SparseVectorDensity returns Pr(ρ = z)·∏_⊥ f_i(x, z)·∏_⊤ g_i(x, z), the integrand of
// the probability that M_SVT(x) outputs a.
//
// Source: Hartmann et al. (2022), proof of Lemma 8; ODP-L8.
// Also in the checks of ODP-E1 and ODP-E2.
// Symbols: f_i(x, z) = Pr(q_i + ν_i < T_i + z), g_i(x, z) = Pr(q_i + ν_i ≥ T_i + z),
// q_i(x) = q[i], T_i = t[i]; Δ, c, ε_1, ε_2 as for [SparseVector].
// Domain: q, t and a of one length; Δ, ε_1, ε_2 > 0, c ≥ 1; a is a possible output.
// Accuracy: float64.
// Deviation from print: the queries are given; print has the factor Pr(q_{l+1} = ST | a) of
// an analyst who stops after a, too, which cancels.
// Cost: O(len(a)).
func SparseVectorDensity(z float64, q, t []float64, a []bool, delta float64, c int, eps1, eps2 float64) float64 {
	density := math.Exp(-math.Abs(z)*eps1/delta) * eps1 / (2 * delta)
	for i := range a {
		scale := 2 * float64(c) * delta / eps2
		if a[i] {
			density *= nuBelow(q[i]-t[i]-z, scale) // ν_i has a symmetric law
		} else {
			density *= nuBelow(t[i]+z-q[i], scale)
		}
	}
	return density
}

// nuBelow returns Pr(ν < x) for ν ~ Lap(scale).
func nuBelow(x, scale float64) float64 {
	if x < 0 {
		return math.Exp(x/scale) / 2
	}
	return 1 - math.Exp(-x/scale)/2
}

// SparseVectorCharge returns ℰ(S^SVT_{c'}) = ε_1 + (c'/c)·ε_2.
//
// Source: Hartmann et al. (2022), Lemma 8; ODP-L8.
// Also in the checks of ODP-X11.
// Symbols: c' = released; ε_1 = eps1, ε_2 = eps2.
// Domain: ε_1 and ε_2 at least 0; 0 ≤ c' ≤ c, c ≥ 1.
// Accuracy: exact.
// Deviation from print: none.
// Cost: O(1).
func SparseVectorCharge(eps1, eps2 *big.Rat, c, released int) (*big.Rat, error) {
	if err := domain("SparseVectorCharge", atLeast("c", c, 1), between("c'", released, 0, c),
		notBelow("ε_1", eps1, 0), notBelow("ε_2", eps2, 0)); err != nil {
		return nil, err
	}
	return add(eps1, mul(big.NewRat(int64(released), int64(c)), eps2)), nil
}

// SparseRelease returns what the ODP analysis leaves for the values of the c' released
// entries, ε_3' = ε_3 + ((c − c')/c)·ε_2, and what each of them gets, ε_3'/c', which is
// nil if there are none.
//
// Source: Hartmann et al. (2022), Section 4.1; ODP-X12.
// Symbols: c' = released; ε_2 = eps2, ε_3 = eps3.
// Domain: ε_2 and ε_3 at least 0; 0 ≤ c' ≤ c, c ≥ 1.
// Accuracy: exact.
// Deviation from print: none.
// Cost: O(1).
func SparseRelease(eps2, eps3 *big.Rat, c, released int) (left, each *big.Rat, err error) {
	if err := domain("SparseRelease", atLeast("c", c, 1), between("c'", released, 0, c),
		notBelow("ε_2", eps2, 0), notBelow("ε_3", eps3, 0)); err != nil {
		return nil, nil, err
	}
	left = add(eps3, mul(big.NewRat(int64(c-released), int64(c)), eps2))
	if released > 0 {
		each = quo(left, big.NewRat(int64(released), 1))
	}
	return left, each, nil
}
