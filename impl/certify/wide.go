package certify

import (
	"context"
	"math/big"

	"checkrr/impl/certify/internal/num"
)

// wide is arithmetic in intervals, at least 0, with ends of so many bits.
type wide uint

func (w wide) mulAdd(x, y, z num.Interval) num.Interval { return x.Mul(y, uint(w)).Add(z, uint(w)) }

func (wide) max(x, y num.Interval) num.Interval {
	if x.Lo.Cmp(y.Lo) < 0 {
		x.Lo = y.Lo
	}
	if x.Hi.Cmp(y.Hi) < 0 {
		x.Hi = y.Hi
	}
	return x
}

func (wide) atLeast(x, y num.Interval) bool { return x.Hi.Cmp(y.Hi) >= 0 }

func (w wide) law(ctx context.Context, m Mechanism, count int) (mass []num.Interval, infinity num.Interval, err error) {
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
func (w wide) around(x *big.Float) num.Interval {
	e := new(big.Float).SetMantExp(x, -int(w))
	y := num.Interval{Lo: num.Down(uint(w)).Sub(x, e), Hi: num.Up(uint(w)).Add(x, e)}
	if x.MantExp(nil) < -num.MaxExponent { // the same as 0: see expNeg
		y.Lo = new(big.Float)
	}
	return y
}

// pay returns 1 − e^−gap, with more bits where 1 and e^−gap cancel.
func (w wide) pay(f *frame, gap sum) (y num.Interval, err error) {
	for prec := uint(w); ; prec *= 2 {
		if err := f.prepare(gap, prec); err != nil {
			return y, err
		}
		x := f.enclose(gap, prec)
		switch {
		case x.Lo.Cmp(new(big.Float).SetInt64(int64(prec))) >= 0: // e^−gap is less than 2^−prec
			e := new(big.Float).SetMantExp(big.NewFloat(1), -int(prec))
			return num.Interval{Lo: num.Down(prec).Sub(big.NewFloat(1), e), Hi: big.NewFloat(1)}, nil
		case x.Lo.Sign() > 0:
			if y = num.OfInt(1).Sub(num.ExpNeg(x, prec), prec); y.IsNarrow(uint(w) - 8) {
				return y, nil
			}
		}
	}
}
