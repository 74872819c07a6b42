package certify

import (
	"math/big"
	"slices"
)

// law is the joint law of the losses of a run: i of its count mechanisms lose −ε, the others ε, and
// with the rest some mechanism meets an output that is impossible under P1. (The worst (ε, δ)-DP
// mechanism is randomized response: ODP-L12.)
type law struct {
	first int          // the i of mass[0]
	mass  []*big.Float // P0-masses
	only  *big.Float   // P0-mass of outputs that are impossible under P1
	spare *big.Float   // at least the P0-mass that was left out, as a part of mass and that
}

// newLaw returns the law of count mechanisms m, with relative errors of less than 2^(42−prec) besides
// spare. Atoms on both sides are left out from the first on that is, beside the largest, below cut.
//
// The masses are those of a binomial law with the odds e^−ε : 1, times (1 − δ)^count. They follow
// from that of one atom near the mode by the ratios of neighbours, with four roundings and the error
// of e^−ε for each of at most 2^30 of them, and are divided by their sum. The ratios fall on the way
// to an end: what is left out there is at most a geometric series.
func newLaw(m Mechanism, count int, cut float64, prec uint) law {
	keep, lost := leak(m.Delta, count, prec)
	l := law{only: lost.hi, spare: new(big.Float)}
	if m.Eps.isZero() {
		l.mass = []*big.Float{keep.hi}
		return l
	}
	t := m.Eps.expNeg(prec).hi
	odds := toFloat(t)
	mode := min(count, int(float64(count+1)*odds/(1+odds)))
	one := new(big.Float).SetPrec(prec).SetInt64(1)
	down, before := tail(mode, cut, prec, func(w *big.Float, i int) { // atom mode − i beside the one before
		w.Mul(w, integer(mode-i+1)).Quo(w, integer(count-mode+i)).Quo(w, t)
	})
	up, behind := tail(count-mode, cut, prec, func(w *big.Float, i int) {
		w.Mul(w, integer(count-mode-i+1)).Quo(w, integer(mode+i)).Mul(w, t)
	})
	slices.Reverse(down)
	l.first, l.mass = mode-len(down), append(append(down, one), up...)
	sum := new(big.Float).SetPrec(prec)
	for _, w := range l.mass {
		sum.Add(sum, w)
	}
	l.spare = before.Add(before, behind).Quo(before, sum)
	factor := sum.Quo(keep.hi, sum)
	for _, w := range l.mass {
		w.Mul(w, factor)
	}
	return l
}

// tail returns the masses of n atoms beside that before the first of them, or of those until they are
// below cut, and at least the rest. next makes the mass of atom i from that before it.
func tail(n int, cut float64, prec uint, next func(w *big.Float, i int)) (mass []*big.Float, rest *big.Float) {
	w, last, most := new(big.Float).SetPrec(prec).SetInt64(1), new(big.Float), big.NewFloat(cut)
	for i := 1; i <= n; i++ {
		last.Set(w)
		next(w, i)
		if w.Cmp(most) < 0 && w.Cmp(last) < 0 { // with r = w/last the rest is below w·(1 + r + r² + …)
			rest = new(big.Float).SetPrec(prec).Sub(last, w)
			rest.Quo(last.Mul(last, w), rest)
			return mass, rest.SetMantExp(rest, 1) // twice that, whatever rounding did
		}
		mass = append(mass, new(big.Float).Set(w))
	}
	return mass, new(big.Float).SetPrec(prec)
}

func integer(n int) *big.Float { return new(big.Float).SetInt64(int64(n)) }

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
