package certify

import (
	"math/big"
	"sync"
)

// interval contains a real number. Its ends are rounded outward, by the rounding modes of
// [big.Float]; nothing else is assumed about arithmetic here.
type interval struct{ lo, hi *big.Float }

func down(prec uint) *big.Float {
	return new(big.Float).SetPrec(prec).SetMode(big.ToNegativeInf)
}
func up(prec uint) *big.Float { return new(big.Float).SetPrec(prec).SetMode(big.ToPositiveInf) }

// toward returns a fresh 0 that rounds up or down.
func toward(isUp bool, prec uint) *big.Float {
	if isUp {
		return up(prec)
	}
	return down(prec)
}

func ofRat(r *big.Rat, prec uint) interval { return interval{down(prec).SetRat(r), up(prec).SetRat(r)} }
func ofInt(n int64) interval {
	return interval{big.NewFloat(0).SetInt64(n), big.NewFloat(0).SetInt64(n)}
}

func (x interval) add(y interval, prec uint) interval {
	return interval{down(prec).Add(x.lo, y.lo), up(prec).Add(x.hi, y.hi)}
}

func (x interval) sub(y interval, prec uint) interval {
	return interval{down(prec).Sub(x.lo, y.hi), up(prec).Sub(x.hi, y.lo)}
}

// mul returns x·y for x, y ≥ 0.
func (x interval) mul(y interval, prec uint) interval {
	return interval{down(prec).Mul(x.lo, y.lo), up(prec).Mul(x.hi, y.hi)}
}

// quo returns x/y for x ≥ 0 and y > 0.
func (x interval) quo(y interval, prec uint) interval {
	return interval{down(prec).Quo(x.lo, y.hi), up(prec).Quo(x.hi, y.lo)}
}

// times returns n·x.
func (x interval) times(n int64, prec uint) interval {
	if n < 0 {
		x = interval{x.hi, x.lo}
	}
	k := new(big.Float).SetInt64(n)
	return interval{down(prec).Mul(x.lo, k), up(prec).Mul(x.hi, k)}
}

// isNarrow reports whether x is known to about so many bits.
func (x interval) isNarrow(bits uint) bool {
	w := up(64).Sub(x.hi, x.lo)
	return w.Sign() == 0 || x.lo.Sign() > 0 && w.MantExp(nil) <= x.lo.MantExp(nil)-int(bits)
}

// maxExponent is the x from which on e^−x is only known to be at most 2^(−4x/3); 2^−x is taken for 0.
const maxExponent = 3 << 15

// expNeg returns e^−x for x ≥ 0.
func expNeg(x interval, prec uint) interval {
	return interval{expNegEnd(x.hi, prec, false), expNegEnd(x.lo, prec, true)}
}

// expNegEnd returns an upper or a lower bound of e^−x, x ≥ 0: one over a lower or an upper
// bound of e^x. With y = x/2^s < 2^-8, e^y is at least each partial sum of its series, and the
// terms left out are less than twice the first of them; e^x is e^y squared s times. All
// numbers are positive, so rounding every operation one way does.
func expNegEnd(x *big.Float, prec uint, isUp bool) *big.Float {
	if x.Cmp(big.NewFloat(maxExponent)) > 0 {
		if isUp {
			return new(big.Float).SetMantExp(big.NewFloat(1), -maxExponent*4/3)
		}
		return down(prec)
	}
	s := max(0, x.MantExp(nil)+8)
	w := prec + uint(s) + 16
	y := new(big.Float).SetPrec(x.Prec()).SetMantExp(x, -s)
	sum, term := toward(!isUp, w).SetInt64(1), toward(!isUp, w).SetInt64(1)
	for n := int64(1); term.Sign() != 0 && term.MantExp(nil) > -int(w); n++ {
		term.Mul(term, y)
		term.Quo(term, new(big.Float).SetInt64(n))
		sum.Add(sum, term)
	}
	if !isUp {
		sum.Add(sum, term) // the rest: term·(y/(n+1) + …) < term
	}
	for range s {
		sum.Mul(sum, sum)
	}
	return toward(isUp, prec).Quo(big.NewFloat(1), sum)
}

// log returns ln(r) for a rational r ≥ 1: with r = 2^e·m, 3/4 ≤ m < 3/2, it is
// e·ln 2 + 2·artanh((m − 1)/(m + 1)).
func log(r *big.Rat, prec uint) interval {
	e := r.Num().BitLen() - r.Denom().BitLen()
	m := new(big.Rat).Quo(r, pow2(e))
	for m.Cmp(big.NewRat(3, 2)) >= 0 {
		m.Quo(m, big.NewRat(2, 1))
		e++
	}
	for m.Cmp(big.NewRat(3, 4)) < 0 {
		m.Mul(m, big.NewRat(2, 1))
		e--
	}
	z := new(big.Rat).Quo(new(big.Rat).Sub(m, one), new(big.Rat).Add(m, one))
	w := prec + 32
	if z.Sign() < 0 {
		return ofInt(0).sub(twiceArtanh(z.Neg(z), w), w).add(ln2(w).times(int64(e), w), w)
	}
	return twiceArtanh(z, w).add(ln2(w).times(int64(e), w), w)
}

func pow2(e int) *big.Rat {
	x := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(e, -e))))
	if e < 0 {
		x.Inv(x)
	}
	return x
}

// ln2 returns ln 2, which many logarithms need: it is remembered by its precision.
func ln2(prec uint) interval {
	x, ok := knownLn2.Load(prec)
	if !ok {
		x, _ = knownLn2.LoadOrStore(prec, twiceArtanh(big.NewRat(1, 3), prec))
	}
	return x.(interval)
}

var knownLn2 sync.Map

// twiceArtanh returns 2·artanh(z) = 2·(z + z³/3 + z⁵/5 + …) for 0 ≤ z ≤ 1/3: the terms left out
// are less than an eighth of the last one.
func twiceArtanh(z *big.Rat, prec uint) interval {
	x := ofRat(z, prec)
	square, power, sum := x.mul(x, prec), x, x
	for n := int64(3); power.hi.Sign() != 0 && power.hi.MantExp(nil) > x.hi.MantExp(nil)-int(prec); n += 2 {
		power = power.mul(square, prec)
		sum = sum.add(power.quo(ofInt(n), prec), prec)
	}
	sum.hi.Add(sum.hi, power.hi)
	return sum.times(2, prec)
}
