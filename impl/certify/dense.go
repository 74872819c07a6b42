package certify

import (
	"cmp"
	"context"
	"fmt"
	"sync"

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
	top := num.SpanOf(l.nodeZero[run]).Hi // what loses more is above node 0
	x := noise.Nodes{Top: l.nodeZero[run], Unit: unit, IsUp: l.estimate == pessimistic, Cut: max(l.cut, 1e-290),
		Most: min(top+8*unit.Hi, MostLoss)}
	l.isExact = false
	key := lawKey{m.Key(), x.Top.String(), count, x, tilt}
	key.nodes.Top = nil
	return l.known.law(key, func() (*pld, error) {
		c, err := noise.Law(ctx, m, count, x, tilt)
		if err != nil {
			return nil, err
		}
		c.UpTo(0, unit)
		s := &pld{infinity: c.Infinity, rounds: num.FilterRounds, mass: c.Mass, isDense: true}
		if s.mass[1] == nil {
			s.mass[1] = s.mass[0]
		}
		s.most, s.offset = c.Total, make([]int, 0, len(s.mass[0]))
		for i := range s.mass[0] {
			s.offset = append(s.offset, c.Low+i)
		}
		return l.finish(s), nil
	})
}

// Known is laws that calls of [Check] found. A search asks for other charges on the same nodes, again and again: the
// laws stay what they are. Two calls at once must not share it. The zero value is empty.
type Known struct {
	mu          sync.Mutex // of the lattices of a call
	laws, older map[lawKey]*pld
	nodes       int // of laws
}

// lawKey is all that a law depends on.
type lawKey struct {
	mechanism, top string
	count          int
	nodes          noise.Nodes // without its top
	tilt           float64
}

// mostKnown is about how many nodes are kept, and as many older ones: those on some grids.
const mostKnown = 1 << 23

// law returns that which is known, or what find returns.
func (k *Known) law(key lawKey, find func() (*pld, error)) (s *pld, err error) {
	if k == nil {
		return find()
	}
	k.mu.Lock()
	s = cmp.Or(k.laws[key], k.older[key])
	k.mu.Unlock()
	if s == nil {
		if s, err = find(); err != nil {
			return nil, err
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.laws[key] == nil {
		if k.nodes += len(s.offset); k.laws == nil || k.nodes > mostKnown {
			k.older, k.laws, k.nodes = k.laws, map[lawKey]*pld{}, len(s.offset)
		}
		k.laws[key] = s
	}
	return s, nil
}
