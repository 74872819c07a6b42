package certify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
)

// field is numbers that are at least 0, one at a time.
type field[T any] interface {
	law(m Mechanism, count int) (mass []T, only T) // see [newLaw]; nothing is left out
	pay(f *frame, gap sum) T                       // 1 − e^−gap for gap > 0
	of(n int64) T
	mulAdd(x, y, z T) T // x·y + z
	cmp(x, y T) int
}

// states is a problem whose losses have no common unit, but are few: each is a state.
type states[T any] struct {
	field[T]
	runs []run
	mass [][]T // of the atoms of the runs
	only []T
	at   []place[T] // behind every run; at[0] is the root
	pays []bool     // per stop, whether any loss, or an output impossible under P1, pays
	size int        // states times atoms
}

// place is the states behind a run.
type place[T any] struct {
	loss  []sum
	about []float64 // loss, rounded down
	pay   []T       // for ending here, at a stop
	to    [][]int   // to[s][i] is where atom i of the next run leads from state s
}

// maxStates is the largest number of states, times atoms.
const maxStates = 1 << 24

var errStates = errors.New("there are too many different losses")

// newStates finds the states of p, at most so many.
func newStates[T any](ctx context.Context, a field[T], p Problem, most int) (*states[T], error) {
	f := newFrame(p.numbers())
	s := &states[T]{field: a, runs: p.runs(), at: []place[T]{{loss: []sum{f.of(Number{Value: new(big.Rat)})}}}}
	leaks := false
	for _, r := range s.runs {
		m := p.Mechanisms[r.entry]
		leaks = leaks || m.Delta.Sign() > 0
		mass, only := a.law(m, r.count)
		s.mass, s.only = append(s.mass, mass), append(s.only, only)
		last := &s.at[len(s.at)-1]
		if s.size += len(mass) * len(last.loss); s.size > most {
			return nil, errStates
		}
		next := last.leap(ctx, f, f.of(m.Eps), r.count, len(mass))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if r.stop >= 0 {
			paying, err := s.strike(ctx, f, &next, f.of(p.Stops[r.stop].Eps))
			if err != nil {
				return nil, fmt.Errorf("stop %d: %w", r.stop+1, err)
			}
			s.pays = append(s.pays, leaks || paying)
		}
		s.at = append(s.at, next)
	}
	return s, nil
}

// leap returns the states after count mechanisms with ε = eps, the losses of which have so many atoms;
// some of them if ctx ends.
func (p *place[T]) leap(ctx context.Context, f *frame, eps sum, count, atoms int) (next place[T]) {
	known := map[string]int{}
	for m, loss := range p.loss {
		if m&255 == 0 && ctx.Err() != nil {
			return next
		}
		to := make([]int, atoms)
		for i := range to {
			x := loss.plus(2*i-count, eps)
			key := f.key(x)
			n, ok := known[key]
			if !ok {
				n = len(next.loss)
				known[key] = n
				next.loss = append(next.loss, x)
			}
			to[i] = n
		}
		p.to = append(p.to, to)
	}
	return next
}

// key is the same for the same loss only.
func (f *frame) key(s sum) string { return fmt.Sprint(s.nats, f.powers(s)) }

// strike says what a stop pays, and whether it does.
func (s *states[T]) strike(ctx context.Context, f *frame, p *place[T], charge sum) (pays bool, err error) {
	p.pay, p.about = make([]T, len(p.loss)), make([]float64, len(p.loss))
	for m, loss := range p.loss {
		if m&255 == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		p.about[m], _ = new(big.Float).SetPrec(53).SetMode(big.ToNegativeInf).Set(f.enclose(loss, 128).lo).Float64()
		p.pay[m] = s.of(0)
		gap := loss.plus(-1, charge)
		sign, err := f.sign(gap)
		if err != nil {
			return false, err
		}
		if sign > 0 {
			p.pay[m] = s.field.pay(f, gap)
			pays = true
		}
	}
	return pays, nil
}

// backward returns OptDel, and from which loss on ending pays, per stop.
func (s *states[T]) backward(ctx context.Context) (value T, losses []float64, err error) {
	var w []T
	for k := len(s.runs); k >= 0; k-- {
		if ctx.Err() != nil {
			return value, nil, ctx.Err()
		}
		here := make([]T, len(s.at[k].loss))
		for m := range here {
			here[m] = s.of(0)
			if k < len(s.runs) {
				here[m] = s.only[k]
				for i, to := range s.at[k].to[m] {
					here[m] = s.mulAdd(s.mass[k][i], w[to], here[m])
				}
			}
		}
		if k > 0 && s.runs[k-1].stop >= 0 {
			losses = append(losses, s.at[k].best(s, here))
		}
		w = here
	}
	slices.Reverse(losses)
	return w[0], losses, nil
}

// best makes w the larger of itself and what ending pays, and returns the least loss for which
// it does.
func (p *place[T]) best(s *states[T], w []T) float64 {
	least, zero := math.Inf(1), s.of(0)
	for m, pay := range p.pay {
		if s.cmp(pay, zero) > 0 && s.cmp(pay, w[m]) >= 0 {
			w[m], least = pay, min(least, p.about[m])
		}
	}
	return least
}

// forward follows the P0-law. Runs end at a stop from the given loss on, and at the last stop.
// Without losses none ends, and every stop is told what it would be worth to end there.
func (s *states[T]) forward(ctx context.Context, losses []float64) ([]outcome[T], error) {
	outcomes := make([]outcome[T], 0, len(s.runs))
	a, only := []T{s.of(1)}, s.of(0)
	for k, r := range s.runs {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		next := make([]T, len(s.at[k+1].loss))
		for m := range next {
			next[m] = s.of(0)
		}
		for m, x := range a {
			only = s.mulAdd(s.only[k], x, only)
			for i, to := range s.at[k].to[m] {
				next[to] = s.mulAdd(s.mass[k][i], x, next[to])
			}
		}
		a = next
		if r.stop >= 0 {
			var o outcome[T]
			o, only = s.end(r.stop, &s.at[k+1], a, only, losses)
			outcomes = append(outcomes, o)
		}
	}
	return outcomes, nil
}

// end ends runs at stop i, and returns the P0-mass of those that go on though they met an output
// that is impossible under P1.
func (s *states[T]) end(i int, p *place[T], a []T, only T, losses []float64) (outcome[T], T) {
	zero := s.of(0)
	isLast := i == len(losses)-1
	if losses != nil && !isLast && math.IsInf(losses[i], 1) {
		return outcome[T]{gain: zero, probability: zero}, only
	}
	o := outcome[T]{gain: only, probability: only}
	for m, x := range a {
		pays := s.cmp(p.pay[m], zero) > 0 && (losses == nil || isLast || p.about[m] >= losses[i])
		if pays {
			o.gain = s.mulAdd(x, p.pay[m], o.gain)
		}
		if losses != nil && (pays || isLast) {
			o.probability = s.mulAdd(s.of(1), x, o.probability)
			a[m] = zero
		}
	}
	if losses != nil {
		only = zero
	}
	return o, only
}

// roundings bounds those on the way of a term.
func (s *states[T]) roundings() float64 {
	n := float64(2*len(s.runs) + len(s.at[len(s.at)-1].loss))
	for k := range s.runs {
		n += float64(max(len(s.mass[k]), len(s.at[k].loss))) + 8
	}
	return n
}
