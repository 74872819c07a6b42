package impl

import "math"

// front holds u_k, the value of the game after k mechanisms as a function of
// the privacy loss ℓ, at the nodes of one place of an [axis].
//
// V(q) of a prefix q with P0-mass a and P1-mass b is a·u(ℓ), ℓ = ln(a/b), and
//
//	u_n(ℓ) = max(0, 1 − e^(E_n − ℓ))
//	c_k(ℓ) = only + Σ mass·u_{k+1}(ℓ + loss of the atom)
//	u_k(ℓ) = max(c_k(ℓ), 1 − e^(E_i − ℓ)) at a stop, c_k(ℓ) elsewhere.
//
// All of it lies in [0, 1]. u is nondecreasing, and where ℓ is so large that
// every later loss lies in the stopping region too, u = 1 − G·e^(−ℓ) exactly,
// because a payoff that is linear in e^(−ℓ) stays so. So only the nodes lo … top−1
// are stored. Below lo, u is replaced by u(lo), an upper bound; see [front.trim].
type front struct {
	*axis
	at     place
	u      []float64 // by node, from 0
	last   int       // nodes above are out of reach
	lo     int       // u below it is taken to be u[lo]
	top    int       // u from it on has the closed form; it may lie above last
	edge   dd        // G·e^(−ℓ) at node top
	lnEdge dd        // its logarithm
	moves  int       // of the edge, since it was computed afresh
	rounds float64   // bound on the relative rounding error so far, in unitRoundoff
	excess float64   // bound on what u at the root exceeds the truth by, for dropped masses and low ends
	low    bool      // u below lo may be less than u[lo]: some nodes were given up
	peak   float64   // largest u[lo] that stood for a lower node since the last trim
	cells  int       // nodes computed so far
	pays   payoffs   // of the current stop
	halted func() bool
}

// payoffError bounds the relative error of a payoff.
const payoffError = 0x1p-48

// never is the threshold node of a stop at which stopping never pays.
const never = math.MaxInt

// newFront returns u_n for the charge e at place p, whose nodes are 0 … last.
func newFront(x *axis, e charge, p place, last int) *front {
	f := &front{axis: x, at: p, last: last, u: make([]float64, last+1), edge: dd{1, 0}, pays: payoffs{axis: x}, halted: goOn}
	f.lo = min(x.below(&e, p), last)
	f.top = f.lo
	for f.top <= last {
		z := x.gap(&e, p, f.top)
		if z.hi <= -nearTie {
			f.setEdge(z)
			break
		}
		f.u[f.top] = payoff(z).float()
		f.top++
	}
	if f.top == f.lo { // node 0 pays already
		f.u[f.lo] = payoff(x.gap(&e, p, f.lo)).float()
	}
	f.rounds = payoffError / unitRoundoff
	return f
}

// below returns the last node whose loss is at most E, or 0.
func (x *axis) below(e *charge, p place) int {
	guess := e.value.sub(x.loss(p, 0)).hi / x.unit.hi
	m := int(min(max(guess, 0), 1<<40)) + 1
	for m > 0 && x.gap(e, p, m).negative() {
		m--
	}
	return m
}

// root returns u at node 0.
func (f *front) root() float64 {
	if f.top > 0 {
		return f.u[max(0, f.lo)]
	}
	return dd{1, 0}.sub(f.edge).float()
}

// rest returns 1 − u at node m. A missing front, behind the last stop, is 0 everywhere.
func (f *front) rest(m int) float64 {
	switch {
	case f == nil:
		return 1
	case m >= f.top:
		return f.edge.float() * math.Exp(-float64(m-f.top)*f.unit.hi)
	}
	return 1 - f.u[max(m, f.lo)]
}

// back replaces u_k by u_{k'} at the place one step earlier.
func (f *front) back(s *step) {
	last := f.last - s.rise()
	low, high := max(0, f.lo-s.rise()), min(last, f.top-1)
	f.fill(min(high+s.rise(), f.last))
	f.pad(low + s.shift[0])
	s.applyUnless(f.halted, f.u, low, high, s.only+s.dropped)
	f.cells += max(0, high-low+1)
	f.at, f.last, f.lo = f.before(f.at, s), last, min(low, last)
	f.edge, f.lnEdge = f.edge.mul(s.decay), f.lnEdge.add(s.lnDecay)
	f.rounds += s.rounds
	f.excess += 2 * s.dropped
	f.settle()
}

// fill stores the closed form up to node last.
func (f *front) fill(last int) {
	if last < f.top {
		return
	}
	y := f.edge
	for m := f.top; m <= last; m++ {
		f.u[m] = (1 - y.hi) - y.lo
		y = y.mul(f.shrink)
	}
}

