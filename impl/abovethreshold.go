package impl

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/big"

	"checkrr/impl/internal/check"
	"checkrr/impl/interval"
	"checkrr/impl/noise"
)

// AboveThreshold runs AboveThreshold(D, {f_i}, T, ε) and returns its outputs, true for ⊤
// and false for ⊥. It is [Sparse] with c = 1 and δ = 0, and makes the draws of
// spec.AboveThreshold in the same order.
//
// Source: Dwork and Roth (2014), Algorithm 1; AFD-A1.
// Also in the checks of AFD-T3.23.s1 and AFD-T3.24.s1.
// Symbols and deviation from print: as for spec.AboveThreshold.
// Domain: ε and the scales of the noise positive and finite; T and f_i(D) finite. That every query has sensitivity at
// most 1 is the analyst's word.
// Accuracy: float64; σ = 2/ε, and 2σ is exactly the float64 4/ε.
// Cost: as many queries as the analyst asks.
func AboveThreshold[X any](x X, query func(x X, a []bool) (q float64, stop bool), t, eps float64,
	random noise.Source) ([]bool, error) {
	return sparse("AboveThreshold", x, query, t, 1, eps, 0, random)
}

// Sparse runs Sparse(D, {f_i}, T, c, ε, δ) and returns its outputs, true for ⊤ and false
// for ⊥. It makes the draws of spec.Sparse in the same order, but for T̂_c, which nothing
// is compared with.
//
// Source: Dwork and Roth (2014), Algorithm 2; AFD-A2.
// Also in the check of AFD-X18.
// Symbols and deviation from print: as for spec.Sparse.
// Domain: c ≥ 1, δ in [0, 1); ε and the scales of the noise positive and finite; T and f_i(D) finite. That every query
// has sensitivity at most 1 is the analyst's word.
// Accuracy: float64, by the same operations in the same order.
// Cost: as many queries as the analyst asks; [SparseRun] needs no memory for them.
func Sparse[X any](x X, query func(x X, a []bool) (q float64, stop bool), t float64, c int, eps, delta float64,
	random noise.Source) ([]bool, error) {
	return sparse("Sparse", x, query, t, c, eps, delta, random)
}

// sparse is both of them; the errors name the caller.
func sparse[X any](
	caller string, x X, query func(x X, a []bool) (q float64, stop bool), t float64, c int, eps, delta float64,
	random noise.Source,
) ([]bool, error) {
	run, err := NewSparseRun(t, c, eps, delta, random)
	err = cmp.Or(err, check.NotNil("query", query))
	return outputsOf(caller, err, func(a []bool) (float64, bool) { return query(x, a) }, run.Compares)
}

// outputsOf returns the outputs of a run to what an analyst asks, who knows those so far; err is that of its start.
func outputsOf[Output any](
	caller string, err error, query func(a []Output) (q float64, stop bool),
	answers func(queries iter.Seq[float64]) iter.Seq2[Output, error],
) (a []Output, _ error) {
	if err != nil {
		return nil, fmt.Errorf("%s: %w", caller, err)
	}
	asked := func(yield func(float64) bool) {
		for {
			if q, stop := query(a); stop || !yield(q) {
				return
			}
		}
	}
	for output, err := range answers(asked) {
		if err != nil {
			return nil, fmt.Errorf("%s: query %d: %w", caller, len(a)+1, err)
		}
		a = append(a, output)
	}
	return a, nil
}

// SparseRun is a run of [Sparse] that is asked one query at a time. A copy is the same run.
type SparseRun struct{ *sparseRun }

type sparseRun struct {
	noise           noise.Source
	t, noisy, sigma float64
	left            int
}

// NewSparseRun starts a run: it draws T̂_0.
func NewSparseRun(t float64, c int, eps, delta float64, random noise.Source) (SparseRun, error) {
	if err := checkSparse(t, c, eps, delta); err != nil {
		return SparseRun{}, err
	}
	sigma := 2 * float64(c) / eps
	if delta > 0 {
		sigma = math.Sqrt(32*float64(c)*math.Log(1/delta)) / eps
	}
	return startSparse(t, c, sigma, random)
}

