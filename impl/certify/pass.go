package certify

import (
	"context"
	"fmt"
	"math"
)

// never is the threshold node of a stop at which no run ends.
const never = maxNode

// backward returns an upper bound of OptDel, but for rounding, and per stop the lowest node of
// the windows at which ending is at least as good as going on.
func (l *lattice) backward(ctx context.Context) (value float64, nodes []int, err error) {
	nodes = make([]int, len(l.strikes))
	here := l.windows[len(l.windows)-1]
	w, next := []float64(nil), make([]float64, here.size()) // next is the values behind a run
	for k := len(l.runs) - 1; k >= 0; k-- {
		if err := l.check(ctx, k); err != nil {
			return 0, nil, err
		}
		if i := l.runs[k].stop; i >= 0 {
			nodes[i] = never
			first, pay := l.payments(i, here)
			if m := best(next[first-here.Lo:], pay); m >= 0 {
				nodes[i] = first + m
			}
		}
		s, before := l.steps[k], Window{}
		if k > 0 {
			before = l.windows[k-1]
		}
		l.src = padded(l.src, next, here, Window{before.Lo + s.low, before.Hi + s.high}, next[0], 1)
		w = resized(w, before.size())
		gather(w, l.src, s.offset, s.mass[0], s.only+s.spare)
		l.work += float64(before.size() * (len(s.offset) + 2))
		w, next, here = next, w, before
	}
	return next[0], nodes, nil
}

// check ends a pass if its context has ended.
func (l *lattice) check(ctx context.Context, k int) error {
	if k&15 == 0 || l.widest > 1<<12 {
		return ctx.Err()
	}
	return nil
}

// maxWindow is the largest number of nodes of a pass at one place.
const maxWindow = 1 << 26

var errWindow = fmt.Errorf("more than %d nodes at one place", maxWindow)

func (w Window) size() int { return w.Hi - w.Lo + 1 }

// resized returns a slice of length n, v if it is long enough.
func resized(v []float64, n int) []float64 {
	if n > cap(v) {
		return make([]float64, n, n+n/2)
	}
	return v[:n]
}

// padded copies v, on the window from, to the window to: with below and above beyond.
func padded(dst, v []float64, from, to Window, below, above float64) []float64 {
	dst = resized(dst, to.size())
	lo, hi := min(max(from.Lo, to.Lo), to.Hi+1), max(min(from.Hi, to.Hi), to.Lo-1) // of both
	for m := to.Lo; m < lo; m++ {
		dst[m-to.Lo] = below
	}
	if lo <= hi {
		copy(dst[lo-to.Lo:], v[lo-from.Lo:hi-from.Lo+1])
	}
	for m := max(lo, hi+1); m <= to.Hi; m++ {
		dst[m-to.Lo] = above
	}
	return dst
}

// outcome is what a forward pass found at a stop, but for rounding.
type outcome[T any] struct {
	gain        T // what the runs are worth that end there
	dropped     T // P0-mass that was given up so far
	probability T // P0-mass of the runs that end there
}

// laws is the P0-law of the runs that go on, on a window, and their P1-law times e^loss of the
// node where that is another one. only is the P0-mass of those that met an output that is
// impossible under P1, dropped what was given up.
type laws struct {
	here          Window
	mass          [][]float64
	only, dropped float64
}

// rule says who ends at the stops.
type rule struct {
	losses []float64 // from which loss on
	nodes  []int     // from which node on
}

// forward follows the laws of P0 and P1 through the problem. Runs end at a stop as the rule says,
// and all at the last one. Without a rule none ends, and every stop is told what it would be worth
// to end there, wherever that pays. Masses are given up outside the windows; if there are none they
// become what is left when at most floor is given up on either side.
func (l *lattice) forward(ctx context.Context, r *rule, floor float64) ([]outcome[float64], error) {
	v := laws{mass: [][]float64{{1}}}
	if !l.isExact && l.kind == merge {
		v.mass = append(v.mass, []float64{1})
	}
	outcomes := make([]outcome[float64], len(l.strikes))
	find := l.windows == nil
	for k, run := range l.runs {
		if err := l.check(ctx, k); err != nil {
			return nil, err
		}
		if s := l.steps[k]; v.here.size()+s.high-s.low > maxWindow {
			return nil, errWindow
		}
		l.move(&v, l.steps[k])
		if find {
			from, to := trim(v.mass[0], floor)
			l.windows = append(l.windows, Window{v.here.Lo + from, v.here.Lo + to - 1})
			l.widest = max(l.widest, to-from)
		}
		v.clip(l.windows[k])
		if run.stop >= 0 {
			outcomes[run.stop] = l.end(&v, run.stop, r)
		}
	}
	return outcomes, nil
}

