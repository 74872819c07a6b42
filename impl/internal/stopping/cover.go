package stopping

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"
)

// cover searches the charges of least cost Σ w_i·E_i for a given δ among all of them, and knows a
// cost that none is below.
//
// In x_i = e^−(discount of stop i) the cost is a sum of concave functions, and OptDel is convex: the
// largest of A − Σ b_i·x_i over all rules, A and b_i being the P0-mass and, scaled, the P1-mass of the
// runs that end at the stops. So every rule makes a cut: charges that need at most δ have
// Σ b_i·x_i ≥ A − δ. Boxes cover all charges; in a box the cost is at least that of the chords, whose
// least value on the good side of a cut is found by filling up the x_i that cost least, one after the
// other. The box with the least bound is divided where a chord is farthest from the cost (Falk and
// Soland 1969), or gets a new cut: of the worst rule against the charges that attain the bound.
type cover struct {
	*objective
	weights []float64
	target  float64
	cuts    []cut
	boxes   []box
	tries   int
	best    []float64 // discounts
	cost    float64   // theirs: no box that was given up has cheaper ones
}

// cut says that Σ slopes·x ≥ least.
type cut struct {
	slopes []float64
	least  float64
}

// box is the discounts from lo to hi. Where they need at most δ they cost at least bound, which the
// chords attain at the discounts at.
type box struct {
	lo, hi, at []float64
	bound      float64
}

// Limits of a cover.
const (
	coverGap  = 1e-4 // part of the cost that the bound may be off
	coverTime = 2 * time.Second

	maxBoxes = 4000 // that are divided or cut, for few stops
	manyCuts = 16   // the same, for many
	fewStops = 8
)

// newCover returns a cover of all charges. highest are discounts that no stop can be above, start is one
// choice.
func newCover(d *objective, weights, highest, start []float64, target float64) *cover {
	c := &cover{objective: d, weights: weights, target: target, best: start, cost: d.cost(weights, start)}
	c.add(box{lo: make([]float64, len(weights)), hi: highest})
	return c
}

// search divides and cuts until the bound is near the cost, or for a while.
func (c *cover) search(ctx context.Context) {
	end, most := time.Now().Add(coverTime), manyCuts
	if len(c.weights) <= fewStops {
		most = maxBoxes
	}
	for range most {
		if len(c.boxes) == 0 || time.Now().After(end) || ctx.Err() != nil {
			break
		}
		i := c.lowest()
		b := c.boxes[i]
		if b.bound >= c.cost*(1-coverGap) {
			break
		}
		c.boxes = slices.Delete(c.boxes, i, i+1)
		c.refine(ctx, b)
	}
}

// bound returns a cost that no charges are below.
func (c *cover) bound() float64 {
	least := c.cost
	if len(c.boxes) > 0 {
		least = min(least, c.boxes[c.lowest()].bound)
	}
	const rounding = 1e-12
	return least * (1 - rounding)
}

// lowest returns the box with the least bound.
func (c *cover) lowest() (least int) {
	for i, b := range c.boxes {
		if b.bound < c.boxes[least].bound {
			least = i
		}
	}
	return least
}

// refine replaces a box by itself with a better bound, or by its halves.
func (c *cover) refine(ctx context.Context, b box) {
	value, r := c.backward(ctx, func(stop int, _ []float64) float64 { return b.at[stop] })
	if value <= c.target {
		c.take(b.at)
	} else {
		x, before := c.cut(ctx, r), b.bound
		c.cuts = append(c.cuts, x)
		if b = c.bounded(b, []cut{x}); b.bound > before+c.cost*coverGap {
			c.keep(b)
			return
		}
		if c.tries++; c.tries&(c.tries-1) == 0 && len(b.at) <= fewStops {
			c.repair(ctx, b.at)
		}
	}
	c.divide(b)
}

// take takes discounts that need at most δ, if they cost less than the best ones.
func (c *cover) take(discounts []float64) {
	if cost := c.objective.cost(c.weights, discounts); cost < c.cost {
		c.best, c.cost = slices.Clone(discounts), cost
	}
}

// repair lowers one discount after the other until the others do.
func (c *cover) repair(ctx context.Context, discounts []float64) {
	for i, most := range discounts {
		f := curve(func(t float64) []float64 {
			lower := slices.Clone(discounts)
			lower[i] = t
			return lower
		})
		if m := f.last(ctx, 0, most, most, math.Log(c.target), searchWidth, c.optDel); m.excess <= 0 {
			c.take(m.discounts)
		}
	}
}

