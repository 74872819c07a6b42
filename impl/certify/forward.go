package certify

import (
	"context"
	"math"
	"slices"

	"checkrr/impl/certify/internal/num"
)

// outcome is what a forward pass found at a stop, but for rounding.
type outcome[T any] struct {
	gain        T // what the runs are worth that end there
	dropped     T // what the P0-mass that was given up so far is worth at most
	probability T // P0-mass of the runs that end there
}

// laws is the P0-law of the runs that go on, on a window, and their P1-law times e^loss of the
// node where that is another one. infinity is the P0-mass of those that met an output that is
// impossible under P1, dropped what those are worth at most that were given up.
type laws struct {
	here              Window
	rows, spare       []row
	infinity, dropped float64
}

// on returns the masses on w.
func (v *laws) on(j int, w Window) []float64 { return v.rows[j].on(w) }

// rule says who ends at the stops.
type rule struct {
	losses []float64 // from which loss on
	nodes  []int     // from which node on
	only   int       // the stop behind which nobody goes on; or everyStop
	// where there are ranges, which index is chosen on a node before a run; nil for one in the middle
	index func(run, node int) int
}

// forward follows the laws of P0 and P1 through the problem. Runs end at a stop as the rule says,
// and all at the last one. Without a rule none ends, and every stop is told what it would be worth
// to end there, wherever that pays. Masses are given up outside the windows; if there are none they
// become what is left when at most floor is given up on either side.
func (l *lattice) forward(ctx context.Context, r *rule, floor float64) ([]outcome[float64], error) {
	v := laws{}
	for range l.laws() {
		first := newRow(nil, Window{}, Window{})
		first.values[0] = 1
		v.rows, v.spare = append(v.rows, first), append(v.spare, row{})
	}
	outcomes, most := make([]outcome[float64], len(l.payoffs)), 1+0x1p-30
	find := l.windows == nil
	for k, run := range l.runs {
		if err := l.check(ctx, k); err != nil {
			return nil, err
		}
		s := l.law(k, v.here)
		behind := v.here.after(s)
		if l.wider(v.here, k).size() > num.MaxWindow ||
			l.wider(behind, k).with(l.wider(behind, k+1)).size() > num.MaxWindow {
			return nil, ErrWindow
		}
		below, omitted := 1.0, 0.0
		if l.worth != nil {
			below = l.worth[k]
		}
		if s.below > 0 {
			omitted = s.below * min(num.Dot(v.on(0, v.here), nil), most)
		}
		if err := l.move(ctx, &v, s, k, most, floor, r); err != nil {
			return nil, err
		}
		most *= l.plds[k].most
		if find {
			from, to := num.Trim(v.on(0, v.here), floor)
			l.windows = append(l.windows, Window{min(0, v.here.Lo+from), min(0, v.here.Lo+to-1)})
		}
		v.dropped += omitted * below
		l.clip(&v, l.windows[k], below, most)
		if run.Stop >= 0 {
			outcomes[run.Stop] = l.end(&v, run.Stop, r)
			if r != nil && run.Stop == r.only {
				break
			}
		}
	}
	return outcomes, nil
}

// laws returns how many laws there are: two if the P1-masses do not follow from the P0-masses.
func (l *lattice) laws() int {
	if !l.isExact && l.estimate == optimistic {
		return 2
	}
	return 1
}

// goesByNodes reports whether a run from w on adds the atoms of every node in turn, as there are fewer nodes than
// atoms.
func (s *pld) goesByNodes(w Window) bool { return s.turn != nil || w.size() < len(s.offset) }

// around returns w, and what is 0 beside it where a run from there on reads so much.
func (l *lattice) around(s *pld, w Window) Window {
	if s.goesByNodes(w) || l.isLong(s, w) {
		return w
	}
	return w.wider(s)
}

// wider returns all that run k may read around w, if there is such a run.
func (l *lattice) wider(w Window, k int) Window {
	if k == len(l.plds) {
		return w
	}
	return w.wider(l.law(k, w))
}

