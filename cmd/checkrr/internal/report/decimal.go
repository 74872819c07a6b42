package report

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"checkrr/impl/interval"
)

// Decimal is the number Mantissa × 10^Exponent, Mantissa ≥ 0.
type Decimal struct {
	Mantissa *big.Int
	Exponent int
}

// RoundTo returns the largest decimal of n digits that is not above x ≥ 0, or,
// if up, the smallest that is not below x; of x below 1e-9990 it is 0 or, if up, 1e-9990.
func RoundTo(x *big.Float, n int, up bool) Decimal {
	switch {
	case !isTiny(x):
	case up:
		return Decimal{pow10(n - 1), -leastExponent - (n - 1)}
	default:
		return Decimal{new(big.Int), 0}
	}
	mantissa, exponent, _ := strings.Cut(x.Text('e', n-1), "e") // nearest
	e, err := strconv.Atoi(exponent)
	Must(err)
	d := Decimal{Digits(strings.Replace(mantissa, ".", "", 1)), e - (n - 1)}
	exact, _ := x.Rat(nil)
	switch side := d.cmp(exact); {
	case up && side < 0:
		d = d.next(n)
	case !up && side > 0:
		d = d.previous(n)
	}
	return d
}

// leastExponent bounds the decimals that are written out: their digits take a time that grows with the square of it.
const leastExponent = 9990

// isTiny reports whether x is positive and below 1e-9990.
func isTiny(x *big.Float) bool { return x.Sign() > 0 && x.MantExp(nil) < -33_190 } // 2^-33190 is 1.2e-9991

// cmp compares d with a ratio.
func (d Decimal) cmp(r *big.Rat) int {
	x, y := new(big.Int).Mul(d.Mantissa, r.Denom()), r.Num()
	if d.Exponent >= 0 {
		return x.Mul(x, pow10(d.Exponent)).Cmp(y)
	}
	return x.Cmp(new(big.Int).Mul(y, pow10(-d.Exponent)))
}

// Rat returns the number that d is.
func (d Decimal) Rat() *big.Rat { return Scaled(new(big.Int).Set(d.Mantissa), d.Exponent) }

// next returns the decimal of n digits that follows d.
func (d Decimal) next(n int) Decimal {
	m := new(big.Int).Add(d.Mantissa, big.NewInt(1))
	if m.Cmp(pow10(n)) == 0 { // 999 → 1000
		return Decimal{pow10(n - 1), d.Exponent + 1}
	}
	return Decimal{m, d.Exponent}
}

// previous returns the decimal of n digits that precedes d.
func (d Decimal) previous(n int) Decimal {
	if d.Mantissa.Cmp(pow10(n-1)) == 0 { // 100 → 99.9
		m := pow10(n)
		return Decimal{m.Sub(m, big.NewInt(1)), d.Exponent - 1}
	}
	return Decimal{new(big.Int).Sub(d.Mantissa, big.NewInt(1)), d.Exponent}
}

// Outward returns the shortest decimal that reads back as x at x's own
// precision and lies on the given side of x, so that an interval printed in
// this way still contains what it contained.
func Outward(x *big.Float, up bool) Decimal {
	if x.Sign() == 0 {
		return Decimal{new(big.Int), 0}
	}
	if isTiny(x) {
		return RoundTo(x, 1, up)
	}
	mantissa, _, _ := strings.Cut(x.Text('e', -1), "e")
	for n := len(strings.Replace(mantissa, ".", "", 1)); ; n++ {
		d := RoundTo(x, n, up)
		back, _, err := big.ParseFloat(d.String(), 10, x.Prec(), big.ToNearestEven)
		if err == nil && back.Cmp(x) == 0 {
			return d
		}
	}
}

// String prints d without trailing zeros, in a form that is also JSON.
func (d Decimal) String() string {
	text := strings.TrimRight(d.Mantissa.String(), "0")
	if text == "" {
		return "0"
	}
	return place(text, d.Exponent+len(d.Mantissa.String())-1)
}

