// Package exact finds OptDel in rational numbers. It shares nothing with the checker of impl/certify but the
// form of a problem.
package exact

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"checkrr/impl/certify"
)

// ErrTooLarge says that an exact result would take too long.
var ErrTooLarge = errors.New("too large for exact rationals")

// OptDel returns OptDel (ODP-T15) and the δ of single stops, the sum of which is that of Lemma 11 (ODP-E4), as
// rationals, by the plain recursion over all losses. Every ε must have been given as e^ε.
func OptDel(ctx context.Context, p certify.Problem) (optDel *big.Rat, singles []*big.Rat, err error) {
	if err := check(p); err != nil {
		return nil, nil, err
	}
	if ctx == nil {
		return nil, nil, errors.New("ctx is nil, must be given")
	}
	w := &walk{ctx: ctx, known: map[[2]int]*run{}, most: mostTransitions(p)}
	w.here = states{"": {ratio: one, mass: one}}
	first, done, next := w.here[""], 0, 0
	for entry, m := range p.Mechanisms {
		for left := m.Count; left > 0; {
			count := min(left, p.Stops[next].After-done)
			if m.Law != nil {
				count = 1
			}
			done, left = done+count, left-count
			var charge *big.Rat
			if done == p.Stops[next].After {
				charge = expOf(p.Stops[next].Eps)
				next++
			}
			if w.most -= len(w.here) * max(count+1, len(m.Law)); w.most < 0 {
				return nil, nil, ErrTooLarge
			}
			if err := w.move(w.run(entry, count, m), charge); err != nil {
				return nil, nil, err
			}
		}
	}
	err = w.back()
	return first.value, w.singles, err
}

func check(p certify.Problem) error {
	if err := p.Validate(); err != nil {
		return err
	}
	numbers := []certify.Number{}
	for i, m := range p.Mechanisms {
		if m.IsOnGrid() {
			return fmt.Errorf("mechanism %d has %s, must have a law or exp_eps for an exact result", i+1, m.Kind())
		}
		if m.Law == nil {
			numbers = append(numbers, m.Eps)
		}
	}
	for _, s := range p.Stops {
		numbers = append(numbers, s.Eps)
	}
	for _, x := range numbers {
		if !x.Log && x.Value.Sign() != 0 {
			return fmt.Errorf("an eps is %s, must be given as exp_eps for an exact result", x.Value.RatString())
		}
	}
	return nil
}

// walk goes through a problem, and back.
type walk struct {
	ctx     context.Context
	known   map[[2]int]*run // by entry and count
	most    int             // transitions that are left
	here    states
	before  []states // the runs
	runs    []*run
	singles []*big.Rat // what single stops are worth
}

// states are the losses that can be reached somewhere.
type states map[string]*state

// state is a loss, ln ratio.
type state struct {
	ratio *big.Rat
	mass  *big.Rat // P0-mass
	pay   *big.Rat // for ending here; nil where there is no stop
	to    []*state // where the atoms of the next run lead
	value *big.Rat // in units of its P0-mass
}

// run is count equal mechanisms without a stop inside: the P0-masses of their outputs by how many of them
// lose −ε, with what their ratios are multiplied, and the P0-mass of outputs that are impossible under P1.
type run struct {
	mass, factor []*big.Rat
	infinity     *big.Rat
}

func (w *walk) run(entry, count int, m certify.Mechanism) *run {
	key := [2]int{entry, count}
	if w.known[key] == nil {
		w.known[key] = newRun(w.ctx, m, count)
	}
	return w.known[key]
}

// newRun returns what count mechanisms m do, each of them randomized response (ODP-L12); not all of it if ctx ends.
func newRun(ctx context.Context, m certify.Mechanism, count int) *run {
	if m.Law != nil {
		return newLaw(m.Law)
	}
	all := power(new(big.Rat).Sub(one, m.Delta), count)
	r := &run{infinity: new(big.Rat).Sub(one, all)}
	x := expOf(m.Eps)
	if x.Cmp(one) == 0 {
		r.mass, r.factor = []*big.Rat{all}, []*big.Rat{one}
		return r
	}
	up := new(big.Rat).Quo(x, new(big.Rat).Add(one, x))
	down := new(big.Rat).Sub(one, up)
	for i := 0; i <= count && ctx.Err() == nil; i++ {
		mass := new(big.Rat).SetInt(new(big.Int).Binomial(int64(count), int64(i)))
		mass.Mul(mass, power(up, count-i)).Mul(mass, power(down, i))
		r.mass, r.factor = append(r.mass, mass.Mul(mass, all)), append(r.factor, power(x, count-2*i))
	}
	return r
}

