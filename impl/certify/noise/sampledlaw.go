package noise

import (
	"context"
	"math"
	"math/big"

	"checkrr/impl/certify/internal/num"
)

// partsOn returns the law of all parts together, and what node 0 loses: the largest loss of those that have one.
func (s *Sampled) partsOn(ctx context.Context, x Nodes, tilt float64) (c *Cells, nominal num.Span, err error) {
	var all *scales
	kept, lost, top := num.Exactly(1), num.Exactly(0), new(big.Rat)
	parts := joined(s.Parts)
	x.Cut /= float64(len(parts))
	for _, part := range parts {
		if x.Top = new(big.Rat); part.Most() != nil {
			x.Top.Mul(part.Most(), new(big.Rat).SetInt64(int64(part.Count)))
		}
		top.Add(top, x.Top)
		if c, err = Law(ctx, part.Continuous, part.Count, x, tilt); err != nil {
			return nil, nominal, err
		}
		one := &scales{parts: []*Cells{c}, unit: x.Unit, isUp: x.IsUp, infinity: c.Infinity}
		one.total = one.sum()
		finite, infinite := num.Exactly(one.total*(1-0x1p-40)), num.Exactly(c.Infinity)
		lost = lost.Times(finite.Plus(infinite)).Plus(kept.Times(infinite)).AtLeast0()
		kept = kept.Times(finite)
		if all == nil {
			all = one
			continue
		}
		if all, err = all.times(ctx, one, limits{x.Cut / 4, tilt, x.mostTilted(), shortInner}); err != nil {
			return nil, nominal, err
		}
	}
	if c, err = all.cells(); err == nil && !x.IsUp {
		c.Infinity = lost.Lo
	}
	return c, num.SpanOf(top), err
}

// joined returns parts with the Gaussian noise of all of them as one.
func joined(parts []Part) (all []Part) {
	var plain []Part
	for _, p := range parts {
		if a, isNoise := p.Continuous.(*Additive); isNoise && a.IsPlain() {
			plain = append(plain, p)
		} else {
			all = append(all, p)
		}
	}
	if len(plain) > 1 {
		if one, count := Joint(plain); one != nil {
			plain = []Part{{one, count}}
		}
	}
	return append(plain, all...)
}

// mixed returns the law of the whole, where c is that of the parts. Of an atom with the P-mass p and the Q-mass q of
// the parts, and α the order, what counts is a multiple of p − γq for a record that is removed, where α ≥ 1 − s, and of
// p − βq for one that is added.
//
// For α < 1 − s and a record that is removed, all of Q' counts, also where P' is 0, which is what is missing: what is
// an upper bound needs a Q'-mass of at least 1, and what is a lower one has one of at most 1.
func (s *Sampled) mixed(c *Cells, r ruler) *lossLaw {
	isUp, law, by := c.Mass[1] == nil, &lossLaw{}, s.mix()
	var under []float64
	for i, m := range c.Mass[0] {
		l := r.at(float64(c.Low + i))
		if m == 0 || !isUp && l.Lo < -mostDeep {
			continue
		}
		if l.Lo < -mostDeep {
			l = num.Exactly(-mostDeep)
		}
		p, q := num.Exactly(m), num.Exactly(m)
		if !isUp {
			q = num.Exactly(c.Mass[1][i])
		}
		q = q.Times(l.Negated().Exp()).AtLeast0()
		a := Atom{by.loss(l), p, q}
		if s.Added {
			a.Q = by.rest.Times(p).Plus(by.rate.Times(q))
		} else {
			a.P = by.rate.Times(p).Plus(by.rest.Times(q))
		}
		end := q.Hi
		if isUp {
			end = q.Lo
		}
		law.add(a)
		under = append(under, end)
	}
	infinity := num.Exactly(c.Infinity)
	switch {
	case s.isWhole():
		law.infinity = infinity
	case s.Added && c.Infinity > 0:
		law.add(Atom{by.rest.Log().Negated(), infinity, by.rest.Times(infinity)})
	case !s.Added:
		law.infinity = infinity.Times(by.rate).AtLeast0()
		law.complete(outward(num.Dot(under, nil), num.SumRounds(len(under)), !isUp), by.rest, isUp)
	}
	if len(law.atoms) == 0 { // all losses are infinite: there is one of 0 without mass
		law.add(Atom{})
	}
	return law
}

// complete adds what is impossible under P', where about so much is under Q', and the rest is 1 − s.
func (l *lossLaw) complete(under float64, rest num.Span, isUp bool) {
	missing := num.Exactly(1).Minus(num.Exactly(under)).AtLeast0()
	mass := num.Exactly(missing.Lo)
	switch {
	case isUp:
		mass = num.Exactly(missing.Hi)
	case under > 1:
		for i, a := range l.atoms {
			l.atoms[i].P, l.atoms[i].Q = a.P.Over(num.Exactly(under)).AtLeast0(), a.Q.Over(num.Exactly(under))
		}
	}
	if mass.Hi > 0 {
		l.atoms = append([]Atom{{rest.Log(), rest.Times(mass).AtLeast0(), mass}}, l.atoms...)
	}
}

// shape is about the law of the whole.
type shape struct {
	lossLaw
	reach float64 // about the largest |loss| of the parts
	slope float64 // about how much more is lost where the parts lose more, as a part of that
}

// about returns the shape, which is found once: on nodes that are fine enough to tell the losses of the parts apart.
func (s *Sampled) about() *shape {
	s.once.Do(func() {
		const enough, finest = 1 << 8, 1e-10
		x := Nodes{IsUp: true, Cut: 1e-20, Most: MostLoss}
		for unit := 1.0; unit > max(finest, s.shape.reach/enough); unit /= 32 {
			x.Unit = num.Exactly(unit)
			c, nominal, err := s.partsOn(context.Background(), x, 0)
			if err != nil {
				break
			}
			r := ruler{nominal: nominal, unit: x.Unit}
			s.shape.lossLaw = *s.mixed(c, r)
			low, high := r.at(float64(c.Low)), r.at(float64(c.Low+len(c.Mass[0])-1))
			s.shape.reach = max(-low.Lo, high.Hi)
		}
		square, rest := 0.0, 1-num.SpanOf(s.Rate).Lo
		for _, a := range s.shape.atoms {
			loss := a.Loss.Hi
			if s.Added {
				loss = -loss
			}
			slope := 1 - rest*math.Exp(-loss)
			square += a.P.Hi * slope * slope
		}
		s.shape.slope = math.Sqrt(square)
	})
	return &s.shape
}

// About returns about the losses and their P-masses, some neighbours as one if there are more than most.
func (s *Sampled) About(most int) (losses, masses []float64) { return s.about().About(most) }

// unitFor returns that of the parts, where the whole is to be on nodes that are so far apart: about as precise as
// those.
func (s *Sampled) unitFor(whole float64) float64 {
	const coarsest, finer = 1.0 / 64, 0.5
	x := s.about()
	reach := max(x.reach, 1e-9)
	return min(max(finer*whole/max(x.slope, 1e-12), reach/mostInner), coarsest, reach/leastInner)
}
