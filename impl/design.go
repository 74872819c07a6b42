package impl

import (
	"context"
	"math"
	"slices"
)

// design searches the charges of one pipeline in float64. The walk is built once, only
// the charges change. Its values are near the true ones, and no bounds: what is found is
// certified by [OptDel].
type design struct {
	pipeline Pipeline
	walk     *walk
	laws     []law     // at the stops; nil if not known yet, or too large
	isSmall  bool      // whether every evaluation of OptDel can be an exact one
	largest  []float64 // per stop, the largest loss: no larger charge is of use
	floor    float64   // P0-masses up to this are dropped
	excess   float64   // what a value may be too large for the nodes that it gives up
}

// Accuracy and cost of a search.
const (
	searchWidth = 1e-9 // relative error of a value on a lattice
	gridWidth   = 1e-5 // about that on a grid
	maxSearch   = 3e8  // nodes of a pass on a lattice; beyond, a grid is taken

	maxBoxSearch = 3e6 // nodes of a pass over all states, where there is no lattice
	maxUnits     = 1e6 // of a grid
)

// newDesign returns the search for charges with values near delta.
func newDesign(p Pipeline, delta float64) *design {
	d := &design{pipeline: p, floor: delta * 1e-20, excess: delta * searchWidth}
	for _, loss := range p.losses() {
		x, _ := loss.Float64()
		d.largest = append(d.largest, x)
	}
	cut := d.excess / float64(16*p.length())
	if l, ok := newLattice(p); ok && latticeCost(p, l) <= maxSearch {
		d.walk = latticeWalk(p, l, newCharges(p.Stops), cut)
		d.walk.isRough = true
		return d
	}
	if b, ok := newBox(p); ok && boxCost(p, b) <= maxBoxSearch {
		d.isSmall = true
	}
	spreads := 0
	p.runs(func(int, int, bool) { spreads++ })
	unit := max(p.deviation()*math.Sqrt(gridWidth/float64(spreads)), p.total()/maxUnits)
	d.walk = gridWalk(p, unit, cut)
	return d
}

// charges returns the smallest charges with which ending at stop i, and only there, is
// worth at most deltas[i], or the largest loss if there are none.
func (d *design) charges(ctx context.Context, deltas []float64) ([]float64, error) {
	charges := make([]float64, len(deltas))
	err := d.arrivals(ctx, func(stop int, l *law) {
		charges[stop] = min(l.charge(deltas[stop]), d.largest[stop])
	})
	if err == nil && d.isGrid() {
		for i := range charges {
			charges[i] = d.refined(i, charges[i], deltas[i])
		}
	}
	return charges, err
}

// arrivals calls yield at every stop with the law of the walks that come there. It depends on no
// charge, so the laws are kept, if they are not too large together.
func (d *design) arrivals(ctx context.Context, yield func(stop int, l *law)) error {
	if d.laws != nil {
		for stop := range d.laws {
			yield(stop, &d.laws[stop])
		}
		return ctx.Err()
	}
	var laws []law
	room := maxKept
	err := d.walk.follow(ctx, d.floor, func(stop int, l *law) {
		yield(stop, l)
		if room -= l.hi - l.lo + 1; room >= 0 {
			laws = append(laws, l.kept())
		}
	})
	if err == nil && room >= 0 {
		d.laws = laws
	}
	return err
}

// maxKept is how many nodes of laws are kept.
const maxKept = 1 << 24

// kept returns a copy of the law that stays as it is.
func (l *law) kept() law {
	k := *l
	k.f, k.origin = slices.Clone(l.f[l.origin-l.hi:l.origin-l.lo+1]), l.hi
	return k
}

// isGrid reports whether losses are rounded.
func (d *design) isGrid() bool { return d.walk.half == nil }

// refined returns the charge of a stop that was found on a grid, with fewer errors where it is
// near the largest loss: Newton's method for e^E, in which the value is convex and piecewise
// linear, so that from the second step on it only rises to the solution.
func (d *design) refined(stop int, e, delta float64) float64 {
	for range 8 {
		t, ok := d.pipeline.atTop(stop, newCharge(exactly(e)))
		if !ok || delta <= t.only || t.paid == 0 {
			return e
		}
		next := min(max(0, e+math.Log1p(max(-1, (t.only+t.value-delta)/t.paid))), d.largest[stop])
		if math.Abs(next-e) <= 1e-15*e {
			return next
		}
		e = next
	}
	return e
}

// singles returns the δ of ending at one stop, and only there.
func (d *design) singles(ctx context.Context, charges []float64) ([]float64, error) {
	d.set(charges)
	deltas := make([]float64, len(charges))
	err := d.arrivals(ctx, func(stop int, l *law) {
		deltas[stop], _ = l.single(d.walk.charges[stop])
	})
	if err == nil && d.isGrid() {
		for i := range deltas {
			if t, ok := d.pipeline.atTop(i, d.walk.charges[i]); ok {
				deltas[i] = t.only + t.value
			}
		}
	}
	return deltas, err
}

// lemma11 returns Lemma 11's δ (ODP-E4) of the charges.
func (d *design) lemma11(ctx context.Context, charges []float64) (float64, error) {
	deltas, err := d.singles(ctx, charges)
	return sum(deltas), err
}

// optDel returns OptDel (ODP-T15) of the charges.
func (d *design) optDel(ctx context.Context, charges []float64) (float64, error) {
	d.set(charges)
	if d.isSmall {
		return d.optDelOfStates(ctx)
	}
	f, _, err := d.walk.play(ctx, d.excess)
	if err != nil {
		return 0, err
	}
	return f.root(), nil
}

// optDelOfStates is optDel where there are few states.
func (d *design) optDelOfStates(ctx context.Context) (float64, error) {
	p := Pipeline{d.pipeline.Mechanisms, slices.Clone(d.pipeline.Stops)}
	for i, e := range d.walk.charges {
		p.Stops[i].Eps = e.eps
	}
	r, err := OptDel(ctx, p, Options{Method: Lattice, RelWidth: searchWidth, need: needOptDel})
	if err != nil {
		return 0, err
	}
	return r.scale(), ctx.Err()
}

// set takes the charges for the passes to come.
func (d *design) set(charges []float64) {
	d.walk.charges = make([]charge, len(charges))
	for i, e := range charges {
		d.walk.charges[i] = newCharge(exactly(e))
	}
}
