package noise

import (
	"context"
	"math"
	"slices"

	"checkrr/impl/certify/internal/num"
)

// outward bounds a number that was found with at most so many roundings, each of a part of 2^-53 of what it was, from
// above or from below.
func outward(x, rounds float64, isUp bool) float64 {
	e := (rounds + 4) * 0x1.02p-53
	if !isUp {
		e = -e
	}
	return x * (1 + e)
}

// directed is outward of all numbers.
func directed(xs []float64, rounds float64, isUp bool) {
	factor := outward(1, rounds+1, isUp)
	for i := range xs {
		xs[i] *= factor
	}
}

// isUp reports whether masses are upper ends: all but P-masses of a law that is dominated.
func (c *Cells) isUp(j int) bool { return c.Mass[1] == nil || j == 1 }

// plus returns the masses of c and those of d; either may be nil.
func (c *Cells) plus(d *Cells) *Cells {
	switch {
	case c == nil:
		return d
	case d == nil:
		return c
	}
	low, high := min(c.Low, d.Low), max(c.Low+len(c.Mass[0]), d.Low+len(d.Mass[0]))
	e := &Cells{Low: low}
	for j, mass := range c.Mass {
		if mass == nil {
			continue
		}
		sum := make([]float64, high-low)
		copy(sum[c.Low-low:], mass)
		for i, m := range d.Mass[j] {
			if x := &sum[d.Low-low+i]; *x == 0 {
				*x = m
			} else {
				*x = outward(*x+m, 1, c.isUp(j))
			}
		}
		e.Mass[j] = sum
	}
	return e
}

// slice returns the nodes from one to another, or nil.
func (c *Cells) slice(from, to int) *Cells {
	if from >= to {
		return nil
	}
	d := &Cells{Low: c.Low + from}
	for j, mass := range c.Mass {
		if mass != nil {
			d.Mass[j] = mass[from:to:to]
		}
	}
	return d
}

// coarser returns c, on nodes that are a unit apart, on every third of those, at multiples of 3: split between two of
// them if c is pessimistic, and merged on the nearest if not. There is no node beyond those that masses go to:
// transforms would put some on it, where nothing loses as much.
func (c *Cells) coarser(unit num.Span) *Cells {
	if c == nil {
		return nil
	}
	low := floorDiv(c.Low, 3)
	n := floorDiv(c.Low+len(c.Mass[0])+1, 3) - low + 1
	d := &Cells{Low: low}
	d.Mass[0] = make([]float64, n)
	if c.Mass[1] == nil {
		d.split(c, unit)
	} else {
		d.Mass[1] = make([]float64, n)
		d.merge(c, unit)
	}
	for j, mass := range d.Mass {
		directed(mass, 8, c.isUp(j))
	}
	return d
}

// split adds the masses of c, such that the P-mass and the Q-mass of each stay what they are. Masses are no less than
// what float64 has of their parts.
func (d *Cells) split(c *Cells, unit num.Span) {
	oneMinusExp := func(nodes float64) num.Span {
		return unit.Times(num.Exactly(nodes)).Negated().Expm1().Negated().AtLeast0()
	}
	upper, lower := [3]float64{}, [3]float64{1}
	for r := 1; r < 3; r++ {
		part := oneMinusExp(float64(r)).Over(oneMinusExp(3))
		upper[r], lower[r] = part.Hi, num.Exactly(1).Minus(part).Hi
	}
	node, r := 0, c.Low-3*d.Low
	for _, m := range c.Mass[0] {
		if m > 0 {
			m = max(m, 0x1p-1000)
			d.Mass[0][node] += m * lower[r]
			if r > 0 {
				d.Mass[0][node+1] += m * upper[r]
			}
		}
		if r++; r == 3 {
			node, r = node+1, 0
		}
	}
}

// merge adds the masses of c. Those under Q are multiples of e^−(loss of the node). What loses less than node 0 does
// not go there: with that, nothing would be left of what many outputs gain that have the largest loss, if the charge
// is hardly less.
func (d *Cells) merge(c *Cells, unit num.Span) {
	ratios := [3]float64{1, 1, unit.Exp().Hi} // of nodes that lose as much, less than theirs and more
	ratios[1] = unit.Negated().Exp().Hi
	for i, m := range c.Mass[0] {
		from := c.Low + i
		node := floorDiv(from+1, 3)
		ratio := ratios[0]
		switch {
		case from == -1:
			node, ratio = -1, unit.Times(num.Exactly(2)).Negated().Exp().Hi
		case from < 3*node:
			ratio = ratios[2]
		case from > 3*node:
			ratio = ratios[1]
		}
		d.Mass[0][node-d.Low] += m
		d.Mass[1][node-d.Low] += c.Mass[1][i] * ratio
	}
}

