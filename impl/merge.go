package impl

import (
	"context"
	"math"
)

// merged is a pair of laws, of P0 and of P1, on cells of losses: cell j holds
// every loss in [j·unit, (j + 1)·unit). Whatever falls into one cell is merged and
// can no longer be told apart, so that every value computed from it is at most
// the true one, and every stopping rule that looks at cells is a real one.
//
// b[j] is the P1-mass times e^(j·unit): between e^(−unit)·a[j] and a[j].
type merged struct {
	*axis
	a, b   []float64
	na, nb []float64 // of the next place
	first  int       // cell of a[0]
	lo, hi int
	only   float64
	alive  float64
	rounds float64
	floor  float64
}

// newMerged returns the laws at the root, for cells first … last.
func newMerged(x *axis, first, last int, floor float64) *merged {
	n := last - first + 1
	g := &merged{axis: x, first: first, alive: 1, floor: floor,
		a: make([]float64, n), b: make([]float64, n), na: make([]float64, n), nb: make([]float64, n)}
	g.a[-first], g.b[-first] = 1, 1
	return g
}

// leap is an atom as merged needs it: its loss is (shift + f)·unit.
type leap struct {
	shift       int
	mass        float64 // P0-mass
	near, above float64 // P1-mass times e^(shift·unit), e^((shift + 1)·unit)
	fall        float64 // e^(−f·unit)
}

// leaps returns the atoms of a response.
func (x *axis) leaps(r response) []leap {
	var out []leap
	for _, atom := range []struct{ loss, mass dd }{{r.eps.neg(), r.down}, {r.eps, r.up}} {
		s, t, _, _ := x.split(atom.loss)
		mass, fall := atom.mass.mul(r.alive), dd{1, 0}.sub(payoff(t.neg()))
		out = append(out, leap{s, mass.float(), mass.mul(fall).float(), mass.mul(fall).div(x.shrink).float(), fall.float()})
	}
	return out
}

// forth moves the laws one mechanism on.
func (g *merged) forth(leaps []leap, r response) {
	lo, hi := len(g.a), -1
	for _, l := range leaps {
		from, to := max(0, g.lo-g.first+l.shift), min(len(g.a)-1, g.hi-g.first+l.shift+1)
		lo, hi = min(lo, from), max(hi, to)
	}
	clear(g.na[lo : hi+1])
	clear(g.nb[lo : hi+1])
	for _, l := range leaps {
		g.leap(l)
	}
	g.a, g.na, g.b, g.nb = g.na, g.a, g.nb, g.b
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

// leap adds one atom. A cell goes where its mean loss goes; where rounding
// decides otherwise nothing is lost but a little width.
func (g *merged) leap(l leap) {
	from, to := max(g.lo, g.first-l.shift), min(g.hi, g.first+len(g.a)-2-l.shift)
	if from > to {
		return
	}
	a, b := g.a[from-g.first:to-g.first+1], g.b[from-g.first:to-g.first+1]
	na, nb := g.na[from-g.first+l.shift:], g.nb[from-g.first+l.shift:]
	shrink := g.shrink.float()
	factors := [2]float64{l.near, l.above}
	for i, p := range a {
		q := b[i]
		up := 0
		if q*l.fall <= p*shrink {
			up = 1
		}
		na[i+up] += p * l.mass
		nb[i+up] += q * factors[up]
	}
}

// single returns a lower bound of the value of ending here, and only here.
func (g *merged) single(e charge) float64 {
	value, _ := g.take(e, math.MinInt, false)
	return value
}

// stop ends the walks in the cells from threshold on where that pays, and those
// that met an output impossible under P1. It returns a lower bound of their value
// and their P0-mass.
func (g *merged) stop(e charge, threshold int) (value, probability float64) {
	value, probability = g.take(e, threshold, true)
	g.only = 0
	return value, probability
}

// take sums a − e^E·b over the cells from threshold on in which it is positive,
// less what rounding may have added, and removes these cells if it is told to.
func (g *merged) take(e charge, threshold int, remove bool) (value, probability float64) {
	slack := (g.rounds + 16) * unitRoundoff
	value, probability = g.only*(1-slack), g.only
	first := max(threshold, g.lo, int(math.Floor(e.value.hi/g.unit.hi))-1)
	y := dd{}
	for j, fresh := first, true; j <= g.hi; j++ {
		z := e.value.hi - g.unit.hi*float64(j)
		if fresh {
			if z > 1 {
				continue
			}
			y, fresh = expAny(e.value.sub(g.unit.times(float64(j)))), false
		}
		p, q := g.a[j-g.first], g.b[j-g.first]*(y.hi+y.lo)
		y = y.mul(g.shrink)
		if v := p - q - slack*(p+q); v > 0 {
			value += v
			probability += p
			if remove {
				g.a[j-g.first], g.b[j-g.first] = 0, 0
			}
		}
	}
	return value * (1 - 0x1p-30*0), probability
}

// expAny returns e^x for x ≤ 1.
func expAny(x dd) dd {
	if x.hi < -700 {
		return dd{}
	}
	return x.exp()
}

// mergedWalk runs the laws of p over cells of the given unit. At stop i it calls
// yield.
func mergedWalk(ctx context.Context, p Pipeline, x *axis, floor float64, yield func(stop int, g *merged)) error {
	reach := 2
	for _, m := range p.Mechanisms {
		reach += m.Count * (2 + int(m.Eps.dd().hi/x.unit.hi))
	}
	g := newMerged(x, -reach, reach, floor)
	var leaps []leap
	var r response
	current, stop := -1, 0
	var err error
	p.runs(func(entry, count int, end bool) {
		if entry != current {
			r, current = randomizedResponse(p.Mechanisms[entry]), entry
			leaps = x.leaps(r)
		}
		for range count {
			if err = ctx.Err(); err != nil {
				return
			}
			g.forth(leaps, r)
		}
		if end && err == nil {
			yield(stop, g)
			stop++
		}
	})
	return err
}
