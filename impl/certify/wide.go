package certify

// wide is field in intervals with ends of so many bits.
type wide uint

func (wide) of(n int64) interval                { return ofInt(n) }
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

func (w wide) law(m Mechanism, count int) (mass []interval, only interval) {
	l := newLaw(m, count, 0, uint(w))
	return l.mass, l.only
}

// pay works with more bits where 1 and e^−gap cancel.
func (w wide) pay(f *frame, gap sum) interval {
	for prec := uint(w); ; prec *= 2 {
		if x := f.enclose(gap, prec); x.lo.Sign() > 0 {
			y := ofInt(1).sub(expNeg(x, prec), prec)
			if y.lo.Sign() > 0 && y.width().MantExp(nil) < 8-int(w) {
				return y
			}
		}
	}
}
