package certify

import (
	"context"
	"math"
	"slices"

	"checkrr/impl/certify/internal/num"
)

// never is the threshold node of a stop at which no run ends.
const never = MaxNode

// backward returns an upper bound of OptDel, but for rounding, and per stop the lowest node of
// the windows at which ending is at least as good as going on; or, if only is not every stop, of the δ of that one. Low
// nodes that are worth at most floor for every run to come are not useful, and are taken for worth what the last of
// them is.
func (l *lattice) backward(ctx context.Context, floor float64, only int) (value float64, nodes []int, err error) {
	nodes = make([]int, len(l.payoffs))
	l.worth, l.useful = make([]float64, len(l.runs)), slices.Clone(l.windows)
	l.choices = make([][]int32, len(l.runs))
	o, last := l.outward(), l.lastRun(only)
	here := l.windows[last]
	_, reach := l.needed(last)
	next, spare := newRow(nil, here, reach), row{} // next is the values behind a run
	clear(next.on(here))
	for k := last; k >= 0; k-- {
		if err := l.check(ctx, k); err != nil {
			return 0, nil, err
		}
		w := next.on(here)
		if i := l.runs[k].Stop; i >= 0 && (only == everyStop || i == only) {
			nodes[i] = never
			first, pay := l.payments(i, here)
			if m := num.Best(w[first-here.Lo:], pay); m >= 0 {
				nodes[i] = first + m
			}
		}
		l.worth[k] = w[0]*(1+o.slack) + o.lost // what this pass has lost is in what bounds the next one
		first := 0
		for first < len(w)-1 && w[first+1] <= floor*float64(len(l.runs)-k) {
			first++
		}
		l.useful[k].Lo += first
		next.pad(Window{l.useful[k].Lo, here.Hi}, w[first], 1)
		before, _ := l.needed(k)
		s, least := l.law(k, before), w[first]
		if reach = before; k > 0 {
			_, reach = l.needed(k - 1)
		}
		src := next.on(before.after(s))
		spare = newRow(spare.values, before, reach)
		if s.turn != nil {
			l.choices[k], err = s.turn.backward(ctx, spare.on(before), src)
		} else if l.isLong(s, before) {
			err = nearest(spare.on(before), l.steeper(k, []float64{l.tilts[k]}), true,
				func(dst []float64, tilt float64) error {
					f, plus := l.filter(s, filterKey{isValue: true, tilt: -tilt}, len(src)), s.infinity+s.truncated
					return f.Apply(ctx, dst, src, s.high-s.low, true, least, plus+least*s.most)
				})
		} else {
			err = num.Gather(ctx, spare.on(before), src, s.offset, s.mass[0], s.infinity+s.truncated+least*s.below)
		}
		if err != nil {
			return 0, nil, err
		}
		l.work += float64(before.size() * (s.terms() + 2))
		next, spare, here = spare, next, before
	}
	return next.on(here)[0], nodes, nil
}

// everyStop is what is asked for if it is not one stop.
const everyStop = -1

// lastRun returns the run before a stop, or the last one.
func (l *lattice) lastRun(stop int) int {
	if stop == everyStop {
		return len(l.runs) - 1
	}
	return slices.IndexFunc(l.runs, func(r Run) bool { return r.Stop == stop })
}

// isLong reports whether a step to or from w is made by a transform.
func (l *lattice) isLong(s *pld, w Window) bool {
	n, products := num.LogSize(w.size()+len(s.offset)), shortStep
	if l.steepness > 0 { // each tilt is one transform more, and products lose no digits
		products *= 4 * float64(1+l.steepness)
	}
	return s.isDense && float64(w.size())*float64(len(s.offset)) > products*float64(n<<n)
}

// shortStep is how many products a transform is worth, for each of its numbers and levels: a variable, so that tests
// can force either way.
var shortStep = 8.0

// filterKey is what a filter is for.
type filterKey struct {
	law     *pld
	row     int
	isValue bool
	tilt    float64
	size    int
}

// filter returns that of a law for rows of a length.
func (l *lattice) filter(s *pld, k filterKey, length int) *num.Filter {
	l.mu.Lock()
	defer l.mu.Unlock()
	k.law, k.size = s, num.LogSize(length)
	if l.filters[k] == nil {
		if l.filters == nil {
			l.filters = map[filterKey]*num.Filter{}
		}
		law := s.mass[k.row]
		if k.isValue {
			law = s.backward[k.row]
		}
		l.filters[k] = num.NewFilter(k.size, law, k.tilt*l.frame.float(l.unit))
	}
	return l.filters[k]
}

