package impl

import "math"

// law is the P0-law of the walk at one place, for outputs that are possible
// under both P0 and P1; under P1 a node of loss ℓ has e^(−ℓ) times that mass.
//
// Nodes are stored downward, node m at f[origin − m], so that a step is the same
// sum as in [front.back], in place.
type law struct {
	*axis
	at     place
	f      []float64
	origin int
	lo, hi int
	only   float64 // P0-mass of walks that met an output impossible under P1
	alive  float64 // P0-mass of the others, those that were dropped included
	rounds float64 // bound on the relative rounding error so far, in unitRoundoff
	lost   float64 // bound on the P0-mass dropped, and on what the rest has in excess for that
	tiny   float64 // bound on the P0-mass lost or won by underflow
	floor  float64 // masses up to this are dropped at the ends
	halted func() bool
}

// newLaw returns the law at the root of a walk with the nodes 0 … last and
// steps that rise by at most rise.
func newLaw(x *axis, p place, last, rise int, floor float64) *law {
	l := &law{axis: x, at: p, f: make([]float64, last+rise+1), origin: last, alive: 1, floor: floor, halted: goOn}
	l.f[last] = 1
	return l
}

// forth moves the law one step on, to the place to.
func (l *law) forth(s *step, to place) {
	for m := l.lo - 1; m >= max(0, l.lo-s.rise()); m-- {
		l.f[l.origin-m] = 0
	}
	if l.lo == l.hi {
		l.scatter(s)
	} else {
		l.lo, l.hi = l.lo+s.shift[0], l.hi+s.rise()
		s.applyUnless(l.halted, l.f, l.origin-l.hi, l.origin-l.lo, 0)
	}
	l.at = to
	l.tiny += smallest * s.rounds * float64(l.hi-l.lo+1)
	l.only += s.only * l.alive
	l.alive *= s.stay
	l.rounds += s.rounds
	l.lost += s.dropped
	l.clip()
}

// scatter moves the law on where it is one node only, as at the root.
func (l *law) scatter(s *step) {
	from := l.origin - l.lo
	mass := l.f[from]
	l.f[from] = 0
	for i, w := range s.mass {
		l.f[from-s.shift[i]] += w * mass
	}
	l.lo, l.hi = l.lo+s.shift[0], l.hi+s.rise()
}

// clip drops small masses at both ends.
func (l *law) clip() {
	for l.lo < l.hi && l.f[l.origin-l.lo] <= l.floor {
		l.drop(l.lo)
		l.lo++
	}
	for l.lo < l.hi && l.f[l.origin-l.hi] <= l.floor {
		l.drop(l.hi)
		l.hi--
	}
}

// drop removes the mass of node m.
func (l *law) drop(m int) {
	l.lost += l.f[l.origin-m]
	l.f[l.origin-m] = 0
}

// single returns what ending here, and only here, is worth for the charge e: the
// smallest δ of the composition of the mechanisms so far at ε = E(P_i).
func (l *law) single(e charge) (value, rounds float64) {
	first := max(l.lo, l.below(&e, l.at)+1)
	rounds = l.rounds + float64(max(0, l.hi-first)) + 2 + payoffError/unitRoundoff
	if l.unit.hi >= coarse {
		rounds += 2*float64(max(0, l.hi-first)) + 8/min(1, l.unit.hi)
	}
	value = l.only
	for m := first; m <= l.hi; m++ {
		z := l.gap(&e, l.at, m)
		if z.hi <= -nearTie {
			return value + l.linear(e, m), rounds
		}
		value += l.f[l.origin-m] * payoff(z).float()
	}
	return value, rounds
}

// relief is about the inverse of [law.single]: it returns how much less than the largest loss
// may be charged, such that ending here, and only here, is worth at most delta. It is 0 if what
// was seen under P0 alone is worth that much, and at most the largest loss.
//
// Let S be the sum of mass·e^(−(ℓ − ℓ_m)) over the nodes from m on. From E = ℓ_m down to
// E = ℓ_m − y, not below the next node, the value rises by (1 − e^(−y))·S: coming from
// above, nothing cancels.
func (l *law) relief(delta float64, largest dd) float64 {
	if delta <= l.only {
		return 0
	}
	fall, shrink := payoff(l.unit.neg()).float(), l.shrink.float()
	rest, mass := delta-l.only, 0.0
	for m := l.hi; m >= l.lo; m-- {
		mass += l.f[l.origin-m]
		loss := l.loss(l.at, m)
		switch rise := mass * fall; {
		case loss.hi <= 0:
			return largest.hi
		case rest <= rise || m == l.lo:
			below := largest.sub(loss).float() - math.Log1p(-min(1, rest/mass))
			return min(max(0, below), largest.hi)
		default:
			rest -= rise
			mass *= shrink
		}
	}
	panic("internal error: no node")
}

// linear returns the sum of mass·(1 − e^(E − ℓ)) over the nodes from m on.
//
// e^(E − ℓ) is multiplied from node to node. In float64 it is off by 2j + 2
// roundings at node m + j, where the payoff is at least 1 − e^(−j·unit): for j ≥ 1 a
// relative error of 2j + 8/unit roundings at most, which [law.single] counts. Node m
// itself may pay next to nothing, so it is done in dd, as is all of a fine axis.
func (l *law) linear(e charge, m int) (sum float64) {
	y := expOrZero(l.gap(&e, l.at, m))
	f := l.f[l.origin-l.hi : l.origin-m+1]
	if l.unit.hi < coarse {
		for p := len(f) - 1; p >= 0; p-- {
			sum += f[p] * ((1 - y.hi) - y.lo)
			y = y.mul(l.shrink)
		}
		return sum
	}
	p := len(f) - 1
	sum = f[p] * ((1 - y.hi) - y.lo)
	p--
	// two strands of every other node hide the latency of the products
	q := l.shrink.float()
	y0, sum1 := y.mul(l.shrink).float(), 0.0
	y1 := y0 * q
	q *= q
	for ; p >= 1; p -= 2 {
		sum += f[p] * (1 - y0)
		sum1 += f[p-1] * (1 - y1)
		y0 *= q
		y1 *= q
	}
	if p == 0 {
		sum += f[0] * (1 - y0)
	}
	return sum + sum1
}

// coarse is the unit from which on [law.linear] works in float64.
const coarse = 0x1p-8

// stop ends the walks from node threshold on, and those that met an output
// impossible under P1. It returns their P0-mass.
func (l *law) stop(threshold int) (probability float64) {
	probability, l.only = l.only, 0
	for ; l.hi >= max(threshold, l.lo); l.hi-- {
		probability += l.f[l.origin-l.hi]
		l.alive = max(0, l.alive-l.f[l.origin-l.hi])
		l.f[l.origin-l.hi] = 0
	}
	l.hi = max(l.hi, l.lo)
	return probability
}
