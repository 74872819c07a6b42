package impl

import "math/big"

// wide is [arithmetic] in big.Float with prec bits. All numbers of the recursion
// are non-negative, so with every operation rounded down (or up) the result is a
// lower (or upper) bound, and no error has to be counted.
type wide struct {
	prec uint
	up   bool
	stop func() bool // whether to end a long loop early; the caller then ends too
}

// mode returns the direction of rounding of lower or upper bounds.
func mode(up bool) big.RoundingMode {
	if up {
		return big.AwayFromZero
	}
	return big.ToZero
}

// toward returns a fresh 0 that rounds in the given direction.
func (a wide) toward(up bool) *big.Float {
	return new(big.Float).SetPrec(a.prec).SetMode(mode(up))
}

func (a wide) zero() *big.Float { return a.toward(a.up) }

func (a wide) one() *big.Float { return a.zero().SetInt64(1) }

func (a wide) addMul(sum, x, y *big.Float) *big.Float {
	if x.Sign() == 0 || y.Sign() == 0 {
		return sum
	}
	product := a.zero()
	return sum.Add(sum, product.Mul(x, y))
}

func (wide) assign(to, x *big.Float) *big.Float { return to.Set(x) }
func (wide) cmp(x, y *big.Float) int            { return x.Cmp(y) }

func (wide) float(x *big.Float) float64 {
	f, _ := x.Float64()
	return f
}

// end returns the end of x that is a bound in the given direction.
func (x enclosure) end(up bool) *big.Float {
	if up {
		return x.hi
	}
	return x.lo
}

// atoms starts at the largest loss, (up·(1 − δ))^count, and goes down by the ratio
// t·i/(count − i + 1) with t = e^(−ε) = down/up. The exponents of big.Float leave
// room enough: nothing underflows.
func (a wide) atoms(m Mechanism, count int) (first int, mass []*big.Float, only *big.Float) {
	t := m.Eps.expDown(a.prec)
	alive := encloseRat(new(big.Rat).Sub(one, m.Delta), a.prec).end(a.up)
	w := a.toward(!a.up).Add(big.NewFloat(1), t.end(!a.up))
	w = a.power(a.zero().Quo(alive, w), count)
	mass = make([]*big.Float, count+1)
	for i := count; i >= 0; i-- {
		if i&0xfff == 0xfff && a.stop() {
			fill(mass[:i+1], w)
			break
		}
		mass[i] = a.zero().Set(w)
		w.Mul(w, t.end(a.up))
		w.Mul(w, a.zero().SetInt64(int64(i)))
		w.Quo(w, a.toward(!a.up).SetInt64(int64(count-i+1)))
	}
	return 0, mass, a.lost(m.Delta, alive, count)
}

// fill sets all of a to x.
func fill(a []*big.Float, x *big.Float) {
	for i := range a {
		a[i] = x
	}
}

// power returns x^n.
func (a wide) power(x *big.Float, n int) *big.Float {
	result, square := a.zero().SetInt64(1), a.zero().Set(x)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			result.Mul(result, square)
		}
		square.Mul(square, square)
	}
	return result
}

// lost returns 1 − (1 − δ)^count as [survive] does.
func (a wide) lost(delta *big.Rat, alive *big.Float, count int) *big.Float {
	only, keep := a.zero(), a.zero().SetInt64(1)
	base, lost := a.zero().Set(alive), a.zero().Set(encloseRat(delta, a.prec).end(a.up))
	for ; count > 0; count >>= 1 {
		if count&1 == 1 {
			only = a.addMul(only, keep, lost)
			keep.Mul(keep, base)
		}
		lost = a.addMul(a.zero().Set(lost), base, lost)
		base.Mul(base, base)
	}
	return only
}

// expDown returns e^(−ε) between two numbers of the given precision.
func (e Epsilon) expDown(prec uint) enclosure {
	if e.exp {
		return encloseRat(new(big.Rat).Inv(e.rat), prec)
	}
	return expDownRat(e.rat, prec)
}

// payoffs multiplies tables of e^(−n·ε_j), each filled from one exponential.
func (a wide) payoffs(b *box, e charge, at corner) func([]int) *big.Float {
	y := wide{a.prec, !a.up, a.stop} // 1 − y is rounded the other way
	strike := y.toward(y.up).Quo(big.NewFloat(1), e.eps.expDown(a.prec).end(!y.up))
	tables := make([][]*big.Float, len(at.used))
	for j, used := range at.used {
		tables[j] = y.table(b.generators[j].eps, used)
	}
	return func(coefficients []int) *big.Float {
		if z := b.gap(e, coefficients); !z.negative() {
			return a.zero()
		}
		v := y.zero().Set(strike)
		for j, n := range coefficients {
			v.Mul(v, tables[j][(n+at.used[j])/2])
		}
		p := a.zero().Sub(a.zero().SetInt64(1), v)
		if p.Sign() < 0 {
			return a.zero()
		}
		return p
	}
}

// table returns e^(−n·ε) for n = −used, 2 − used, …, used.
func (a wide) table(e Epsilon, used int) []*big.Float {
	t := e.expDown(a.prec + guard)
	power := wide{a.prec + guard, !a.up, a.stop}.power(t.end(!a.up), used)
	w := a.zero().Quo(big.NewFloat(1), power)
	square := a.zero().Mul(t.end(a.up), t.end(a.up))
	table := make([]*big.Float, used+1)
	for i := range table {
		if i&0xfff == 0xfff && a.stop() {
			fill(table[i:], w)
			break
		}
		table[i] = a.zero().Set(w)
		w.Mul(w, square)
	}
	return table
}
