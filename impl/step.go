package impl

import "math"

// unitRoundoff is the largest relative error of one float64 operation.
const unitRoundoff = 0x1p-53

// smallest is more than what one float64 operation can lose to underflow.
const smallest = 0x1p-1073

// step is one link of the walk that the privacy loss makes on the nodes of a
// lattice or grid: any finite list of atoms with P0-mass mass[i], whose index is
// shift[i] ≥ 0 above the lowest one, and a mass that has no counterpart under P1.
type step struct {
	shift []int     // strictly increasing
	mass  []float64 // P0-masses
	stay  float64   // their sum
	only  float64   // P0-mass of outputs that are impossible under P1

	keep    dd      // P1-mass of the atoms: the linear payoff 1 − G·e^(−ℓ) becomes 1 − keep·G·e^(−ℓ)
	low     dd      // minus the loss of an atom with shift 0
	sink    int     // low, in halves of the axis, on an exact lattice
	dropped float64 // bound on the P0-mass of atoms left out, and on the relative excess of the others for that
	rounds  float64 // relative error that one use adds, in units of unitRoundoff
	spacing int     // distance between neighbouring atoms, 0 if it varies
	decay   dd      // keep·e^(−low), see front.back
	lnDecay dd      // its logarithm
	logs    []float64
}

// rise returns the largest shift.
func (s *step) rise() int { return s.shift[len(s.shift)-1] }

// newStep returns the step with the given atoms and the P0-only mass only.
func newStep(shift []int, mass []dd, only, keep, low dd) *step {
	s := &step{shift: shift, mass: make([]float64, len(mass)), only: only.float(), keep: keep, low: low}
	for i, w := range mass {
		s.mass[i] = w.float()
		s.stay += s.mass[i]
	}
	s.rounds = float64(len(mass)) + 3
	s.spacing = spacing(shift)
	s.decay = keep.mul(expOrZero(low.neg()))
	s.lnDecay = keep.log().sub(low)
	return s
}

// spacing returns the distance between neighbours if it is the same everywhere,
// and otherwise 0.
func spacing(shift []int) int {
	if len(shift) == 1 {
		return 1
	}
	d := shift[1] - shift[0]
	for i := 2; i < len(shift); i++ {
		if shift[i]-shift[i-1] != d {
			return 0
		}
	}
	return d
}

// latticeStep returns count uses of r at once, on a lattice where the loss
// 2·r.eps is multiple nodes wide. Atoms in the tails with a P0-mass of at most
// cut in all are dropped.
func latticeStep(r response, multiple, count int, cut float64) *step {
	keep, only := survive(r, count)
	low := r.eps.times(float64(count))
	switch {
	case multiple == 0:
		return newStep([]int{0}, []dd{keep}, only, keep, dd{})
	case r.down.hi == 0: // e^(−ε) is below 2^-1000
		s := newStep([]int{multiple * count}, []dd{keep}, only, keep, low)
		s.dropped = float64(count) * 0x1p-999
		return s
	case count == 1:
		return newStep([]int{0, multiple}, []dd{keep.mul(r.down), keep.mul(r.up)}, only, keep, low)
	}
	first, mass, dropped := binomial(r, count, cut)
	shift := make([]int, len(mass))
	for i := range mass {
		shift[i] = (first + i) * multiple
		mass[i] = mass[i].mul(keep)
	}
	s := newStep(shift, mass, only, keep, low)
	s.dropped = dropped
	return s
}

// survive returns (1 − δ)^count and 1 − (1 − δ)^count.
//
// The second is built from z(a + b) = z(a) + (1 − z(a))·z(b), which has no
// cancellation: for δ = 1e-300 it is right to the last digit.
func survive(r response, count int) (keep, only dd) {
	keep = dd{1, 0}
	base, lost := r.alive, r.delta
	for ; count > 0; count >>= 1 {
		if count&1 == 1 {
			only = only.add(keep.mul(lost))
			keep = keep.mul(base)
		}
		lost = lost.add(base.mul(lost))
		base = base.mul(base)
	}
	return keep, only
}

// binomial returns the probabilities of first, first + 1, … times output 1 in
// count uses of r, given that all outputs are 1 or 2, and a bound, at most cut, on
// the sum of those that it leaves out.
//
// The probabilities are built outward from the largest by the ratio of
// neighbours and then divided by their sum: no factorials, and a relative error
// that grows with the distance from the middle only. Those that are left out are
// missing in the sum, so the others come out too large by at most as much.
func binomial(r response, count int, cut float64) (first int, mass []dd, dropped float64) {
	odds := r.odds()
	mode := min(count, int(float64(count+1)*r.up.hi))
	cut = max(cut, leastCut)
	up, restUp := outward(count, mode, odds, cut, 1)
	down, restDown := outward(count, mode, dd{1, 0}.div(odds), cut, -1)
	first = mode - len(down)
	mass = make([]dd, 0, len(down)+1+len(up))
	sum := dd{1, 0}
	for i := len(down) - 1; i >= 0; i-- {
		mass = append(mass, down[i])
		sum = sum.add(down[i])
	}
	mass = append(mass, dd{1, 0})
	for _, w := range up {
		mass = append(mass, w)
		sum = sum.add(w)
	}
	inverse := dd{1, 0}.div(sum)
	for i := range mass {
		mass[i] = mass[i].mul(inverse)
	}
	return first, mass, (restUp + restDown) * inverse.hi * 1.001
}

