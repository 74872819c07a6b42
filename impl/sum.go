package impl

import (
	"fmt"
	"math/big"
	"math/bits"
)

// Sum is a sum of privacy parameters, R + ln X with R and X rational: what was given as
// ε adds up in R, what was given as e^ε multiplies in X. It is kept exactly, until it
// takes more than sumBits; see [Sum.IsRounded]. A Sum is immutable. The zero value is 0.
type Sum struct {
	nats    *big.Rat // R; nil for 0
	exp     *big.Rat // X; nil for 1
	rounded bool
}

// How many bits the fractions of a sum may take before it is rounded up, and to a
// multiple of which 2^-k. They are variables for the tests.
var (
	sumBits      = 8192
	sumFraction  = uint(256)
	sumPrecision = uint(64) // with which comparing begins
)

// numberBits is how many bits a parameter may take: two of them fit into a sum.
const numberBits = 4096

// sumOf returns ε. It shares memory with e: what is kept is added to another sum.
func sumOf(e Epsilon) Sum {
	if e.exp {
		return Sum{exp: e.rat}.normal()
	}
	return Sum{nats: e.rat}
}

// sumOfRat returns r.
func sumOfRat(r *big.Rat) Sum { return Sum{nats: r} }

// normal returns s with nil for X = 1.
func (s Sum) normal() Sum {
	if s.exp != nil && s.exp.Cmp(one) == 0 {
		s.exp = nil
	}
	return s
}

// IsRounded reports whether rounding has made s larger than the sum of what was added.
// Each time, that is by less than 2^-255 (1.8e-77): R + ln X becomes the least multiple of
// 2^-256 that a certified upper bound of it allows.
func (s Sum) IsRounded() bool { return s.rounded }

// Plus returns s + t, rounded up if that takes too much memory.
func (s Sum) Plus(t Sum) Sum {
	sum := s.exactPlus(t)
	if sum.size() > sumBits {
		return sum.roundUp()
	}
	return sum
}

func (s Sum) exactPlus(t Sum) Sum {
	return Sum{addRats(s.nats, t.nats), mulRats(s.exp, t.exp), s.rounded || t.rounded}.normal()
}

// Minus returns s − t; what it takes is not bounded.
func (s Sum) Minus(t Sum) Sum {
	if t.nats != nil {
		t.nats = new(big.Rat).Neg(t.nats)
	}
	if t.exp != nil {
		t.exp = new(big.Rat).Inv(t.exp)
	}
	return s.exactPlus(t)
}

// addRats returns x + y; it may share memory with x, not with y.
func addRats(x, y *big.Rat) *big.Rat {
	switch {
	case y == nil:
		return x
	case x == nil:
		return new(big.Rat).Set(y)
	}
	return new(big.Rat).Add(x, y)
}

// mulRats returns x·y; it may share memory with x, not with y.
func mulRats(x, y *big.Rat) *big.Rat {
	switch {
	case y == nil:
		return x
	case x == nil:
		return new(big.Rat).Set(y)
	}
	return new(big.Rat).Mul(x, y)
}

// Rat returns the number as a ratio, and whether it is one.
func (s Sum) Rat() (*big.Rat, bool) {
	if s.nats == nil {
		return new(big.Rat), s.exp == nil
	}
	return new(big.Rat).Set(s.nats), s.exp == nil
}

// Cmp returns −1, 0 or 1 as s is less than, equal to or greater than t.
func (s Sum) Cmp(t Sum) int {
	switch {
	case s.exp == nil && t.exp == nil && s.nats != nil && t.nats != nil:
		return s.nats.Cmp(t.nats)
	case s.nats == nil && t.nats == nil && s.exp != nil && t.exp != nil:
		return s.exp.Cmp(t.exp)
	}
	return s.Minus(t).Sign()
}

// Sign returns the sign of R + ln X.
//
// Only R > 0 > ln X and R < 0 < ln X need more than a glance. There the sum is not 0: X
// would be e^-R, which is transcendental for a rational R ≠ 0 (Lindemann–Weierstrass).
// So intervals around it end up on one side of 0.
func (s Sum) Sign() int {
	nats, exp := 0, 0
	if s.nats != nil {
		nats = s.nats.Sign()
	}
	if s.exp != nil {
		exp = s.exp.Cmp(one)
	}
	switch {
	case exp == 0 || nats == exp:
		return nats
	case nats == 0:
		return exp
	}
	for prec := sumPrecision; ; prec *= 2 {
		switch x := s.enclose(prec); {
		case x.Lower.Sign() > 0:
			return 1
		case x.Upper.Sign() < 0:
			return -1
		}
	}
}

// enclose returns an interval around s; both terms are rounded outward to prec bits.
func (s Sum) enclose(prec uint) Interval {
	n := reals{prec}
	x := n.int(0)
	if s.nats != nil {
		x = n.rat(s.nats)
	}
	if s.exp != nil {
		x = n.add(x, n.log(s.exp))
	}
	return x
}

// Bounds returns an interval around s whose ends differ by at most 2^-prec of either.
func (s Sum) Bounds(prec uint) Interval {
	if s.Sign() == 0 {
		return Interval{new(big.Float), new(big.Float)}
	}
	for w := prec + guard; ; w *= 2 {
		x := s.enclose(w)
		width := new(big.Float).SetMode(big.AwayFromZero).Sub(x.Upper, x.Lower)
		width.SetMantExp(width, int(prec))
		if reaches(x.Lower, width) && reaches(x.Upper, width) {
			return x
		}
	}
}

// reaches reports whether |x| ≥ y.
func reaches(x, y *big.Float) bool { return new(big.Float).Abs(x).Cmp(y) >= 0 }

// size returns what the fractions of s take, in bits.
func (s Sum) size() int { return ratBits(s.nats) + ratBits(s.exp) }

func ratBits(r *big.Rat) int {
	if r == nil {
		return 0
	}
	return r.Num().BitLen() + r.Denom().BitLen()
}

// roundUp returns a multiple of 2^-sumFraction that is not below s and less than
// 2·2^-sumFraction above it.
func (s Sum) roundUp() Sum {
	upper := s.nats
	if s.exp != nil {
		// Rounding to w bits moves a term by at most its size times 2^-w: w has as many
		// more bits as the integer parts of |ln X| < |log2 X| + 1 and R.
		w := sumFraction + guard + uint(bits.Len(uint(max(magnitude(s.exp), -magnitude(s.exp))+1)))
		if s.nats != nil {
			w += uint(max(0, magnitude(s.nats)))
		}
		upper, _ = s.enclose(w).Upper.Rat(nil)
	}
	scale := new(big.Int).Lsh(big.NewInt(1), sumFraction)
	n := new(big.Int).Mul(upper.Num(), scale)
	n.Add(n, upper.Denom()).Sub(n, big.NewInt(1))
	n.Div(n, upper.Denom()) // rounds down, after ⌈n/d⌉ = ⌊(n + d − 1)/d⌋
	return Sum{nats: new(big.Rat).SetFrac(n, scale), rounded: true}
}

// String returns the number exactly, such as 1/3 + ln(3/2).
func (s Sum) String() string {
	nats, _ := Sum{nats: s.nats}.Rat()
	switch {
	case s.exp == nil:
		return nats.RatString()
	case nats.Sign() == 0:
		return fmt.Sprintf("ln(%s)", s.exp.RatString())
	}
	return fmt.Sprintf("%s + ln(%s)", nats.RatString(), s.exp.RatString())
}
