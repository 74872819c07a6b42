package impl

import "math"

// gridWalk returns a walk on a grid of the given unit that is worth at least as
// much as p, at every stop and for every stopping rule.
//
// An atom between two nodes is split so that its P0-mass and its P1-mass both
// stay what they are: a mean-preserving spread of e^(−ℓ)'s inverse under P1, on
// which every convex value rises. In each step the lowest atom stays on the nodes.
func gridWalk(p Pipeline, unit float64, cut float64) *walk {
	w := &walk{axis: gridAxis(dd{unit, 0}), charges: newCharges(p.Stops)}
	for i := range w.charges {
		w.charges[i].value = w.charges[i].value.sub(dd{p.slop(), 0})
	}
	steps := map[int]*step{} // by count, for the current entry
	current := -1
	p.runs(func(entry, count int, end bool) {
		if entry != current {
			clear(steps)
			current = entry
		}
		n := 1
		if count < groupFrom {
			n, count = count, 1
		}
		if steps[count] == nil {
			steps[count] = w.spread2(latticeStep(randomizedResponse(p.Mechanisms[entry]), 1, count, cut), p.Mechanisms[entry].Eps.dd())
		}
		for range n {
			w.steps = append(w.steps, steps[count])
		}
		if end {
			w.ends = append(w.ends, len(w.steps))
		}
	})
	return w
}

// groupFrom is the number of equal mechanisms from which on they are put on a
// grid in one step: one rounding of their sum instead of one each, at the cost
// of count + 1 atoms instead of 2.
var groupFrom = 4

// slop bounds the error of every loss that is computed on a grid, and of every
// charge. Charges are lowered by it for an upper bound and raised for a lower one,
// which is the same as moving all losses.
func (p Pipeline) slop() float64 {
	sum := 1.0
	for _, m := range p.Mechanisms {
		sum += m.Eps.dd().hi * float64(m.Count)
	}
	return 0x1p-66 * sum
}

// split returns s and f with loss = (s + f)·unit, f in [0, 1), and the two weights
// of a spread to the nodes s and s + 1.
func (x *axis) split(loss dd) (s int, t, here, above dd) {
	s = int(math.Floor(loss.div(x.unit).hi))
	t = loss.sub(x.unit.times(float64(s)))
	if t.negative() {
		s--
		t = loss.sub(x.unit.times(float64(s)))
	}
	all := payoff(x.unit.neg())
	above = payoff(t.neg()).div(all)
	here = dd{1, 0}.sub(payoff(t.neg())).mul(payoff(t.sub(x.unit))).div(all)
	return s, t, here, above
}

// spread2 returns the step on the grid for atoms at multiples of 2·eps.
func (x *axis) spread2(s *step, eps dd) *step {
	g := *s
	g.shift, g.mass = nil, nil
	add := func(node int, mass dd) {
		if n := len(g.shift); n > 0 && g.shift[n-1] == node {
			g.mass[n-1] += mass.float()
			return
		}
		g.shift = append(g.shift, node)
		g.mass = append(g.mass, mass.float())
	}
	for i, m := range s.mass {
		node, _, here, above := x.split(eps.times(2 * float64(s.shift[i])))
		add(node, here.times(m))
		if above.hi > 0 {
			add(node+1, above.times(m))
		}
	}
	g.rounds = float64(len(g.mass)) + 6
	g.spacing = spacing(g.shift)
	return &g
}
