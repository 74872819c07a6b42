package impl

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

// TestFrontAnyAtoms solves games whose steps are not randomized responses, by the
// front and by following every path.
func TestFrontAnyAtoms(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for i := range 300 {
		w := randomWalk(rng)
		got, _, err := w.game(context.Background(), 1e-13)
		if err != nil {
			t.Fatal(err)
		}
		want := followPaths(w, 0, 0, 0)
		if got.lower > want*(1+1e-11)+1e-15 || got.upper < want*(1-1e-11)-1e-15 || got.upper-got.lower > 1e-11 {
			t.Errorf("walk %d: [%g, %g], following all paths gives %g", i, got.lower, got.upper, want)
		}
	}
}

// randomWalk returns a walk on a grid of steps with random atoms. The P1-mass of an
// atom is its P0-mass times e^(−loss); the masses are scaled so that these sum to at
// most 1, and what is missing to a P0-mass of 1 is impossible under P1.
func randomWalk(rng *rand.Rand) *walk {
	w := &walk{axis: gridAxis(dd{0.1 + rng.Float64(), 0}), progress: func(float64) {}}
	unit := w.unit.hi
	for range 1 + rng.IntN(4) {
		s := randomStep(rng)
		low := unit * float64(s.shift[0]+rng.IntN(s.rise()-s.shift[0]+1)) // the loss of shift 0 is −low
		keep := 0.0
		for i, p := range s.mass {
			keep += p * math.Exp(low-unit*float64(s.shift[i]))
		}
		mass, only := make([]dd, len(s.mass)), dd{1, 0}
		for i, p := range s.mass {
			mass[i] = dd{p / max(1, keep), 0}
			only = only.sub(mass[i])
		}
		w.steps = append(w.steps, newStep(s.shift, mass, only, dd{keep / max(1, keep), 0}, dd{low, 0}))
		if rng.IntN(2) == 0 {
			w.ends = append(w.ends, len(w.steps))
		}
	}
	if n := len(w.ends); n == 0 || w.ends[n-1] != len(w.steps) {
		w.ends = append(w.ends, len(w.steps))
	}
	for range w.ends {
		w.charges = append(w.charges, charge{value: dd{2*rng.Float64() - 0.3, 0}})
	}
	return w
}

// followPaths returns u of a path at place j with the given loss.
func followPaths(w *walk, j, stop int, loss float64) float64 {
	here := 0.0
	atStop := stop < len(w.ends) && w.ends[stop] == j
	if atStop {
		here = max(0, 1-math.Exp(w.charges[stop].value.hi-loss))
		stop++
	}
	if j == len(w.steps) {
		return here
	}
	s := w.steps[j]
	on := s.only
	for i, p := range s.mass {
		on += p * followPaths(w, j+1, stop, loss-s.low.hi+w.unit.hi*float64(s.shift[i]))
	}
	if atStop {
		return max(here, on)
	}
	return on
}

// TestWindowBounds compares the Chernoff bound with the law itself.
func TestWindowBounds(t *testing.T) {
	p := pipe(200, "0.3", "0.001", "1")
	l, _ := newLattice(p)
	w := latticeWalk(p, l, newCharges(p.Stops), 0)
	win := newWindow(w, 1)
	err := w.follow(context.Background(), 0, func(_ int, l *law) {
		sum := 0.0
		for m := 0; m <= l.hi; m++ {
			sum += l.f[l.origin-m]
			if bound := math.Exp(win.tail(m)); sum > bound*windowSlack {
				t.Errorf("P0(S ≤ %d) = %g, bound %g", m, sum, bound)
			} else if sum < 1e-3 && math.Log(bound) > 0.7*math.Log(sum) {
				t.Errorf("P0(S ≤ %d) = %g, bound %g is useless", m, sum, bound)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}
