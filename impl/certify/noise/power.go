package noise

import (
	"context"
	"math"
	"math/big"

	"checkrr/impl/certify/internal/num"
)

// # The law of many equal steps
//
// A step loses little, and n of them about √n times as much, or more. Nodes that are fine enough for the one would be
// too many for the other. So the law of n steps is found by doubling, on nodes that grow with the law: that of k steps
// is on nodes about √(n/k) times as fine as those of n, a power of 3, and these become coarser on the way. All n/k laws
// of k steps are off together by about as much, then, for every k: by what the last one is off.
//
// A law is in parts (scales.go), of which the first has next to all P-mass, and each one that follows larger and rarer
// losses, on nodes that are 3 times as far apart. Products of parts are on the coarser nodes of the two.
//
// Every law is one that dominates k steps, or one that they dominate: products of such laws are, and so is what
// becomes of a law on coarser nodes. All masses are rounded in the direction that matters as soon as they are found.

// Nodes is the nodes on which a law is put, which are a unit apart, and of which node 0 loses top.
type Nodes struct {
	Top  *big.Rat
	Unit num.Span
	IsUp bool // whether the law dominates the mechanisms
	Cut  float64
	Most float64 // what one of them loses above it is no matter; at most MostLoss
}

// Law returns that of count mechanisms like m together. Next to losses that are exceeded with a probability of about
// e^(−tilt·loss) it is as precise as can be.
func Law(ctx context.Context, m Continuous, count int, x Nodes, tilt float64) (*Cells, error) {
	d, laws, err := m.lawsOf(ctx, count, x, tilt)
	if err != nil {
		return nil, err
	}
	p := power{dense: d, Nodes: x, count: laws, tilt: tilt}
	r := x.ruler(m, laws)
	if r.isTop = r.isTop && laws == count; laws == 1 {
		return cellsOf(ctx, d, r, x.IsUp, x.Cut)
	}
	return p.law(ctx, r)
}

// ruler returns the losses of each of so many equal laws that lose top together on node 0.
func (x Nodes) ruler(m Continuous, laws int) ruler {
	each, most := new(big.Rat).Quo(x.Top, new(big.Rat).SetInt64(int64(laws))), m.Most()
	return ruler{num.SpanOf(each), x.Unit, x.Most, most != nil && each.Cmp(most) >= 0}
}

// power is the law of count steps to be found.
type power struct {
	dense
	Nodes
	count int
	tilt  float64
}

// fineness returns the n of the nodes for the law of so many steps, 3^n times as fine as those of all.
func fineness(steps, all int) int {
	return int(math.Round(math.Log(float64(all)/float64(steps)) / math.Log(9)))
}

// finer returns the unit for one step of so many.
func finer(unit num.Span, count int) num.Span {
	return unit.Over(num.Exactly(math.Pow(3, float64(fineness(1, count)))))
}

// law finds it, from the most significant digit of the number of steps on.
func (p *power) law(ctx context.Context, r ruler) (*Cells, error) {
	fine := fineness(1, p.count)
	r.unit = finer(r.unit, p.count)
	one, err := p.step(ctx, r)
	if err != nil {
		return nil, err
	}
	kept, lost := leaked(num.Exactly(one.total), num.Exactly(one.infinity), p.count)
	if kept.Hi < leastKept {
		return p.without(kept, lost), nil
	}
	digit := 1
	for digit <= p.count/2 {
		digit *= 2
	}
	all := one
	for steps := 1; digit > 1; {
		digit /= 2
		if all, err = p.product(ctx, all, all, 2*steps); err != nil {
			return nil, err
		}
		if steps *= 2; p.count&digit > 0 {
			if all, err = p.product(ctx, all, one, steps+1); err != nil {
				return nil, err
			}
			steps++
		}
		for ; fine > fineness(steps, p.count); fine-- {
			all, one = all.coarser(), one.coarser()
		}
	}
	c, err := all.cells()
	if err == nil && !p.IsUp {
		c.Infinity = lost.AtLeast0().Lo
	}
	return c, err
}

// leastKept is the P-mass of finite losses below which they are not worth a law.
const leastKept = 1e-280

// without returns mechanisms that have next to no finite losses: in a pessimistic law they are infinite, too.
func (p *power) without(kept, lost num.Span) *Cells {
	if p.IsUp {
		return &Cells{Mass: [2][]float64{{0}, nil}, Infinity: lost.Plus(kept).Hi}
	}
	return &Cells{Mass: [2][]float64{{0}, {0}}, Infinity: lost.AtLeast0().Lo}
}

