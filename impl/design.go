package impl

import (
	"context"
	"math"
	"math/big"
	"slices"
)

// design searches the charges of one pipeline in float64. The walk is built once, only
// the charges change. Its values are near the true ones, and no bounds: what is found is
// certified by [OptDel].
//
// Charges are written as reliefs: how much less is charged than the largest loss at the stop.
// Near the largest loss the δ of a stop is about the relief, so that it is as exact as δ.
type design struct {
	pipeline Pipeline
	walk     *walk
	laws     []law      // at the stops; nil if not known yet, or too large
	isSmall  bool       // whether every evaluation of OptDel can be an exact one
	losses   []*big.Rat // per stop, the largest loss
	largest  []dd       // the same
	floor    float64    // P0-masses up to this are dropped
	excess   float64    // what a value may be too large for the nodes that it gives up
}

// Accuracy and cost of a search.
const (
	searchWidth = 1e-9 // relative error of a value on a lattice
	gridWidth   = 1e-5 // about that on a grid
	maxSearch   = 3e8  // nodes of a pass on a lattice; beyond, a grid is taken

	maxBoxSearch = 3e4 // states, times atoms, where there is no lattice
	maxUnits     = 1e6 // of a grid
)

// newDesign returns the search for charges with values near delta.
func newDesign(p Pipeline, delta float64) *design {
	d := &design{pipeline: p, losses: p.losses(), floor: delta * 1e-20, excess: delta * searchWidth}
	for _, loss := range d.losses {
		d.largest = append(d.largest, ddRat(loss))
	}
	cut := d.excess / float64(16*p.length())
	if l, ok := newLattice(p); ok && latticeCost(p, l) <= maxSearch {
		d.walk = latticeWalk(p, l, newCharges(p.Stops), cut)
		d.walk.isRough = true
		return d
	}
	if p.states() <= maxBoxSearch {
		d.isSmall = true
	}
	spreads := 0
	p.runs(func(int, int, bool) { spreads++ })
	unit := max(p.deviation()*math.Sqrt(gridWidth/float64(spreads)), p.total()/maxUnits)
	d.walk = gridWalk(p, unit, cut)
	return d
}

// reliefs returns the largest reliefs with which ending at stop i, and only there, is worth at
// most deltas[i], or 0 if there are none.
func (d *design) reliefs(ctx context.Context, deltas []float64) ([]float64, error) {
	reliefs := make([]float64, len(deltas))
	err := d.arrivals(ctx, func(stop int, l *law) { reliefs[stop] = l.relief(deltas[stop], d.largest[stop]) })
	if err == nil && d.isGrid() {
		for i := range reliefs {
			reliefs[i] = d.refined(i, reliefs[i], deltas[i])
		}
	}
	return reliefs, err
}

// charge returns the charge with a relief, to the accuracy of dd.
func (d *design) charge(stop int, relief float64) charge {
	return charge{value: d.largest[stop].sub(dd{relief, 0})}
}

// exact returns the charge with a relief, exactly.
func (d *design) exact(stop int, relief float64) *big.Rat {
	if relief >= d.largest[stop].hi {
		return new(big.Rat)
	}
	r := new(big.Rat).SetFloat64(relief)
	return r.Sub(d.losses[stop], r)
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

// refined returns the relief of a stop that was found on a grid, with fewer errors where it is
// small: Newton's method for e^E, in which the value is convex and piecewise linear, so that
// from the second step on the relief only falls to the solution.
func (d *design) refined(stop int, relief, delta float64) float64 {
	for range 8 {
		t, ok := d.atTop(stop, relief)
		if !ok || delta <= t.only || t.paid == 0 {
			return relief
		}
		next := relief - math.Log1p(max(-1, (t.only+t.value-delta)/t.paid))
		next = min(max(0, next), d.largest[stop].hi)
		if math.Abs(next-relief) <= 1e-15*relief {
			return next
		}
		relief = next
	}
	return relief
}

// atTop is [Pipeline.atTop] for a relief.
func (d *design) atTop(stop int, relief float64) (top, bool) {
	return d.pipeline.atTop(stop, newCharge(Nats(d.exact(stop, relief))))
}

// singles returns the δ of ending at one stop, and only there.
func (d *design) singles(ctx context.Context, reliefs []float64) ([]float64, error) {
	d.set(reliefs)
	deltas := make([]float64, len(reliefs))
	err := d.arrivals(ctx, func(stop int, l *law) {
		deltas[stop], _ = l.single(d.walk.charges[stop])
	})
	if err == nil && d.isGrid() {
		for i := range deltas {
			if t, ok := d.atTop(i, reliefs[i]); ok {
				deltas[i] = t.only + t.value
			}
		}
	}
	return deltas, err
}

// lemma11 returns Lemma 11's δ (ODP-E4).
func (d *design) lemma11(ctx context.Context, reliefs []float64) (float64, error) {
	deltas, err := d.singles(ctx, reliefs)
	return sum(deltas), err
}

// optDel returns OptDel (ODP-T15).
func (d *design) optDel(ctx context.Context, reliefs []float64) (float64, error) {
	if d.isSmall {
		return d.optDelOfStates(ctx, reliefs)
	}
	d.set(reliefs)
	f, _, err := d.walk.play(ctx, d.excess)
	if err != nil {
		return 0, err
	}
	return f.root(), nil
}

// optDelOfStates is optDel where there are few states.
func (d *design) optDelOfStates(ctx context.Context, reliefs []float64) (float64, error) {
	p := Pipeline{d.pipeline.Mechanisms, slices.Clone(d.pipeline.Stops)}
	for i, r := range reliefs {
		p.Stops[i].Eps = Nats(d.exact(i, r))
	}
	r, err := OptDel(ctx, p, Options{Method: Lattice, RelWidth: searchWidth, need: needOptDel})
	if err != nil {
		return 0, err
	}
	return r.scale(), ctx.Err()
}

// set takes the charges for the passes to come.
func (d *design) set(reliefs []float64) {
	d.walk.charges = make([]charge, len(reliefs))
	for i, r := range reliefs {
		d.walk.charges[i] = d.charge(i, r)
	}
}

// shifted returns the family that lowers all charges together.
func (d *design) shifted(reliefs []float64) family {
	return func(t float64) ([]float64, error) {
		lower := slices.Clone(reliefs)
		for i := range lower {
			lower[i] = min(max(0, lower[i]+t), d.largest[i].hi)
		}
		return lower, nil
	}
}

// cost returns Σ w·E.
func (d *design) cost(weights, reliefs []float64) (sum float64) {
	for i, w := range weights {
		sum += w * (d.largest[i].hi - reliefs[i])
	}
	return sum
}
