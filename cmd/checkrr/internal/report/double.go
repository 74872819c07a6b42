package report

import (
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"

	"checkrr/impl/loss"
)

// Side says where the double lies that stands for a number: what is read as a double must still be a bound.
type Side int

// The sides: Down is at or below the number, Up at or above it, and Near the closest double, of a number that bounds
// nothing.
const (
	Down Side = iota - 1
	Near
	Up
)

// Number is a number in JSON: a double on one side of it and, for [Doubles], what that does not hold.
type Number struct {
	token string // null if there is no such double
	exact string // nothing if the token says it all, and null if it is too long
}

const null = "null"

// Double returns the double.
func (n Number) Double() string { return n.token }

// String returns the number with all digits that there are.
func (n Number) String() string {
	if n.exact == "" || n.exact == null {
		return n.token
	}
	return n.exact
}

// MarshalJSON fails: what a double does not hold would get lost.
func (Number) MarshalJSON() ([]byte, error) {
	return nil, errors.New("internal error: a number of an output that is not Doubles")
}

// MaxRatio is how many characters the exact form of a number may have in JSON.
const MaxRatio = 4096

// numberOf returns a number with its exact form.
func numberOf(token, exact string) Number {
	switch {
	case exact == token:
		exact = ""
	case len(exact) > MaxRatio:
		exact = null
	}
	return Number{token, exact}
}

// Rat returns a ratio.
func (s Side) Rat(r *big.Rat) Number {
	d := s.ofRat(r)
	token := s.token(d, r)
	if isSame(d, r) {
		return Number{token, ""}
	}
	return numberOf(token, Typed(r))
}

// ofRat returns the double of a ratio.
func (s Side) ofRat(r *big.Rat) float64 {
	d, _ := r.Float64()
	if math.IsInf(d, 0) {
		return s.step(d, big.Accuracy(r.Sign()))
	}
	return s.step(d, big.Accuracy(new(big.Rat).SetFloat64(d).Cmp(r)))
}

// OrNull is [Side.Rat] for what may not be there.
func (s Side) OrNull(r *big.Rat) *Number {
	if r == nil {
		return nil
	}
	return new(s.Rat(r))
}

// Rounded returns a ratio of 128 bits that is on this side of another one.
func (s Side) Rounded(r *big.Rat) *big.Float {
	mode := map[Side]big.RoundingMode{Down: big.ToNegativeInf, Up: big.ToPositiveInf}[s]
	return new(big.Float).SetPrec(128).SetMode(mode).SetRat(r)
}

// RoundTo returns the decimal of n digits for a ratio that is at least 0.
func (s Side) RoundTo(r *big.Rat, n int) Decimal { return RoundTo(s.Rounded(r), n, s == Up) }

// step returns the double on this side of a number, of which d is the nearest.
func (s Side) step(d float64, is big.Accuracy) float64 {
	switch {
	case s == Up && is == big.Below:
		return math.Nextafter(d, math.Inf(1))
	case s == Down && is == big.Above:
		return math.Nextafter(d, math.Inf(-1))
	}
	return d
}

// Float returns the end of an interval. What a double does not hold is a decimal on the same side that reads back as x.
func (s Side) Float(x *big.Float) Number {
	d, is := x.Float64()
	d = s.step(d, is)
	if x.IsInf() {
		return Number{s.token(d, nil), ""}
	}
	token := s.token(d, ratOf(x, d))
	if is == big.Exact {
		return Number{token, ""}
	}
	size := Outward(new(big.Float).Abs(x), (s == Up) == (x.Sign() > 0))
	if x.Sign() < 0 {
		return numberOf(token, size.Negative())
	}
	return numberOf(token, size.String())
}

// ratOf returns x as a ratio or, if that would be very long, the double for it, which is next to 0.
func ratOf(x *big.Float, d float64) *big.Rat {
	if isTiny(new(big.Float).Abs(x)) {
		return new(big.Rat).SetFloat64(d)
	}
	r, _ := x.Rat(nil)
	return r
}

// Sum returns a sum of losses. There is no exact form of one that was rounded up already.
func (s Side) Sum(x loss.Sum) Number {
	if r, ok := x.Rat(); ok && !x.IsRounded() {
		return s.Rat(r)
	}
	const prec = 128
	bounds := x.Bounds(prec)
	n := s.Float(map[bool]*big.Float{true: bounds.Upper, false: bounds.Lower}[s == Up])
	switch {
	case n.exact == "":
		return n
	case x.IsRounded():
		return Number{n.token, null}
	}
	return numberOf(n.token, x.String())
}

