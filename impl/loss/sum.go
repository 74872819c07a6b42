package loss

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"math/bits"

	"checkrr/impl/internal/dd"
	"checkrr/impl/internal/rational"
	"checkrr/impl/interval"
)

// Sum is a sum of privacy parameters, R + ln X with R and X rational: what was given as
// ε adds up in R, what was given as e^ε multiplies in X. It is kept exactly, until it
// takes more than sumBits; see [Sum.IsRounded]. A Sum is immutable. The zero value is 0.
//
// R is units·10^-18 + rest. Nearly every parameter in use has at most 18 decimals, and
// whole numbers of units are added without allocating; all others go to rest.
type Sum struct {
	units   uint128
	rest    *big.Rat // nil for 0
	exp     *big.Rat // X; nil for 1
	rounded bool
}

// unitsInOne is how many units make 1, unitDigits how many decimals a unit has.
const (
	unitsInOne = 1_000_000_000_000_000_000
	unitDigits = 18
)

// How many bits the fractions of a sum may take before it is rounded up, and to a
// multiple of which 2^-k. They are variables for the tests.
var (
	sumBits      = maxSumBits
	sumFraction  = uint(256)
	sumPrecision = uint(64) // with which comparing begins
)

// sumGuard is how many more bits sums are enclosed with at first.
const sumGuard = 32

// MaxBits is how many bits a parameter may take: two of them fit into a sum.
const MaxBits = 4096

// Of returns ε, which is copied.
func Of(e Epsilon) Sum {
	if e.Log {
		return Sum{exp: rational.Copy(e.Value)}.normal()
	}
	return OfRat(e.Value)
}

// OfRat returns r, which is copied.
func OfRat(r *big.Rat) Sum {
	if units, ok := unitsOf(r); ok {
		return Sum{units: units}
	}
	return Sum{rest: rational.Copy(r)}
}

// unitsOf returns r in units, if it is a whole number of them that is not negative.
func unitsOf(r *big.Rat) (uint128, bool) {
	if r.Sign() < 0 || !r.Num().IsUint64() {
		return uint128{}, false
	}
	each := uint64(unitsInOne) // 1/denominator
	if !r.IsInt() {
		denominator := r.Denom()
		if !denominator.IsUint64() || unitsInOne%denominator.Uint64() != 0 {
			return uint128{}, false
		}
		each /= denominator.Uint64()
	}
	hi, lo := bits.Mul64(r.Num().Uint64(), each)
	return uint128{hi, lo}, true
}

// uint128 is hi·2^64 + lo.
type uint128 struct{ hi, lo uint64 }

func (x uint128) isZero() bool { return x == uint128{} }

// plus returns x + y, if it is below 2^128.
func (x uint128) plus(y uint128) (sum uint128, ok bool) {
	lo, carry := bits.Add64(x.lo, y.lo, 0)
	hi, carry := bits.Add64(x.hi, y.hi, carry)
	return uint128{hi, lo}, carry == 0
}

func (x uint128) cmp(y uint128) int {
	return cmp.Or(cmp.Compare(x.hi, y.hi), cmp.Compare(x.lo, y.lo))
}

// rat returns x units.
func (x uint128) rat() *big.Rat { return new(big.Rat).SetFrac(x.int(), unitsOfOne) }

// int returns x.
func (x uint128) int() *big.Int {
	n := new(big.Int).SetUint64(x.hi)
	return n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(x.lo))
}

// unitsOfOne is unitsInOne.
var unitsOfOne = big.NewInt(unitsInOne)

// nats returns R, in memory that may be shared with s; nil for 0.
func (s Sum) nats() *big.Rat {
	if s.units.isZero() {
		return s.rest
	}
	return addRats(s.units.rat(), s.rest)
}