// wider returns w, and as many nodes on either side as there are between the atoms of s.
func (w Window) wider(s *pld) Window { return Window{w.Lo - (s.high - s.low), w.Hi + (s.high - s.low)} }

// readAround returns what the run that follows run k reads around w, so that it need not move: no more than
// [lattice.wider] says, which was found to be little enough.
func (l *lattice) readAround(k int, w Window) Window {
	if k+1 == len(l.plds) {
		return w
	}
	if k < len(l.windows) {
		w = w.within(l.windows[k])
	}
	return l.around(l.law(k+1, w), w)
}

// move makes run k, by its law s, or as a rule chooses one. Where there are fewer nodes than atoms, it goes by nodes.
// All runs together have at most the P0-mass most.
func (l *lattice) move(ctx context.Context, v *laws, s *pld, k int, most, floor float64, r *rule) error {
	from := v.here
	if s.infinity > 0 {
		v.infinity += s.infinity * min(num.Dot(v.on(0, from), nil), most)
	}
	v.dropped += s.truncated
	v.here = from.after(s)
	l.widest = max(l.widest, v.here.size())
	l.work += float64(v.here.size() * (s.terms() + 2))
	m, moves := leg{s, k, from, floor, r}, []func() error{}
	reach := l.readAround(k, v.here)
	for j, src := range v.rows {
		v.rows[j], v.spare[j] = newRow(v.spare[j].values, v.here, reach), src
		dst := v.rows[j].on(v.here)
		moves = append(moves, func() error { return l.moveRow(ctx, dst, src, m, j) })
	}
	return AtOnce(moves...)
}

// leg is a run from a window on.
type leg struct {
	law   *pld
	run   int
	from  Window
	floor float64
	rule  *rule
}

// index returns which one is chosen for a step with a range, on a node that is so many above the lowest one.
func (m leg) index(above int) int {
	last := len(m.law.turn.up) - 1
	if m.rule == nil || m.rule.index == nil {
		return 1 + last/2
	}
	return min(max(1, m.rule.index(m.run, m.from.Lo+above)), last)
}

// moveRow makes a run for row j.
func (l *lattice) moveRow(ctx context.Context, dst []float64, src row, m leg, j int) error {
	s := m.law
	switch {
	case l.isLong(s, m.from):
		return l.moveLong(ctx, dst, src.on(m.from), m, j)
	case s.goesByNodes(m.from):
		for i := range dst {
			dst[i] = num.Tiny[j]
		}
		if s.turn != nil {
			if terms := s.turn.forward(dst, src.on(m.from), j, m.index); j == 0 { // both rows have as many
				l.rounds += float64(terms)
			}
			return ctx.Err()
		}
		for n, x := range src.on(m.from) {
			if n&63 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			for i, offset := range s.offset {
				dst[n+offset] += x * s.mass[j][i]
			}
		}
		return nil
	}
	return num.Gather(ctx, dst, src.between0(m.from, l.around(s, m.from)), s.reversed, s.backward[j], num.Tiny[j])
}

// moveLong makes a run by transforms: with the tilts that the stops that follow need and, if low nodes are worth more
// than next to nothing, or nothing is known of that, around the mean and where losses are small.
func (l *lattice) moveLong(ctx context.Context, dst, src []float64, m leg, j int) error {
	k, isUp := m.run, j == 1 || l.estimate == pessimistic
	tilts := []float64{l.tilts[k]}
	if last := l.tilts[len(l.tilts)-1]; last < l.tilts[k]/2 {
		tilts = append(tilts, last)
	}
	switch {
	case l.estimate == pessimistic && (l.worth == nil || l.worth[k] > 10*m.floor*float64(len(l.runs))):
		// what is given up counts, wherever it is
		tilts = append(tilts, 0, -l.tilts[k])
	case j == 0 && slices.ContainsFunc(l.plds[k+1:], func(s *pld) bool { return s.infinity > 0 }):
		// most of what meets an infinite loss later is around the mean
		tilts = append(tilts, 0)
	}
	return nearest(dst, l.steeper(k, tilts), isUp, func(dst []float64, tilt float64) error {
		return l.filter(m.law, filterKey{row: j, tilt: tilt}, len(dst)).Apply(ctx, dst, src, 0, isUp, 0, num.Tiny[j])
	})
}

