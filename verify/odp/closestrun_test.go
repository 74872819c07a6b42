package odp

import (
	"math"
	"math/big"
	"testing"

	"checkrr/impl"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// comparisonsOfOne are all pairs of neighbouring runs of one query with T = 0 and answers in {−2, …, 2} that change by
// up to 1. All ⊤ are last, as the cutoff wants it.
func comparisonsOfOne() (kinds []neighbours) {
	for _, above := range []bool{false, true} {
		for q := int64(-2); q <= 2; q++ {
			for q2 := max(-2, q-1); q2 <= min(2, q+1); q2++ {
				kinds = append(kinds, neighbours{
					{{Query: big.NewRat(q, 1), Threshold: new(big.Rat), Above: above}},
					{{Query: big.NewRat(q2, 1), Threshold: new(big.Rat), Above: above}},
				})
			}
		}
	}
	return kinds
}

// largestLosses returns the largest loss for each number of ⊤, of all lists of at most the given number of queries. A
// probability does not depend on the order.
func largestLosses(law impl.SparseVectorLaw, most int) map[int]float64 {
	p := probabilities{law: law}
	kinds, largest := comparisonsOfOne(), map[int]float64{}
	var extend func(pair neighbours, from int)
	extend = func(pair neighbours, from int) {
		count := pair.released()
		if count > law.Cutoff {
			return
		}
		largest[count] = max(largest[count], math.Log(floatEnd(p.of(pair[0]).Lower)/floatEnd(p.of(pair[1]).Lower)))
		for i := from; i < len(kinds) && len(pair[0]) < most; i++ {
			extend(runs(pair, kinds[i]), i)
		}
	}
	extend(neighbours{}, 0)
	return largest
}

// No run of a small family loses more than the one that the search finds.
func TestExhaustive_ClosestRun(t *testing.T) {
	t.Parallel()
	const rounding = 1e-12 // of logarithms of probabilities known to 1e-13
	for _, split := range splits[:2] {
		for c := 1; c <= 3; c++ {
			law := register.Must(impl.NewSparseVectorLaw(rat.One, c, rat.Of(split[0]), rat.Of(split[1])))
			for most := 1; most <= 3; most++ {
				for released, want := range largestLosses(law, most) {
					runs, loss, err := impl.ClosestRun(law, released, most)
					if err != nil || len(runs[0]) > most || neighbours(runs).released() != released {
						t.Fatalf("c = %d, c' = %d, at most %d queries: %v, %v",
							c, released, most, neighbours(runs), err)
					}
					if !(floatEnd(loss.Lower) >= want-rounding) {
						t.Errorf("(ε_1, ε_2) = %v, c = %d, c' = %d, at most %d queries: "+
							"loss %.12g, of the family %.12g", split, c, released, most, loss.Lower, want)
					}
				}
			}
		}
	}
}
