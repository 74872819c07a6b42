package certify

import (
	"context"
	"fmt"
	"math"
	"math/big"
)

// cells is the law of the loss of some mechanisms together, on nodes: node low + i loses that many units more than their nominal loss, and has
// the P-mass mass[0][i]. mass[1] is as for [pld]; pessimistic cells do without.
type cells struct {
	low      int
	mass     [2][]float64
	infinity float64 // P-mass of losses above all nodes; for optimistic cells at most that, which may be 0
	total    float64 // at least the sum of the P-masses, of a pessimistic law
	rounds   float64 // on the way of a term
}

// ruler is losses: nominal, and so many units more.
type ruler struct{ nominal, unit span }

// ratio returns e^(the loss of node n).
func (r ruler) ratio(n int) span { return r.at(float64(n)).exp() }

func (r ruler) at(n float64) span {
	return r.unit.times(exactly(math.Abs(n))).signed(n < 0).plus(r.nominal)
}

func (x span) signed(isNegative bool) span {
	if isNegative {
		return x.negated()
	}
	return x
}

// mostLoss bounds |losses| of one mechanism; what is above counts as infinite.
const mostLoss = mostExponent - 10

// ends returns the nodes between which all losses are, but for a P-mass of about cut on each side.
func (a *additiveLaw) ends(r ruler, cut float64) (low, high int, err error) {
	most := (mostLoss - math.Abs(r.nominal.lo)) / r.unit.hi
	if !(most < maxWindow) {
		most = maxWindow
	}
	n := int(most)
	search := func(from, to int, isEnd func(s sides) bool) int { // the first at which it is one
		for from < to {
			if mid := from + (to-from)>>1; isEnd(a.sides(r.at(float64(mid)))) {
				to = mid
			} else {
				from = mid + 1
			}
		}
		return from
	}
	high = search(-n, n, func(s sides) bool { return s.p.above.hi <= cut })
	low = search(-n, high, func(s sides) bool { return s.p.below.hi > cut }) - 1
	if low = max(low, -n); high-low >= maxWindow {
		return 0, 0, errWindow
	}
	return min(low, high-1), high, nil
}

// above returns cells that dominate the mechanism. The masses p and q of what loses between two nodes go to these as b on the upper and p − b on the
// lower one, such that p and q stay what they are: with e^−l times the P-mass as Q-mass of a loss of l, b = (p − q·e^lower)/(1 − e^−unit), which is at most p. What is
// below all nodes goes to the lowest, and what is above all is impossible under Q. More p, less q and a larger b only make
// values larger.
func (a *additiveLaw) above(ctx context.Context, r ruler, cut float64) (*cells, error) {
	low, high, err := a.ends(r, cut)
	if err != nil {
		return nil, err
	}
	n := high - low + 1
	c := &cells{low: low, rounds: 1, mass: [2][]float64{make([]float64, n), nil}}
	rise := exactly(1).minus(r.unit.negated().exp()).atLeast0()
	ratio := r.ratio(low)
	below := a.sides(r.at(float64(low)))
	c.mass[0][0] = below.p.below.hi
	for i := 1; i < n && (i&1023 > 0 || ctx.Err() == nil); i++ {
		above := a.sides(r.at(float64(low + i)))
		p, q := below.p.less(above.p).hi, below.q.less(above.q).lo
		b := max(0, min(p, exactly(p).minus(exactly(q).times(span{ratio.lo, ratio.lo})).over(rise).hi))
		c.mass[0][i-1] = up1(c.mass[0][i-1] + max(0, up1(p-b)))
		c.mass[0][i] = b
		ratio, below = r.ratio(low+i), above
	}
	c.infinity = below.p.above.hi
	c.total = dot(c.mass[0], nil) * (1 + 2*sumRounds(n)*0x1p-53)
	return c, ctx.Err()
}

// below returns cells that the mechanism dominates: what is told is which node a loss is the nearest of. Less p and more q only make values smaller.
func (a *additiveLaw) below(ctx context.Context, r ruler, cut float64) (*cells, error) {
	low, high, err := a.ends(r, cut)
	if err != nil {
		return nil, err
	}
	n := high - low + 1
	c := &cells{low: low, rounds: 1, mass: [2][]float64{make([]float64, n), make([]float64, n)}}
	below := a.sides(r.at(float64(low) + 0.5))
	c.put(0, below.p.below.lo, below.q.below.hi, r)
	for i := 1; i < n-1 && (i&1023 > 0 || ctx.Err() == nil); i++ {
		above := a.sides(r.at(float64(low+i) + 0.5))
		c.put(i, below.p.less(above.p).lo, below.q.less(above.q).hi, r)
		below = above
	}
	c.put(n-1, below.p.above.lo, below.q.above.hi, r)
	return c, ctx.Err()
}

// put sets the masses of a node.
func (c *cells) put(i int, p, q float64, r ruler) {
	c.mass[0][i], c.mass[1][i] = p, exactly(q).times(r.ratio(c.low+i)).hi
}

// less returns the probability between the threshold of h and the higher one of g: a difference of what is above, or of what is below.
func (h halves) less(g halves) span {
	x, y := h.above.minus(g.above), g.below.minus(h.below)
	return span{max(0, x.lo, y.lo), max(0, min(x.hi, y.hi))}
}

// upTo gives up what is above a node.
func (c *cells) upTo(node int) {
	to := node - c.low + 1
	if to < 1 { // all: the node is left, with no mass
		c.low, to = node, 1
		for j, mass := range c.mass {
			if mass != nil {
				c.mass[j] = append([]float64{0}, mass...)
			}
		}
	}
	switch {
	case to >= len(c.mass[0]):
		return
	case c.mass[1] == nil:
		c.infinity = up1(c.infinity + dot(c.mass[0][to:], nil))
		c.rounds += sumRounds(len(c.mass[0]))
	default:
		c.mass[1] = c.mass[1][:to]
	}
	c.mass[0] = c.mass[0][:to]
}

// densePLD returns the law of the mechanisms of a run together. Equal runs share it, so that it is tilted as much as any of them needs.
func (l *lattice) densePLD(ctx context.Context, d dense, run int) (*pld, error) {
	count, top, tilt := l.runs[run].count, l.tops[run], 0.0
	for k, r := range l.runs {
		if r.entry == l.runs[run].entry && r.count == count {
			tilt = max(tilt, l.tilts[k])
		}
	}
	r := ruler{spanOf(new(big.Rat).Quo(top, new(big.Rat).SetInt64(int64(count)))), l.frame.enclose(l.unit, 64).span()}
	if r.unit.lo > 1 {
		return nil, fmt.Errorf("the unit is %g, must be at most 1 where there is noise, or losses are given", r.unit.hi)
	}
	law := d.above
	if l.estimate == optimistic {
		law = d.below
	}
	cut := max(l.cut, 1e-290)
	c, err := law(ctx, r, cut/float64(count))
	if err == nil {
		c, err = c.times(ctx, count, tilt*r.unit.lo, cut)
	}
	if err != nil {
		return nil, err
	}
	c.upTo(0)
	l.isExact = false
	s := &pld{infinity: c.infinity, rounds: c.rounds + filterRounds, mass: c.mass, isDense: true}
	if s.mass[1] == nil {
		s.mass[1] = s.mass[0]
	}
	s.most = c.total
	for i := range s.mass[0] {
		s.offset = append(s.offset, c.low+i)
	}
	return l.finish(s), nil
}
