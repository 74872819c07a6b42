package certify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"checkrr/impl/certify/internal/num"
)

// states is a problem whose losses have no common unit, but are few: each is a state.
type states struct {
	wide
	runs     []Run
	mass     [][]num.Interval // of the atoms of the runs
	infinity []num.Interval
	at       []place // behind every run; at[0] is the root
}

// place is the states behind a run.
type place struct {
	loss  []sum
	about []float64      // loss, rounded down
	pay   []num.Interval // for ending here, at a stop
	pays  []bool         // whether that is not 0
	to    [][]int        // to[s][i] is where atom i of the next run leads from state s
}

// Limits for up to 512 bits and losses of up to 32 words; for more they are less.
const (
	maxMoves  = 1 << 22 // states times atoms
	maxStates = 1 << 21 // and atoms
)

// newStates finds the states of p, and works with intervals like w.
func newStates(ctx context.Context, w wide, p Problem) (*states, error) {
	if p.IsOnGrid() {
		return nil, errors.New("the losses of noise, losses and ranges are too many, must be on a lattice")
	}
	f, err := newFrame(ctx, p.numbers())
	if err != nil {
		return nil, err
	}
	s := &states{wide: w, runs: p.Runs(), at: []place{{loss: []sum{f.of(Number{Value: new(big.Rat)})}}}}
	weight := (1 + int(w)/512) * (1 + f.words(p)/32)
	moves, most := maxMoves/weight, maxStates/weight
	errStates := fmt.Errorf("there are too many different losses, must be at most %d with the atoms of all runs, "+
		"and %d times the atoms of the next", most, moves)
	for _, r := range s.runs {
		m, last := p.Mechanisms[r.Entry], &s.at[len(s.at)-1]
		if r.Count >= min(most/2, moves/len(last.loss)) && !(m.Law == nil && m.Eps.IsZero()) {
			return nil, errStates
		}
		mass, infinity, err := w.law(ctx, m, r.Count)
		if err != nil {
			return nil, err
		}
		s.mass, s.infinity = append(s.mass, mass), append(s.infinity, infinity)
		if moves, most = moves-len(mass)*len(last.loss), most-len(mass); moves < 0 || most < 0 {
			return nil, errStates
		}
		next := last.leap(ctx, f, m.shift(f, r.Count), len(mass), most)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if most -= len(next.loss); most < 0 {
			return nil, errStates
		}
		if r.Stop >= 0 {
			if err := s.findPayoff(ctx, f, &next, f.of(p.Stops[r.Stop].Eps)); err != nil {
				return nil, fmt.Errorf("stop %d: %w", r.Stop+1, err)
			}
		}
		s.at = append(s.at, next)
	}
	return s, nil
}

// words returns how many words of memory a loss takes, about.
func (f *frame) words(p Problem) (n int) {
	for _, m := range p.Mechanisms {
		for _, number := range m.numbers() {
			x := f.of(number)
			n = max(n, len(x.logs)+x.nats.BitLen()/64)
		}
	}
	return n
}

// shift returns by how much the i-th atom of a run of count mechanisms m changes a loss.
func (m Mechanism) shift(f *frame, count int) func(loss sum, i int) sum {
	if m.Law != nil {
		losses := m.pair().losses(f)
		return func(loss sum, i int) sum { return loss.plus(1, losses[i]) }
	}
	eps := f.of(m.Eps)
	return func(loss sum, i int) sum { return loss.plus(count-2*i, eps) }
}

