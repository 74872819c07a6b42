package noise

import (
	"context"
	"math"
	"math/big"
	"slices"
	"sort"

	"checkrr/impl/certify/internal/num"
)

// lossLaw is a law by its losses. What is missing from 1 under Q is on outputs that are impossible under P.
type lossLaw struct {
	atoms    []Atom   // by rising loss
	infinity num.Span // P-mass where Q = 0
}

// Atom is the outputs of one loss.
type Atom struct{ Loss, P, Q num.Span }

// add adds an atom that loses no less than all others, whatever rounding does.
func (l *lossLaw) add(a Atom) {
	if n := len(l.atoms); n > 0 {
		a.Loss.Hi = max(a.Loss.Hi, l.atoms[n-1].Loss.Hi)
	}
	l.atoms = append(l.atoms, a)
}

// Infinity returns the P-mass where Q = 0, or a little more.
func (l *lossLaw) Infinity() float64 { return l.infinity.Hi }

// Leaks implements [Continuous].
func (l *lossLaw) Leaks() bool { return l.infinity.Hi > 0 }

func (l *lossLaw) lawsOf(_ context.Context, count int, _ Nodes, _ float64) (d dense, laws int, err error) {
	return l, count, nil
}

// About returns about the losses and their P-masses, some neighbours as one if there are more than most.
func (l *lossLaw) About(most int) (losses, masses []float64) {
	for group := range slices.Chunk(l.atoms, max(1, (len(l.atoms)+most-1)/most)) {
		mass, mean := 0.0, 0.0
		for _, a := range group {
			mass += a.P.Hi
		}
		for _, a := range group {
			mean += a.P.Hi / max(mass, 0x1p-1074) * a.Loss.Hi
		}
		losses, masses = append(losses, mean), append(masses, mass)
	}
	return losses, masses
}

// Most returns the largest loss or a little more, at least 0.
func (l *lossLaw) Most() *big.Rat {
	return new(big.Rat).SetFloat64(max(0, l.atoms[len(l.atoms)-1].Loss.Hi))
}

// only implements [dense].
func (l *lossLaw) only(from, to float64) dense {
	after := func(loss float64) int {
		return sort.Search(len(l.atoms), func(i int) bool { return l.atoms[i].Loss.Hi > loss })
	}
	x := *l
	first := after(from)
	x.atoms = l.atoms[first:max(first, after(to))]
	if !math.IsInf(to, 1) {
		x.infinity = num.Exactly(0)
	}
	return &x
}

// weight implements [dense].
func (l *lossLaw) weight() float64 {
	mass := l.infinity.Hi
	for _, a := range l.atoms {
		mass += a.P.Hi
	}
	return outward(mass, float64(len(l.atoms)), true)
}

// ends returns the nodes between which all losses are, but for a P-mass of about cut on each side.
func (l *lossLaw) ends(r ruler, cut float64) (low, high int, err error) {
	least, most := r.limits()
	if len(l.atoms) == 0 {
		return 0, 1, nil
	}
	first, last := 0, len(l.atoms)-1
	for sum := l.atoms[first].P.Hi; sum <= cut && first < last; sum += l.atoms[first].P.Hi {
		first++
	}
	for sum := l.atoms[last].P.Hi; sum <= cut && first < last; sum += l.atoms[last].P.Hi {
		last--
	}
	node := func(x, shift float64) int {
		return int(min(max(float64(least), math.Floor((x-r.nominal.Lo)/r.unit.Lo)+shift), float64(most)))
	}
	low, high = node(l.atoms[first].Loss.Lo, 0), node(l.atoms[last].Loss.Hi, 2)
	if high-low >= num.MaxWindow {
		return 0, 0, num.ErrWindow
	}
	return min(low, high-1), high, nil
}

// above returns cells that dominate the mechanism: P-mass and Q-mass of a loss go to the two nodes beside it such
// that both stay what they are. With p(x) = 1 − e^−x, the part p(t)/p(unit) is for the upper node, t above the lower
// one.
func (l *lossLaw) above(ctx context.Context, r ruler, cut float64) (*Cells, error) {
	low, high, err := l.ends(r, cut)
	if err != nil {
		return nil, err
	}
	n := high - low + 1
	c := &Cells{Low: low, Mass: [2][]float64{make([]float64, n), nil}, Infinity: l.infinity.Hi}
	oneMinusExp := func(x num.Span) num.Span { return x.Negated().Expm1().Negated() }
	unit := oneMinusExp(r.unit)
	add := func(to *float64, mass float64) { *to = num.Up1(*to + max(0, mass)) }
	for _, a := range l.atoms {
		upper := r.from(a.Loss.Hi)
		if r.isTop {
			upper = min(upper, 0)
		}
		switch {
		case upper > high:
			add(&c.Infinity, a.P.Hi)
		case upper <= low:
			add(&c.Mass[0][0], a.P.Hi)
		default:
			over := max(0, a.Loss.Minus(r.at(float64(upper-1))).Hi)
			b := min(a.P.Hi, num.Exactly(a.P.Hi).Times(oneMinusExp(num.Exactly(over))).Over(unit).Hi)
			add(&c.Mass[0][upper-low-1], num.Up1(a.P.Hi-b))
			add(&c.Mass[0][upper-low], b)
		}
	}
	c.Total = num.Dot(c.Mass[0], nil) * (1 + 2*num.SumRounds(n)*0x1p-53)
	return c, ctx.Err()
}

// from returns about the first node that loses at least so much, and certainly one that does.
func (r ruler) from(loss float64) int {
	n := math.Floor(min(max(-num.MaxWindow, (loss-r.nominal.Lo)/r.unit.Lo), num.MaxWindow)) - 1
	for r.at(n).Lo < loss && n <= num.MaxWindow {
		n++
	}
	return int(n)
}

// below returns cells that the mechanism dominates: what is told is which node a loss is the nearest of. Losses below
// all nodes are left out, as with noise.
func (l *lossLaw) below(ctx context.Context, r ruler, cut float64) (*Cells, error) {
	low, high, err := l.ends(r, cut)
	if err != nil {
		return nil, err
	}
	n := high - low + 1
	c := &Cells{Low: low, Mass: [2][]float64{make([]float64, n), make([]float64, n)},
		Infinity: l.infinity.Lo}
	for _, a := range l.atoms {
		node := math.Round((a.Loss.Lo - r.nominal.Lo) / r.unit.Lo)
		if node < float64(low) {
			continue
		}
		i := int(min(node-float64(low), float64(n-1)))
		c.Mass[0][i] = max(0, num.Exactly(c.Mass[0][i]).Plus(a.P).Lo)
		c.Mass[1][i] = num.Up1(c.Mass[1][i] + a.Q.Times(r.ratio(low+i)).Hi)
	}
	return c, ctx.Err()
}