// floorDiv returns n/d, rounded down.
func floorDiv(n, d int) int {
	q := n / d
	if n%d < 0 {
		q--
	}
	return q
}

// product returns the law of the finite losses of both, between two nodes; nil if there are none. Nodes are a unit
// apart.
func (l limits) product(ctx context.Context, c, d *Cells, nodes [2]int, unit float64) (*Cells, error) {
	if c == nil || d == nil {
		return nil, nil
	}
	low := c.Low + d.Low
	from, to := max(nodes[0]-low, 0), min(nodes[1]-low, len(c.Mass[0])+len(d.Mass[0])-2)
	if from > to {
		return nil, nil
	}
	if len(c.Mass[0])+len(d.Mass[0]) > num.MaxWindow {
		return nil, num.ErrWindow
	}
	e := &Cells{Low: low + from}
	for j, mass := range c.Mass {
		if mass == nil {
			continue
		}
		v := convolution{from: from, to: to, isUp: c.isUp(j), tilt: l.tilt * unit}
		var err error
		if e.Mass[j], err = v.of(ctx, mass, d.Mass[j], l.products); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// convolution is Σ x[i]·y[k − i] for k between two numbers.
type convolution struct {
	from, to int
	isUp     bool
	least    float64 // more than products lose that are too small for float64
	tilt     float64
}

// of returns upper or lower ends of it.
func (v convolution) of(ctx context.Context, x, y []float64, products float64) (z []float64, err error) {
	n, lowest := positive(x)
	m, lowest2 := positive(y)
	if m < n {
		x, y, n = y, x, m
	}
	if v.isUp && lowest*lowest2 < 1e-300 {
		v.least = num.Tiny[1]
	}
	if float64(n)*float64(v.to-v.from+1) <= products {
		return v.sums(ctx, x, y)
	}
	return v.transformed(ctx, x, y)
}

// positive returns how many numbers are above 0, and the least of them.
func positive(x []float64) (n int, least float64) {
	least = math.Inf(1)
	for _, m := range x {
		if m > 0 {
			n++
			least = min(least, m)
		}
	}
	return n, least
}

// sums adds products one by one: of so many numbers of x at a time, and then these sums.
func (v convolution) sums(ctx context.Context, x, y []float64) ([]float64, error) {
	const chunk = 64
	var shift []int
	var mass []float64
	for i, m := range x {
		if m > 0 {
			shift, mass = append(shift, len(x)-1-i), append(mass, m)
		}
	}
	size := v.to - v.from + 1
	padded := make([]float64, size+len(x)-1) // y from v.from − (len(x) − 1) on
	for i := range padded {
		if k := v.from - len(x) + 1 + i; k >= 0 && k < len(y) {
			padded[i] = y[k]
		}
	}
	z, part := make([]float64, size), make([]float64, size)
	rounds := float64(chunk + len(mass)/chunk + 6)
	for len(mass) > 0 {
		n := min(chunk, len(mass))
		if err := num.Gather(ctx, part, padded, shift[:n], mass[:n], v.least); err != nil {
			return nil, err
		}
		for i, p := range part {
			z[i] += p
		}
		shift, mass = shift[n:], mass[n:]
	}
	directed(z, rounds, v.isUp)
	return z, nil
}

// transformed finds it by transforms: with what is on the node of the most by itself, as that would hide the others.
// One is for what is near the mean, and one for where losses are large.
func (v convolution) transformed(ctx context.Context, x, y []float64) (z []float64, err error) {
	x, atX, mostX := withoutMost(x)
	y, atY, mostY := withoutMost(y)
	tilts := []float64{0, v.tilt}
	if v.tilt == 0 {
		tilts = tilts[:1]
	}
	for _, tilt := range tilts {
		next := make([]float64, v.to-v.from+1)
		f := num.NewFilter(num.LogSize(len(x)+len(y)-1), x, tilt)
		if err := f.Apply(ctx, next, y, v.from, v.isUp, 0, v.least); err != nil {
			return nil, err
		}
		z = num.Nearer(z, next, v.isUp)
	}
	add := func(at int, by float64, masses []float64) {
		for i, m := range masses {
			if k := at + i - v.from; k >= 0 && k < len(z) {
				z[k] += by * m
			}
		}
	}
	add(atX, mostX, y)
	add(atY, mostY, x)
	add(atX+atY, mostX, []float64{mostY})
	directed(z, num.FilterRounds+6, v.isUp)
	return z, nil
}

// withoutMost returns x without its largest number.
func withoutMost(x []float64) (rest []float64, at int, most float64) {
	for i, m := range x {
		if m > x[at] {
			at = i
		}
	}
	rest = slices.Clone(x)
	rest[at] = 0
	return rest, at, x[at]
}