// leap returns the states after a run with so many atoms; some of them if ctx ends or there are more than most.
func (p *place) leap(ctx context.Context, f *frame, shift func(loss sum, i int) sum, atoms, most int) (next place) {
	known := map[string]int{}
	for _, loss := range p.loss {
		to := make([]int, atoms)
		for i := range to {
			if ctx.Err() != nil || len(next.loss) > most {
				return next
			}
			x := shift(loss, i)
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
func (f *frame) key(s sum) string {
	key := []byte(s.nats.Text(32))
	powers, _ := f.powers(s)
	for i, n := range powers {
		if n != 0 {
			key = fmt.Append(key, " ", i, ":", n)
		}
	}
	return string(key)
}

// findPayoff says what a stop pays.
func (s *states) findPayoff(ctx context.Context, f *frame, p *place, charge sum) error {
	n := len(p.loss)
	p.pay, p.pays, p.about = make([]num.Interval, n), make([]bool, n), make([]float64, n)
	for m, loss := range p.loss {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		gap := loss.plus(-1, charge)
		sign, err := f.sign(gap)
		if err != nil {
			return err
		}
		p.about[m], p.pay[m], p.pays[m] = num.Floor(f.enclose(loss, 128).Lo), num.OfInt(0), sign > 0
		if sign > 0 {
			if p.pay[m], err = s.pay(f, gap); err != nil {
				return err
			}
		}
	}
	return nil
}

// backward returns OptDel, and from which loss on ending pays, per stop.
func (s *states) backward(ctx context.Context) (value num.Interval, losses []float64, err error) {
	losses = make([]float64, 0, len(s.runs))
	var w []num.Interval // the values behind a run
	for k := len(s.runs); k >= 0; k-- {
		if ctx.Err() != nil {
			return value, nil, ctx.Err()
		}
		here := make([]num.Interval, len(s.at[k].loss))
		for m := range here {
			if here[m] = num.OfInt(0); k == len(s.runs) {
				continue
			}
			if ctx.Err() != nil {
				return value, nil, ctx.Err()
			}
			here[m] = s.infinity[k]
			for i, to := range s.at[k].to[m] {
				here[m] = s.mulAdd(s.mass[k][i], w[to], here[m])
			}
		}
		if k > 0 && s.runs[k-1].Stop >= 0 {
			losses = append(losses, s.best(&s.at[k], here))
		}
		w = here
	}
	slices.Reverse(losses)
	return w[0], losses, nil
}

// best makes w the larger of itself and what ending pays, and returns the least loss for which
// it does.
func (s *states) best(p *place, w []num.Interval) float64 {
	least := math.Inf(1)
	for m, pay := range p.pay {
		if p.pays[m] && s.atLeast(pay, w[m]) {
			least = min(least, p.about[m])
		}
		w[m] = s.max(pay, w[m])
	}
	return least
}

// forward follows the P0-law. Runs end at a stop from the given loss on, and at the last stop.
// Without losses none ends, and every stop is told what it would be worth to end there.
func (s *states) forward(ctx context.Context, losses []float64) (outcomes []outcome[num.Interval], err error) {
	a, infinity := []num.Interval{num.OfInt(1)}, num.OfInt(0)
	for k, r := range s.runs {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		next := make([]num.Interval, len(s.at[k+1].loss))
		for m := range next {
			next[m] = num.OfInt(0)
		}
		for m, x := range a {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			infinity = s.mulAdd(s.infinity[k], x, infinity)
			for i, to := range s.at[k].to[m] {
				next[to] = s.mulAdd(s.mass[k][i], x, next[to])
			}
		}
		if a = next; r.Stop < 0 {
			continue
		}
		isLast := k == len(s.runs)-1
		o := outcome[num.Interval]{gain: infinity, probability: infinity}
		if losses != nil && !isLast && math.IsInf(losses[r.Stop], 1) {
			o = outcome[num.Interval]{gain: num.OfInt(0), probability: num.OfInt(0)}
		} else {
			for m, x := range a {
				ends := isLast || losses == nil || s.at[k+1].about[m] >= losses[r.Stop]
				if ends {
					o.gain = s.mulAdd(x, s.at[k+1].pay[m], o.gain)
				}
				if ends && losses != nil {
					o.probability, a[m] = s.mulAdd(num.OfInt(1), x, o.probability), num.OfInt(0)
				}
			}
			if losses != nil {
				infinity = num.OfInt(0)
			}
		}
		outcomes = append(outcomes, o)
	}
	return outcomes, nil
}