// move makes a step. Where there are fewer nodes than atoms, it goes by nodes.
func (l *lattice) move(v *laws, s *step) {
	if s.only > 0 {
		v.only += s.only * dot(v.mass[0], nil)
	}
	v.dropped += s.spare
	from, width := v.here, s.high-s.low
	v.here = Window{from.Lo + s.low, from.Hi + s.high}
	l.work += float64(v.here.size() * (len(s.offset) + 2))
	for j, mass := range v.mass {
		next := resized(l.spare[j], v.here.size())
		if len(mass) < len(s.offset) {
			clear(next)
			for m, x := range mass {
				for i, offset := range s.offset {
					next[m+offset] += x * s.mass[j][i]
				}
			}
		} else {
			l.src = padded(l.src, mass, from, Window{from.Lo - width, from.Hi + width}, 0, 0)
			gather(next, l.src, s.reversed, s.backward[j], 0)
		}
		v.mass[j], l.spare[j] = next, mass[:0]
	}
}

// clip gives up what is outside the window, but for one node.
func (v *laws) clip(w Window) {
	here := v.here
	v.here = Window{min(max(w.Lo, here.Lo), here.Hi), max(min(w.Hi, here.Hi), here.Lo)}
	from, to := v.here.Lo-here.Lo, v.here.Hi-here.Lo+1
	v.dropped += dot(v.mass[0][:from], nil) + dot(v.mass[0][to:], nil)
	for j := range v.mass {
		v.mass[j] = v.mass[j][from:to]
	}
}

// end ends at stop i the runs that the rule says.
func (l *lattice) end(v *laws, i int, r *rule) outcome[float64] {
	isLast := i == len(l.strikes)-1
	o := outcome[float64]{dropped: v.dropped}
	if r != nil && !isLast && math.IsInf(r.losses[i], 1) {
		return o
	}
	if len(v.mass) == 2 {
		l.endMerged(v, i, r, &o)
	} else {
		l.endExact(v, i, r, &o)
	}
	o.gain += v.only
	if r != nil {
		o.probability += v.only
		v.only = 0
		if isLast {
			o.probability += dot(v.mass[0], nil)
		}
	}
	return o
}

// endExact is end where the P1-masses follow from the P0-masses.
func (l *lattice) endExact(v *laws, i int, r *rule, o *outcome[float64]) {
	first, pay := l.payments(i, v.here)
	if r != nil && i < len(l.strikes)-1 && r.nodes[i] > first {
		skipped := min(r.nodes[i]-first, len(pay))
		first, pay = first+skipped, pay[skipped:]
	}
	ends := v.mass[0][first-v.here.Lo:]
	o.gain = dot(ends, pay)
	if r != nil {
		o.probability = dot(ends, nil)
		clear(ends)
	}
}

// endMerged is end where they do not. The loss of a node is then that of what was merged there, and
// every comparison that decides who ends is one that a rule may make; only the gain is made worse
// by what rounding may have done.
func (l *lattice) endMerged(v *laws, i int, r *rule, o *outcome[float64]) {
	first, odds := l.odds(i, v.here)
	a, b := v.mass[0][first-v.here.Lo:], v.mass[1][first-v.here.Lo:]
	above := 1.0 // about e^(threshold − charge)
	if r != nil && i < len(l.strikes)-1 {
		charge, _ := l.frame.enclose(l.strikes[i].charge, 64).lo.Float64()
		above = math.Exp(min(max(0, r.losses[i]-charge), 700))
	}
	slack, _ := l.outward().slack.Float64()
	for m, y := range odds {
		if a[m] < above*(b[m]*y) {
			continue
		}
		if gain := a[m]*(1-slack) - b[m]*(y*(1+slack)+slack); gain > 0 {
			o.gain += gain
			if r != nil {
				o.probability += a[m]
				a[m], b[m] = 0, 0
			}
		}
	}
}
