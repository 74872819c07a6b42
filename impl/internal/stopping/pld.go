package stopping

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// pld is the privacy loss distribution of a run of equal steps, under P: atoms at depths below its
// largest loss, and the mass of what is impossible under Q.
type pld struct {
	depth    []float64 // of the atoms, from the largest loss down
	mass     []float64 // P0-masses
	infinity float64   // mass of an infinite loss
	finite   float64   // the sum of mass

	low, span int   // on a lattice, the depth of the first atom in units, and how far below is the last
	offset    []int // depths less that of the first
	reversed  []int // that of the last less depths
}

// onUnits puts the atoms on multiples of unit. An atom between two of them is split such that its
// P0-mass and its P1-mass stay what they are: every value, convex in e^loss, rises a little.
func (l *pld) onUnits(unit float64, isExact bool) *pld {
	g := &pld{infinity: l.infinity, finite: l.finite}
	for i, d := range l.depth {
		q := math.Floor(d / unit)
		over := d - q*unit
		if isExact {
			g.add(int(math.Round(d/unit)), l.mass[i])
			continue
		}
		part := math.Expm1(min(0, over-unit)) / math.Expm1(-unit)
		g.add(int(q), l.mass[i]*part)
		g.add(int(q)+1, l.mass[i]*(1-part))
	}
	g.low, g.span = g.offset[0], g.offset[len(g.offset)-1]-g.offset[0]
	for i := range g.offset {
		g.offset[i] -= g.low
		g.reversed = append(g.reversed, g.span-g.offset[i])
	}
	return g
}

// width returns how far apart the losses are.
func (l *pld) width() float64 { return l.depth[len(l.depth)-1] - l.depth[0] }

// add adds an atom, which is not above the last but one.
func (l *pld) add(depth int, mass float64) {
	for i := len(l.offset) - 1; i >= 0 && l.offset[i] >= depth; i-- {
		if l.offset[i] == depth {
			l.mass[i] += mass
			return
		}
	}
	l.offset, l.mass = append(l.offset, depth), append(l.mass, mass)
}

// addScaled adds scale times the masses to dst, where the first atom is at index at, which may be outside.
func (l *pld) addScaled(dst []float64, at int, scale float64) {
	if l.span == len(l.mass)-1 { // an atom on every node
		from, to := max(0, -at), min(len(l.mass), len(dst)-at)
		if from < to {
			floats.AddScaled(dst[at+from:at+to], scale, l.mass[from:to])
		}
		return
	}
	for i, offset := range l.offset {
		if j := at + offset; j >= 0 && j < len(dst) {
			dst[j] += l.mass[i] * scale
		}
	}
}
