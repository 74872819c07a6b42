package impl

import (
	"context"
	"math"
	"slices"
)

// cheapest searches charges of small cost Σ w_i·E_i for a given δ.
//
// Let μ be a price of δ. As a function of one E_i, with all else as it is, Σ w·E + μ·OptDel is
// concave between the charges at which the worst rule is indifferent about some loss at stop
// i: where ending is worth just what going on is. The best E_i is one of them. A sweep of
// backward induction, which knows the value of going on, takes the best charge at every stop,
// one after the other; how likely the losses are it has from the law of the walk under the
// worst rule of earlier sweeps.
//
// Charges and rules answer each other, as in a game; as there, answering the mean of what was
// seen so far keeps them from chasing each other (fictitious play). The price follows the δ.
// In the end the law is kept, and the price bisected until the δ is met between two sets of
// charges.
type cheapest struct {
	*design
	weights []float64
	target  float64
	tails   []tail
}

// tail is the mean P0-law of the walks that come to a stop, at the nodes from first on.
type tail struct {
	first int
	mass  []float64
}

// sweep is reliefs, the worst rule against them, and its δ.
type sweep struct {
	reliefs    []float64
	thresholds []int
	delta      float64
}

// Sweeps at prices that follow δ, and at prices that are bisected.
const (
	followed = 60
	bisected = 60
)

// newCheapest returns a search that starts with the worst rule against start. highest are reliefs
// that no stop can be above.
func newCheapest(ctx context.Context, d *design, weights, highest, start []float64, target float64) (*cheapest, error) {
	c := &cheapest{design: d, weights: weights, target: target}
	c.set(highest)
	for i, p := range d.walk.stops() {
		first := d.walk.below(&d.walk.charges[i], p)
		c.tails = append(c.tails, tail{first: first})
	}
	c.set(start)
	_, thresholds, err := d.walk.play(ctx, d.excess)
	if err != nil {
		return nil, err
	}
	return c, c.arrive(ctx, thresholds, 1)
}

// search returns charges of small cost as a family around the target.
func (c *cheapest) search(ctx context.Context) (family, error) {
	mu := sum(c.weights) / (5 * c.target)
	for k := range followed {
		at, err := c.sweep(ctx, mu)
		if err != nil {
			return nil, err
		}
		if err := c.arrive(ctx, at.thresholds, max(0.02, 2/float64(k+3))); err != nil {
			return nil, err
		}
		mu *= math.Pow(min(max(at.delta/c.target, 1e-3), 1e3), 0.3)
	}
	return c.meet(ctx, mu)
}

// meet returns a family that leads from charges with a δ below the target to others with one above
// it, which differ as little as the price can make them.
func (c *cheapest) meet(ctx context.Context, mu float64) (family, error) {
	var below, above sweep
	lo, hi := 0.0, math.Inf(1) // prices of above and below
	for range bisected {
		at, err := c.sweep(ctx, mu)
		if err != nil {
			return nil, err
		}
		if at.delta > c.target {
			above, lo = at, mu
		} else {
			below, hi = at, mu
		}
		switch {
		case lo == 0:
			mu /= 4
		case math.IsInf(hi, 1):
			mu *= 4
		case hi < lo*(1+searchWidth):
			return c.path(below.reliefs, above.reliefs), nil
		default:
			mu = math.Sqrt(lo * hi)
		}
	}
	n := len(c.weights)
	if below.reliefs == nil {
		below.reliefs = make([]float64, n)
	}
	if above.reliefs == nil {
		for _, loss := range c.largest {
			above.reliefs = append(above.reliefs, loss.hi)
		}
	}
	return c.path(below.reliefs, above.reliefs), nil
}

// path returns the family that replaces the reliefs of from by those of to, one stop after the
// other, for t from 0 to the number of stops. Before, it raises all charges together, and behind
// it lowers them.
func (c *cheapest) path(from, to []float64) family {
	n := len(from)
	return func(t float64) ([]float64, error) {
		done := int(min(max(0, t), float64(n)))
		reliefs := slices.Concat(to[:done], from[done:])
		part := t - float64(done)
		if part > 0 && done < n {
			reliefs[done] += part * (to[done] - from[done])
			return reliefs, nil
		}
		return c.shifted(reliefs)(part)
	}
}

// arrive computes the law under a stopping rule, and takes it into the mean with the given part.
func (c *cheapest) arrive(ctx context.Context, thresholds []int, part float64) error {
	return c.walk.follow(ctx, c.floor, func(stop int, l *law) {
		c.tails[stop].mix(l, part)
		if thresholds[stop] != never {
			l.stop(thresholds[stop])
		}
	})
}

// mix takes a law into the mean.
func (t *tail) mix(l *law, part float64) {
	for len(t.mass) < l.hi-t.first+1 {
		t.mass = append(t.mass, 0)
	}
	for j := range t.mass {
		t.mass[j] *= 1 - part
		if m := t.first + j; l.lo <= m && m <= l.hi {
			t.mass[j] += part * l.f[l.origin-m]
		}
	}
}

// sweep takes the best charges, from the last stop to the first, at the price mu.
func (c *cheapest) sweep(ctx context.Context, mu float64) (sweep, error) {
	n := len(c.weights)
	at := sweep{reliefs: make([]float64, n)}
	c.walk.charges = make([]charge, n)
	places := c.walk.stops()
	c.walk.choose = func(stop int, f *front) {
		at.reliefs[stop] = c.best(stop, places[stop], f, mu)
		c.walk.charges[stop] = c.charge(stop, at.reliefs[stop])
	}
	defer func() { c.walk.choose = nil }()
	f, thresholds, err := c.walk.play(ctx, c.excess)
	if err != nil {
		return sweep{}, err
	}
	at.thresholds, at.delta = thresholds, f.root()
	return at, nil
}

// best returns the relief at a stop that makes w·E + μ·OptDel smallest.
//
// Going down over the nodes, relief is that with which the rule is indifferent about node m,
// rest is 1 − (value of going on) there, gain is what ending at the nodes above m adds to going
// on, with that relief, and mass is Σ mass·e^(−(ℓ − ℓ_m)) over the nodes from m on.
func (c *cheapest) best(stop int, p place, f *front, mu float64) float64 {
	t, w, largest := c.tails[stop], c.weights[stop], c.largest[stop]
	shrink := c.walk.shrink.float()
	top := t.first + len(t.mass) - 1
	rest, gain, mass := f.rest(top), 0.0, 0.0
	best, cost := 0.0, 0.0 // beside w·largest
	for m := top; m >= t.first; m-- {
		relief := min(largest.sub(c.walk.loss(p, m)).float()-math.Log(rest), largest.hi)
		if x := mu*gain - w*relief; x < cost {
			best, cost = relief, x
		}
		if relief == largest.hi {
			break
		}
		mass += t.mass[m-t.first]
		next := f.rest(m - 1)
		gain += mass * (rest - next*shrink)
		rest, mass = next, mass*shrink
	}
	return max(0, best)
}
