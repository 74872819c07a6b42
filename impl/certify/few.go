package certify

import "context"

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
func (l *lattice) fewPLD(ctx context.Context, m Mechanism, run int, unit span) (*pld, error) {
	count := l.runs[run].count
	most := l.transformThreshold(fewProducts) / float64(count)
	if m.Additive != nil && m.Additive.Sampling.Cmp(one) < 0 {
		most *= 4
	}
	if m.atoms() > most {
		return nil, nil
	}
	c, err := cellsOf(ctx, m.dense(), m.ruler(l.nodeZero[run], count, unit), l.estimate == pessimistic, max(l.cut, 1e-290)/float64(count))
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

// atoms returns about how many losses m, which is dense, has that matter.
func (m Mechanism) atoms() float64 {
	const deviations = 16
	switch {
	case m.Losses != nil:
		return float64(len(m.Losses.atoms))
	case m.Additive.Noise == DiscreteGaussian:
		return deviations * spanOf(m.Additive.Scale).hi
	}
	return maxWindow
}
