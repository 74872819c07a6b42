package impl

import "math"

// gridWalk returns a walk on a grid of the given unit that is worth at least as
// much as p, at every stop and under every stopping rule.
//
// An atom between two nodes is split between them so that its P0-mass and its
// P1-mass both stay what they are. Under P1 that is a mean-preserving spread of
// e^ℓ, and every value, being convex in e^ℓ, rises. In each step the lowest atom
// stays on the nodes.
func gridWalk(p Pipeline, unit, cut float64) *walk {
	x := gridAxis(dd{unit, 0})
	return newWalk(p, x, p.shiftedCharges(-1), func(m Mechanism, count, _ int) (*step, int) {
		times := 1
		if count < groupFrom {
			times, count = count, 1
		}
		return x.onGrid(latticeStep(randomizedResponse(m), 1, count, cut), m.Eps.dd().times(2)), times
	})
}

// groupFrom is the number of equal mechanisms from which on they are put on a
// grid in one step: one spread of their sum instead of one each, at the cost of
// count + 1 atoms instead of 2.
var groupFrom = 4

// shiftedCharges returns the charges moved by more than the losses on a grid can be
// off: down for upper bounds, up for lower ones.
func (p Pipeline) shiftedCharges(sign float64) []charge {
	sum := 1 + p.total()
	charges := newCharges(p.Stops)
	for i := range charges {
		slop := 0x1p-66 * (sum + charges[i].value.hi)
		charges[i].value = charges[i].value.add(dd{sign * slop, 0})
	}
	return charges
}

// split returns s and t with loss = s·unit + t, t in [0, unit).
func (x *axis) split(loss dd) (s int, t dd) {
	s = int(math.Floor(loss.div(x.unit).hi))
	if t = loss.sub(x.unit.times(float64(s))); t.negative() {
		s--
		t = t.add(x.unit)
	}
	return s, t
}

// onGrid returns the lattice step s, whose nodes are width apart, as a step on the grid.
func (x *axis) onGrid(s *step, width dd) *step {
	g := *s
	g.shift, g.mass = nil, nil
	add := func(node int, mass dd) { // node is at least the last but one
		for j := len(g.shift) - 1; j >= max(0, len(g.shift)-2); j-- {
			if g.shift[j] == node {
				g.mass[j] += mass.float()
				return
			}
		}
		g.shift, g.mass = append(g.shift, node), append(g.mass, mass.float())
	}
	all := payoff(x.unit.neg())
	for i, m := range s.mass {
		node, t := x.split(width.times(float64(s.shift[i])))
		fall := dd{1, 0}.sub(payoff(t.neg())) // e^(−t)
		add(node, fall.mul(payoff(t.sub(x.unit))).div(all).times(m))
		if above := payoff(t.neg()); above.hi > 0 {
			add(node+1, above.div(all).times(m))
		}
	}
	g.rounds = float64(len(g.mass)+len(s.mass)) + 6
	g.spacing = spacing(g.shift)
	return &g
}
