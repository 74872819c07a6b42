package main

import (
	"math/big"
	"strconv"
	"strings"

	"checkrr/impl/interval"
)

// decimal is the number mantissa × 10^exponent, mantissa ≥ 0.
type decimal struct {
	mantissa *big.Int
	exponent int
}

// roundTo returns the largest decimal of n digits that is not above x ≥ 0, or,
// if up, the smallest that is not below x.
func roundTo(x *big.Float, n int, up bool) decimal {
	mantissa, exponent, _ := strings.Cut(x.Text('e', n-1), "e") // nearest
	e, err := strconv.Atoi(exponent)
	must(err)
	d := decimal{digits(strings.Replace(mantissa, ".", "", 1)), e - (n - 1)}
	exact, _ := x.Rat(nil)
	switch side := scaled(new(big.Int).Set(d.mantissa), d.exponent).Cmp(exact); {
	case up && side < 0:
		d = d.next(n)
	case !up && side > 0:
		d = d.previous(n)
	}
	return d
}

// rat returns the number that d is.
func (d decimal) rat() *big.Rat { return scaled(new(big.Int).Set(d.mantissa), d.exponent) }

// next returns the decimal of n digits that follows d.
func (d decimal) next(n int) decimal {
	m := new(big.Int).Add(d.mantissa, big.NewInt(1))
	if m.Cmp(pow10(n)) == 0 { // 999 → 1000
		return decimal{pow10(n - 1), d.exponent + 1}
	}
	return decimal{m, d.exponent}
}

// previous returns the decimal of n digits that precedes d.
func (d decimal) previous(n int) decimal {
	if d.mantissa.Cmp(pow10(n-1)) == 0 { // 100 → 99.9
		m := pow10(n)
		return decimal{m.Sub(m, big.NewInt(1)), d.exponent - 1}
	}
	return decimal{new(big.Int).Sub(d.mantissa, big.NewInt(1)), d.exponent}
}

// outward returns the shortest decimal that reads back as x at x's own
// precision and lies on the given side of x, so that an interval printed in
// this way still contains what it contained.
func outward(x *big.Float, up bool) decimal {
	if x.Sign() == 0 {
		return decimal{new(big.Int), 0}
	}
	mantissa, _, _ := strings.Cut(x.Text('e', -1), "e")
	for n := len(strings.Replace(mantissa, ".", "", 1)); ; n++ {
		d := roundTo(x, n, up)
		back, _, err := big.ParseFloat(d.String(), 10, x.Prec(), big.ToNearestEven)
		if err == nil && back.Cmp(x) == 0 {
			return d
		}
	}
}

// String prints d without trailing zeros, in a form that is also JSON.
func (d decimal) String() string {
	text := strings.TrimRight(d.mantissa.String(), "0")
	if text == "" {
		return "0"
	}
	return place(text, d.exponent+len(d.mantissa.String())-1)
}

// fixed prints d with all its digits.
func (d decimal) fixed() string {
	text := d.mantissa.String()
	if d.mantissa.Sign() == 0 {
		return "0"
	}
	return place(text, d.exponent+len(text)-1)
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

// agreement prints both ends of an interval, rounded outward, with as many
// digits as it takes to see how far they agree.
func agreement(i interval.Interval) (lower, upper string) {
	const fewest = 4
	for n := fewest; ; n++ {
		lo, hi := roundTo(i.Lower, n, false), roundTo(i.Upper, n, true)
		if i.Lower.Cmp(i.Upper) == 0 || hi.farFrom(lo) {
			return lo.fixed(), hi.fixed()
		}
	}
}

// farFrom reports whether d and the smaller e, of as many digits, differ by so
// much that further digits would tell nothing.
func (d decimal) farFrom(e decimal) bool {
	const far = 10 // units of d's last digit; rounding outward accounts for two
	if e.mantissa.Sign() == 0 || d.exponent > e.exponent+1 {
		return true
	}
	unit := pow10(d.exponent - e.exponent)
	apart := new(big.Int).Mul(d.mantissa, unit)
	apart.Sub(apart, e.mantissa)
	return apart.Cmp(unit.Mul(unit, big.NewInt(far))) > 0
}
