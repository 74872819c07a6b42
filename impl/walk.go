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
}

// latticeWalk returns the walk of p on the lattice l. Mechanisms that follow each
// other with the same parameters and no stop between them are one step, whose
// atoms in the tails, of mass at most cut, are dropped.
func latticeWalk(p Pipeline, l *lattice, cut float64) *walk {
	w := &walk{axis: latticeAxis(l.half), charges: newCharges(p.Stops), progress: func(float64) {}}
	steps := map[int]*step{} // by count, for the current entry
	var s *step
	current, length := -1, 0
	p.runs(func(entry, count int, end bool) {
		if entry != current {
			clear(steps)
		}
		if entry != current || count != length {
			if s = steps[count]; s == nil {
				s = latticeStep(randomizedResponse(p.Mechanisms[entry]), l.multiple[entry], count, cut)
				s.sink = l.multiple[entry] * count
				steps[count] = s
			}
			current, length = entry, count
		}
		w.steps = append(w.steps, s)
		if end {
			w.ends = append(w.ends, len(w.steps))
		}
	})
	return w
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

// forth returns the place after step s from p.
func (x *axis) forth(p place, s *step) place {
	if x.half != nil {
		p.origin -= s.sink
		return p
	}
	p.base = p.base.sub(s.low)
	return p
}

// size returns the last node of the last place and the largest rise of a step.
func (w *walk) size() (last, rise int) {
	for _, s := range w.steps {
		last += s.rise()
		rise = max(rise, s.rise())
	}
	return last, rise
}

// singles returns, per stop, the value of ending there and only there.
func (w *walk) singles(ctx context.Context, floor float64) ([]bounds, error) {
	last, rise := w.size()
	l := newLaw(&w.axis, place{}, last, rise, floor)
	values := make([]bounds, len(w.ends))
	stop := 0
	for j, s := range w.steps {
		if err := w.check(ctx, j); err != nil {
			return nil, err
		}
		l.forth(s, w.forth(l.at, s))
		if j+1 == w.ends[stop] {
			value, rounds := l.single(w.charges[stop])
			values[stop] = newBounds(value, rounds, l.tiny, l.lost+l.tiny)
			stop++
		}
	}
	return values, nil
}

// check reports progress after j steps, and whether to go on.
func (w *walk) check(ctx context.Context, j int) error {
	if j&15 == 0 {
		w.progress(float64(j) / float64(len(w.steps)))
	}
	return ctx.Err()
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

func (b bounds) interval() Interval { return interval(b.lower, b.upper) }

// game returns bounds of OptDel and the threshold node of every stop. excess is
// the part of the width that may come from nodes given up, not from rounding.
func (w *walk) game(ctx context.Context, excess float64) (bounds, []int, error) {
	places, lasts := w.places()
	end := len(w.steps)
	n := len(w.ends)
	f := newFront(&w.axis, w.charges[n-1], places[end], lasts[end])
	thresholds := make([]int, n)
	thresholds[n-1] = w.pays(w.charges[n-1], places[end], lasts[end])
	win := newWindow(w.steps, w.spread(), excess/float64(end/trimEvery+n+1))
	stop, pending := n-2, 0
	for j := end - 1; j >= 0; j-- {
		s := w.steps[j]
		f.back(s, places[j], lasts[j])
		if stop >= 0 && w.ends[stop] == j {
			thresholds[stop] = f.stop(w.charges[stop])
			stop--
		}
		pending++
		if j == 0 || pending == trimEvery || len(s.shift) > 2 || w.steps[j-1] != s {
			if err := w.check(ctx, end-j); err != nil {
				return bounds{}, nil, err
			}
			win.add(s, -float64(pending))
			f.trim(win)
			pending = 0
		}
	}
	f.account(win)
	tiny := smallest * f.rounds
	return newBounds(f.root(), f.rounds, f.excess+tiny, tiny), thresholds, nil
}

// trimEvery is how many single steps are made between two trims: a trim costs
// about as much as a thousand nodes.
var trimEvery = 16

// places returns all places of the walk with their last nodes.
func (w *walk) places() ([]place, []int) {
	places, lasts := make([]place, len(w.steps)+1), make([]int, len(w.steps)+1)
	for j, s := range w.steps {
		places[j+1] = w.forth(places[j], s)
		lasts[j+1] = lasts[j] + s.rise()
	}
	return places, lasts
}

// pays returns the first node whose loss is at least E, or never.
func (x *axis) pays(e charge, p place, last int) int {
	m := x.below(e, p)
	if g := x.gap(e, p, m); g.hi > 0 {
		m++
	}
	if m > last {
		return never
	}
	return m
}

// spread returns about the standard deviation of the walk, in nodes.
func (w *walk) spread() float64 {
	sum := 0.0
	for _, s := range w.steps {
		mean, square := 0.0, 0.0
		for i, p := range s.mass {
			x := float64(s.shift[i])
			mean += p * x
			square += p * x * x
		}
		sum += max(0, square-mean*mean)
	}
	return max(1, math.Sqrt(sum))
}

// probabilities returns, per stop, the P0-probability that a walk under the rule
// with these thresholds ends there.
func (w *walk) probabilities(ctx context.Context, thresholds []int) ([]float64, error) {
	last, rise := w.size()
	l := newLaw(&w.axis, place{}, last, rise, 1e-20)
	ps := make([]float64, len(w.ends))
	stop := 0
	for j, s := range w.steps {
		if err := w.check(ctx, j); err != nil {
			return nil, err
		}
		l.forth(s, w.forth(l.at, s))
		if j+1 < w.ends[stop] {
			continue
		}
		switch {
		case stop == len(w.ends)-1:
			ps[stop] = l.stop(0)
		case thresholds[stop] != never:
			ps[stop] = l.stop(thresholds[stop])
		}
		stop++
	}
	return ps, nil
}
