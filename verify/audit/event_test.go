package audit

import (
	"math"
	"slices"
	"testing"
)

// three is a round with five cells in three parts.
func three() *round {
	return &round{
		cells:    []cellInfo{{0, -1}, {0, 0.5}, {1, 1}, {1, 0.2}, {2, 9}},
		past:     [2][]int{{10, 30, 40, 15, 5}, {40, 20, 10, 15, 15}},
		pastSize: 100, planned: 1000,
	}
}

// Cells are in the order of what their likelihood ratio is above what their part allows, and parts of which
// everything is allowed are left out.
func TestRound_Order(t *testing.T) {
	r := three()
	all := func(int) bool { return true }
	h := hypothesis{weights: []float64{1, math.Exp(0.6), math.Inf(1)}}
	// above: cell 1 by 0.5, 2 by 0.4, 3 by −0.4, 0 by −1
	if got, want := r.order(0, h, all), []int{1, 2, 3, 0}; !slices.Equal(got, want) {
		t.Errorf("order is %v, must be %v", got, want)
	}
	// the other way: cell 0 by 1, 1 by −0.5, 3 by −0.8, 2 by −1.6
	if got, want := r.order(1, h, all), []int{0, 1, 3, 2}; !slices.Equal(got, want) {
		t.Errorf("the other way, order is %v, must be %v", got, want)
	}
	if got, want := r.order(0, h, func(p int) bool { return p == 1 }), []int{2, 3}; !slices.Equal(got, want) {
		t.Errorf("order of a part is %v, must be %v", got, want)
	}
}

// The event that promises most is the one that trying every beginning finds.
func TestRound_Choose(t *testing.T) {
	r := three()
	for _, delta := range []float64{0, 0.1, 0.2} {
		h := hypothesis{[]float64{1, math.Exp(0.6), 1}, delta}
		var best choice
		for _, c := range r.choose(0, h, []int{0, 1}, 5) {
			if c.promise > best.promise {
				best = c
			}
		}
		if best.promise <= 0 {
			t.Fatalf("δ %g: %+v", delta, best)
		}
		for _, e := range []event{{1}, {1, 0}, {2}, {2, 3}, {1, 2}, {1, 2, 3}, {1, 2, 3, 0}} {
			belief := tally{second: make([]float64, 3), n: 101}
			for _, c := range e {
				part := r.cells[c].part
				belief.first += float64(r.past[0][c])
				belief.second[part] = max(belief.second[part], 0.5) + float64(r.past[1][c])
			}
			if _, promise, ok := place(belief, h, prospect{5, 1000}); ok && promise > best.promise*(1+1e-9) {
				t.Errorf("δ %g: event %v promises %g, and %v only %g", delta, e, promise, best.event, best.promise)
			}
		}
	}
	if best := r.choose(0, hypothesis{[]float64{9, 9, 9}, 0}, []int{0, 1}, 5); len(best) > 0 {
		t.Errorf("nothing breaks the claim, but %+v is bet", best)
	}
}
