package certify

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"checkrr/impl/certify/internal/num"
)

// law is the joint law of the losses of a run: i of its count mechanisms lose −ε, the others ε (or one with a law
// has the i-th of its losses), and with the rest some mechanism meets an output that is impossible under P1. (The
// worst (ε, δ)-DP mechanism is randomized response: ODP-L12.)
type law struct {
	first     int          // the i of mass[0]
	mass      []*big.Float // P0-masses
	infinity  *big.Float   // P0-mass of outputs that are impossible under P1
	truncated *big.Float   // at least the P0-mass that was left out, as a part of mass and that
}

// maxAtoms bounds the atoms of all laws. Of a law of which some are left out there are less than 80 standard
// deviations.
const maxAtoms = 1 << 21

var errAtoms = fmt.Errorf("runs of equal mechanisms have more than %d different losses", maxAtoms)

// laws returns the laws of the runs of p; equal runs have the same one.
func (p Problem) laws(ctx context.Context, cut float64) (laws []*law, err error) {
	known, atoms := map[Alike]*law{}, 0
	for _, r := range p.Runs() {
		k := r.Alike()
		if known[k] == nil {
			if cut == 0 && r.Count > maxAtoms-atoms {
				return nil, errAtoms
			}
			if known[k], err = newLaw(ctx, p.Mechanisms[r.Entry], r.Count, cut, 128); err != nil {
				return nil, err
			}
			if atoms += len(known[k].mass); atoms > maxAtoms {
				return nil, errAtoms
			}
		}
		laws = append(laws, known[k])
	}
	return laws, nil
}

// newLaw returns the law of count mechanisms m, with relative errors of less than 2^(42−prec) besides
// what is truncated, as far as masses are not as small as those that [raise] makes larger. Atoms on both sides are
// left out from the first on that is, beside the largest, below cut.
//
// The masses are those of a binomial law with the odds e^−ε : 1, times (1 − δ)^count. They follow
// from that of one atom near the mode by the ratios of neighbours, with four roundings and the error
// of e^−ε for each of at most 2^30 of them, and are divided by their sum. The ratios fall on the way
// to an end: what is left out there is at most a geometric series.
func newLaw(ctx context.Context, m Mechanism, count int, cut float64, prec uint) (*law, error) {
	switch {
	case m.Law != nil:
		return m.pair().law(prec), ctx.Err()
	case m.IsOnGrid(): // see densePLD, and rangePLD
		return &law{}, ctx.Err()
	}
	keep, lost := leak(m.Delta, count, prec)
	l := &law{infinity: lost.Hi, truncated: new(big.Float)}
	if m.Eps.IsZero() {
		l.mass = []*big.Float{keep.Hi}
		return l, ctx.Err()
	}
	t := m.Eps.expNeg(prec)
	odds := num.ToFloat(t)
	mode := min(count, int(float64(count+1)*odds/(1+odds)))
	one := new(big.Float).SetPrec(prec).SetInt64(1)
	down, before := tail(ctx, mode, count, new(big.Float).Quo(one, t), cut)
	up, behind := tail(ctx, count-mode, count, t, cut)
	slices.Reverse(down)
	l.first, l.mass = mode-len(down), append(append(down, one), up...)
	sum := new(big.Float).SetPrec(prec)
	for _, w := range l.mass {
		if w.MantExp(nil) > -4*int(prec) { // numbers whose exponents are far apart take long to add
			sum.Add(sum, w)
		}
	}
	l.truncated = before.Add(before, behind).Quo(before, sum)
	factor := sum.Quo(keep.Hi, sum)
	for _, w := range l.mass {
		raise(w.Mul(w, factor))
	}
	return l, ctx.Err()
}

// raise makes numbers above 0 at least 2^−2maxExponent: what is smaller is the same as 0 (see expNeg).
func raise(x *big.Float) *big.Float {
	if x.Sign() > 0 && x.MantExp(nil) < -2*num.MaxExponent {
		x.SetMantExp(big.NewFloat(1), -2*num.MaxExponent)
	}
	return x
}

// tail returns the masses beside that of the mode on the side with n of count atoms, as parts of it, or of
// those until they are below cut, and at least the rest. odds is what one more mechanism of that side weighs.
func tail(ctx context.Context, n, count int, odds *big.Float, cut float64) (mass []*big.Float, rest *big.Float) {
	last, x := new(big.Float).SetInt64(1), new(big.Float)
	product, quotient := new(big.Float).SetPrec(odds.Prec()), new(big.Float).SetPrec(odds.Prec())
	for i := 1; i <= n && (i&1023 > 0 || ctx.Err() == nil); i++ {
		product.Mul(last, x.SetInt64(int64(n-i+1)))
		quotient.Quo(product, x.SetInt64(int64(count-n+i)))
		w := raise(new(big.Float).Mul(quotient, odds))
		if w.Cmp(last) < 0 && num.ToFloat(w) < cut { // with r = w/last the rest is below w·(1 + r + r² + …)
			rest = new(big.Float).Sub(last, w)
			rest.Quo(w.Mul(last, w), rest)
			return mass, rest.SetMantExp(rest, 1) // twice that, whatever rounding did
		}
		mass, last = append(mass, w), w
	}
	return mass, new(big.Float)
}

// leak returns (1 − δ)^count and 1 − (1 − δ)^count: what a run loses is what its first part loses, and
// of the rest what the second part does. Nothing cancels.
func leak(delta *big.Rat, count int, prec uint) (keep, lost num.Interval) {
	keep, lost = num.OfInt(1), num.OfInt(0)
	k, l := num.OfRat(new(big.Rat).Sub(num.One, delta), prec), num.OfRat(delta, prec)
	for ; count > 0; count >>= 1 {
		if count&1 == 1 {
			lost = lost.Add(keep.Mul(l, prec), prec)
			keep = keep.Mul(k, prec)
		}
		l = l.Add(k.Mul(l, prec), prec)
		k = k.Mul(k, prec)
		for _, x := range [2]*num.Interval{&k, &keep} {
			if raise(x.Hi); x.Hi.Cmp(x.Lo) > 0 && x.Lo.MantExp(nil) < -2*num.MaxExponent {
				x.Lo = new(big.Float)
			}
		}
	}
	return keep, lost
}

// expNeg returns e^−x, rounded up.
func (x Number) expNeg(prec uint) *big.Float {
	if x.Log {
		return num.OfRat(new(big.Rat).Inv(x.Value), prec).Hi
	}
	return num.ExpNegEnd(num.OfRat(x.Value, prec+16).Lo, prec, true)
}