// needed returns the window before run k, and what its values depend on.
func (l *lattice) needed(k int) (before, behind Window) {
	if k > 0 {
		before = l.windows[k-1]
	}
	s := l.law(k, before)
	return before, before.after(s)
}

// law returns the law of run k from a window on: without what leads below the window behind, if that is much.
func (l *lattice) law(k int, from Window) *pld {
	s := l.plds[k]
	if k >= len(l.windows) || !s.isDense || l.worth == nil && l.estimate == pessimistic {
		return s
	}
	return s.from(l.windows[k].Lo - from.Hi)
}

// after returns the nodes to which a run leads from w.
func (w Window) after(s *pld) Window { return Window{w.Lo + s.low, w.Hi + s.high} }

// check ends a pass if its context has ended, and reports progress.
func (l *lattice) check(ctx context.Context, k int) error {
	if l.done++; k&15 > 0 && l.widest < 1<<12 {
		return nil
	}
	if l.progress != nil {
		l.progress(min(1, float64(l.done)/float64(3*len(l.runs))))
	}
	return ctx.Err()
}

func (w Window) size() int { return w.Hi - w.Lo + 1 }

// with returns the nodes of v and w, and those between them.
func (w Window) with(v Window) Window { return Window{min(v.Lo, w.Lo), max(v.Hi, w.Hi)} }

// within returns the nodes of w that are in v, but for one node.
func (w Window) within(v Window) Window {
	return Window{min(max(v.Lo, w.Lo), w.Hi), max(min(v.Hi, w.Hi), w.Lo)}
}

// resized returns a slice of length n, v if it is long enough.
func resized(v []float64, n int) []float64 {
	if n > cap(v) {
		return make([]float64, n, n+n/8)
	}
	return v[:n]
}

// row is values on the nodes of a window, and some beside it.
type row struct {
	values []float64
	nodes  Window
}

// newRow returns a row that has room for two windows and what is between them, in the memory of
// values if that is enough.
func newRow(values []float64, v, w Window) row {
	nodes := v.with(w)
	return row{resized(values, nodes.size()), nodes}
}

// on returns the values on w.
func (r row) on(w Window) []float64 { return r.values[w.Lo-r.nodes.Lo : w.Hi-r.nodes.Lo+1] }

// pad sets the values outside w.
func (r row) pad(w Window, below, above float64) {
	for m := range r.values[:w.Lo-r.nodes.Lo] {
		r.values[m] = below
	}
	for m := w.Hi + 1 - r.nodes.Lo; m < len(r.values); m++ {
		r.values[m] = above
	}
}

// between0 returns the values on w, and 0 around it: in other memory if there is no room.
func (r row) between0(w, around Window) []float64 {
	if r.nodes.with(around) != r.nodes {
		wider := newRow(nil, around, around)
		copy(wider.on(w), r.on(w))
		return wider.values
	}
	r.pad(w, 0, 0)
	return r.on(around)
}

// steeper returns tilts with those that are ever steeper than that of run k: next to the largest losses masses, and
// what they are worth, fall ever faster.
func (l *lattice) steeper(k int, tilts []float64) []float64 {
	for i := range l.steepness {
		tilts = append(tilts, math.Ldexp(l.tilts[k], 2*(i+1)))
	}
	return tilts
}

// nearest sets dst to the least of what transform finds with these tilts, if that are upper ends, and otherwise to
// the most.
func nearest(dst []float64, tilts []float64, isUp bool, transform func(dst []float64, tilt float64) error) error {
	slices.Sort(tilts)
	tilts = slices.Compact(tilts) // each has a filter, with memory of its own
	rows, all := make([][]float64, len(tilts)), []func() error{}
	for i, tilt := range tilts {
		if rows[i] = dst; i > 0 {
			rows[i] = make([]float64, len(dst))
		}
		all = append(all, func() error { return transform(rows[i], tilt) })
	}
	if err := AtOnce(all...); err != nil {
		return err
	}
	for _, row := range rows[1:] {
		num.Nearer(row, dst, isUp)
	}
	return nil
}