// startSparse starts a run with the scale σ.
func startSparse(t float64, c int, sigma float64, random noise.Source) (SparseRun, error) {
	if err := cmp.Or(checkScales(sigma, 2*sigma), check.NotNil("random", random)); err != nil {
		return SparseRun{}, err
	}
	return SparseRun{&sparseRun{noise: random, t: t, noisy: t + random.Laplace(sigma), sigma: sigma, left: c}}, nil
}

// checkScales refuses scales of noise that float64 does not hold.
func checkScales(scales ...float64) (err error) {
	for _, scale := range scales {
		err = cmp.Or(err, check.Positive("scale of the noise", scale))
	}
	return err
}

// checkSparse refuses what is not in the domain of [Sparse].
func checkSparse(t float64, c int, eps, delta float64) error {
	err := cmp.Or(check.Finite("threshold", t), check.Between("c", c, 1, math.MaxInt))
	if err == nil && !(delta >= 0 && delta < 1) {
		err = fmt.Errorf("delta is %g, must be at least 0 and less than 1", delta)
	}
	return cmp.Or(err, check.Positive("eps", eps))
}

// Done reports whether c outputs were ⊤: no query can be compared any more.
func (r *SparseRun) Done() bool { return r.sparseRun == nil || r.left == 0 }

// Compare returns true for ⊤, and then draws the threshold again if there can be another
// query.
func (r *SparseRun) Compare(q float64) (above bool, err error) {
	if above, err = r.isAbove(q); above {
		r.next()
	}
	return above, err
}

// Compares yields the outputs to a stream of queries, until it ends or the run does. Nothing is kept of it. An error is
// the last that is yielded.
func (r *SparseRun) Compares(queries iter.Seq[float64]) iter.Seq2[bool, error] {
	return answers(queries, r.Done, r.Compare)
}

// answers yields the outputs of a run that is asked one query at a time.
func answers[Output any](queries iter.Seq[float64], done func() bool,
	answer func(q float64) (Output, error)) iter.Seq2[Output, error] {
	return func(yield func(Output, error) bool) {
		if done() {
			return
		}
		for q := range queries {
			output, err := answer(q)
			if !yield(output, err) || err != nil || done() {
				return
			}
		}
	}
}

// errRunEnded is what a run says that is asked after its last ⊤.
var errRunEnded = errors.New("the run has ended, must be asked at most until the last ⊤")

// isAbove returns true for ⊤.
func (r *SparseRun) isAbove(q float64) (above bool, err error) {
	if err := check.Finite("answer", q); err != nil {
		return false, err
	}
	if r.Done() {
		return false, errRunEnded
	}
	return q+r.noise.Laplace(2*r.sigma) >= r.noisy, nil
}

// next counts a ⊤, and draws the threshold again if there can be another query.
func (r *SparseRun) next() {
	if r.left--; r.left > 0 {
		r.noisy = r.t + r.noise.Laplace(r.sigma)
	}
}

// SparseScale returns σ of [Sparse]: 2c/ε if δ = 0, else √(32c·ln(1/δ))/ε.
//
// Source: Dwork and Roth (2014), Algorithm 2; AFD-A2.
// Also in the checks of AFD-T3.25 and AFD-T3.26.
// Symbols: ε = eps, δ = delta.
// Domain: c ≥ 1, ε > 0, δ in [0, 1).
// Accuracy: contains it; relative width about 2^-180.
// Deviation from print: none.
// Cost: O(1).
func SparseScale(c int, eps, delta *big.Rat) interval.Interval {
	if delta.Sign() == 0 {
		return bits.Rat(new(big.Rat).Quo(big.NewRat(2*int64(c), 1), eps))
	}
	log := bits.Log(new(big.Rat).Inv(delta))
	return bits.Quo(bits.Sqrt(bits.Mul(bits.Int(32*int64(c)), log)), bits.Rat(eps))
}
