package certify

import (
	"context"
	"math/big"
)

// wide is arithmetic in intervals, at least 0, with ends of so many bits.
type wide uint

func (w wide) mulAdd(x, y, z interval) interval { return x.mul(y, uint(w)).add(z, uint(w)) }

func (wide) max(x, y interval) interval {
	if x.lo.Cmp(y.lo) < 0 {
		x.lo = y.lo
	}
	if x.hi.Cmp(y.hi) < 0 {
		x.hi = y.hi
	}
	return x
}

func (wide) atLeast(x, y interval) bool { return x.hi.Cmp(y.hi) >= 0 }

func (w wide) law(ctx context.Context, m Mechanism, count int) (mass []interval, infinity interval, err error) {
	l, err := newLaw(ctx, m, count, 0, uint(w)+64)
	if err != nil {
		return nil, infinity, err
	}
	for _, x := range l.mass {
		mass = append(mass, w.around(x))
	}
	return mass, w.around(l.infinity), nil
}

// around returns x with a relative error of at most 2^-w.
func (w wide) around(x *big.Float) interval {
	e := new(big.Float).SetMantExp(x, -int(w))
	y := interval{down(uint(w)).Sub(x, e), up(uint(w)).Add(x, e)}
	if x.MantExp(nil) < -maxExponent { // the same as 0: see expNeg
		y.lo = new(big.Float)
	}
	return y
}

// pay returns 1 − e^−gap, with more bits where 1 and e^−gap cancel.
func (w wide) pay(f *frame, gap sum) (y interval, err error) {
	for prec := uint(w); ; prec *= 2 {
		if err := f.prepare(gap, prec); err != nil {
			return y, err
		}
		x := f.enclose(gap, prec)
		switch {
		case x.lo.Cmp(new(big.Float).SetInt64(int64(prec))) >= 0: // e^−gap is less than 2^−prec
			e := new(big.Float).SetMantExp(big.NewFloat(1), -int(prec))
			return interval{down(prec).Sub(big.NewFloat(1), e), big.NewFloat(1)}, nil
		case x.lo.Sign() > 0:
			if y = ofInt(1).sub(expNeg(x, prec), prec); y.isNarrow(uint(w) - 8) {
				return y, nil
			}
		}
	}
}
