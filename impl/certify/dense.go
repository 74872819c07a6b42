package certify

import (
	"context"
	"fmt"

	"checkrr/impl/certify/internal/num"
	"checkrr/impl/certify/noise"
)

// densePLD returns the law of the mechanisms of a run together. Equal runs share it, so that it is tilted as much as
// any of them needs.
func (l *lattice) densePLD(ctx context.Context, m noise.Continuous, run int) (*pld, error) {
	tilt := 0.0
	for k, r := range l.runs {
		if r.Alike() == l.runs[run].Alike() {
			tilt = max(tilt, l.tilts[k])
		}
	}
	count, unit := l.runs[run].Count, l.frame.enclose(l.unit, 64).Span()
	if unit.Lo > 1 {
		return nil, fmt.Errorf("the unit is %g, must be at most 1 where there is noise, or losses are given", unit.Hi)
	}
	x := noise.Nodes{Top: l.nodeZero[run], Unit: unit, Factor: 1, IsUp: l.estimate == pessimistic,
		Cut: max(l.cut, 1e-290)}
	if s, err := l.fewPLD(ctx, m, count, x); s != nil || err != nil {
		return s, err
	}
	if len(l.runs) > 1 {
		x.Factor = noise.Fineness(m.Laws(count))
	}
	c, err := noise.Law(ctx, m, count, x, l.isDivided, tilt)
	if err != nil {
		return nil, err
	}
	c.UpTo(0)
	l.isExact = false
	s := &pld{infinity: c.Infinity, deficit: c.Deficit, rounds: c.Rounds + num.FilterRounds,
		mass: c.Mass, isDense: true}
	if s.mass[1] == nil {
		s.mass[1] = s.mass[0]
	}
	s.most, s.offset = c.Total, make([]int, 0, len(s.mass[0]))
	for i := range s.mass[0] {
		s.offset = append(s.offset, c.Low+i)
	}
	return l.finish(s), nil
}

// # Few losses
//
// The mechanisms of a run are one law where that is a power by transforms, which are off by as much everywhere. Where
// a mechanism has few losses, all of them but one or two rare, what matters may be far below that. They go one by one
// then: products of positive numbers lose next to nothing.

// fewProducts is how many products with atoms the mechanisms of a run are worth together, for each node: about what
// transforms take, or four times as many with sampling, where most losses are rare. A variable, so that tests can
// force either way.
var fewProducts = 128.0

// fewPLD returns the law of one of the mechanisms of a run, to be taken as often as there are any, if they have few
// losses; nil if not.
func (l *lattice) fewPLD(ctx context.Context, m noise.Continuous, count int, x noise.Nodes) (*pld, error) {
	most := l.transformThreshold(fewProducts) / float64(count)
	if a, ok := m.(*Additive); ok && a.Sampling.Cmp(num.One) < 0 {
		most *= 4
	}
	if m.Atoms() > most {
		return nil, nil
	}
	c, err := noise.Each(ctx, m, count, x)
	if err != nil {
		return nil, err
	}
	s := &pld{infinity: c.Infinity, rounds: c.Rounds, times: count}
	for i, p := range c.Mass[0] {
		if p < leastAtom {
			s.truncated = num.Up1(s.truncated + p)
			continue
		}
		q := p
		if c.Mass[1] != nil {
			q = c.Mass[1][i]
		}
		s.offset, s.mass[0], s.mass[1] = append(s.offset, c.Low+i), append(s.mass[0], p), append(s.mass[1], q)
	}
	if n := len(s.offset); n == 0 || float64(n) > most {
		return nil, nil
	}
	l.isExact = false
	return l.finish(s), nil
}

// leastAtom is a mass below which there is no atom: nodes between atoms have what is added to be safe.
const leastAtom = 1e-300
