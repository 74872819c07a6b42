package noise

import (
	"context"
	"math"

	"checkrr/impl/certify/internal/num"
)

// Cells is the law of the loss of some mechanisms together, on nodes: node Low + i loses that many units more than
// their nominal loss, and has the P-mass Mass[0][i]. Mass[1] is Q-masses times e^loss of their nodes; pessimistic cells
// do without.
type Cells struct {
	Low      int
	Mass     [2][]float64
	Infinity float64 // P-mass of losses above all nodes; for optimistic cells at most that, which may be 0
	Total    float64 // at least the sum of the P-masses, of a pessimistic law
}

// ruler is losses: nominal, and so many units more.
type ruler struct {
	nominal, unit num.Span
	most          float64 // what loses more counts as if it lost about that, or infinitely much
	isTop         bool    // whether the mechanism loses no more than node 0, which the two do not tell if it is as much
}

// ratio returns e^(the loss of node n).
func (r ruler) ratio(n int) num.Span { return r.at(float64(n)).Exp() }

func (r ruler) at(n float64) num.Span {
	return r.unit.Times(num.Exactly(math.Abs(n))).Signed(n < 0).Plus(r.nominal)
}

// MostLoss bounds |losses| of one mechanism; what is above counts as infinite.
const MostLoss = num.MostExponent - 10

// limits returns the nodes between which losses of up to MostLoss are, on either side of 0.
func (r ruler) limits() (least, most int) {
	nodes := func(loss float64) int { return int(min(loss/r.unit.Hi, num.MaxWindow)) }
	return -nodes(MostLoss + r.nominal.Lo), nodes(r.most - r.nominal.Lo)
}

// ends returns nodes between which all losses are, but for a P-mass of about cut on each side.
func (a *additiveLaw) ends(r ruler, cut float64) (low, high int, err error) {
	least, most := r.limits()
	search := func(from, to int, isEnd func(e edge) bool) int { // the first at which it is one
		for from < to {
			if mid := from + (to-from)>>1; isEnd(a.about(r.at(float64(mid)).Lo)) {
				to = mid
			} else {
				from = mid + 1
			}
		}
		return from
	}
	// there may be an atom just above that node
	high = search(least, most, func(e edge) bool { p, _ := a.masses(e, a.last); return p.Hi <= cut }) + 1
	low = search(least, high, func(e edge) bool { p, _ := a.masses(a.first, e); return p.Hi > cut }) - 1
	if low = max(low, least); high-low >= num.MaxWindow {
		return 0, 0, num.ErrWindow
	}
	return min(low, high-1), high, nil
}

// above returns cells that dominate the mechanism. The masses p and q of what loses between two nodes go to these as
// b on the upper and p − b on the lower one, such that p and q stay what they are: with e^−l times the P-mass as
// Q-mass of a loss of l, b = (p − q·e^lower)/(1 − e^−unit), which is at most p. Where some of that loses hardly less
// than the lower node, q is taken for less, so that it does not. What is below all nodes goes to the lowest, and what
// is above all is impossible under Q. More p, less q and a larger b only make values larger.
func (a *additiveLaw) above(ctx context.Context, r ruler, cut float64) (*Cells, error) {
	low, high, err := a.ends(r, cut)
	if err != nil {
		return nil, err
	}
	n := high - low + 1
	c := &Cells{Low: low, Mass: [2][]float64{make([]float64, n), nil}}
	oneMinusExp := num.Exactly(1).Minus(r.unit.Negated().Exp()).AtLeast0()
	ratio := r.ratio(low)
	largest := a.largest()
	upTo := func(node int, ratio num.Span) (edge, float64) {
		loss := r.at(float64(node)).Lo
		if loss >= largest || r.isTop && node >= 0 { // of a node that is a little below it an atom might be left
			return a.last, 0
		}
		return a.upTo(loss, ratio)
	}
	from, least := upTo(low, ratio)
	p, _ := a.masses(a.first, from)
	c.Mass[0][0] = p.Hi
	for i := 1; i < n && (i&1023 > 0 || ctx.Err() == nil); i++ {
		next := r.ratio(low + i)
		to, nextLeast := upTo(low+i, next)
		p, q := a.masses(from, to)
		q = q.Times(num.Exactly(least))
		b := max(0,
			min(p.Hi, num.Exactly(p.Hi).Minus(num.Exactly(q.Lo).Times(num.Exactly(ratio.Lo))).Over(oneMinusExp).Hi))
		c.Mass[0][i-1] = num.Up1(c.Mass[0][i-1] + max(0, num.Up1(p.Hi-b)))
		c.Mass[0][i] = b
		if from, least, ratio = to, nextLeast, next; from.y == a.last.y {
			// nothing is above: on nodes there, transforms would leave what they are off by
			c.Mass[0] = c.Mass[0][:i+1]
			break
		}
	}
	p, _ = a.masses(from, a.last)
	c.Infinity = p.Hi
	c.Total = num.Dot(c.Mass[0], nil) * (1 + 2*num.SumRounds(n)*0x1p-53)
	return c, ctx.Err()
}

