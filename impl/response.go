package impl

import (
	"math"
	"math/big"

	"checkrr/impl/loss"
)

// response is the randomized responses (ODP-L12) of a run of equal mechanisms, as one law of the loss:
// atoms at depths below its largest loss, and P0-mass of outputs that are impossible under P1.
type response struct {
	depth []float64 // of the atoms, from the largest loss down
	mass  []float64 // P0-masses
	only  float64
	keep  float64 // the sum of mass

	low, span int   // on a lattice, the depth of the first atom in units, and how far below is the last
	offset    []int // depths less that of the first
	reversed  []int // that of the last less depths
}

// newResponse returns count mechanisms as a response: a binomial law, built outward from its mode
// by the ratio of neighbours. Atoms below cut, beside the mode, are left out.
func newResponse(m Mechanism, count int, cut float64) *response {
	alive := float64(count) * math.Log1p(-m.leak())
	l := &response{only: -math.Expm1(alive), keep: math.Exp(alive)}
	if m.Eps.IsZero() {
		l.depth, l.mass = []float64{0}, []float64{l.keep}
		return l
	}
	n, odds := float64(count), expNeg(m.Eps)
	mode := math.Floor((n + 1) * odds / (1 + odds)) // of the number of losses −ε
	var before []float64
	for w, j := 1.0, mode; j > 0; j-- {
		if w *= j / ((n - j + 1) * odds); w < cut {
			break
		}
		before = append(before, w)
	}
	first, sum := mode-float64(len(before)), 0.0
	for i := range before {
		l.mass = append(l.mass, before[len(before)-1-i])
	}
	for w, j := 1.0, mode; j <= n && w >= cut; j++ {
		l.mass = append(l.mass, w)
		w *= (n - j) / (j + 1) * odds
	}
	for _, w := range l.mass {
		sum += w
	}
	for i := range l.mass {
		l.mass[i] *= l.keep / sum
		l.depth = append(l.depth, (first+float64(i))*2*m.Eps.Float64())
	}
	return l
}

// leak returns δ, above 0 if it is.
func (m Mechanism) leak() float64 {
	x, _ := m.Delta.Float64()
	if x == 0 && m.Delta.Sign() > 0 {
		return math.SmallestNonzeroFloat64
	}
	return x
}

// onUnits puts the atoms on multiples of unit. An atom between two of them is split such that its
// P0-mass and its P1-mass stay what they are: every value, convex in e^loss, rises a little.
func (l *response) onUnits(unit float64, isExact bool) *response {
	g := &response{only: l.only, keep: l.keep}
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
	if len(g.mass)%2 == 1 { // for gather
		g.add(g.offset[len(g.offset)-1]+1, 0)
	}
	g.low, g.span = g.offset[0], g.offset[len(g.offset)-1]-g.offset[0]
	for i := range g.offset {
		g.offset[i] -= g.low
		g.reversed = append(g.reversed, g.span-g.offset[i])
	}
	return g
}

// add adds an atom, which is not above the last but one.
func (l *response) add(depth int, mass float64) {
	for i := len(l.offset) - 1; i >= 0 && l.offset[i] >= depth; i-- {
		if l.offset[i] == depth {
			l.mass[i] += mass
			return
		}
	}
	l.offset, l.mass = append(l.offset, depth), append(l.mass, mass)
}

// gather sets dst[m] = only + Σ mass[i]·src[m + shift[i]], for an even number of masses.
func gather(dst, src []float64, shift []int, mass []float64, only float64) {
	for m := range dst {
		dst[m] = only
	}
	n := len(dst)
	for ; len(shift) >= 4; shift, mass = shift[4:], mass[4:] {
		p, q, r, s := mass[0], mass[1], mass[2], mass[3]
		a, b, c, d := src[shift[0]:][:n], src[shift[1]:][:n], src[shift[2]:][:n], src[shift[3]:][:n]
		for m := range dst {
			dst[m] += (p*a[m] + q*b[m]) + (r*c[m] + s*d[m])
		}
	}
	if len(shift) == 2 {
		p, q, a, b := mass[0], mass[1], src[shift[0]:][:n], src[shift[1]:][:n]
		for m := range dst {
			dst[m] += p*a[m] + q*b[m]
		}
	}
}

// expNeg returns e^−ε, to about the nearest float64.
func expNeg(e loss.Epsilon) float64 {
	if e.IsExp() {
		x, _ := new(big.Rat).Inv(e.Rat()).Float64()
		return x
	}
	return math.Exp(-e.Float64())
}
