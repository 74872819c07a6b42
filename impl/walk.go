package impl

import (
	"context"
	"math"
)

// walk is a pipeline as a sequence of steps on an axis. Place 0 is the root,
// place j lies after step j − 1, and stop i ends the game at place ends[i].
type walk struct {
	axis
	steps   []*step
	ends    []int
	charges []charge

	progress func(done float64)
	choose   func(stop int, f *front) // if there, sets the charge of a stop just before it is needed; f is nil at the last one
}

// newWalk returns the walk of p whose runs of equal mechanisms become the steps that
// steps returns: one step and how often it is made.
func newWalk(p Pipeline, x axis, charges []charge, steps func(m Mechanism, count, entry int) (s *step, times int)) *walk {
	type made struct {
		*step
		times int
	}
	w := &walk{axis: x, charges: charges, progress: func(float64) {}, ends: make([]int, 0, len(charges))}
	known := map[int]made{} // by count, for the current entry
	current, length := -1, 0
	var s made
	p.runs(func(entry, count int, end bool) {
		if entry != current || count != length {
			if entry != current {
				clear(known)
			}
			var ok bool
			if s, ok = known[count]; !ok {
				s.step, s.times = steps(p.Mechanisms[entry], count, entry)
				known[count] = s
			}
			current, length = entry, count
		}
		for range s.times {
			w.steps = append(w.steps, s.step)
		}
		if end {
			w.ends = append(w.ends, len(w.steps))
		}
	})
	return w
}

// latticeWalk returns the walk of p on the lattice l. Mechanisms that follow each
// other with the same parameters and no stop between them are one step, whose
// atoms in the tails, of mass at most cut, are dropped.
func latticeWalk(p Pipeline, l *lattice, charges []charge, cut float64) *walk {
	return newWalk(p, latticeAxis(l.half), charges, func(m Mechanism, count, entry int) (*step, int) {
		s := latticeStep(randomizedResponse(m), l.multiple[entry], count, cut)
		s.sink = l.multiple[entry] * count
		return s, 1
	})
}

// newCharges returns the charges of the stops.
func newCharges(stops []Stop) []charge {
	cs := make([]charge, len(stops))
	for i, s := range stops {
		cs[i] = newCharge(s.Eps)
	}
	return cs
}

// runs calls yield for every maximal run of mechanisms of one entry without a
// stop inside, in order; end says that a stop follows the run.
func (p Pipeline) runs(yield func(entry, count int, end bool)) {
	done, stop := 0, 0
	for entry, m := range p.Mechanisms {
		for left := m.Count; left > 0; {
			n := min(left, p.Stops[stop].After-done)
			done += n
			left -= n
			end := done == p.Stops[stop].After
			yield(entry, n, end)
			if end {
				stop++
			}
		}
	}
}

// groups calls yield for every run of the same step, in order.
func (w *walk) groups(yield func(s *step, times int)) {
	for from := 0; from < len(w.steps); {
		to := from + 1
		for to < len(w.steps) && w.steps[to] == w.steps[from] {
			to++
		}
		yield(w.steps[from], to-from)
		from = to
	}
}

// size returns the last node of the last place and the largest rise of a step.
func (w *walk) size() (last, rise int) {
	w.groups(func(s *step, times int) {
		last += times * s.rise()
		rise = max(rise, s.rise())
	})
	return last, rise
}

// spread returns about the standard deviation of the walk, in nodes.
func (w *walk) spread() float64 {
	sum := 0.0
	w.groups(func(s *step, times int) {
		mean, square := 0.0, 0.0
		for i, p := range s.mass {
			x := float64(s.shift[i])
			mean += p * x
			square += p * x * x
		}
		sum += float64(times) * max(0, square-mean*mean)
	})
	return max(1, math.Sqrt(sum))
}

// stops returns the places of the stops.
func (w *walk) stops() []place {
	places := make([]place, len(w.ends))
	var at place
	j := 0
	for i, end := range w.ends {
		for ; j < end; j++ {
			at = w.after(at, w.steps[j])
		}
		places[i] = at
	}
	return places
}

// after returns the place after step s from p.
func (x *axis) after(p place, s *step) place {
	if x.half != nil {
		p.origin -= s.sink
		return p
	}
	p.base = p.base.sub(s.low)
	return p
}

// before returns the place before step s to p.
func (x *axis) before(p place, s *step) place {
	if x.half != nil {
		p.origin += s.sink
		return p
	}
	p.base = p.base.add(s.low)
	return p
}

