package exhaustive

import (
	"context"
	"fmt"
	"math/big"
	"runtime"
)

// Values is what one walk of the tree of sequences finds.
type Values[T any] struct {
	OptDel  T   // the δ of Theorem 15
	Single  []T // by stop: the largest bracket of ODP-E4 at this stop by itself
	Lemma11 T   // the δ of Lemma 11, the sum of Single
}

// Exact computes [Values] in rational numbers.
//
// Source: Hartmann et al. (2022), Theorem 15, eq. (3) and (4); ODP-T15, ODP-E3, ODP-E4.
// Also in the checks of ODP-E10, ODP-L11, ODP-X20, ODP-X24, OUR-T1 and OUR-T2.
// Symbols: (ε_k, δ_k) = p.Mechanisms[k−1]; k_i, ℰ(P_i) = p.Stops[i−1].
// Domain: every ε is given as e^ε, or is 0; at most [MaxMechanisms] mechanisms.
// OptDel and Single lie in [0, 1], Lemma11 in [0, n].
// Accuracy: exact.
// Deviation from print: the sets "∈ {0,1,2,3}^(k_i)" are subsets.
// Cost: O(4^(k_n)) operations on numbers whose length grows with k_n, on all
// processors. The result does not depend on their number.
//
// Progress, unless nil, is called with the share of the walk that is done: from
// 0 to 1, never decreasing, one call at a time. When ctx ends the walk ends
// soon after, with ctx's error.
func Exact(ctx context.Context, p Pipeline, progress func(done float64)) (Values[*big.Rat], error) {
	values, err := evaluate(ctx, p, rational{}, processors(), progress)
	return values, in("Exact", err)
}

// Enclose computes intervals that contain the [Values], rounding outward at
// every step to prec bits.
//
// Source, symbols, deviation from print, progress and ctx: as for [Exact].
// Also in the checks of ODP-T15.
// Domain: prec in [24, 4096].
// Accuracy: the interval contains the true value. In units of 2^(−prec), the
// width of OptDel is usually a few times k_n. Single and Lemma11 add up as many
// terms as there are sequences, of which each can widen them by two units more.
// Cost: O(4^(k_n)) operations on numbers of prec bits, on all processors. The
// result does not depend on their number.
func Enclose(ctx context.Context, p Pipeline, prec uint, progress func(done float64)) (Values[Interval], error) {
	if prec < minPrec || prec > maxPrec {
		return Values[Interval]{}, fmt.Errorf("Enclose: prec is %d, must be between %d and %d", prec, minPrec, maxPrec)
	}
	values, err := evaluate(ctx, p, enclosing{prec}, processors(), progress)
	return values, in("Enclose", err)
}

func processors() int { return runtime.GOMAXPROCS(0) }

// evaluate walks the tree of p once.
func evaluate[T any](ctx context.Context, p Pipeline, number arithmetic[T], workers int,
	progress func(float64)) (Values[T], error) {
	t, err := newTree(p, number)
	if err != nil {
		return Values[T]{}, err
	}
	return t.walk(ctx, workers, progress)
}
