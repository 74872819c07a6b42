package input

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"checkrr/cmd/checkrr/internal/report"
)

// Limits on a typed number, so that a short text cannot ask for a huge one.
const (
	MaxDigits   = 400
	maxExponent = 10_000
)

// ParseNumber reads a decimal such as 0.1, .5 or 1e-6, or a ratio of whole
// numbers such as 3/2, exactly as typed. The error continues a sentence that
// starts with the name of the number: "is ..., must be ...".
func ParseNumber(s string) (*big.Rat, error) {
	unsigned, negative := cutSign(s)
	var r *big.Rat
	var err error
	if num, den, isRatio := strings.Cut(unsigned, "/"); isRatio {
		r, err = parseRatio(num, den)
	} else {
		r, err = parseDecimal(unsigned)
	}
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, fmt.Errorf("is %s, must be a decimal such as 0.1 or 1e-6, or a ratio such as 3/2%s", report.Quote(s),
			meant(s))
	}
	if negative {
		r.Neg(r)
	}
	return r, nil
}

// units are what people write behind numbers.
var units = map[byte]string{'%': "e-2", 'k': "e3", 'K': "e3", 'M': "e6"}

// meant says which number may have been meant by one with a unit.
func meant(s string) string {
	if s == "" || units[s[len(s)-1]] == "" {
		return ""
	}
	number := strings.TrimSpace(s[:len(s)-1]) + units[s[len(s)-1]]
	if r, err := parseDecimal(number); err != nil || r == nil {
		return ""
	}
	return "; did you mean " + number + "?"
}

// parseRatio returns num/den, or nil if that is not a ratio of whole numbers.
func parseRatio(num, den string) (*big.Rat, error) {
	if !isDigits(num) || !isDigits(den) {
		return nil, nil
	}
	if err := checkDigits(max(len(num), len(den))); err != nil {
		return nil, err
	}
	d := report.Digits(den)
	if d.Sign() == 0 {
		return nil, fmt.Errorf("is %s, must have a denominator other than 0", report.Quote(num+"/"+den))
	}
	return new(big.Rat).SetFrac(report.Digits(num), d), nil
}

// parseDecimal returns the number that s denotes, or nil if it is not an
// unsigned decimal. [big.Rat.SetString] is of no use here: it takes 0x1p4, 1_0
// and 010/3 (as octal), and builds 1e1000000 before anyone can object.
func parseDecimal(s string) (*big.Rat, error) {
	mantissa, exponent, hasExponent := s, "", false
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, exponent, hasExponent = s[:i], s[i+1:], true
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	unsigned, negative := cutSign(exponent)
	if !isDigits(whole+fraction) || hasExponent && !isDigits(unsigned) {
		return nil, nil
	}
	if err := checkDigits(len(whole) + len(fraction)); err != nil {
		return nil, err
	}
	e, err := strconv.Atoi("0" + unsigned)
	if err != nil || e > maxExponent {
		return nil, fmt.Errorf("has the exponent %s, must have one between -%d and %d", report.Quote(exponent), maxExponent,
			maxExponent)
	}
	if negative {
		e = -e
	}
	return report.Scaled(report.Digits(whole+fraction), e-len(fraction)), nil
}

// maxCount is the least whole number that is too large for a count.
const maxCount = min(math.MaxInt, 1e18)

// ParseCount reads a whole number, which may be typed as 1e6.
func ParseCount(s string) (int, error) {
	digits := s
	if unsigned, _ := cutSign(s); !isDigits(unsigned) {
		r, err := ParseNumber(s)
		if err != nil || !r.IsInt() || strings.Contains(s, "/") {
			return 0, fmt.Errorf("is %s, must be a whole number such as 100", report.Quote(s))
		}
		digits = r.Num().String()
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n >= maxCount || n <= -maxCount {
		return 0, fmt.Errorf("is %s, must have at most 18 digits", report.Quote(s))
	}
	return n, nil
}

func checkDigits(n int) error {
	if n > MaxDigits {
		return fmt.Errorf("has %d digits, must have at most %d", n, MaxDigits)
	}
	return nil
}

func cutSign(s string) (rest string, negative bool) {
	if strings.HasPrefix(s, "+") || strings.HasPrefix(s, "-") {
		return s[1:], s[0] == '-'
	}
	return s, false
}

func isDigits(s string) bool {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return s != ""
}

// ParseWhole reads a whole number between two others, written in any way: 1e6, too.
func ParseWhole(s string, least, most int) (int, error) {
	r, err := ParseNumber(s)
	if err != nil {
		return 0, err
	}
	whole, ok := wholeBetween(r, least, most)
	if !ok {
		return 0, fmt.Errorf("is %s, must be a whole number from %d to %d", report.Quote(s), least, most)
	}
	return whole, nil
}

// wholeBetween returns a number as an int if it is a whole one in a range.
func wholeBetween(r *big.Rat, least, most int) (int, bool) {
	if !r.IsInt() || r.Cmp(big.NewRat(int64(least), 1)) < 0 || r.Cmp(big.NewRat(int64(most), 1)) > 0 {
		return 0, false
	}
	return int(r.Num().Int64()), true
}
