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
	top := num.SpanOf(l.nodeZero[run]).Hi // what loses more is above node 0
	x := noise.Nodes{Top: l.nodeZero[run], Unit: unit, IsUp: l.estimate == pessimistic, Cut: max(l.cut, 1e-290),
		Most: min(top+8*unit.Hi, MostLoss)}
	c, err := noise.Law(ctx, m, count, x, tilt)
	if err != nil {
		return nil, err
	}
	c.UpTo(0, unit)
	l.isExact = false
	s := &pld{infinity: c.Infinity, rounds: num.FilterRounds, mass: c.Mass, isDense: true}
	if s.mass[1] == nil {
		s.mass[1] = s.mass[0]
	}
	s.most, s.offset = c.Total, make([]int, 0, len(s.mass[0]))
	for i := range s.mass[0] {
		s.offset = append(s.offset, c.Low+i)
	}
	return l.finish(s), nil
}
