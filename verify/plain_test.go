package verify

import (
	"fmt"
	"math"
	"math/big"

	"checkrr/verify/rat"
)

// plain solves a problem whose ε are multiples of one unit in the plainest way: an array over all
// losses that can be reached, nothing dropped, no window, no threshold, no error bounds. Index
// l + reach of an array is the loss of l units.
type plain[T any] struct {
	problem
	numbers[T]
	unit  number
	steps []plainStep[T] // of the mechanisms, one by one
	reach int
	pays  [][]T // per stop, what it pays at every index
}

// plainStep is a mechanism: the probabilities of a loss of so many units, of minus that, and of ∞.
type plainStep[T any] struct {
	times          int
	up, down, only T
}

// numbers is arithmetic.
type numbers[T any] interface {
	of(x *big.Float) T
	mulAdd(x, y, z T) T // x·y + z
	larger(x, y T) T
	around(x T, roundings int) span // what x stands for after so many of them
}

// doubles is float64.
type doubles struct{}

func (doubles) of(x *big.Float) float64        { f, _ := x.Float64(); return f }
func (doubles) mulAdd(x, y, z float64) float64 { return x*y + z }
func (doubles) larger(x, y float64) float64    { return max(x, y) }
func (doubles) around(x float64, roundings int) span {
	return around(new(big.Rat).SetFloat64(x), float64(roundings)*0x1p-53, "1e-300")
}

// wides is [big.Float] with wideBits.
type wides struct{}

const wideBits = 200

func (wides) of(x *big.Float) *big.Float { return new(big.Float).SetPrec(wideBits).Set(x) }
func (w wides) mulAdd(x, y, z *big.Float) *big.Float {
	p := new(big.Float).SetPrec(wideBits).Mul(x, y)
	return p.Add(p, z)
}
func (wides) larger(x, y *big.Float) *big.Float {
	if x.Cmp(y) < 0 {
		return y
	}
	return x
}
func (wides) around(x *big.Float, roundings int) span {
	r, _ := x.Rat(nil)
	return around(r, float64(roundings)*0x1p-200, "0")
}

// around returns the numbers whose distance from x is at most so much, relative and absolute.
func around(x *big.Rat, relative float64, absolute string) span {
	slack := new(big.Rat).SetFloat64(relative)
	slack.Mul(slack, x).Add(slack, rat.Of(absolute))
	return span{rat.Sub(x, slack), slack.Add(x, slack)}
}

// plainly prepares a problem whose ε have a unit.
func plainly[T any](p problem, a numbers[T]) plain[T] {
	unit, times, ok := p.unit()
	if !ok {
		panic("no unit: " + p.String())
	}
	w := plain[T]{problem: p, numbers: a, unit: unit}
	for i, m := range p.mechanisms {
		w.reach += times[i] * m.count
		down := m.eps.expNeg()
		down.Quo(down, precise().Add(unity, down))
		only := precise().SetRat(m.delta)
		keep := precise().Sub(unity, only)
		down.Mul(down, keep)
		s := plainStep[T]{times[i], a.of(precise().Sub(keep, down)), a.of(down), a.of(only)}
		for range m.count {
			w.steps = append(w.steps, s)
		}
	}
	for _, s := range p.stops {
		w.pays = append(w.pays, w.payoffs(s.eps))
	}
	return w
}

// plainBits is the precision of the constants.
const plainBits = 512

var unity = precise().SetInt64(1)

func precise() *big.Float { return new(big.Float).SetPrec(plainBits) }

// expNeg returns e^−x, by the series of e^y for y = x/2^s and s squares.
func (x number) expNeg() *big.Float {
	if x.log {
		return precise().SetRat(new(big.Rat).Inv(x.rat))
	}
	y := precise().SetRat(x.rat)
	s := max(0, y.MantExp(nil)+8)
	y.SetMantExp(y, -s)
	sum, term := precise().Set(unity), precise().Set(unity)
	for n := int64(1); term.Sign() > 0 && term.MantExp(nil) > -plainBits; n++ {
		term.Mul(term, y).Quo(term, precise().SetInt64(n))
		sum.Add(sum, term)
	}
	for range s {
		sum.Mul(sum, sum)
	}
	return sum.Quo(unity, sum)
}

// payoffs returns 1 − e^(E − ℓ), or 0 if that is negative, for every index. Differences from 0 that
// are smaller than any problem has are none.
func (w plain[T]) payoffs(e number) []T {
	fall, y := w.unit.expNeg(), precise().Set(unity)
	for range w.reach {
		y.Mul(y, fall)
	}
	y.Mul(y, e.expNeg()).Quo(unity, y)
	pays := make([]T, 2*w.reach+1)
	for x := range pays {
		pay := precise().Sub(unity, y)
		if pay.Sign() < 0 || pay.MantExp(nil) < -plainBits*3/4 {
			pay.SetInt64(0)
		}
		pays[x] = w.of(pay)
		y.Mul(y, fall)
	}
	return pays
}

// game returns OptDel by backward induction: u is the value of a state over its probability.
func (w plain[T]) game() T {
	u := make([]T, 2*w.reach+1)
	for x := range u {
		u[x] = w.of(precise())
	}
	i, reach := len(w.stops)-1, w.reach // losses further than reach from 0 are out of reach
	for k := len(w.steps); k > 0; k-- {
		if w.stops[max(i, 0)].after == k {
			for x := w.reach - reach; x <= w.reach+reach; x++ {
				u[x] = w.larger(u[x], w.pays[i][x])
			}
			i--
		}
		s, next := w.steps[k-1], make([]T, len(u))
		reach -= s.times
		for x := w.reach - reach; x <= w.reach+reach; x++ {
			next[x] = w.mulAdd(s.up, u[x+s.times], w.mulAdd(s.down, u[x-s.times], s.only))
		}
		u = next
	}
	return u[w.reach]
}