// leaked returns x^count and (x + y)^count − x^count, for x, y ≥ 0: no mechanism has an infinite loss, or some have.
// What some mechanisms do is what the first part of them do, and the others. Nothing cancels.
func leaked(x, y num.Span, count int) (kept, lost num.Span) {
	kept, lost = num.Exactly(1), num.Exactly(0)
	for ; count > 0; count >>= 1 {
		if count&1 == 1 {
			lost = lost.Times(x.Plus(y)).Plus(kept.Times(y)).AtLeast0()
			kept = kept.Times(x).AtLeast0()
		}
		y = y.Times(x.Plus(y)).Plus(x.Times(y)).AtLeast0()
		x = x.Times(x).AtLeast0()
	}
	return kept, lost
}

// step returns the law of one step, in parts between places that hints may choose.
func (p *power) step(ctx context.Context, r ruler) (*scales, error) {
	s := &scales{unit: r.unit, isUp: p.IsUp}
	cut, last := p.Cut/float64(p.count), 0.0
	for j, place := range p.places(r.unit.Lo) {
		sides := []dense{p.only(-place, -last), p.only(last, place)}
		if j == 0 {
			sides = []dense{p.only(-place, place)}
		}
		part := (*Cells)(nil)
		for _, side := range sides {
			if mass := side.weight(); mass <= cut {
				if p.IsUp {
					s.infinity += mass
				}
				continue
			}
			c, err := cellsOf(ctx, side, r, p.IsUp, cut)
			if err != nil {
				return nil, err
			}
			s.infinity += c.Infinity
			part = part.plus(c)
		}
		s.parts, last = append(s.parts, part), place
		r.unit = r.unit.Times(num.Exactly(3))
	}
	if s.total = s.sum(); !p.IsUp {
		s.total *= 1 - 0x1p-40
		return s, nil
	}
	s.infinity = outward(s.infinity, 2*float64(len(s.parts)), true)
	return s, nil
}

// places returns the |losses| up to which parts reach, the last of them infinite: what is beyond is rare, and stays so
// where losses are tilted.
func (p *power) places(unit float64) (places []float64) {
	const ratio, narrow = 1.3, 32
	edges := []float64{narrow * unit}
	for edges[len(edges)-1] < MostLoss {
		edges = append(edges, ratio*edges[len(edges)-1])
	}
	beyond := make([][2]float64, len(edges)) // P-masses, and tilted ones
	for i := len(edges) - 2; i >= 0; i-- {
		beyond[i] = beyond[i+1]
		for side, d := range [2]dense{p.only(-edges[i+1], -edges[i]), p.only(edges[i], edges[i+1])} {
			if mass := d.weight(); mass > 0 {
				beyond[i][0] += mass
				beyond[i][1] += mass * math.Exp(min(p.tilt*[2]float64{-edges[i], edges[i+1]}[side], p.mostTilted()))
			}
		}
	}
	all, at := [2]float64{1, beyond[0][1] + p.only(-edges[0], edges[0]).weight()}, 0
	for j := 0; j < mostRare && unit < mostCoarse/3; j++ {
		part := share(j)
		for at < len(edges)-1 &&
			(edges[at] < narrow*unit || beyond[at][0] > part*all[0] || beyond[at][1] > part*all[1]) {
			at++
		}
		if at == len(edges)-1 || beyond[at][0] == 0 {
			break
		}
		places = append(places, edges[at])
		unit *= 3
	}
	return append(places, math.Inf(1))
}

// product returns the law of the steps of s and those of t, which are so many together.
func (p *power) product(ctx context.Context, s, t *scales, steps int) (*scales, error) {
	left := float64(p.count) / float64(steps) // so many of these laws make all
	cut := p.Cut / (left * 4 * math.Log2(float64(p.count)+1))
	return s.times(ctx, t, limits{cut, p.tilt, p.mostTilted(), shortProducts(left)})
}

// mostTilted is the logarithm of how much more than the mean a large loss may count: more than the inverse of what the
// pipeline is worth it cannot, of which cut is a small part.
func (x Nodes) mostTilted() float64 {
	const part = 3e-8
	return math.Log(part / x.Cut)
}

// shortProducts is up to how many products of masses are added one by one. Transforms are off by as much everywhere,
// and what masses are off by counts as often as there are laws: P − e^ε·Q is far less than P where losses are small.
var shortProducts = func(left float64) float64 { return max(short*short, min(16*short*left, 256*short*short)) }

// short is about how many masses are multiplied with as many one by one in any case.
const short = 512
