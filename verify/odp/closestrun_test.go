package odp

import (
	"math"
	"math/big"
	"testing"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// largestLosses returns the largest loss for each number of ⊤, of all lists of at most the
// given number of queries, T = 0, with answers in {−2, …, 2} that change by up to 1. A
// probability does not depend on the order, so there are few different ones.
func largestLosses(t *testing.T, law impl.SparseVectorLaw, most int) map[int]float64 {
	logs := map[string]float64{}
	of := func(run []impl.Comparison) float64 {
		key := unordered(run)
		if known, ok := logs[key]; ok {
			return known
		}
		p, err := law.Probability(run, 1e-13)
		if err != nil {
			t.Fatal(err)
		}
		logs[key] = math.Log(floatEnd(p.Lower))
		return logs[key]
	}
	var kinds []neighbours
	for _, above := range []bool{false, true} { // all ⊤ are last, as the cutoff wants it
		for q := int64(-2); q <= 2; q++ {
			for q2 := max(-2, q-1); q2 <= min(2, q+1); q2++ {
				kinds = append(kinds, neighbours{
					{{Query: big.NewRat(q, 1), Threshold: new(big.Rat), Above: above}},
					{{Query: big.NewRat(q2, 1), Threshold: new(big.Rat), Above: above}},
				})
			}
		}
	}
	largest := map[int]float64{}
	var extend func(pair neighbours, from int)
	extend = func(pair neighbours, from int) {
		count := pair.released()
		if count > law.Cutoff {
			return
		}
		largest[count] = max(largest[count], of(pair[0])-of(pair[1]))
		for i := from; i < len(kinds) && len(pair[0]) < most; i++ {
			extend(runs(pair, kinds[i]), i)
		}
	}
	extend(neighbours{}, 0)
	return largest
}

// lossError is what a difference of float64 logarithms of probabilities known to 1e-13 may
// be off by.
const lossError = 1e-12

// No run of a small family loses more than the one that the search finds.
func TestExhaustive_ClosestRun(t *testing.T) {
	t.Parallel()
	for _, split := range splits[:2] {
		eps1, eps2 := rat.Of(split[0]), rat.Of(split[1])
		for c := 1; c <= 3; c++ {
			law := register.Must(impl.NewSparseVectorLaw(rat.One, c, eps1, eps2))
			for most := 1; most <= 3; most++ {
				for released, want := range largestLosses(t, law, most) {
					runs, loss, err := impl.ClosestRun(law, released, most)
					if err != nil || len(runs[0]) > most || neighbours(runs).released() != released {
						t.Fatalf("c = %d, c' = %d, at most %d queries: %v, %v", c, released, most, neighbours(runs), err)
					}
					if !(floatEnd(loss.Lower) >= want-lossError) {
						t.Errorf("ε_1 = %v, ε_2 = %v, c = %d, c' = %d, at most %d queries: loss %.12g, of the family %.12g",
							eps1, eps2, c, released, most, loss.Lower, want)
					}
				}
			}
		}
	}
}

// The loss is below the charge of Lemma 8, and more queries do not make it smaller, but for
// the width of the intervals.
func TestLaw_ClosestRun(t *testing.T) {
	t.Parallel()
	for _, split := range splits {
		eps1, eps2 := rat.Of(split[0]), rat.Of(split[1])
		for c := 1; c <= 3; c++ {
			law := register.Must(impl.NewSparseVectorLaw(rat.One, c, eps1, eps2))
			for released := 0; released <= c; released++ {
				charge := register.Must(spec.SparseVectorCharge(eps1, eps2, c, released))
				last := interval.Interval{Lower: new(big.Float)}
				for most := max(1, released); most <= 24; most += 1 + most/2 {
					_, loss, err := impl.ClosestRun(law, released, most)
					if err != nil || !rat.IsAtMost(loss, charge) {
						t.Fatalf("c = %d, c' = %d, at most %d queries: loss in [%.20g, %.20g], charge %v, %v", c, released, most,
							loss.Lower, loss.Upper, charge, err)
					}
					if loss.Upper.Cmp(last.Lower) < 0 {
						t.Errorf("c = %d, c' = %d, at most %d queries: loss %.15g, with fewer %.15g", c, released, most, loss.Lower,
							last.Lower)
					}
					last = loss
				}
			}
		}
	}
}

// For c = 3 and ε_1 = ε_2 = 1/2, the search finds what was found elsewhere in floating point
// for c' = 0, …, 3, and more: each charge but for 1e-12.
func TestPaper_ClosestRun(t *testing.T) {
	t.Parallel()
	law := register.Must(impl.NewSparseVectorLaw(rat.One, 3, rat.Half, rat.Half))
	for released, known := range []float64{0.499, 0.644, 0.716, 0.741} {
		charge := register.Must(spec.SparseVectorCharge(rat.Half, rat.Half, 3, released))
		runs, loss, err := impl.ClosestRun(law, released, 40)
		if err != nil || floatEnd(loss.Lower) < known-1e-3 || !rat.IsAbove(loss, rat.Sub(charge, rat.Of("1e-12"))) {
			t.Errorf("c' = %d: %v: loss in [%.15g, %.15g], %v, must be at least %g and come within 1e-12 of %v",
				released, neighbours(runs), loss.Lower, loss.Upper, err, known, charge)
		}
		again, loss2, err := impl.ClosestRun(law, released, 40)
		if err != nil || neighbours(again).String() != neighbours(runs).String() || loss2.Lower.Cmp(loss.Lower) != 0 {
			t.Errorf("c' = %d: %v, then %v", released, neighbours(runs), neighbours(again))
		}
	}
}
