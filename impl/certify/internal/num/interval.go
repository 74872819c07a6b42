package num

import (
	"math/big"
	"sync"
)

// Interval contains a real number. Its ends are rounded outward, by the rounding modes of
// [big.Float]; nothing else is assumed about arithmetic here.
type Interval struct{ Lo, Hi *big.Float }

func Down(prec uint) *big.Float {
	return new(big.Float).SetPrec(prec).SetMode(big.ToNegativeInf)
}
func Up(prec uint) *big.Float { return new(big.Float).SetPrec(prec).SetMode(big.ToPositiveInf) }

// toward returns a fresh 0 that rounds up or down.
func toward(isUp bool, prec uint) *big.Float {
	if isUp {
		return Up(prec)
	}
	return Down(prec)
}

func OfRat(r *big.Rat, prec uint) Interval { return Interval{Down(prec).SetRat(r), Up(prec).SetRat(r)} }
func OfInt(n int64) Interval {
	return Interval{big.NewFloat(0).SetInt64(n), big.NewFloat(0).SetInt64(n)}
}

func (x Interval) Add(y Interval, prec uint) Interval {
	return Interval{Down(prec).Add(x.Lo, y.Lo), Up(prec).Add(x.Hi, y.Hi)}
}

func (x Interval) Sub(y Interval, prec uint) Interval {
	return Interval{Down(prec).Sub(x.Lo, y.Hi), Up(prec).Sub(x.Hi, y.Lo)}
}

// Mul returns x·y for x, y ≥ 0.
func (x Interval) Mul(y Interval, prec uint) Interval {
	return Interval{Down(prec).Mul(x.Lo, y.Lo), Up(prec).Mul(x.Hi, y.Hi)}
}

// Quo returns x/y for x ≥ 0 and y > 0.
func (x Interval) Quo(y Interval, prec uint) Interval {
	return Interval{Down(prec).Quo(x.Lo, y.Hi), Up(prec).Quo(x.Hi, y.Lo)}
}

// Times returns n·x.
func (x Interval) Times(n int64, prec uint) Interval {
	if n < 0 {
		x = Interval{x.Hi, x.Lo}
	}
	k := new(big.Float).SetInt64(n)
	return Interval{Down(prec).Mul(x.Lo, k), Up(prec).Mul(x.Hi, k)}
}

// IsNarrow reports whether x is known to about so many bits.
func (x Interval) IsNarrow(bits uint) bool {
	w := Up(64).Sub(x.Hi, x.Lo)
	return w.Sign() == 0 || x.Lo.Sign() > 0 && w.MantExp(nil) <= x.Lo.MantExp(nil)-int(bits)
}

// MaxExponent is the x from which on e^−x is only known to be at most 2^(−4x/3); 2^−x is taken for 0.
const MaxExponent = 3 << 15

// ExpNeg returns e^−x for x ≥ 0.
func ExpNeg(x Interval, prec uint) Interval {
	return Interval{ExpNegEnd(x.Hi, prec, false), ExpNegEnd(x.Lo, prec, true)}
}

// ExpNegEnd returns an upper or a lower bound of e^−x, x ≥ 0: one over a lower or an upper
// bound of e^x. With y = x/2^s < 2^-8, e^y is at least each partial sum of its series, and the
// terms left out are less than twice the first of them; e^x is e^y squared s times. All
// numbers are positive, so rounding every operation one way does.
func ExpNegEnd(x *big.Float, prec uint, isUp bool) *big.Float {
	if x.Cmp(big.NewFloat(MaxExponent)) > 0 {
		if isUp {
			return new(big.Float).SetMantExp(big.NewFloat(1), -MaxExponent*4/3)
		}
		return Down(prec)
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

// Log returns ln(r) for a rational r ≥ 1: with r = 2^e·m, 3/4 ≤ m < 3/2, it is
// e·ln 2 + 2·artanh((m − 1)/(m + 1)).
func Log(r *big.Rat, prec uint) Interval {
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
	z := new(big.Rat).Quo(new(big.Rat).Sub(m, One), new(big.Rat).Add(m, One))
	w := prec + 32
	if z.Sign() < 0 {
		return OfInt(0).Sub(twiceArtanh(z.Neg(z), w), w).Add(ln2(w).Times(int64(e), w), w)
	}
	return twiceArtanh(z, w).Add(ln2(w).Times(int64(e), w), w)
}

func pow2(e int) *big.Rat {
	x := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(e, -e))))
	if e < 0 {
		x.Inv(x)
	}
	return x
}

// ln2 returns ln 2, which many logarithms need: it is remembered by its precision.
func ln2(prec uint) Interval {
	x, ok := knownLn2.Load(prec)
	if !ok {
		x, _ = knownLn2.LoadOrStore(prec, twiceArtanh(big.NewRat(1, 3), prec))
	}
	return x.(Interval)
}

var knownLn2 sync.Map

// twiceArtanh returns 2·artanh(z) = 2·(z + z³/3 + z⁵/5 + …) for 0 ≤ z ≤ 1/3: the terms left out
// are less than an eighth of the last one.
func twiceArtanh(z *big.Rat, prec uint) Interval {
	x := OfRat(z, prec)
	square, power, sum := x.Mul(x, prec), x, x
	for n := int64(3); power.Hi.Sign() != 0 && power.Hi.MantExp(nil) > x.Hi.MantExp(nil)-int(prec); n += 2 {
		power = power.Mul(square, prec)
		sum = sum.Add(power.Quo(OfInt(n), prec), prec)
	}
	sum.Hi.Add(sum.Hi, power.Hi)
	return sum.Times(2, prec)
}

var One = big.NewRat(1, 1)

// Smaller returns the smaller number.
func Smaller(x, y *big.Float) *big.Float {
	if x.Cmp(y) < 0 {
		return x
	}
	return y
}

// Larger returns the larger number.
func Larger(x, y *big.Float) *big.Float {
	if x.Cmp(y) > 0 {
		return x
	}
	return y
}
