package impl

import (
	"cmp"
	"iter"
	"math"
	"math/big"

	"checkrr/impl/internal/check"
	"checkrr/impl/interval"
	"checkrr/impl/noise"
)

// Numeric is an output of [NumericSparse]: ⊥, or a number.
type Numeric struct {
	Above bool    // it is a number
	Value float64 // which
}

// NumericSparse runs NumericSparse(D, {f_i}, T, c, ε, δ) and returns its outputs. It makes the draws of
// spec.NumericSparse in the same order, but for T̂_c, which nothing is compared with.
//
// Source: Dwork and Roth (2014), Algorithm 3; AFD-A3.
// Symbols and deviation from print: as for spec.NumericSparse.
// Domain: c ≥ 1, δ in [0, 1); ε and the scales of the noise positive and finite; T and f_i(D) finite. That every query
// has sensitivity at most 1 is the analyst's word.
// Accuracy: float64, by the same operations in the same order.
// Cost: as many queries as the analyst asks; [NumericSparseRun] needs no memory for them.
func NumericSparse[X any](x X, query func(x X, a []Numeric) (q float64, stop bool), t float64, c int,
	eps, delta float64, random noise.Source) ([]Numeric, error) {
	run, err := NewNumericSparseRun(t, c, eps, delta, random)
	err = cmp.Or(err, check.NotNil("query", query))
	ask := func(a []Numeric) (float64, bool) { return query(x, a) }
	return outputsOf("NumericSparse", err, ask, run.Answers)
}

// NumericSparseRun is a run of [NumericSparse] that is asked one query at a time: it is a [SparseRun], with noise for
// the answers that are above. A copy is the same run.
//
// Also in the checks of AFD-A3.
type NumericSparseRun struct {
	above SparseRun
	scale float64 // of v_i
}

// NewNumericSparseRun starts a run: it draws T̂_0.
func NewNumericSparseRun(t float64, c int, eps, delta float64, random noise.Source) (NumericSparseRun, error) {
	first, second := 2*float64(c)/(8*eps/9), 2*float64(c)/(2*eps/9)
	if delta > 0 {
		eps1, eps2 := math.Sqrt(512)/(math.Sqrt(512)+1)*eps, 2/(math.Sqrt(512)+1)*eps
		sigma := math.Sqrt(32 * float64(c) * math.Log(2/delta))
		first, second = sigma/eps1, sigma/eps2
	}
	if err := cmp.Or(checkSparse(t, c, eps, delta), check.Positive("scale of the noise", second)); err != nil {
		return NumericSparseRun{}, err
	}
	above, err := startSparse(t, c, first, random)
	return NumericSparseRun{above: above, scale: second}, err
}

// Done reports whether c outputs were numbers: no query is answered any more.
func (r *NumericSparseRun) Done() bool { return r.above.Done() }

// Answer returns the output to a query with the answer q.
func (r *NumericSparseRun) Answer(q float64) (Numeric, error) {
	above, err := r.above.isAbove(q)
	if err != nil {
		return Numeric{}, err
	}
	if !above {
		return Numeric{}, nil
	}
	output := Numeric{true, q + r.above.noise.Laplace(r.scale)}
	r.above.next()
	return output, nil
}

// Answers yields the outputs to a stream of queries, until it ends or the run does. Nothing is kept of it. An error is
// the last that is yielded.
func (r *NumericSparseRun) Answers(queries iter.Seq[float64]) iter.Seq2[Numeric, error] {
	return answers(queries, r.Done, r.Answer)
}

// NumericSparseScales returns σ(ε_1) and σ(ε_2) of [NumericSparse]: with s = σ(1), they are (9/8)s/ε and (9/2)s/ε if
// δ = 0, else (1 + 1/√512)s/ε and ((√512 + 1)/2)s/ε.
//
// Source: Dwork and Roth (2014), Algorithm 3; AFD-A3.
// Also in the checks of AFD-T3.27, AFD-T3.28, AFD-T3.27.s1, AFD-T3.27.s2 and AFD-T3.28.s2.
// Symbols: δ = delta, ε = eps.
// Domain: c ≥ 1, ε > 0, δ in [0, 1).
// Accuracy: contain them; relative width about 2^-180.
// Deviation from print: none.
// Cost: O(1).
func NumericSparseScales(c int, eps, delta *big.Rat) (first, second interval.Interval) {
	if delta.Sign() == 0 {
		s := SparseScale(c, eps, delta)
		return bits.Mul(bits.Rat(big.NewRat(9, 8)), s), bits.Mul(bits.Rat(big.NewRat(9, 2)), s)
	}
	s := SparseScale(c, eps, new(big.Rat).Quo(delta, big.NewRat(2, 1)))
	root, one := bits.Sqrt(bits.Int(512)), bits.Int(1)
	return bits.Mul(s, bits.Add(one, bits.Quo(one, root))), bits.Mul(s, bits.Half(bits.Add(root, one)))
}