// Whole returns a whole number with all its digits, unless they would read back as a double on the other side.
func (s Side) Whole(n *big.Int) Number {
	r := new(big.Rat).SetInt(n)
	d, _ := r.Float64()
	switch {
	case isSame(d, r):
		return Number{n.String(), ""}
	case s == Near:
		return Number{n.String(), n.String()}
	}
	return s.Rat(r)
}

func isSame(d float64, r *big.Rat) bool {
	x := new(big.Rat).SetFloat64(d) // nil if infinite
	return x != nil && x.Cmp(r) == 0
}

// token returns the shortest decimal that reads back as d and is itself on this side of x, or is x: there are readers
// that keep the decimal.
func (s Side) token(d float64, x *big.Rat) string {
	switch {
	case math.IsInf(d, 0):
		return null
	case d == 0:
		return "0"
	case d < 0:
		return "-" + (-s).token(-d, new(big.Rat).Neg(x))
	}
	text := strconv.FormatFloat(d, 'e', -1, 64)
	mantissa, exponent, _ := strings.Cut(text, "e")
	digits := strings.Replace(mantissa, ".", "", 1)
	e, err := strconv.Atoi(exponent)
	Must(err)
	shortest := Decimal{Digits(digits), e - (len(digits) - 1)}
	for n := len(digits); !s.has(shortest, d, x); n++ {
		// the first is on this side of d, the second may be between d and x
		for _, up := range []bool{s == Up, s != Up} {
			if y := RoundTo(new(big.Float).SetFloat64(d), n, up); s.has(y, d, x) {
				return y.String()
			}
		}
	}
	return shortest.String()
}

// has reports whether a decimal reads back as d, and lies on this side of x.
func (s Side) has(y Decimal, d float64, x *big.Rat) bool {
	back, err := strconv.ParseFloat(y.String(), 64)
	return err == nil && back == d && (s == Near || y.cmp(x)*int(s) >= 0)
}

// UpperBound is a double that something is not above: it is printed as a decimal that is not below it.
type UpperBound float64

// MarshalJSON prints it.
func (x UpperBound) MarshalJSON() ([]byte, error) { return x.AppendTo(nil), nil }

// AppendTo appends what is printed: there may be a million of them.
func (x UpperBound) AppendTo(b []byte) []byte {
	if text, ok := quickUp(float64(x)); ok {
		return append(b, text...)
	}
	return append(b, Up.bound(float64(x))...)
}

// quickUp is Up.bound at less cost, for some.
func quickUp(x float64) (text string, ok bool) {
	if !(x >= 1e-6 && x < 1e15) {
		return "", false
	}
	const most = 17
	for n := len(strings.Replace(strconv.FormatFloat(x, 'e', -1, 64), ".", "", 1)) - len("e-06"); n <= most; n++ {
		nearest := strconv.FormatFloat(x, 'e', n-1, 64)
		digits, err := strconv.ParseInt(strings.Replace(nearest[:len(nearest)-len("e-06")], ".", "", 1), 10, 64)
		Must(err)
		e, err := strconv.Atoi(nearest[len(nearest)-len("-06"):])
		Must(err)
		if isBelow(digits, n-1-e, x) {
			digits++
		}
		places := strconv.FormatInt(digits, 10)
		text = place(strings.TrimRight(places, "0"), e+len(places)-n)
		if back, err := strconv.ParseFloat(text, 64); err == nil && back == x {
			return text, true
		}
	}
	return "", false
}

// isBelow reports whether m/10^k, a decimal of 17 digits at most near x, is below x, for k up to 22: 10^k is a float64.
// The terms of x·10^k − m but for the last one are whole, or there are two.
func isBelow(m int64, k int, x float64) bool {
	product, whole := x*math.Pow10(k), float64(m)
	rest := math.FMA(x, math.Pow10(k), -product)
	return product-whole-float64(m-int64(whole))+rest > 0
}

// Above returns x, rounded up.
func Above(x *big.Float) UpperBound {
	d, is := x.Float64()
	return UpperBound(Up.step(d, is))
}

// LowerBound is a double that something is not below.
type LowerBound float64

// MarshalJSON prints it.
func (x LowerBound) MarshalJSON() ([]byte, error) { return []byte(Down.bound(float64(x))), nil }

// bound returns a double on this side of itself.
func (s Side) bound(x float64) string { return s.token(x, new(big.Rat).SetFloat64(x)) }
