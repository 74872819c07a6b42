package impl

import (
	"context"
	"math"
)

// arithmetic is what the recursion over all states of a [box] needs to know about
// numbers. Every implementation rounds in one direction or not at all, except
// [floats], which counts its roundings.
type arithmetic[T any] interface {
	zero() T
	one() T
	addMul(sum, x, y T) T // sum + x·y; may reuse the memory of sum
	assign(to, x T) T     // x; may reuse the memory of to
	cmp(x, y T) int
	float(x T) float64

	// atoms returns count uses of a mechanism at once: the P0-masses of first,
	// first + 1, … times output 1, and that of outputs impossible under P1.
	atoms(m Mechanism, count int) (first int, mass []T, only T)

	// payoffs returns the function 1 − e^(E − ℓ), where that is positive, of the
	// coefficients of ℓ.
	payoffs(b *box, e charge, at corner) func(coefficients []int) T
}

// states solves a pipeline by visiting every state of its box: no windows, no
// order among losses, any arithmetic. It is the recursion of [front] and [law]
// without what makes them fast.
type states[T any] struct {
	arithmetic[T]
	box      *box
	pipeline Pipeline
	charges  []charge
	runs     []run[T]
	progress func(nodes int)
}

// run is a run of equal mechanisms with no stop inside.
type run[T any] struct {
	entry, count int
	first        int
	mass         []T
	only         T
	stop         int // index of the stop after the run, or −1
}

// newStates prepares the recursion.
func newStates[T any](a arithmetic[T], p Pipeline, b *box) *states[T] {
	s := &states[T]{arithmetic: a, box: b, pipeline: p, charges: newCharges(p.Stops), progress: func(int) {}}
	stop := 0
	p.runs(func(entry, count int, end bool) {
		r := run[T]{entry: entry, count: count, stop: -1}
		if n := len(s.runs); n > 0 && s.runs[n-1].entry == entry && s.runs[n-1].count == count {
			r = s.runs[n-1]
			r.stop = -1
		} else {
			r.first, r.mass, r.only = a.atoms(p.Mechanisms[entry], count)
		}
		if end {
			r.stop = stop
			stop++
		}
		s.runs = append(s.runs, r)
	})
	return s
}

// cost returns about how many multiplications one pass takes.
func cost(p Pipeline, b *box) float64 {
	at, sum := b.root(), 0.0
	p.runs(func(entry, count int, _ bool) {
		sum += float64(at.last+1) * float64(count+1)
		at = b.step(at, entry, count, 1)
	})
	return sum
}

// stride returns the distance in index between neighbouring atoms of r.
func (s *states[T]) stride(r run[T]) int {
	return s.box.generators[s.box.of[r.entry]].stride * s.box.multiple[r.entry]
}

// game returns OptDel and the smallest loss at which stopping pays, per stop
// (+Inf: never).
func (s *states[T]) game(ctx context.Context) (value T, thresholds []float64, err error) {
	at := s.box.root()
	for _, r := range s.runs {
		at = s.box.step(at, r.entry, r.count, 1)
	}
	u := make([]T, at.last+1)
	for m := range u {
		u[m] = s.zero()
	}
	thresholds = make([]float64, len(s.charges))
	for j := len(s.runs) - 1; j >= 0; j-- {
		r := s.runs[j]
		if r.stop >= 0 {
			thresholds[r.stop] = s.stop(u, at, s.charges[r.stop])
		}
		at = s.box.step(at, r.entry, r.count, -1)
		for m := 0; m <= at.last; m++ {
			if m&0xff == 0 && ctx.Err() != nil {
				return value, nil, ctx.Err()
			}
			sum := s.assign(s.zero(), r.only)
			for i, w := range r.mass {
				sum = s.addMul(sum, w, u[m+(r.first+i)*s.stride(r)])
			}
			u[m] = s.assign(u[m], sum)
		}
		s.progress((at.last + 1) * len(r.mass))
	}
	return u[0], thresholds, nil
}