// largest returns at least the largest loss.
func (a *additiveLaw) largest() float64 {
	most := a.Most()
	if most == nil {
		return math.Inf(1)
	}
	return num.SpanOf(most).Hi
}

// below returns cells that the mechanism dominates: what is told is which node a loss is about the nearest of. On a
// node that is next to the largest loss of Laplace noise, though, there is nothing else: many outputs have that loss,
// and charges that are hardly less may be what matters. What is below all nodes is left out: what is lost so rarely
// may be nearly all of what there is under Q. Less p and more q only make values smaller, and so does an output
// fewer.
func (a *additiveLaw) below(ctx context.Context, r ruler, cut float64) (*Cells, error) {
	low, high, err := a.ends(r, cut)
	if err != nil {
		return nil, err
	}
	n := high - low + 1
	c := &Cells{Low: low, Mass: [2][]float64{make([]float64, n), make([]float64, n)}}
	from, largest := a.about(r.at(float64(low)-0.5).Lo), a.largest()
	noise, hasAtoms := a.outputs.(laplace)
	for i := 0; i < n && (i&1023 > 0 || ctx.Err() == nil); i++ {
		to := a.last
		switch {
		case i < n-1 && hasAtoms && math.Abs(r.at(float64(low+i+1)).Lo-largest) <= 0x1p-40*largest:
			to = a.edge(noise.last(a.Added))
		case i < n-1:
			to = a.about(r.at(float64(low+i) + 0.5).Lo)
		}
		if to.y != from.y && (to.y < from.y) != a.Added { // cells must not overlap
			to = from
		}
		p, q := a.masses(from, to)
		c.Mass[0][i], c.Mass[1][i] = p.Lo, num.Exactly(q.Hi).Times(r.ratio(low+i)).Hi
		from = to
	}
	return c, ctx.Err()
}

// UpTo gives up what is above a node: of pessimistic cells it is infinite, and of optimistic ones that node is told.
func (c *Cells) UpTo(node int, unit num.Span) {
	to := node - c.Low + 1
	if to < 1 { // all: the node is left, with no mass
		for j, mass := range c.Mass {
			if mass != nil {
				c.Mass[j] = append(make([]float64, 1-to), mass...)
			}
		}
		c.Low, to = node, 1
	}
	switch {
	case to >= len(c.Mass[0]):
		return
	case c.Mass[1] == nil:
		c.Infinity += num.Dot(c.Mass[0][to:], nil)
		c.Infinity = outward(c.Infinity, num.SumRounds(len(c.Mass[0]))+1, true)
	default:
		c.Mass[0][to-1], c.Mass[1][to-1] = num.Merged(c.Mass[0][to-1:], c.Mass[1][to-1:], unit)
		c.Mass[1] = c.Mass[1][:to]
	}
	c.Mass[0] = c.Mass[0][:to]
}