// clip gives up what is outside the window, but for one node. What is below is worth at most so much, and all runs
// together have at most the P0-mass most. What is above is told to be the last node, where P1-masses allow that.
func (l *lattice) clip(v *laws, w Window, below, most float64) {
	here := v.here
	v.here = here.within(w)
	v.dropped += min(num.Dot(v.on(0, Window{here.Lo, v.here.Lo - 1}), nil), most) * below
	if len(v.rows) == 2 {
		above, unit := Window{v.here.Hi, here.Hi}, l.frame.enclose(l.unit, 64).Span()
		p, q := v.on(0, above), v.on(1, above)
		p[0], q[0] = num.Merged(p, q, unit)
		return
	}
	v.dropped += num.Dot(v.on(0, Window{v.here.Hi + 1, here.Hi}), nil)
}

// end ends at stop i the runs that the rule says.
func (l *lattice) end(v *laws, i int, r *rule) outcome[float64] {
	isLast := i == len(l.payoffs)-1
	o := outcome[float64]{dropped: v.dropped}
	if r != nil && !isLast && math.IsInf(r.losses[i], 1) {
		return o
	}
	if len(v.rows) == 2 {
		l.endOptimistic(v, i, r, &o)
	} else {
		l.endExact(v, i, r, &o)
	}
	if o.gain += v.infinity; r != nil {
		o.probability += v.infinity
		v.infinity = 0
		if isLast {
			o.probability += num.Dot(v.on(0, v.here), nil)
		}
	}
	return o
}

// endExact is end where the P1-masses follow from the P0-masses.
func (l *lattice) endExact(v *laws, i int, r *rule, o *outcome[float64]) {
	first, pay := l.payments(i, v.here)
	if r != nil && i < len(l.payoffs)-1 && r.nodes[i] > first {
		skipped := min(r.nodes[i]-first, len(pay))
		first, pay = first+skipped, pay[skipped:]
	}
	ends := v.on(0, Window{first, v.here.Hi})
	o.gain = num.Dot(ends, pay)
	if r != nil {
		o.probability = num.Dot(ends, nil)
		clear(ends)
	}
}

// endOptimistic is end where they do not. The loss of a node is then that of what was merged there, and
// every comparison that decides who ends is one that a rule may make; only the gain is made worse
// by what rounding may have done.
func (l *lattice) endOptimistic(v *laws, i int, r *rule, o *outcome[float64]) {
	first, odds := l.odds(i, v.here)
	a, b := v.on(0, Window{first, v.here.Hi}), v.on(1, Window{first, v.here.Hi})
	above := 1.0 // about e^(threshold − charge)
	if r != nil && i < len(l.payoffs)-1 {
		charge, _ := l.frame.enclose(l.payoffs[i].charge, 64).Lo.Float64()
		above = math.Exp(min(max(0, r.losses[i]-charge), 700))
	}
	slack := slack(l.rounds + 4*num.OneMinusExpRounds) // of a, b and y; that of y beside 1
	for len(odds) > 0 {
		n, gain := min(num.Chunk, len(odds)), 0.0
		for m, y := range odds[:n] {
			if a[m]*(1+0x1p-40) < above*(b[m]*y) { // a tie, but for rounding, ends
				continue
			}
			if x := a[m]*(1-slack) - b[m]*(y*(1+slack)+slack); x > 0 {
				gain += x
				if r != nil {
					o.probability += a[m]
					a[m], b[m] = 0, 0
				}
			}
		}
		o.gain += gain
		a, b, odds = a[n:], b[n:], odds[n:]
	}
}
