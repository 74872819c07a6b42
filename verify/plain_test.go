package verify

import (
	"math"
	"math/big"
)

// grain is the unit of the ε and charges of a long problem: 1/1000.
const grain = 1000

// longProblem returns a problem with 10 … most mechanisms, whose ε and charges are
// whole numbers of grains. Charges lie where stopping early may pay: within a few
// standard deviations of the loss.
func longProblem(d Dice, most int) problem {
	var p problem
	unit := int64([]int{1, 10, 50}[d.Roll(3)])
	for left := 10 + d.Roll(most-9); left > 0; {
		m := mechanism{grains(unit * int64(d.Roll(8))), longDelta(d), 1 + d.Roll(min(left, 12))}
		left -= m.count
		p.mechanisms = append(p.mechanisms, m)
	}
	variance := 0.0
	for k, m := range p.each() {
		eps, _ := m.eps.rat.Float64()
		variance += eps * eps
		if last := k+1 == p.length(); last || d.Roll(8) == 0 {
			e := math.Sqrt(variance) * grain * float64(d.Roll(400)) / 100
			p.stops = append(p.stops, stop{k + 1, grains(int64(e))})
		}
	}
	return p
}

func longDelta(d Dice) *big.Rat {
	return []*big.Rat{rat("0"), rat("0"), rat("1e-9"), rat("1e-3")}[d.Roll(4)]
}

// grains returns the ε of n grains.
func grains(n int64) number { return number{big.NewRat(n, grain), false} }

// grains returns x, a whole number of grains, as that number.
func (x number) grains() int {
	n := new(big.Rat).Mul(x.rat, big.NewRat(grain, 1))
	if x.log || !n.IsInt() {
		panic("not in grains: " + x.String())
	}
	return int(n.Num().Int64())
}

// plain solves a long problem in the plainest way: an array over all losses,
// nothing dropped, no closed form, no window, float64 without error bounds.
// Index l + reach of an array is the loss of l grains.
type plain struct {
	problem
	reach int
}

func plainly(p problem) plain {
	reach := 0
	for _, m := range p.each() {
		reach += m.eps.grains()
	}
	return plain{p, reach}
}

// plainError bounds the relative error of plain. Everything is a sum of positive
// numbers: at most 3 roundings a mechanism for at most 200 of them, a few dozen
// for a payoff, and the same again in what it is compared with: 2000·2^(−53).
const plainError = 3e-13

// payoff returns 1 − e^(E − ℓ), or 0 if that is negative.
func (w plain) payoff(e number, index int) float64 {
	return max(0, -math.Expm1(float64(e.grains()-index+w.reach)/grain))
}

// response returns the probabilities of a loss of ε, of −ε and of ∞.
func response(m mechanism) (up, down, only float64) {
	eps, _ := m.eps.rat.Float64()
	only, _ = m.delta.Float64()
	up = 1 / (1 + math.Exp(-eps))
	return up * (1 - only), (1 - up) * (1 - only), only
}

// game returns OptDel by backward induction: u is the value of a state over its
// probability.
func (w plain) game() float64 {
	u := make([]float64, 2*w.reach+1)
	each, i := w.each(), len(w.stops)-1
	for k := len(each); k >= 0; k-- {
		if k < len(each) {
			u = w.back(u, each[k])
		}
		if i >= 0 && w.stops[i].after == k {
			for x := range u {
				u[x] = max(u[x], w.payoff(w.stops[i].eps, x))
			}
			i--
		}
	}
	return u[w.reach]
}

// back returns the value one mechanism earlier. Losses out of reach are left at 0.
func (w plain) back(u []float64, m mechanism) []float64 {
	next := make([]float64, len(u))
	up, down, only := response(m)
	e := m.eps.grains()
	for x := e; x < len(u)-e; x++ {
		next[x] = only + up*u[x+e] + down*u[x-e]
	}
	return next
}

// law is the P0-law of the loss of runs that have not ended.
type law struct {
	mass []float64
	only float64 // of an infinite loss
}

func (w plain) start() law {
	l := law{mass: make([]float64, 2*w.reach+1)}
	l.mass[w.reach] = 1
	return l
}

// forth returns the law one mechanism later.
func (l law) forth(m mechanism) law {
	next := law{make([]float64, len(l.mass)), l.only}
	up, down, only := response(m)
	e := m.eps.grains()
	for x, a := range l.mass {
		if a > 0 {
			next.mass[x+e] += up * a
			next.mass[x-e] += down * a
			next.only += only * a
		}
	}
	return next
}

// singles returns the value of each stop by itself.
func (w plain) singles() []float64 {
	var out []float64
	l, each := w.start(), w.each()
	for k, m := range each {
		l = l.forth(m)
		if i := len(out); w.stops[i].after == k+1 {
			value := l.only
			for x, a := range l.mass {
				value += a * w.payoff(w.stops[i].eps, x)
			}
			out = append(out, value)
		}
	}
	return out
}

// follow returns the value of a stopping rule, and the probability of each stop.
// A run that no threshold has stopped ends at the last stop, for nothing.
func (w plain) follow(thresholds []float64) (value float64, ends []float64) {
	l := w.start()
	for k, m := range w.each() {
		l = l.forth(m)
		i := len(ends)
		if w.stops[i].after != k+1 {
			continue
		}
		last, end := i == len(w.stops)-1, 0.0
		if last || !math.IsInf(thresholds[i], 1) {
			value, end, l.only = value+l.only, l.only, 0
		}
		for x := w.first(thresholds[i]); x < len(l.mass); x++ {
			value += l.mass[x] * w.payoff(w.stops[i].eps, x)
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

// first returns the first index with a loss of at least t.
func (w plain) first(t float64) int {
	if math.IsInf(t, 1) {
		return 2*w.reach + 1
	}
	n := new(big.Rat).SetFloat64(t)
	n.Mul(n, big.NewRat(grain, 1))
	floor := new(big.Int).Div(n.Num(), n.Denom()) // Euclidean: denominators are positive
	if !n.IsInt() {
		floor.Add(floor, big.NewInt(1))
	}
	return max(0, int(floor.Int64())+w.reach)
}