// stop replaces u by the payoff where that is at least as large.
func (s *states[T]) stop(u []T, at corner, e charge) (threshold float64) {
	least, found := dd{math.Inf(1), 0}, make([]int, len(at.used))
	ns := make([]int, len(at.used))
	pay := s.payoffs(s.box, e, at)
	zero := s.zero()
	for m := 0; m <= at.last; m++ {
		if !s.box.coefficients(at, m, ns) {
			continue
		}
		if p := pay(ns); s.cmp(p, zero) > 0 && s.cmp(p, u[m]) >= 0 {
			u[m] = s.assign(u[m], p)
			if loss := s.box.loss(ns); loss.less(least) {
				least = loss
				copy(found, ns)
			}
		}
	}
	if math.IsInf(least.hi, 1) {
		return least.hi
	}
	return lossDown(s.box.generators, found)
}

// laws calls yield after every stop with the P0-law of the states there and the
// P0-mass of the runs that met an output impossible under P1. yield may take mass
// out of the law.
func (s *states[T]) laws(ctx context.Context, yield func(stop int, at corner, f []T, only T) T) error {
	at := s.box.root()
	f := make([]T, s.box.size)
	for m := range f {
		f[m] = s.zero()
	}
	f[0] = s.assign(f[0], s.one())
	only := s.zero()
	for _, r := range s.runs {
		for m := 0; m <= at.last; m++ {
			only = s.addMul(only, r.only, f[m])
		}
		from := at.last
		at = s.box.step(at, r.entry, r.count, 1)
		for m := at.last; m >= 0; m-- {
			if m&0xff == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			f[m] = s.assign(f[m], s.arrive(r, f, m, from))
		}
		s.progress((from + 1) * len(r.mass))
		if r.stop >= 0 {
			only = yield(r.stop, at, f, only)
		}
	}
	return nil
}

// arrive returns the mass that the run r moves to node m from the nodes 0 … last.
func (s *states[T]) arrive(r run[T], f []T, m, last int) T {
	sum, stride := s.zero(), s.stride(r)
	if stride == 0 { // ε = 0: all atoms stay
		for _, w := range r.mass {
			sum = s.addMul(sum, w, f[m])
		}
		return sum
	}
	least := max(0, (m-last+stride-1)/stride-r.first)
	most := min(len(r.mass)-1, m/stride-r.first)
	for i := least; i <= most; i++ {
		sum = s.addMul(sum, r.mass[i], f[m-(r.first+i)*stride])
	}
	return sum
}

// singles returns, per stop, the value of ending there and only there.
func (s *states[T]) singles(ctx context.Context) ([]T, error) {
	var values []T
	ns := make([]int, len(s.box.generators))
	err := s.laws(ctx, func(stop int, at corner, f []T, only T) T {
		sum := s.assign(s.zero(), only)
		pay := s.payoffs(s.box, s.charges[stop], at)
		for m := 0; m <= at.last; m++ {
			if s.box.coefficients(at, m, ns) {
				sum = s.addMul(sum, f[m], pay(ns))
			}
		}
		values = append(values, sum)
		return only
	})
	return values, err
}

// probabilities returns, per stop, the P0-probability that a run under the rule
// with these thresholds ends there.
func (s *states[T]) probabilities(ctx context.Context, thresholds []float64) ([]float64, error) {
	end := len(thresholds) - 1
	ps := make([]float64, len(thresholds))
	ns := make([]int, len(s.box.generators))
	err := s.laws(ctx, func(stop int, at corner, f []T, only T) T {
		if stop < end && math.IsInf(thresholds[stop], 1) {
			return only
		}
		sum := s.assign(s.zero(), only)
		for m := 0; m <= at.last; m++ {
			if s.box.coefficients(at, m, ns) && (stop == end || s.box.loss(ns).float() >= thresholds[stop]) {
				sum = s.addMul(sum, s.one(), f[m])
				f[m] = s.zero()
			}
		}
		ps[stop] = s.float(sum)
		return s.zero()
	})
	return ps, err
}