// law is the P0-law of the loss of runs that have not ended.
type law[T any] struct {
	mass  []T
	reach int
	only  T // of an infinite loss
}

func (w plain[T]) start() law[T] {
	l := law[T]{mass: make([]T, 2*w.reach+1), only: w.of(precise())}
	for x := range l.mass {
		l.mass[x] = l.only
	}
	l.mass[w.reach] = w.of(unity)
	return l
}

// forth returns the law one mechanism later.
func (w plain[T]) forth(l law[T], s plainStep[T]) law[T] {
	next := law[T]{make([]T, len(l.mass)), l.reach + s.times, l.only}
	for x := range next.mass {
		next.mass[x] = w.of(precise())
	}
	for x := w.reach - l.reach; x <= w.reach+l.reach; x++ {
		a := l.mass[x]
		next.mass[x+s.times] = w.mulAdd(s.up, a, next.mass[x+s.times])
		next.mass[x-s.times] = w.mulAdd(s.down, a, next.mass[x-s.times])
		next.only = w.mulAdd(s.only, a, next.only)
	}
	return next
}

// singles returns the value of each stop by itself.
func (w plain[T]) singles() []T {
	var out []T
	l := w.start()
	for k, s := range w.steps {
		l = w.forth(l, s)
		if i := len(out); w.stops[i].after == k+1 {
			value := l.only
			for x := w.reach - l.reach; x <= w.reach+l.reach; x++ {
				value = w.mulAdd(l.mass[x], w.pays[i][x], value)
			}
			out = append(out, value)
		}
	}
	return out
}

// roundings bounds the roundings on the way of a term: everything is a sum of products of numbers
// that are at least 0, at most 4 for a mechanism, one for every node that is added up, and a few
// for constants.
func (w plain[T]) roundings() int { return 4*len(w.steps) + 2*(2*w.reach+1) + 50 }

// truths returns what is known about every result.
func (w plain[T]) truths() truths {
	want := truths{"OptDel": w.around(w.game(), w.roundings())}
	sum := span{new(big.Rat), new(big.Rat)}
	for i, x := range w.singles() {
		s := w.around(x, w.roundings())
		want[fmt.Sprint("SingleStop ", i+1)] = s
		sum.lo.Add(sum.lo, s.lo)
		sum.hi.Add(sum.hi, s.hi)
	}
	want["Lemma11"] = sum
	return want
}

// plainError bounds the relative error of [follow]: at most 3 roundings a mechanism for at most 200
// of them, a few dozen for a payoff, and the same again in what it is compared with: 2000·2^(−53).
const plainError = 3e-13

// follow returns the value of a stopping rule, and the probability of each stop.
// A run that no threshold has stopped ends at the last stop, for nothing.
func follow(p problem, thresholds []float64) (value float64, ends []float64) {
	w := plainly(p, doubles{})
	l := w.start()
	for k, s := range w.steps {
		l = w.forth(l, s)
		i := len(ends)
		if w.stops[i].after != k+1 {
			continue
		}
		last, end := i == len(w.stops)-1, 0.0
		if last || !math.IsInf(thresholds[i], 1) {
			value, end, l.only = value+l.only, l.only, 0
		}
		for x := w.first(thresholds[i]); x < len(l.mass); x++ {
			value += l.mass[x] * w.pays[i][x]
			end, l.mass[x] = end+l.mass[x], 0
		}
		if last {
			for _, a := range l.mass {
				end += a
			}
		}
		ends = append(ends, end)
	}
	return value, ends
}

// first returns the first index with a loss of at least t, where the unit is no logarithm.
func (w plain[T]) first(t float64) int {
	if math.IsInf(t, 1) {
		return 2*w.reach + 1
	}
	n := new(big.Rat).SetFloat64(t)
	n.Quo(n, w.unit.rat)
	floor := new(big.Int).Div(n.Num(), n.Denom()) // Euclidean: denominators are positive
	if !n.IsInt() {
		floor.Add(floor, big.NewInt(1))
	}
	return int(min(max(0, floor.Int64()+int64(w.reach)), int64(2*w.reach+1)))
}

// unit returns a number of which every ε is a multiple, and how many times: the greatest common
// divisor, or for logarithms the smallest of them, if it is one.
func (p problem) unit() (unit number, times []int, ok bool) {
	for _, m := range p.mechanisms {
		switch x := m.eps; {
		case x.isZero():
		case unit.rat == nil:
			unit = x
		case x.log != unit.log:
			return unit, nil, false
		case !x.log:
			unit.rat = commonDivisor(unit.rat, x.rat)
		case compare(x, unit) < 0:
			unit = x
		}
	}
	for _, m := range p.mechanisms {
		n := 0
		if !m.eps.isZero() {
			n = int(math.Round(m.eps.float() / unit.float()))
			if n > 1<<20 || compare(unit.times(n), m.eps) != 0 {
				return unit, nil, false
			}
		}
		times = append(times, n)
	}
	if unit.rat == nil {
		unit = number{rat.One, false}
	}
	return unit, times, true
}

// commonDivisor returns the greatest number of which x and y are multiples.
func commonDivisor(x, y *big.Rat) *big.Rat {
	a, b := new(big.Int).Mul(x.Num(), y.Denom()), new(big.Int).Mul(y.Num(), x.Denom())
	return new(big.Rat).SetFrac(a.GCD(nil, nil, a, b), b.Mul(x.Denom(), y.Denom()))
}