// leastCut is the least P0-mass of dropped atoms: below it dd loses digits.
const leastCut = 0x1p-900

// outward returns the binomial weights beside the mode in one direction,
// relative to the mode's, and a bound on the sum of those left out, at most
// cut/4. The ratio of neighbours falls, so a geometric series bounds the rest.
func outward(count, mode int, odds dd, cut float64, direction int) (weights []dd, rest float64) {
	w := dd{1, 0}
	for i := mode; ; i += direction {
		more, fewer := float64(count-i), float64(i+1) // to one more output 1
		if direction < 0 {
			more, fewer = float64(i), float64(count-i+1)
		}
		if more == 0 {
			return weights, 0
		}
		ratio := odds.times(more).div(dd{fewer, 0})
		w = w.mul(ratio)
		if ratio.hi < 1 {
			if rest = w.hi / (1 - ratio.hi) * 1.001; rest <= cut/4 {
				return weights, rest
			}
		}
		weights = append(weights, w)
	}
}

// apply sets a[m] = only + Σ mass[i]·a[m + shift[i]] for m = lo … hi.
// It works upward and reads a[m] and above only, so that it can work in place.
func (s *step) apply(a []float64, lo, hi int, only float64) {
	switch {
	case hi < lo:
	case len(s.shift) == 2 && s.shift[0] == 0:
		s.applyPair(a[lo:], hi-lo+1, only)
	case s.spacing > 0:
		s.applyEven(a, lo, hi, only)
	default:
		s.applyAny(a, lo, hi, only)
	}
}

// goOn never halts.
func goOn() bool { return false }

// applyUnless is apply that gives up, leaving a half done, once halted says so: it
// is asked about every millisecond. Whoever halts must not use the result.
func (s *step) applyUnless(halted func() bool, a []float64, lo, hi int, only float64) {
	chunk := 1024 + 1<<20/len(s.mass)
	for from := lo; from <= hi; from += chunk {
		if from > lo && halted() {
			return
		}
		s.apply(a, from, min(hi, from+chunk-1), only)
	}
}

// applyPair is apply for the atoms of one randomized response. Four results at a
// time, and on neighbouring nodes each value loaded once, make the loop about
// twice as fast as the plain one.
func (s *step) applyPair(a []float64, n int, only float64) {
	up, down := s.mass[1], s.mass[0]
	if s.shift[1] == 1 {
		applyNeighbours(a[:n+1], up, down, only)
		return
	}
	x, y := a[:n], a[s.shift[1]:]
	y = y[:len(x)]
	for len(x) >= 4 && len(y) >= 4 {
		x[0] = down*x[0] + (up*y[0] + only)
		x[1] = down*x[1] + (up*y[1] + only)
		x[2] = down*x[2] + (up*y[2] + only)
		x[3] = down*x[3] + (up*y[3] + only)
		x, y = x[4:], y[4:]
	}
	for i := range x {
		x[i] = down*x[i] + (up*y[i] + only)
	}
}

// applyNeighbours sets a[i] = down·a[i] + up·a[i+1] + only for all i but the last.
func applyNeighbours(a []float64, up, down, only float64) {
	v, i := a[0], 0
	for ; i+4 < len(a); i += 4 {
		t := a[i : i+5 : i+5]
		w0, w1, w2, w3 := t[1], t[2], t[3], t[4]
		t[0] = down*v + (up*w0 + only)
		t[1] = down*w0 + (up*w1 + only)
		t[2] = down*w1 + (up*w2 + only)
		t[3] = down*w2 + (up*w3 + only)
		v = w3
	}
	for ; i+1 < len(a); i++ {
		a[i] = down*a[i] + (up*a[i+1] + only)
	}
}

// applyEven is apply for evenly spaced atoms. Four neighbouring results at a
// time share each mass that is loaded.
func (s *step) applyEven(a []float64, lo, hi int, only float64) {
	d, first := s.spacing, s.shift[0]
	m := lo
	for ; m+3 <= hi; m += 4 {
		var s0, s1, s2, s3 float64
		at := m + first
		for _, w := range s.mass {
			v := a[at : at+4 : at+4]
			s0 += w * v[0]
			s1 += w * v[1]
			s2 += w * v[2]
			s3 += w * v[3]
			at += d
		}
		a[m], a[m+1], a[m+2], a[m+3] = s0+only, s1+only, s2+only, s3+only
	}
	s.applyAny(a, m, hi, only)
}

// applyAny is apply for any atoms.
func (s *step) applyAny(a []float64, lo, hi int, only float64) {
	for m := lo; m <= hi; m++ {
		sum := only
		for i, w := range s.mass {
			sum += w * a[m+s.shift[i]]
		}
		a[m] = sum
	}
}

// cumulants returns ln Σ mass[i]·e^(−t·shift[i]) for every t, or a bound of
// it from above, cached.
func (s *step) cumulants(tilts []float64) []float64 {
	if s.logs == nil {
		s.logs = make([]float64, len(tilts))
		for j, t := range tilts {
			sum := 0.0
			for i, w := range s.mass {
				sum += w * math.Exp(-t*float64(s.shift[i]))
			}
			s.logs[j] = math.Log(max(sum, 0x1p-1000))
		}
	}
	return s.logs
}