// follow runs the law through the walk and calls yield at every stop.
func (w *walk) follow(ctx context.Context, floor float64, yield func(stop int, l *law)) error {
	last, rise := w.size()
	l := newLaw(&w.axis, place{}, last, rise, floor)
	l.halted = func() bool { return ctx.Err() != nil }
	stop := 0
	for j, s := range w.steps {
		if err := w.check(ctx, j); err != nil {
			return err
		}
		l.forth(s, w.after(l.at, s))
		if j+1 == w.ends[stop] {
			if err := ctx.Err(); err != nil {
				return err
			}
			yield(stop, l)
			stop++
		}
	}
	return nil
}

// singles returns, per stop, the value of ending there and only there.
func (w *walk) singles(ctx context.Context, floor float64) ([]bounds, error) {
	values := make([]bounds, len(w.ends))
	err := w.follow(ctx, floor, func(stop int, l *law) {
		value, rounds := l.single(w.charges[stop])
		values[stop] = newBounds(value, rounds, l.lost+l.tiny, l.lost+l.tiny)
	})
	return values, err
}

// probabilities returns, per stop, the P0-probability that a walk under the rule
// with these threshold nodes ends there.
func (w *walk) probabilities(ctx context.Context, thresholds []int) ([]float64, error) {
	if len(w.ends) == 1 {
		return []float64{1}, nil
	}
	ps := make([]float64, len(w.ends))
	err := w.follow(ctx, 1e-20, func(stop int, l *law) {
		switch {
		case stop == len(w.ends)-1:
			ps[stop] = l.stop(0)
		case thresholds[stop] != never:
			ps[stop] = l.stop(thresholds[stop])
		}
	})
	return ps, err
}

// game returns bounds of OptDel and the threshold node of every stop. excess is
// the part of the width that may come from nodes given up, not from rounding.
func (w *walk) game(ctx context.Context, excess float64) (bounds, []int, error) {
	f, thresholds, err := w.play(ctx, excess)
	if err != nil {
		return bounds{}, nil, err
	}
	tiny := smallest * f.rounds
	return newBounds(f.root(), f.rounds, f.excess+tiny, tiny), thresholds, nil
}

// play returns the front at the root and the threshold node of every stop.
func (w *walk) play(ctx context.Context, excess float64) (*front, []int, error) {
	n, end := len(w.ends), len(w.steps)
	last, _ := w.size()
	var at place
	w.groups(func(s *step, times int) {
		for range times {
			at = w.after(at, s)
		}
	})
	if w.choose != nil {
		w.choose(n-1, nil)
	}
	f := newFront(&w.axis, w.charges[n-1], at, last)
	f.halted = func() bool { return ctx.Err() != nil }
	thresholds := make([]int, n)
	thresholds[n-1] = w.pays(w.charges[n-1], at, last)
	win := newWindow(w, excess/float64(end/trimEvery+n+1))
	stop, pending := n-2, 0
	for j := end - 1; j >= 0; j-- {
		s := w.steps[j]
		f.back(s)
		if stop >= 0 && w.ends[stop] == j {
			if w.choose != nil {
				w.choose(stop, f)
			}
			thresholds[stop] = f.stop(&w.charges[stop])
			stop--
		}
		pending++
		if j == 0 || pending == trimEvery || len(s.shift) > 2 || w.steps[j-1] != s {
			if err := w.check(ctx, end-j); err != nil {
				return nil, nil, err
			}
			win.add(s, -float64(pending))
			f.trim(win)
			pending = 0
		}
	}
	f.account(win)
	return f, thresholds, ctx.Err()
}

// trimEvery is how many single steps are made between two trims: a trim costs
// about as much as a thousand nodes.
var trimEvery = 32

// check reports progress after j steps, and whether to go on.
func (w *walk) check(ctx context.Context, j int) error {
	if j&15 == 0 {
		w.progress(float64(j) / float64(len(w.steps)))
	}
	return ctx.Err()
}

// pays returns the first node whose loss is at least E, or never. Nodes that
// dropped atoms would reach count.
func (x *axis) pays(e charge, p place, last int) int {
	if x.half != nil {
		last = -p.origin
	}
	m := x.below(&e, p)
	if g := x.gap(&e, p, m); g.hi > 0 {
		m++
	}
	if m > last {
		return never
	}
	return m
}

// bounds is an interval of float64.
type bounds struct{ lower, upper float64 }

// newBounds returns the interval of the numbers that differ from value by at most
// rounds roundings of the relative size unitRoundoff and then by below and above.
func newBounds(value, rounds, below, above float64) bounds {
	slack := 1.01 * (rounds + 4) * unitRoundoff
	return bounds{
		lower: math.Max(0, math.Nextafter(value*(1-slack)-below, 0)),
		upper: math.Min(1, math.Nextafter(value*(1+slack)+above, 2)),
	}
}

// meet returns the common part of two intervals that contain the same number.
func (b bounds) meet(c bounds) bounds { return bounds{max(b.lower, c.lower), min(b.upper, c.upper)} }

func (b bounds) interval() Interval { return interval(b.lower, b.upper) }
