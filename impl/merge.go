package impl

import (
	"context"
	"math"
)

// merged is a pair of laws, of P0 and of P1, on cells of losses: cell j holds
// every loss in [j·unit, (j + 1)·unit). Whatever falls into one cell is merged and
// can no longer be told apart, so that every value computed from it is at most
// the true one, and a stopping rule that looks at cells is a real one.
//
// b[j] is the P1-mass times e^(j·unit): between e^(−unit)·a[j] and a[j].
type merged struct {
	*axis
	a, b         []float64
	nextA, nextB []float64
	first        int // cell of a[0]
	lo, hi       int
	only         float64 // P0-mass of outputs that are impossible under P1
	alive        float64 // at most the other P0-mass
	rounds       float64 // bound on the relative rounding error so far, in unitRoundoff
	floor        float64 // masses up to this are dropped at the ends
}

// cells is a range of cells, from −below to above.
type cells struct{ below, above int }

func (c cells) len() int { return c.below + c.above + 1 }

// newMerged returns the laws at the root, with room for the cells of room.
func newMerged(x *axis, room cells, floor float64) *merged {
	n := room.len()
	g := &merged{axis: x, first: -room.below, alive: 1, floor: floor,
		a: make([]float64, n), b: make([]float64, n), nextA: make([]float64, n), nextB: make([]float64, n)}
	g.a[room.below], g.b[room.below] = 1, 1
	return g
}

// leap is an atom with the loss shift·unit + t, 0 ≤ t < unit.
type leap struct {
	shift int
	mass  float64    // P0-mass
	tilt  [2]float64 // P1-mass times e^(shift·unit), and times e^((shift + 1)·unit)
	fall  float64    // e^(−t)
}

// leaps returns the atoms of a response.
func (x *axis) leaps(r response) []leap {
	var out []leap
	for _, atom := range []struct{ loss, mass dd }{{r.eps.neg(), r.down}, {r.eps, r.up}} {
		shift, t := x.split(atom.loss)
		mass, fall := atom.mass.mul(r.alive), dd{1, 0}.sub(payoff(t.neg()))
		tilt := mass.mul(fall)
		out = append(out, leap{shift, mass.float(), [2]float64{tilt.float(), tilt.div(x.shrink).float()}, fall.float()})
	}
	return out
}

// forth moves the laws one mechanism on.
func (g *merged) forth(leaps []leap, r response) {
	lo, hi := len(g.a), -1
	for _, l := range leaps {
		lo = min(lo, max(0, g.lo-g.first+l.shift))
		hi = max(hi, min(len(g.a)-1, g.hi-g.first+l.shift+1))
	}
	clear(g.nextA[lo : hi+1])
	clear(g.nextB[lo : hi+1])
	for _, l := range leaps {
		g.leap(l)
	}
	g.a, g.nextA, g.b, g.nextB = g.nextA, g.a, g.nextB, g.b
	g.lo, g.hi = lo+g.first, hi+g.first
	g.only += r.delta.float() * g.alive
	g.alive *= r.alive.float()
	g.rounds += 5
	for g.lo < g.hi && g.a[g.lo-g.first] <= g.floor {
		g.lo++
	}
	for g.lo < g.hi && g.a[g.hi-g.first] <= g.floor {
		g.hi--
	}
}

// leap adds the mass that one atom moves. A cell goes where its mean loss goes;
// should rounding decide otherwise nothing is lost but a little width. Mass that
// would leave the arrays is dropped, which is safe too.
func (g *merged) leap(l leap) {
	from, to := max(g.lo-g.first, -l.shift), min(g.hi-g.first, len(g.a)-2-l.shift)
	if from > to {
		return
	}
	a, b := g.a[from:to+1], g.b[from:to+1]
	nextA, nextB := g.nextA[from+l.shift:], g.nextB[from+l.shift:]
	shrink := g.shrink.float()
	for i, p := range a {
		q := b[i]
		up := 0
		if q*l.fall <= p*shrink {
			up = 1
		}
		nextA[i+up] += p * l.mass
		nextB[i+up] += q * l.tilt[up]
	}
}

// single returns a lower bound of the value of ending here, and only here.
func (g *merged) single(e charge) float64 {
	value, _ := g.take(e, math.MinInt, false)
	return value
}

// stop ends the walks in the cells from threshold on where that pays, and those
// that met an output impossible under P1. It returns a lower bound of their value,
// and their P0-mass.
func (g *merged) stop(e charge, threshold int) (value, probability float64) {
	value, probability = g.take(e, threshold, true)
	g.only, g.alive = 0, 0
	for j := g.lo; j <= g.hi; j++ {
		g.alive += g.a[j-g.first]
	}
	g.alive *= 1 - float64(g.hi-g.lo+1)*unitRoundoff // the sum may be too large by its rounding
	return value, probability
}

// take sums a − e^E·b over the cells from threshold on in which it is positive,
// less what rounding may have added, and removes these cells if told to.
func (g *merged) take(e charge, threshold int, remove bool) (value, probability float64) {
	slack := (g.rounds + 16) * unitRoundoff
	value, probability = g.only*(1-slack), g.only
	first := max(threshold, g.lo, g.cell(e.value.hi)-1)
	if first > g.hi {
		return value, probability
	}
	y := e.value.sub(g.unit.times(float64(first))) // at most 2·unit
	for j, w := first, expOrZero(y); j <= g.hi; j, w = j+1, w.mul(g.shrink) {
		p, q := g.a[j-g.first], g.b[j-g.first]*w.hi
		if v := p - q - slack*(p+q); v > 0 {
			value += v
			probability += p
			if remove {
				g.a[j-g.first], g.b[j-g.first] = 0, 0
			}
		}
	}
	return value, probability
}

// cell returns the cell of a loss, or one of the ends of the arrays.
func (g *merged) cell(loss float64) int {
	j := math.Floor(loss / g.unit.hi)
	return int(min(max(j, float64(g.lo)), float64(g.hi+2)))
}

// mergedWalk runs the laws of p over cells of the given unit, and calls yield at
// every stop.
func mergedWalk(ctx context.Context, p Pipeline, x *axis, room cells, floor float64, yield func(stop int, g *merged)) error {
	g := newMerged(x, room, floor)
	var leaps []leap
	var r response
	var err error
	current, stop := -1, 0
	p.runs(func(entry, count int, end bool) {
		if entry != current {
			r, current = randomizedResponse(p.Mechanisms[entry]), entry
			leaps = x.leaps(r)
		}
		for range count {
			if err == nil {
				err = ctx.Err()
			}
			if err == nil {
				g.forth(leaps, r)
			}
		}
		if end && err == nil {
			yield(stop, g)
			stop++
		}
	})
	return err
}
