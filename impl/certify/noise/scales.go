package noise

import (
	"context"
	"math"

	"checkrr/impl/certify/internal/num"
)

// scales is the law of some steps together, as the sum of parts: part j is on nodes that are 3^j units apart, counted
// from the same node 0. A part may be nil.
type scales struct {
	parts    []*Cells
	unit     num.Span
	isUp     bool
	infinity float64 // P-mass of infinite losses; of many steps only if the law dominates them
	total    float64 // at least the sum of the P-masses, or about that if the law is dominated
}

// mostRare bounds the number of parts behind the first, and mostCoarse their units.
const (
	mostRare   = 24
	mostCoarse = 1.0
)

// share returns about which part of the P-mass is behind part j: on nodes 3 times as coarse it is off by 9 times as
// much.
func share(j int) float64 { return 0.003 * math.Pow(0.08, float64(j)) }

// limits is what a product may leave out on each side, where it should be precise, how much more than the mean a loss
// may count, and how many products of masses are added one by one.
type limits struct{ cut, tilt, mostTilted, products float64 }

// part returns part j, or nil.
func (s *scales) part(j int) *Cells {
	if j < len(s.parts) {
		return s.parts[j]
	}
	return nil
}

// unitOf returns that of part j.
func (s *scales) unitOf(j int) num.Span { return s.unit.Times(num.Exactly(math.Pow(3, float64(j)))) }

// sum returns at least the sum of the P-masses, and not much more.
func (s *scales) sum() (total float64) {
	for _, c := range s.parts {
		if c != nil {
			total += outward(num.Dot(c.Mass[0], nil), num.SumRounds(len(c.Mass[0])), true)
		}
	}
	return outward(total, float64(len(s.parts)), true)
}

// coarser returns s on every third node.
func (s *scales) coarser() *scales {
	t := &scales{unit: s.unitOf(1), isUp: s.isUp, infinity: s.infinity}
	t.parts = append(t.parts, s.part(1).plus(s.part(0).coarser(s.unit)))
	for j := 2; j < len(s.parts); j++ {
		t.parts = append(t.parts, s.parts[j])
	}
	t.total = t.sum()
	return t
}

// times returns the law of the steps of s and those of t. With s_j for a part, and S_j for all before it on its nodes,
// part j of the product is s_j·(t_j + T_j) + S_j·t_j.
func (s *scales) times(ctx context.Context, t *scales, l limits) (*scales, error) {
	w := s.window(t, l.cut)
	d := &scales{unit: s.unit, isUp: s.isUp}
	var before [2]*Cells
	for j := range max(len(s.parts), len(t.parts)) {
		a, b := s.part(j), t.part(j)
		pairs := [][2]*Cells{{a, b.plus(before[1])}, {before[0], b}}
		if s == t {
			pairs = [][2]*Cells{{a, a.plus(before[0]).plus(before[0])}}
		}
		unit, c := s.unitOf(j), (*Cells)(nil)
		for _, pair := range pairs {
			x, err := l.product(ctx, pair[0], pair[1], w.nodes(j), unit.Lo)
			if err != nil {
				return nil, err
			}
			c = c.plus(x)
		}
		d.parts = append(d.parts, c)
		for i, c := range [2]*Cells{a, b} {
			before[i] = before[i].plus(c).coarser(unit)
		}
	}
	if s.isUp {
		d.infinity = outward(s.infinity*(t.total+t.infinity)+s.total*t.infinity+w.dropped[1], 4, true)
		d.lowest(w.dropped[0])
	}
	d.arrange(l)
	d.total = d.sum()
	return d, ctx.Err()
}

// lowest adds a P-mass to a node that loses no more than all others of its part.
func (s *scales) lowest(mass float64) {
	for _, c := range s.parts {
		if c != nil {
			c.Mass[0][0] = num.Up1(c.Mass[0][0] + mass)
			return
		}
	}
	s.infinity = num.Up1(s.infinity + mass)
}

// arrange moves what is rare, and stays so where losses are tilted, to coarser nodes.
func (s *scales) arrange(l limits) {
	const least = 32 // nodes
	lambda, plain, tilted := l.tilt*s.unit.Lo, 0.0, 0.0
	all := s.lumps()
	for _, x := range all {
		plain += x.mass
	}
	for range 3 {
		tilted = all.tilted(lambda, l.mostTilted+tilted)
	}
	for j := 0; j < min(len(s.parts), mostRare) && s.unitOf(j).Lo < mostCoarse/3; j++ {
		c := s.parts[j]
		if c == nil {
			continue
		}
		part := share(j) / 2
		from, to := c.lumps(j).core(part*plain, lambda, l.mostTilted+tilted, tilted+math.Log(part))
		if from+len(c.Mass[0])-to < least {
			continue
		}
		if j+1 == len(s.parts) {
			s.parts = append(s.parts, nil)
		}
		for _, side := range [2]*Cells{c.slice(0, from), c.slice(to, len(c.Mass[0]))} {
			s.parts[j+1] = s.parts[j+1].plus(side.coarser(s.unitOf(j)))
		}
		s.parts[j] = c.slice(from, to)
	}
}

// cells returns s on the nodes of its first part.
func (s *scales) cells() (*Cells, error) {
	low, high, scale := 0, 0, 1
	for j, c := range s.parts {
		if c != nil {
			if low == high {
				low, high = c.Low*scale, c.Low*scale+1
			}
			low, high = min(low, c.Low*scale), max(high, (c.Low+len(c.Mass[0])-1)*scale+1)
		}
		if scale *= 3; j > mostRare || high-low > num.MaxWindow {
			return nil, num.ErrWindow
		}
	}
	high = max(high, low+1)
	d := &Cells{Low: low, Infinity: s.infinity, Mass: [2][]float64{make([]float64, high-low), nil}}
	if !s.isUp {
		d.Mass[1] = make([]float64, high-low)
	}
	scale = 1
	for _, c := range s.parts {
		if c != nil {
			for j, mass := range c.Mass {
				for i, m := range mass {
					d.Mass[j][(c.Low+i)*scale-low] += m
				}
			}
		}
		scale *= 3
	}
	for j, mass := range d.Mass {
		directed(mass, float64(len(s.parts)), s.isUp || j == 1)
	}
	d.Total = outward(num.Dot(d.Mass[0], nil), num.SumRounds(len(d.Mass[0])), true)
	return d, nil
}
