package certify

import "math/big"

// law is the joint law of the losses of a run: i of its count mechanisms lose ε, the others −ε,
// and with a rest no mechanism meets an output that is impossible under P1. (The worst (ε, δ)-DP
// mechanism is randomized response: ODP-L12.)
type law struct {
	first int        // i of mass[0]
	mass  []interval // P0-masses
	only  interval   // P0-mass of outputs that are impossible under P1
	spare *big.Float // at least the P0-mass that was left out
}

// expNegEps returns e^−ε.
func (x Number) expNeg(prec uint) interval {
	if x.Log {
		return ofRat(new(big.Rat).Inv(x.Value), prec)
	}
	return expNeg(ofRat(x.Value, prec+16), prec)
}

// newLaw returns the law of count mechanisms m; atoms at both ends whose P0-mass is below cut
// are left out.
//
// The masses are those of a binomial law with the odds 1 : e^−ε, times (1 − δ)^count. They
// follow from that of one atom near the mode by the ratios of neighbours, and are divided by
// their sum. Beyond an end the ratios are below that at the end, so that what is left out there
// is at most a geometric series.
func newLaw(m Mechanism, count int, cut float64, prec uint) law {
	keep := ofRat(new(big.Rat).Sub(one, m.Delta), prec).power(count, prec)
	l := law{only: ofInt(1).sub(keep, prec), spare: new(big.Float)}
	if m.Delta.Sign() == 0 {
		l.only = ofInt(0)
	}
	if m.Eps.isZero() {
		l.mass = []interval{keep}
		return l
	}
	t := m.Eps.expNeg(prec)
	odds, _ := t.hi.Float64()
	mode := min(count, int(float64(count+1)/(1+odds)))
	up := tail(mode, count, cut, prec, func(i int) interval { // mass i + 1 by mass i
		return ofInt(int64(count-i)).quo(ofInt(int64(i+1)).mul(t, prec), prec)
	})
	below := tail(count-mode, count, cut, prec, func(j int) interval { // mass i − 1 by mass i, i = count − j
		return ofInt(int64(count-j)).mul(t, prec).quo(ofInt(int64(j+1)), prec)
	})
	l.first = mode - len(below.mass)
	for i := range below.mass {
		l.mass = append(l.mass, below.mass[len(below.mass)-1-i])
	}
	l.mass = append(append(l.mass, ofInt(1)), up.mass...)
	l.normalize(keep, below.rest, up.rest, prec)
	l.trim(cut, prec)
	return l
}

// half is what is on one side of the mode, relative to it.
type half struct {
	mass []interval
	rest *big.Float // at least the masses beyond
}

// tail multiplies ratios from atom i to the last one, or until masses no longer matter.
func tail(i, last int, cut float64, prec uint, ratio func(int) interval) half {
	h := half{rest: new(big.Float)}
	enough := new(big.Float).SetMantExp(big.NewFloat(cut), -int(prec))
	for w := ofInt(1); i < last; i++ {
		r := ratio(i)
		if w.hi.Cmp(enough) < 0 && r.hi.Cmp(big.NewFloat(0.5)) < 0 {
			h.rest = w.hi // times r + r² + … < 1
			break
		}
		w = w.mul(r, prec)
		h.mass = append(h.mass, w)
	}
	return h
}

// normalize divides by the sum, and multiplies by keep.
func (l *law) normalize(keep interval, below, above *big.Float, prec uint) {
	sum := ofInt(0)
	for _, w := range l.mass {
		sum = sum.add(w, prec)
	}
	sum.hi.Add(sum.hi, below).Add(sum.hi, above)
	factor := keep.quo(sum, prec)
	for i, w := range l.mass {
		l.mass[i] = w.mul(factor, prec)
	}
	l.spare = up(prec).Add(below, above)
	l.spare.Mul(l.spare, factor.hi)
}

// trim leaves out atoms at the ends with masses below cut.
func (l *law) trim(cut float64, prec uint) {
	c := big.NewFloat(cut)
	for len(l.mass) > 1 && l.mass[0].hi.Cmp(c) < 0 {
		l.spare.Add(l.spare, l.mass[0].hi)
		l.mass = l.mass[1:]
		l.first++
	}
	for n := len(l.mass); n > 1 && l.mass[n-1].hi.Cmp(c) < 0; n-- {
		l.spare.Add(l.spare, l.mass[n-1].hi)
		l.mass = l.mass[:n-1]
	}
}

func (x Number) isZero() bool {
	return x.Log && x.Value.Cmp(one) == 0 || !x.Log && x.Value.Sign() == 0
}

// isNarrow reports whether rounding x to so many bits is all the error there is.
func (x interval) isNarrow(bits uint) bool {
	width := up(64).Sub(x.hi, x.lo)
	return width.Sign() == 0 || x.lo.Sign() > 0 && width.Cmp(new(big.Float).SetMantExp(x.lo, -int(bits)-2)) <= 0
}

// narrowLaw returns a law of which every number is known to so many bits, or is at most tiny.
func narrowLaw(m Mechanism, count int, cut float64, bits uint, tiny *big.Float) law {
	for prec := bits + 64; ; prec *= 2 {
		x := newLaw(m, count, cut, prec)
		isNarrow := x.only.isNarrow(bits)
		for _, mass := range x.mass {
			isNarrow = isNarrow && (mass.isNarrow(bits) || mass.hi.Cmp(tiny) <= 0)
		}
		if isNarrow {
			return x
		}
	}
}