// stop lets the game end here for the charge e. It returns the lowest node at
// which ending is optimal, or never.
//
// c − payoff does not increase with e^ℓ, so the nodes that stop are those from
// some node on; they are searched downward from the closed form. A node joins
// the closed form only if its payoff wins by more than all rounding so far, so
// that the form is exact and rounding errors do not add up from stop to stop;
// the search ends only where the payoff loses by more than that.
func (f *front) stop(e *charge) (threshold int) {
	if f.mayPay(e, f.at, f.lo) {
		m := f.below(e, f.at)
		f.pad(m)
		f.lo = min(f.lo, m)
	}
	threshold = never
	pays := &f.pays
	pays.at, pays.last = f.at, never
	if f.top <= f.last {
		z := f.gap(e, f.at, f.top)
		if !z.negative() || f.lnEdge.less(z) {
			return never
		}
		f.setEdge(z)
		threshold, pays.last, pays.y = f.top, f.top, f.edge
	}
	margin := 1 + 4*(f.rounds*unitRoundoff+payoffError)
	joins, moved := true, false
	for m := min(f.top-1, f.last); m >= f.lo; m-- {
		p, c := pays.node(e, m), f.u[m]
		if p*margin < c || p == 0 {
			break
		}
		if p >= c {
			f.u[m], threshold = p, m
		}
		if joins = joins && p > c*margin && pays.y.hi < 1-2*nearTie; joins {
			f.top, f.edge, moved = m, pays.y, true
		}
	}
	if moved {
		f.lnEdge = f.gap(e, f.at, f.top)
	}
	f.settle()
	return threshold
}

// mayPay reports whether the loss of node m may be above the charge.
func (x *axis) mayPay(e *charge, p place, m int) bool {
	loss := x.loss(p, m).hi
	return loss+0x1p-40*abs(loss) >= e.value.hi
}

// settle restores the invariant that u[lo] is stored.
func (f *front) settle() {
	if f.lo >= f.top {
		f.lo = f.top
		f.fill(f.top)
	}
}

// pad stores u(lo) at the nodes from m to lo.
func (f *front) pad(m int) {
	if m < f.lo {
		f.peak = max(f.peak, f.u[f.lo])
	}
	for ; m < f.lo; m++ {
		f.u[m] = f.u[f.lo]
	}
}

// trim raises lo as long as the P0-mass of the walks that end up below it, times
// u(lo), stays within the budget of w.
func (f *front) trim(w *window) {
	lo, hi := f.lo, min(f.top-1, f.last)
	for lo < hi { // the largest node that may be lo
		m := lo + (hi-lo+1)/2
		if w.tail(m-1)+math.Log(f.u[m]) <= w.budget {
			lo = m
		} else {
			hi = m - 1
		}
	}
	f.account(w)
	f.low = f.low || lo > f.lo
	f.lo, f.peak = lo, 0
	if f.low {
		w.charged = math.Exp(w.tail(lo-1)) * windowSlack
	}
}

// account adds what giving up the nodes below lo may have cost since the last trim.
// All walks that were cut off since then were below the lo of that time.
func (f *front) account(w *window) { f.excess += w.charged * f.peak }

// setEdge makes the payoff at node top 1 − e^z. Where z is near the logarithm of
// the last edge a short series of the quotient is enough: it is off by less than
// 2^-66, which is small beside the payoff, and computing afresh now and then keeps
// the errors from adding up.
func (f *front) setEdge(z dd) {
	d := z.sub(f.lnEdge)
	if f.moves++; math.Abs(d.hi) < 0x1p-6 && f.moves < 64 && z.hi < -0x1p-10 {
		h := d.hi
		tail := h * h * (1.0/2 + h*(1.0/6+h*(1.0/24+h*(1.0/120+h*(1.0/720+h*(1.0/5040+h*(1.0/40320)))))))
		f.edge = f.edge.add(f.edge.mul(d.add(dd{tail, 0})))
	} else {
		f.edge, f.moves = expOrZero(z), 0
	}
	f.lnEdge = z
}

// payoffs evaluates 1 − e^(E − ℓ) at neighbouring nodes, where the distance
// allows by multiplying e^(E − ℓ) from node to node.
type payoffs struct {
	*axis
	at   place
	last int
	y    dd // e^(E − ℓ) at node last
}

// node returns the payoff of node m. Calls go downward.
func (p *payoffs) node(e *charge, m int) float64 {
	if p.last == m+1 && p.grow.hi > 0 && p.y.hi > 0x1p-900 {
		if y := p.y.mul(p.grow); y.hi < 1-0x1p-12 { // nearer to 1 the errors of grow would show
			p.last, p.y = m, y
			return (1 - y.hi) - y.lo
		}
	}
	v := payoff(p.gap(e, p.at, m))
	p.last, p.y = m, dd{1, 0}.sub(v)
	return v.float()
}
