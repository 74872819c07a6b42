package certify

import (
	"context"
	"fmt"
	"math"
)

// densePLD returns the law of the mechanisms of a run together. Equal runs share it, so that it is tilted as much as
// any of them needs.
func (l *lattice) densePLD(ctx context.Context, m Continuous, run int) (*pld, error) {
	tilt := 0.0
	for k, r := range l.runs {
		if r.common() == l.runs[run].common() {
			tilt = max(tilt, l.tilts[k])
		}
	}
	count, unit := l.runs[run].count, l.frame.enclose(l.unit, 64).span()
	if unit.lo > 1 {
		return nil, fmt.Errorf("the unit is %g, must be at most 1 where there is noise, or losses are given", unit.hi)
	}
	x := measure{l.nodeZero[run], unit, 1, l.estimate == pessimistic, max(l.cut, 1e-290)}
	if s, err := l.fewPLD(ctx, m, count, x); s != nil || err != nil {
		return s, err
	}
	if len(l.runs) > 1 {
		x.factor = fineness(m.Laws(count))
	}
	c, err := lawOf(ctx, m, count, x, l.isDivided, tilt)
	if err != nil {
		return nil, err
	}
	c.upTo(0)
	l.isExact = false
	s := &pld{infinity: c.infinity, deficit: c.deficit, rounds: c.rounds + filterRounds, mass: c.mass, isDense: true}
	if s.mass[1] == nil {
		s.mass[1] = s.mass[0]
	}
	s.most, s.offset = c.total, make([]int, 0, len(s.mass[0]))
	for i := range s.mass[0] {
		s.offset = append(s.offset, c.low+i)
	}
	return l.finish(s), nil
}

// fineness returns how much finer the nodes are on which many mechanisms become one law than those where that is
// used, an odd number: what all are off together, and what their law is off behind, are about the same then. (An even
// number would put what is in the middle always on one side.)
func fineness(count int) int { return oddPart(math.Sqrt(float64(count))) }

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
func (l *lattice) fewPLD(ctx context.Context, m Continuous, count int, x measure) (*pld, error) {
	most := l.transformThreshold(fewProducts) / float64(count)
	if a, ok := m.(*Additive); ok && a.Sampling.Cmp(one) < 0 {
		most *= 4
	}
	if m.Atoms() > most {
		return nil, nil
	}
	c, err := eachOf(ctx, m, count, x)
	if err != nil {
		return nil, err
	}
	s := &pld{infinity: c.infinity, rounds: c.rounds, times: count}
	for i, p := range c.mass[0] {
		if p < leastAtom {
			s.truncated = up1(s.truncated + p)
			continue
		}
		q := p
		if c.mass[1] != nil {
			q = c.mass[1][i]
		}
		s.offset, s.mass[0], s.mass[1] = append(s.offset, c.low+i), append(s.mass[0], p), append(s.mass[1], q)
	}
	if n := len(s.offset); n == 0 || float64(n) > most {
		return nil, nil
	}
	l.isExact = false
	return l.finish(s), nil
}

// leastAtom is a mass below which there is no atom: nodes between atoms have what is added to be safe.
const leastAtom = 1e-300