// cut returns the cut of a rule. Any rule makes one; what is left of its numbers after a margin for all
// roundings makes a weaker one.
func (c *cover) cut(ctx context.Context, r rule) (x cut) {
	margin := 1e-10 + 0x1p-50*float64(len(c.plds)+c.widest())
	x.slopes = make([]float64, len(r))
	c.forward(ctx, r, func(stop int, a *arrival) {
		for m := range r[stop] {
			x.least += a.mass[m]
			x.slopes[stop] += a.mass[m] * math.Exp(a.depth(m)) * (1 + margin)
		}
		if r[stop] > 0 || stop == len(r)-1 {
			x.least += a.infinity
		}
	})
	x.least = x.least*(1-margin) - c.target*(1+margin)
	if math.IsInf(sum(x.slopes), 1) {
		x = cut{}
	}
	return x
}

// widest returns about how many terms the numbers of a cut are sums of.
func (c *cover) widest() (n int) {
	for k, l := range c.plds {
		n = max(n, c.places[k+1].size+len(l.mass))
	}
	return n
}

// add adds a part of a box.
func (c *cover) add(b box) {
	b.bound, b.at = 0, nil
	c.keep(c.bounded(b, c.cuts))
}

// keep keeps a box, unless nothing in it is good and cheap enough.
func (c *cover) keep(b box) {
	if b.bound < c.cost {
		c.boxes = append(c.boxes, b)
	}
}

// bounded returns the part of a box that may be cheap enough, with its bound by these cuts.
func (c *cover) bounded(b box, cuts []cut) box {
	least := c.objective.cost(c.weights, b.hi)
	if b.bound < least || b.at == nil {
		b.bound, b.at = least, b.hi
	}
	b.lo = slices.Clone(b.lo)
	for i, w := range c.weights { // with less discount, this stop alone makes it too expensive
		if w > 0 {
			b.lo[i] = min(max(b.lo[i], b.hi[i]-(c.cost-least)/w), b.hi[i])
		}
	}
	f := newChords(c.weights, b)
	for _, x := range cuts {
		if above := f.fill(x); least+above > b.bound {
			b.bound, b.at = least+above, f.at(b)
		}
	}
	return b
}

// chords are the chords of the cost in a box: from x = low on, rise for all of width.
type chords struct {
	low, width, rise []float64
	order            []int     // of the stops, by price
	price            []float64 // of what each adds to the left side of a cut
	parts            []float64 // to which the x are filled
}

func newChords(weights []float64, b box) *chords {
	f := &chords{parts: make([]float64, len(weights)), price: make([]float64, len(weights))}
	for i, w := range weights {
		low := math.Exp(-b.hi[i])
		f.low, f.width = append(f.low, low), append(f.width, math.Exp(-b.lo[i])-low)
		f.rise, f.order = append(f.rise, w*(b.hi[i]-b.lo[i])), append(f.order, i)
	}
	return f
}

// fill returns how much the chords rise at least from low to the good side of a cut, or +Inf if the
// box is on the other side.
func (f *chords) fill(x cut) (rise float64) {
	need := x.least
	for i, slope := range x.slopes {
		need -= slope * f.low[i]
		f.price[i] = math.Inf(1)
		if gain := slope * f.width[i]; gain > 0 {
			f.price[i] = f.rise[i] / gain
		}
	}
	slices.SortFunc(f.order, func(i, j int) int { return cmp.Compare(f.price[i], f.price[j]) })
	clear(f.parts)
	for _, i := range f.order {
		gain := x.slopes[i] * f.width[i]
		if need <= 0 {
			return rise
		}
		if gain > 0 {
			f.parts[i] = min(1, need/gain)
			need -= f.parts[i] * gain
			rise += f.parts[i] * f.rise[i]
		}
	}
	const rounding = 1e-12
	if need > rounding*x.least {
		return math.Inf(1)
	}
	return rise
}

// at returns the discounts that were filled last.
func (f *chords) at(b box) []float64 {
	at := slices.Clone(b.hi)
	for i, part := range f.parts {
		if part > 0 {
			at[i] = max(b.lo[i], min(b.hi[i], -math.Log(f.low[i]+part*f.width[i])))
		}
	}
	return at
}

// divide divides a box where a chord is farthest from the cost, or if all are near, where it costs most
// to cross the box.
func (c *cover) divide(b box) {
	f := newChords(c.weights, b)
	widest, gap, steepest := 0, 0.0, 0
	for i, w := range c.weights {
		if f.rise[i] > f.rise[steepest] {
			steepest = i
		}
		if f.width[i] > 0 {
			part := (math.Exp(-b.at[i]) - f.low[i]) / f.width[i]
			if g := w*(b.hi[i]-b.at[i]) - part*f.rise[i]; g > gap {
				widest, gap = i, g
			}
		}
	}
	i, to := widest, b.at[widest]
	if gap < c.cost*coverGap/4 {
		i = steepest
		to = (b.lo[i] + b.hi[i]) / 2
	}
	length := b.hi[i] - b.lo[i]
	middle := max(b.lo[i]+length/8, min(to, b.hi[i]-length/8))
	upper, lower := b, b
	upper.lo, lower.hi = slices.Clone(b.lo), slices.Clone(b.hi)
	upper.lo[i], lower.hi[i] = middle, middle
	c.add(upper)
	c.add(lower)
}
