package stopping

import (
	"context"
	"math"
	"slices"
)

// fictitiousPlay searches charges of small cost Σ w_i·E_i for a given δ.
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
type fictitiousPlay struct {
	*objective
	weights []float64
	target  float64
	tails   [][]float64 // per stop, the mean P0-law of the runs that come there, on the first nodes
}

// sweep is discounts, the worst rule against them, and its δ.
type sweep struct {
	discounts []float64
	rule      rule
	delta     float64
}

// Sweeps at prices that follow δ, and at prices that are bisected.
const (
	followed = 60
	bisected = 60
)

// negligible is the P0-mass of a node, as a part of δ, at which going down begins.
const negligible = 1e-14

// newFictitiousPlay returns a search that starts with the worst rule against start. highest are discounts
// that no stop can be above.
func newFictitiousPlay(ctx context.Context, d *objective, weights, highest, start []float64,
	target float64) *fictitiousPlay {
	c := &fictitiousPlay{objective: d, weights: weights, target: target}
	for i, k := range d.behind {
		p := d.places[k]
		c.tails = append(c.tails, make([]float64, min(p.above(highest[i])+1, p.size)))
	}
	_, r := d.backward(ctx, func(stop int, _ []float64) float64 { return start[stop] })
	c.arrive(ctx, r, 1)
	return c
}

// search returns charges of small cost as a curve around the target.
func (c *fictitiousPlay) search(ctx context.Context) curve {
	mu := sum(c.weights) / (5 * c.target)
	for k := range followed {
		at := c.sweep(ctx, mu)
		c.arrive(ctx, at.rule, max(0.02, 2/float64(k+3)))
		mu *= math.Pow(min(max(at.delta/c.target, 1e-3), 1e3), 0.3)
	}
	return c.meet(ctx, mu)
}

// meet returns a curve that leads from charges with a δ below the target to others with one above
// it, which differ as little as the price can make them.
func (c *fictitiousPlay) meet(ctx context.Context, mu float64) curve {
	below, above := make([]float64, len(c.weights)), c.largest
	lo, hi := 0.0, math.Inf(1) // prices of above and below
	for range bisected {
		at := c.sweep(ctx, mu)
		if at.delta > c.target {
			above, lo = at.discounts, mu
		} else {
			below, hi = at.discounts, mu
		}
		switch {
		case lo == 0:
			mu /= 4
		case math.IsInf(hi, 1):
			mu *= 4
		case hi < lo*(1+searchWidth):
			return c.path(below, above)
		default:
			mu = math.Sqrt(lo * hi)
		}
	}
	return c.path(below, above)
}

// path returns the curve that replaces the discounts of from by those of to, one stop after the
// other, for t from 0 to the number of stops. Before, it raises all charges together, and behind
// it lowers them.
func (c *fictitiousPlay) path(from, to []float64) curve {
	n := len(from)
	return func(t float64) []float64 {
		done := int(min(max(0, t), float64(n)))
		discounts := slices.Concat(to[:done], from[done:])
		part := t - float64(done)
		if part > 0 && done < n {
			discounts[done] += part * (to[done] - from[done])
			return discounts
		}
		return c.shifted(discounts)(part)
	}
}

// arrive computes the law under a rule, and takes it into the mean with the given part.
func (c *fictitiousPlay) arrive(ctx context.Context, r rule, part float64) {
	c.forward(ctx, r, func(stop int, a *arrival) {
		for m, mean := range c.tails[stop] {
			c.tails[stop][m] = mean + part*(a.mass[m]-mean)
		}
	})
}

// sweep takes the best charges, from the last stop to the first, at the price mu.
func (c *fictitiousPlay) sweep(ctx context.Context, mu float64) (at sweep) {
	at.discounts = make([]float64, len(c.weights))
	at.delta, at.rule = c.backward(ctx, func(stop int, on []float64) float64 {
		at.discounts[stop] = c.best(stop, on, mu)
		return at.discounts[stop]
	})
	return at
}

// best returns the discount at a stop that makes w·E + μ·OptDel smallest, on is the value of going on.
//
// Going down over the nodes, discount is that with which the rule is indifferent about node m,
// gain is what ending at the nodes above m adds to going on, with that discount, and mass is
// Σ mass·e^(depth − depth_m) over the nodes down to m.
func (c *fictitiousPlay) best(stop int, on []float64, mu float64) float64 {
	p, w, largest := c.places[c.behind[stop]], c.weights[stop], c.largest[stop]
	gain, mass, before := 0.0, 0.0, 0.0
	best, cost := 0.0, 0.0 // beside w·largest
	first, last := 0, len(c.tails[stop])-1
	for first < last && c.tails[stop][first] <= c.target*negligible {
		first++
	}
	for m := first; m <= last; m++ {
		value := 0.0
		if on != nil {
			value = on[m]
		}
		if m > first { // 1 − before, less (1 − value)·fall
			gain += mass * (p.gap(m-1) - before + value*p.fall(m-1))
			mass *= p.fall(m - 1)
		}
		depth := p.depth(m)
		if most := min(depth+value/(1-value), largest); mu*gain-w*most < cost { // most ≥ discount
			discount := min(depth-math.Log1p(-value), largest)
			if x := mu*gain - w*discount; x < cost {
				best, cost = discount, x
			}
		}
		if depth+value >= largest {
			break
		}
		mass += c.tails[stop][m]
		before = value
	}
	return max(0, best)
}
