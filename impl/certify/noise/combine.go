package noise

import (
	"context"
	"slices"

	"checkrr/impl/certify/internal/num"
)

// multiply multiplies masses: pessimistic ones, and those under Q, by as much at least, and others at most.
func (c *Cells) multiply(j int, by num.Span) {
	x := by.Hi
	if c.Mass[1] != nil && j == 0 {
		x = by.Lo
	}
	for i := range c.Mass[j] {
		c.Mass[j][i] *= x
	}
	if c.Rounds += 2; c.Mass[1] == nil && j == 0 {
		c.Total, c.Infinity = num.Up1(c.Total*x), num.Up1(c.Infinity*x)
	}
}

// or returns the law of what loses as c or as d.
func (c *Cells) or(d *Cells) *Cells {
	low, high := min(c.Low, d.Low), max(c.Low+len(c.Mass[0]), d.Low+len(d.Mass[0]))
	e := &Cells{Low: low, Infinity: num.Up1(c.Infinity + d.Infinity), Total: num.Up1(c.Total + d.Total),
		Rounds: max(c.Rounds, d.Rounds) + 2}
	for j, mass := range c.Mass {
		if mass == nil {
			continue
		}
		e.Mass[j] = make([]float64, high-low)
		copy(e.Mass[j][c.Low-low:], mass)
		for i, m := range d.Mass[j] {
			e.Mass[j][d.Low-low+i] += m
		}
	}
	return e
}

// trimmed returns c without nodes at its ends, that have a P-mass of at most cut on either side: what is below others
// goes to the lowest that is left, and what is above counts as infinite. What is told of optimistic cells is nothing.
func (c *Cells) trimmed(cut float64) *Cells {
	from, to := num.Trim(c.Mass[0], cut)
	d := *c
	d.Low += from
	for j, mass := range c.Mass {
		if mass != nil {
			d.Mass[j] = slices.Clone(mass[from:to])
		}
	}
	if c.Mass[1] == nil {
		d.Mass[0][0] = num.Up1(d.Mass[0][0] + num.Dot(c.Mass[0][:from], nil))
		d.Infinity = num.Up1(d.Infinity + num.Dot(c.Mass[0][to:], nil))
		d.Rounds += num.SumRounds(len(c.Mass[0]))
	}
	return &d
}

// plus returns the law of the finite losses of both together.
func (c *Cells) plus(ctx context.Context, d *Cells, tilt float64) (*Cells, error) {
	n := len(c.Mass[0]) + len(d.Mass[0]) - 1
	if n > num.MaxWindow {
		return nil, num.ErrWindow
	}
	e := &Cells{Low: c.Low + d.Low, Rounds: c.Rounds + d.Rounds + num.FilterRounds}
	isShort := float64(len(c.Mass[0]))*float64(len(d.Mass[0])) < shortPlus*float64(n)
	if isShort {
		e.Rounds += float64(len(c.Mass[0]))
	}
	for j, mass := range c.Mass {
		if mass == nil {
			continue
		}
		var err error
		isUp, least := c.Mass[1] == nil || j == 1, 0.0
		if isUp {
			least = num.Tiny[1] // more than products lose that are too small for float64
		}
		if isShort {
			e.Mass[j], err = sums(ctx, mass, d.Mass[j], least)
		} else {
			e.Mass[j], err = transformed(ctx, mass, d.Mass[j], least, tilt, isUp)
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
	return z, num.Gather(ctx, z, padded, shift, x, least)
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
		if err := num.NewFilter(num.LogSize(len(next)), x, t).Apply(ctx, next, rest, 0, isUp, 0, least); err != nil {
			return nil, err
		}
		z = num.Nearer(z, next, isUp)
	}
	for i, m := range x {
		z[at+i] += m * y[at]
	}
	return z, nil
}
