package impl

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"math/big"

	"checkrr/impl/internal/check"
	"checkrr/impl/loss"
	"checkrr/impl/noise"
)

// SparseVector runs M_SVT(x, Q, Δ, T_1, T_2, …, c) and returns its outputs, true for ⊤
// and false for ⊥. It makes the draws of spec.SparseVector in the same order.
//
// Source: Hartmann et al. (2022), Algorithm 2; ODP-A2.
// Also in the check of AFD-X18.
// Symbols: as for spec.SparseVector.
// Domain: Δ, ε_1, ε_2 and the scales of the noise positive and finite; c ≥ 1; q_i(x) and T_i finite. That every query
// has sensitivity at most Δ is the analyst's word.
// Accuracy: float64, by the same operations in the same order.
// Deviation from print: none.
// Cost: as many queries as the analyst asks; [SparseVectorRun] needs no memory for them.
func SparseVector[X any](x X, query func(x X, a []bool) (q, t float64, stop bool), delta float64,
	c int, eps1, eps2 float64, random noise.Source) ([]bool, error) {
	run, err := NewSparseVectorRun(delta, c, eps1, eps2, random)
	err = cmp.Or(err, check.NotNil("query", query))
	var t float64
	ask := func(a []bool) (q float64, stop bool) { q, t, stop = query(x, a); return q, stop }
	return outputsOf("SparseVector", err, ask, func(queries iter.Seq[float64]) iter.Seq2[bool, error] {
		return answers(queries, run.Done, func(q float64) (bool, error) { return run.Compare(q, t) })
	})
}

// SparseVectorRun is a run of the sparse vector technique that is asked one query at a
// time. It keeps the noisy offset ρ and a count, whatever the number of queries. A copy is the same run.
//
// Also in the checks of ODP-A2.
type SparseVectorRun struct{ *sparseVectorRun }

type sparseVectorRun struct {
	noise      noise.Source
	rho, scale float64
	left       int
}

// NewSparseVectorRun starts a run: it draws ρ.
func NewSparseVectorRun(delta float64, c int, eps1, eps2 float64, random noise.Source) (SparseVectorRun, error) {
	rhoScale, nuScale := delta/eps1, 2*float64(c)*delta/eps2
	err := cmp.Or(check.Positive("Δ", delta), check.Positive("ε_1", eps1), check.Positive("ε_2", eps2),
		check.Between("c", c, 1, math.MaxInt), checkScales(rhoScale, nuScale), check.NotNil("random", random))
	if err != nil {
		return SparseVectorRun{}, err
	}
	return SparseVectorRun{&sparseVectorRun{random, random.Laplace(rhoScale), nuScale, c}}, nil
}

// Done reports whether c outputs were ⊤: no query can be compared any more.
func (r *SparseVectorRun) Done() bool { return r.sparseVectorRun == nil || r.left == 0 }

// Compare returns true for ⊤: the query with the answer q is, with noise, at least the
// threshold t with noise.
func (r *SparseVectorRun) Compare(q, t float64) (above bool, err error) {
	if err := cmp.Or(check.Finite("answer", q), check.Finite("threshold", t)); err != nil {
		return false, err
	}
	if r.Done() {
		return false, errRunEnded
	}
	if q+r.noise.Laplace(r.scale) < t+r.rho {
		return false, nil
	}
	r.left--
	return true, nil
}

// SparseVectorCharge returns ℰ(S^SVT_{c'}) = ε_1 + (c'/c)·ε_2, as (c·ε_1 + c'·ε_2)/c.
//
// Source: Hartmann et al. (2022), Lemma 8; ODP-L8.
// Symbols: c' = released; ε_1 = eps1, ε_2 = eps2.
// Domain: ε_1 and ε_2 at least 0; 0 ≤ c' ≤ c, c ≥ 1.
// Accuracy: exact.
// Deviation from print: none.
// Cost: O(1).
func SparseVectorCharge(eps1, eps2 *big.Rat, c, released int) (*big.Rat, error) {
	if err := checkRelease(c, released, eps1, eps2); err != nil {
		return nil, fmt.Errorf("SparseVectorCharge: %w", err)
	}
	sum := new(big.Rat).Mul(eps1, big.NewRat(int64(c), 1))
	sum.Add(sum, new(big.Rat).Mul(eps2, big.NewRat(int64(released), 1)))
	return sum.Quo(sum, big.NewRat(int64(c), 1)), nil
}

// SparseRelease returns what the ODP analysis leaves for the values of the c' released
// entries, ε_3' = ε_3 + ((c − c')/c)·ε_2, and what each of them gets, ε_3'/c', which is
// nil if there are none. It is what the charge of all outputs leaves of
// ε_2 + ε_3, ε_1 apart: (ε_2 + ε_3) − (c'/c)·ε_2.
//
// Source: Hartmann et al. (2022), Section 4.1; ODP-X12.
// Symbols: c' = released; ε_2 = eps2, ε_3 = eps3.
// Domain: ε_2 and ε_3 at least 0; 0 ≤ c' ≤ c, c ≥ 1.
// Accuracy: exact.
// Deviation from print: none.
// Cost: O(1).
func SparseRelease(eps2, eps3 *big.Rat, c, released int) (left, each *big.Rat, err error) {
	if err := checkRelease(c, released, eps2, eps3); err != nil {
		return nil, nil, fmt.Errorf("SparseRelease: %w", err)
	}
	used, err := SparseVectorCharge(new(big.Rat), eps2, c, released)
	if err != nil {
		return nil, nil, err
	}
	left = new(big.Rat).Add(eps2, eps3)
	left.Sub(left, used)
	if released > 0 {
		each = new(big.Rat).Quo(left, big.NewRat(int64(released), 1))
	}
	return left, each, nil
}

func checkRelease(c, released int, eps ...*big.Rat) error {
	err := cmp.Or(check.Between("c", c, 1, math.MaxInt), check.Between("c'", released, 0, c))
	for _, e := range eps {
		err = cmp.Or(err, check.Rule(loss.Fault(loss.Nats(e))))
	}
	return err
}