// newLaw returns what a mechanism does whose outputs have these probabilities on two databases.
func newLaw(law [][2]*big.Rat) *run {
	r := &run{infinity: new(big.Rat)}
	for _, o := range law {
		switch {
		case o[1].Sign() == 0:
			r.infinity.Add(r.infinity, o[0])
		case o[0].Sign() > 0:
			r.mass, r.factor = append(r.mass, o[0]), append(r.factor, new(big.Rat).Quo(o[0], o[1]))
		}
	}
	return r
}

// move makes a run, and ends at the stop behind it, if that charges something.
func (w *walk) move(r *run, charge *big.Rat) error {
	next, alive := states{}, new(big.Rat)
	for _, s := range w.here {
		for i, factor := range r.factor {
			if w.ctx.Err() != nil {
				return w.ctx.Err()
			}
			ratio := new(big.Rat).Mul(s.ratio, factor)
			key := string(ratio.Num().Append(nil, 62)) + "/" + string(ratio.Denom().Append(nil, 62))
			t := next[key]
			if t == nil {
				t = &state{ratio: ratio, mass: new(big.Rat)}
				next[key] = t
			}
			mass := new(big.Rat).Mul(s.mass, r.mass[i])
			t.mass.Add(t.mass, mass)
			alive.Add(alive, mass)
			s.to = append(s.to, t)
		}
	}
	w.before, w.runs, w.here = append(w.before, w.here), append(w.runs, r), next
	if charge != nil {
		w.end(charge, new(big.Rat).Sub(one, alive)) // what is impossible under P1 pays all
	}
	return w.ctx.Err()
}

// end says what ending pays: 1 − e^(charge − loss), or 0; and, together with what is paid anyway, for all.
func (w *walk) end(charge, sum *big.Rat) {
	for _, s := range w.here {
		if w.ctx.Err() != nil {
			return
		}
		s.pay = new(big.Rat)
		if s.ratio.Cmp(charge) > 0 {
			s.pay.Sub(one, new(big.Rat).Quo(charge, s.ratio))
		}
		sum.Add(sum, new(big.Rat).Mul(s.mass, s.pay))
	}
	w.singles = append(w.singles, sum)
}

// back finds the values of all states, from the last stop to the first mechanism.
func (w *walk) back() error {
	for _, s := range w.here {
		s.value = s.pay
	}
	for k := len(w.runs) - 1; k >= 0; k-- {
		for _, s := range w.before[k] {
			s.value = new(big.Rat).Set(w.runs[k].infinity)
			for i, t := range s.to {
				if w.ctx.Err() != nil {
					return w.ctx.Err()
				}
				s.value.Add(s.value, new(big.Rat).Mul(w.runs[k].mass[i], t.value))
			}
			if s.pay != nil && s.pay.Cmp(s.value) > 0 {
				s.value = s.pay
			}
		}
	}
	return nil
}

// maxCost is the largest cost of a result, in about nanoseconds, and maxTransitions the largest number of
// states, times atoms.
const (
	maxCost        = 2e10
	maxTransitions = 1 << 22
)

// mostTransitions returns how many states, times atoms, do not cost more: numbers grow with the number of
// mechanisms, and reducing a ratio takes quadratic time.
func mostTransitions(p certify.Problem) int {
	bits, count := 0, 0
	for _, m := range p.Mechanisms {
		for _, o := range m.Law {
			bits = max(bits, 2*o[0].Denom().BitLen()+2*o[1].Denom().BitLen())
		}
		if x := m.Eps.Value; m.Law == nil {
			bits = max(bits, x.Num().BitLen()+x.Denom().BitLen()+m.Delta.Denom().BitLen())
		}
		count += m.Count
	}
	words := float64(bits) * float64(count) / 64
	return int(min(maxCost/(500+5*words*words), maxTransitions))
}

var one = big.NewRat(1, 1)

// expOf returns e^x, where that is what was given, or x is 0.
func expOf(x certify.Number) *big.Rat {
	if x.Log {
		return x.Value
	}
	return one
}

// power returns x^n, x ≠ 0 if n is negative.
func power(x *big.Rat, n int) *big.Rat {
	num, denom, k := x.Num(), x.Denom(), big.NewInt(int64(max(n, -n)))
	if n < 0 {
		num, denom = denom, num
	}
	return new(big.Rat).SetFrac(new(big.Int).Exp(num, k, nil), new(big.Int).Exp(denom, k, nil))
}