// Negative prints −d, which is no “-0”.
func (d Decimal) Negative() string {
	if d.Mantissa.Sign() == 0 {
		return "0"
	}
	return "-" + d.String()
}

// Fixed prints d with all its digits.
func (d Decimal) Fixed() string {
	text := d.Mantissa.String()
	if d.Mantissa.Sign() == 0 {
		return "0"
	}
	return place(text, d.Exponent+len(text)-1)
}

// place puts point and exponent: the first of the digits stands for 10^e.
func place(digits string, e int) string {
	switch {
	case -5 < e && e < 0:
		return "0." + strings.Repeat("0", -e-1) + digits
	case 0 <= e && e < len(digits)-1:
		return digits[:e+1] + "." + digits[e+1:]
	case e == len(digits)-1:
		return digits
	case 0 <= e && e < 15:
		return digits + strings.Repeat("0", e+1-len(digits))
	}
	s := digits[:1]
	if len(digits) > 1 {
		s += "." + digits[1:]
	}
	sign := "+"
	if e < 0 {
		sign, e = "-", -e
	}
	return s + "e" + sign + strings.Repeat("0", max(0, 2-len(strconv.Itoa(e)))) + strconv.Itoa(e)
}

// Agreement prints both ends of an interval, rounded outward, with as many
// digits as it takes to see how far they agree.
func Agreement(i interval.Interval) (lower, upper string) {
	const fewest = 4
	for n := fewest; ; n++ {
		lo, hi := RoundTo(i.Lower, n, false), RoundTo(i.Upper, n, true)
		if i.Lower.Cmp(i.Upper) == 0 || hi.farFrom(lo) {
			return lo.Fixed(), hi.Fixed()
		}
	}
}

// Between shows both ends as Agreement does, or one where they are the same.
func Between(i interval.Interval) string {
	lower, upper := Agreement(i)
	if lower == upper {
		return lower
	}
	return fmt.Sprintf("between %s and %s", lower, upper)
}

// farFrom reports whether d and the smaller e, of as many digits, differ by so
// much that further digits would tell nothing.
func (d Decimal) farFrom(e Decimal) bool {
	const far = 10 // units of d's last digit; rounding outward accounts for two
	if e.Mantissa.Sign() == 0 || d.Exponent > e.Exponent+1 {
		return true
	}
	unit := pow10(d.Exponent - e.Exponent)
	apart := new(big.Int).Mul(d.Mantissa, unit)
	apart.Sub(apart, e.Mantissa)
	return apart.Cmp(unit.Mul(unit, big.NewInt(far))) > 0
}

// Finite returns r in decimal digits, if at most n of them are needed.
func Finite(r *big.Rat, n int) (string, bool) {
	places, ok := r.FloatPrec()
	if !ok {
		return "", false
	}
	m := Scaled(new(big.Int).Abs(r.Num()), places)
	m.Quo(m, new(big.Rat).SetInt(r.Denom())) // a whole number
	d := Decimal{m.Num(), -places}
	if len(strings.TrimRight(d.Mantissa.String(), "0")) > n {
		return "", false
	}
	if r.Sign() < 0 {
		return d.Negative(), true
	}
	return d.String(), true
}

// mostDigits is how many digits a decimal may have that is printed for what was typed.
const mostDigits = 400

// Typed returns r in a form that can be typed: a decimal if it is one.
func Typed(r *big.Rat) string {
	if text, ok := Finite(r, mostDigits); ok {
		return text
	}
	return r.RatString()
}

// Scaled returns m × 10^e.
func Scaled(m *big.Int, e int) *big.Rat {
	if m.Sign() == 0 {
		return new(big.Rat)
	}
	if e >= 0 {
		return new(big.Rat).SetInt(m.Mul(m, pow10(e)))
	}
	return new(big.Rat).SetFrac(m, pow10(-e))
}

// pow10 returns 10^e.
func pow10(e int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(e)), nil)
}

// Digits returns the number that s denotes, which is digits.
func Digits(s string) *big.Int {
	n, ok := new(big.Int).SetString(s, 10)
	if !ok {
		panic("internal error: not digits: " + Quote(s))
	}
	return n
}