// normal returns s with nil for X = 1.
func (s Sum) normal() Sum {
	if s.exp != nil && s.exp.Cmp(rational.One) == 0 {
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
	sum := s.PlusExactly(t)
	if sum.size() > sumBits {
		return sum.roundUp()
	}
	return sum
}

// PlusExactly returns s + t; what it takes is not bounded.
func (s Sum) PlusExactly(t Sum) Sum {
	sum := Sum{rest: addRats(s.rest, t.rest), exp: mulRats(s.exp, t.exp), rounded: s.rounded || t.rounded}
	units, ok := s.units.plus(t.units)
	if ok {
		sum.units = units
	} else {
		sum.rest = addRats(addRats(s.units.rat(), t.units.rat()), sum.rest)
	}
	return sum.normal()
}

// Minus returns s − t; what it takes is not bounded.
func (s Sum) Minus(t Sum) Sum {
	difference := Sum{rest: s.nats(), exp: s.exp, rounded: s.rounded || t.rounded}
	if r := t.nats(); r != nil {
		difference.rest = addRats(difference.rest, new(big.Rat).Neg(r))
	}
	if t.exp != nil {
		difference.exp = mulRats(difference.exp, new(big.Rat).Inv(t.exp))
	}
	return difference.normal()
}

// addRats returns x + y; it may share memory with either.
func addRats(x, y *big.Rat) *big.Rat {
	switch {
	case y == nil:
		return x
	case x == nil:
		return y
	}
	return new(big.Rat).Add(x, y)
}

// mulRats returns x·y; it may share memory with either.
func mulRats(x, y *big.Rat) *big.Rat {
	switch {
	case y == nil:
		return x
	case x == nil:
		return y
	}
	return new(big.Rat).Mul(x, y)
}

// Rat returns the number as a ratio, and whether it is one.
func (s Sum) Rat() (*big.Rat, bool) {
	return addRats(new(big.Rat), s.nats()), s.exp == nil
}

// Key returns what two sums have in common if and only if they are equal and rounded alike, for use in maps.
func (s Sum) Key() any {
	if s.rest == nil && s.exp == nil && !s.rounded {
		return s.units
	}
	return s.canonical()
}

// canonical returns the units if s is a whole number of them, as its representation may not be, and otherwise
// the number as a text: R + ln X has only one R and one X, since e^R is transcendental for a rational R ≠ 0.
func (s Sum) canonical() any {
	r, isRat := s.Rat()
	if units, ok := unitsOf(r); ok && isRat && !s.rounded {
		return units
	}
	return fmt.Sprint(s.String(), s.rounded)
}

// Cmp returns −1, 0 or 1 as s is less than, equal to or greater than t.
func (s Sum) Cmp(t Sum) int {
	sameRest, sameExp := s.rest == nil && t.rest == nil, s.exp == nil && t.exp == nil
	switch {
	case sameRest && sameExp:
		return s.units.cmp(t.units)
	case sameRest && s.units == t.units && s.exp != nil && t.exp != nil:
		return s.exp.Cmp(t.exp)
	}
	x, y := s.near(), t.near()
	switch {
	case x.upper < y.lower:
		return -1
	case x.lower > y.upper:
		return 1
	}
	return s.Minus(t).Sign()
}

// near returns floats around s, at little cost. All three terms must be at least 0: their
// relative errors, and those of the two additions, are below 2^-51 each then.
func (s Sum) near() (x struct{ lower, upper float64 }) {
	const slack = 0x1p-48
	f := (float64(s.units.hi)*0x1p64 + float64(s.units.lo)) / unitsInOne
	switch {
	case s.rest != nil && s.rest.Sign() < 0, s.exp != nil && s.exp.Cmp(rational.One) < 0:
		x.lower, x.upper = math.Inf(-1), math.Inf(1)
		return x
	case s.rest != nil:
		r, _ := s.rest.Float64()
		f += r
	}
	if s.exp != nil {
		f += dd.LogRat(s.exp).Hi
	}
	x.lower, x.upper = f*(1-slack), f*(1+slack)+math.SmallestNonzeroFloat64
	return x
}

// Sign returns the sign of R + ln X.
//
// Only R > 0 > ln X and R < 0 < ln X need more than a glance. There the sum is not 0: X
// would be e^-R, which is transcendental for a rational R ≠ 0 (Lindemann–Weierstrass).
// So intervals around it end up on one side of 0.
func (s Sum) Sign() int {
	nats, exp := 0, 0
	if r := s.nats(); r != nil {
		nats = r.Sign()
	}
	if s.exp != nil {
		exp = s.exp.Cmp(rational.One)
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
func (s Sum) enclose(prec uint) interval.Interval {
	n := interval.Precision(prec)
	x := n.Int(0)
	if r := s.nats(); r != nil {
		x = n.Rat(r)
	}
	if s.exp != nil {
		x = n.Add(x, n.Log(s.exp))
	}
	return x
}

// Bounds returns an interval around s whose ends differ by at most 2^-prec of either.
func (s Sum) Bounds(prec uint) interval.Interval {
	if s.Sign() == 0 {
		return interval.New(new(big.Float), new(big.Float))
	}
	for w := prec + sumGuard; ; w *= 2 {
		x := s.enclose(w)
		width := new(big.Float).SetMode(big.AwayFromZero).Sub(x.Upper, x.Lower)
		width.SetMantExp(width, int(prec))
		if reaches(x.Lower, width) && reaches(x.Upper, width) {
			return x
		}
	}
}

// Float is s.Bounds(64).Float(), at little cost where there is no logarithm.
func (s Sum) Float() interval.Float {
	num, denom := new(big.Int), unitsOfOne
	switch {
	case s.exp != nil:
		return s.Bounds(64).Float()
	case s.rest != nil:
		r := s.nats()
		num, denom = r.Num(), r.Denom()
	default:
		num = s.units.int()
	}
	x, y := new(big.Float).SetInt(num), new(big.Float).SetInt(denom)
	quo := func(mode big.RoundingMode) *big.Float { return new(big.Float).SetPrec(53).SetMode(mode).Quo(x, y) }
	least := quo(big.ToNegativeInf)
	if s.rest != nil {
		// beyond the range of normal float64s it rounds again
		return interval.New(least, quo(big.ToPositiveInf)).Float()
	}
	lo, _ := least.Float64() // units are well within that range
	if least.Acc() == big.Exact {
		return interval.Point(lo)
	}
	return interval.NewFloat(lo, math.Nextafter(lo, math.Inf(1)))
}

// reaches reports whether |x| ≥ y.
func reaches(x, y *big.Float) bool { return new(big.Float).Abs(x).Cmp(y) >= 0 }

// size returns what the fractions of s take, in bits.
func (s Sum) size() int { return rational.Bits(s.rest) + rational.Bits(s.exp) }

// roundUp returns a multiple of 2^-sumFraction that is not below s and less than
// 2·2^-sumFraction above it.
func (s Sum) roundUp() Sum {
	upper := s.nats()
	if s.exp != nil {
		// Rounding to w bits moves a term by at most its size times 2^-w: w has as many
		// more bits as the integer parts of |ln X| < |log2 X| + 1 and R.
		w := sumFraction + sumGuard + uint(bits.Len(uint(max(rational.Magnitude(s.exp), -rational.Magnitude(s.exp))+1)))
		if upper != nil {
			w += uint(max(0, rational.Magnitude(upper)))
		}
		upper, _ = s.enclose(w).Upper.Rat(nil)
	}
	scale := new(big.Int).Lsh(big.NewInt(1), sumFraction)
	n := new(big.Int).Mul(upper.Num(), scale)
	n.Add(n, upper.Denom()).Sub(n, big.NewInt(1))
	n.Div(n, upper.Denom()) // rounds down, after ⌈n/d⌉ = ⌊(n + d − 1)/d⌋
	return Sum{rest: new(big.Rat).SetFrac(n, scale), rounded: true}
}

// String returns the number exactly, such as 1/3 + ln(3/2).
func (s Sum) String() string {
	nats, _ := s.Rat()
	switch {
	case s.exp == nil:
		return nats.RatString()
	case nats.Sign() == 0:
		return fmt.Sprintf("ln(%s)", s.exp.RatString())
	}
	return fmt.Sprintf("%s + ln(%s)", nats.RatString(), s.exp.RatString())
}

// Text is s for a message, short.
func (s Sum) Text() string {
	if t := s.String(); len(t) <= 40 {
		if r, ok := s.Rat(); ok {
			return rational.Decimal(r)
		}
		return t
	}
	return "about " + s.Bounds(53).Upper.Text('g', 12)
}

// CutTo returns s, or t if rounding has lifted s above it.
func (s Sum) CutTo(t Sum) Sum {
	if s.rounded && s.Cmp(t) > 0 {
		t.rounded = true
		return t
	}
	return s
}

// AtMost reports whether s is at most t or, if s was rounded, above it by no more than the rounding after which it was
// reached.
func (s Sum) AtMost(t Sum) bool {
	if s.rounded {
		lift := new(big.Int).Lsh(big.NewInt(1), sumFraction-1)
		t = t.PlusExactly(OfRat(new(big.Rat).SetFrac(big.NewInt(1), lift)))
	}
	return s.Cmp(t) <= 0
}
