package certify

import "math/big"

// law is the joint law of the losses of a run: i of its count mechanisms lose −ε, the others ε, and
// with the rest some mechanism meets an output that is impossible under P1. (The worst (ε, δ)-DP
// mechanism is randomized response: ODP-L12.)
type law struct {
	first int        // the i of mass[0]
	mass  []interval // P0-masses
	only  interval   // P0-mass of outputs that are impossible under P1
	spare *big.Float // at least the P0-mass that was left out
}

// newLaw returns the law of count mechanisms m. Atoms on both sides are left out from the first on
// that is, beside the largest one, below cut.
//
// The masses are those of a binomial law with the odds e^−ε : 1, times (1 − δ)^count. They follow
// from that of one atom near the mode by the ratios of neighbours, and are divided by their sum.
// The ratios fall on the way to an end: what is left out there is at most a geometric series.
func newLaw(m Mechanism, count int, cut float64, prec uint) law {
	keep, only := leak(m.Delta, count, prec)
	l := law{only: only, spare: new(big.Float)}
	if m.Eps.isZero() {
		l.mass = []interval{keep}
		return l
	}
	t := m.Eps.expNeg(prec)
	odds := toFloat(t.hi)
	mode := min(count, int(float64(count+1)*odds/(1+odds)))
	up, beyond := tail(mode, count, cut, prec, func(i int) interval { // atom i + 1 beside atom i
		return ofInt(int64(count-i)).mul(t, prec).quo(ofInt(int64(i+1)), prec)
	})
	down, before := tail(count-mode, count, cut, prec, func(j int) interval { // atom i − 1 beside atom i = count − j
		return ofInt(int64(count-j)).quo(ofInt(int64(j+1)).mul(t, prec), prec)
	})
	sum, rest := ofInt(1), before.Add(before, beyond)
	for _, w := range append(up, down...) {
		sum = sum.add(w, prec)
	}
	factor := keep.quo(sum.add(interval{new(big.Float), rest}, prec), prec)
	for i := range down {
		l.mass = append(l.mass, down[len(down)-1-i].mul(factor, prec))
	}
	l.mass = append(l.mass, factor)
	for _, w := range up {
		l.mass = append(l.mass, w.mul(factor, prec))
	}
	l.first, l.spare = mode-len(down), rest.Mul(rest, factor.hi)
	return l
}

// leak returns (1 − δ)^count and 1 − (1 − δ)^count: what a run loses is what its first part loses, and
// of the rest what the second part does. Nothing cancels.
func leak(delta *big.Rat, count int, prec uint) (keep, lost interval) {
	keep, lost = ofInt(1), ofInt(0)
	k, l := ofRat(new(big.Rat).Sub(one, delta), prec), ofRat(delta, prec)
	for ; count > 0; count >>= 1 {
		if count&1 == 1 {
			lost = lost.add(keep.mul(l, prec), prec)
			keep = keep.mul(k, prec)
		}
		l = l.add(k.mul(l, prec), prec)
		k = k.mul(k, prec)
	}
	return keep, lost
}

// tail returns the masses of the atoms behind atom i, beside that, up to the last one or until they
// are below cut; and at least the rest.
func tail(i, last int, cut float64, prec uint, ratio func(int) interval) (mass []interval, rest *big.Float) {
	most, half := big.NewFloat(cut), big.NewFloat(0.5)
	for w := ofInt(1); i < last; i++ {
		r := ratio(i)
		if w = w.mul(r, prec); w.hi.Cmp(most) < 0 && r.hi.Cmp(half) < 0 {
			return mass, up(prec).Mul(w.hi, big.NewFloat(2))
		}
		mass = append(mass, w)
	}
	return mass, up(prec)
}

// expNeg returns e^−ε.
func (x Number) expNeg(prec uint) interval {
	if x.Log {
		return ofRat(new(big.Rat).Inv(x.Value), prec)
	}
	return expNeg(ofRat(x.Value, prec+16), prec)
}

func (x Number) isZero() bool {
	return x.Log && x.Value.Cmp(one) == 0 || !x.Log && x.Value.Sign() == 0
}

// width returns at least the width of x, beside its lower end.
func (x interval) width() *big.Float {
	w := up(64).Sub(x.hi, x.lo)
	if w.Sign() == 0 || x.lo.Sign() <= 0 {
		return w
	}
	return w.Quo(w, x.lo)
}
