package certify

import "math/big"

// wide is field in [big.Float] with so many bits, rounded to nearest.
type wide uint

// tiny is what an operation may lose where its result is too small.
var tiny = new(big.Float).SetMantExp(big.NewFloat(1), -maxExponent)

func (w wide) of(n int64) *big.Float { return w.zero().SetInt64(n) }
func (w wide) zero() *big.Float      { return new(big.Float).SetPrec(uint(w)) }
func (wide) cmp(x, y *big.Float) int { return x.Cmp(y) }

func (w wide) mulAdd(x, y, z *big.Float) *big.Float {
	p := w.zero().Mul(x, y)
	return p.Add(p, z)
}

func (w wide) law(m Mechanism, count int) (mass []*big.Float, only *big.Float) {
	x := narrowLaw(m, count, 0, uint(w), tiny)
	for _, y := range x.mass {
		mass = append(mass, w.zero().Set(y.hi))
	}
	return mass, w.zero().Set(x.only.hi)
}

func (w wide) pay(f *frame, gap sum) *big.Float {
	for prec := uint(w) + 64; ; prec *= 2 {
		y := ofInt(1).sub(expNeg(f.enclose(gap, prec).positive(), prec), prec)
		if y.isNarrow(uint(w)) || y.hi.Cmp(tiny) <= 0 {
			return w.zero().Set(y.hi)
		}
	}
}

// positive returns x for a number known to be at least 0.
func (x interval) positive() interval {
	if x.lo.Sign() < 0 {
		x.lo = new(big.Float)
	}
	return x
}
