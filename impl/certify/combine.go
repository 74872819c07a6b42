package certify

import (
	"context"
	"slices"
)

// multiply multiplies masses: pessimistic ones, and those under Q, by as much at least, and others at most.
func (c *cells) multiply(j int, by span) {
	x := by.hi
	if c.mass[1] != nil && j == 0 {
		x = by.lo
	}
	for i := range c.mass[j] {
		c.mass[j][i] *= x
	}
	if c.rounds += 2; c.mass[1] == nil && j == 0 {
		c.total, c.infinity = up1(c.total*x), up1(c.infinity*x)
	}
}

// or returns the law of what loses as c or as d.
func (c *cells) or(d *cells) *cells {
	low, high := min(c.low, d.low), max(c.low+len(c.mass[0]), d.low+len(d.mass[0]))
	e := &cells{low: low, infinity: up1(c.infinity + d.infinity), total: up1(c.total + d.total), rounds: max(c.rounds, d.rounds) + 2}
	for j, mass := range c.mass {
		if mass == nil {
			continue
		}
		e.mass[j] = make([]float64, high-low)
		copy(e.mass[j][c.low-low:], mass)
		for i, m := range d.mass[j] {
			e.mass[j][d.low-low+i] += m
		}
	}
	return e
}

// trimmed returns c without nodes at its ends, that have a P-mass of at most cut on either side: what is below others
// goes to the lowest that is left, and what is above counts as infinite. What is told of optimistic cells is nothing.
func (c *cells) trimmed(cut float64) *cells {
	from, to := trim(c.mass[0], cut)
	d := *c
	d.low += from
	for j, mass := range c.mass {
		if mass != nil {
			d.mass[j] = slices.Clone(mass[from:to])
		}
	}
	if c.mass[1] == nil {
		d.mass[0][0] = up1(d.mass[0][0] + dot(c.mass[0][:from], nil))
		d.infinity = up1(d.infinity + dot(c.mass[0][to:], nil))
		d.rounds += sumRounds(len(c.mass[0]))
	}
	return &d
}

// plus returns the law of the finite losses of both together.
func (c *cells) plus(ctx context.Context, d *cells, tilt float64) (*cells, error) {
	n := len(c.mass[0]) + len(d.mass[0]) - 1
	if n > maxWindow {
		return nil, ErrWindow
	}
	e := &cells{low: c.low + d.low, rounds: c.rounds + d.rounds + filterRounds}
	isShort := float64(len(c.mass[0]))*float64(len(d.mass[0])) < shortPlus*float64(n)
	if isShort {
		e.rounds += float64(len(c.mass[0]))
	}
	for j, mass := range c.mass {
		if mass == nil {
			continue
		}
		var err error
		isUp, least := c.mass[1] == nil || j == 1, 0.0
		if isUp {
			least = tiny[1] // more than products lose that are too small for float64
		}
		if isShort {
			e.mass[j], err = sums(ctx, mass, d.mass[j], least)
		} else {
			e.mass[j], err = transformed(ctx, mass, d.mass[j], least, tilt, isUp)
		}
		if err != nil {
			return nil, err
		}
	}
	return e, nil
}

// shortPlus is up to how many masses of c, about, are added one by one: a variable, so that tests can force either way.
var shortPlus = 4096.0

// sums returns least + Σ x[i]·y[k − i], with as many roundings as x has numbers, and one.
func sums(ctx context.Context, x, y []float64, least float64) ([]float64, error) {
	more := len(x) - 1
	padded, shift := make([]float64, len(y)+2*more), make([]int, len(x))
	copy(padded[more:], y)
	for i := range shift {
		shift[i] = more - i
	}
	z := make([]float64, len(y)+more)
	return z, gather(ctx, z, padded, shift, x, least)
}

// transformed returns bounds of least + Σ x[i]·y[k − i]. What is on the node where y has most is taken by itself: it
// would hide the others.
func transformed(ctx context.Context, x, y []float64, least, tilt float64, isUp bool) (z []float64, err error) {
	at, rest := 0, slices.Clone(y)
	for i, m := range y {
		if m > y[at] {
			at = i
		}
	}
	rest[at] = 0
	for _, t := range [2]float64{0, tilt} { // near the mean, and where losses are large
		next := make([]float64, len(x)+len(y)-1)
		if err := newFilter(logSize(len(next)), x, t).apply(ctx, next, rest, 0, isUp, 0, least); err != nil {
			return nil, err
		}
		z = nearer(z, next, isUp)
	}
	for i, m := range x {
		z[at+i] += m * y[at]
	}
	return z, nil
}
