package odp

import (
	"maps"
	"math/big"
	"testing"

	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// Running the tree of mechanisms is running spec's M_iter, up to outputs that never occur.
func TestExhaustive_MechanismTree(t *testing.T) {
	compare := func(p pipeline) {
		for h := range criteria(deterministic, p.at(p.responses())) {
			if got, want := p.responses().law(h).positive(), p.runs(h).positive(); !same(got, want) {
				t.Fatalf("%v; %v: %v, spec has %v", p, h, got, want)
			}
		}
	}
	for p := range some(pipelines(1, 2), 7) {
		compare(p)
	}
	for p := range some(threeStops(), 71) {
		compare(p)
	}
}

// The families of sets of outputs that occur have the maxima of all families.
func TestExhaustive_SetFamilies(t *testing.T) {
	for p := range some(pipelines(2), 9) {
		if got, want := prefixDisjoint(p), register.Must(spec.OptDel(spec.Pipeline(p))); got.Cmp(want) != 0 {
			t.Errorf("%v: %v, spec has %v", p, got, want)
		}
		if got, want := sumOfMaxima(p), register.Must(spec.Lemma11(spec.Pipeline(p))); got.Cmp(want) != 0 {
			t.Errorf("%v: %v, spec has %v", p, got, want)
		}
	}
}

// The coins of a randomized criterion, flipped beforehand, have probabilities that sum to 1.
func TestExhaustive_Drawn(t *testing.T) {
	for h := range criteria(randomized, []string{"1", "2", "11"}) {
		weights := maps.Collect(func(yield func(string, *big.Rat) bool) {
			for g, w := range h.drawn() {
				if !yield(g.String(), w) {
					return
				}
			}
		})
		total := new(big.Rat)
		for _, w := range weights {
			total.Add(total, w)
		}
		if total.Cmp(rat.One) != 0 {
			t.Errorf("%v: sum is %v", h, total)
		}
	}
}
