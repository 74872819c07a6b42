package input

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/verify/audit"
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
		return nil, fmt.Errorf("is %s, must be a decimal such as 0.1 or 1e-6, or a ratio such as 3/2%s",
			report.Quote(s), meant(s))
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
		return nil, fmt.Errorf("has the exponent %s, must have one between -%d and %d", report.Quote(exponent),
			maxExponent, maxExponent)
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

// A Rule returns what a number must be, if it is not that.
type Rule func(*big.Rat) string

func ruleOfNumber(says string, holds func(x *big.Rat) bool) Rule {
	return func(x *big.Rat) string {
		if holds(x) {
			return ""
		}
		return says
	}
}

func within(low, high *big.Rat) func(x *big.Rat) bool {
	return func(x *big.Rat) bool { return x.Cmp(low) >= 0 && x.Cmp(high) <= 0 }
}

var ratOne = big.NewRat(1, 1)

// The rules that flags and files have in common. What alpha is at least keeps it, and shares of it, within float64.
var (
	From0        = ruleOfNumber("at least 0", func(x *big.Rat) bool { return x.Sign() >= 0 })
	Positive     = ruleOfNumber("greater than 0", func(x *big.Rat) bool { return x.Sign() > 0 })
	Probability  = ruleOfNumber("between 0 and 1", within(new(big.Rat), ratOne))
	Between0And1 = ruleOfNumber("greater than 0 and less than 1", func(x *big.Rat) bool {
		return x.Sign() > 0 && x.Cmp(ratOne) < 0
	})
	Alpha = ruleOfNumber("between 1e-100 and 0.5", within(report.Scaled(big.NewInt(1), -100), big.NewRat(1, 2)))
)

// numeric is a text that tables of numbers have.
var numeric = regexp.MustCompile(`^(?i:[-+0-9.,/e \t]|inf(inity)?|nan)*$`)

// showCell shows a text out of a table that another file names, unless it cannot be from a table of numbers: the name
// may be that of any file, and what is in that is nothing to be shown.
func showCell(text string) string {
	if numeric.MatchString(text) {
		return report.Quote(text)
	}
	return "text that is no number"
}

// parseCell is [ParseNumber] for such a text.
func parseCell(text string) (*big.Rat, error) {
	r, err := ParseNumber(text)
	if err != nil && !numeric.MatchString(text) {
		err = errors.New("is " + showCell(text) + ", must be a decimal such as 0.1 or 1e-6, or a ratio such as 3/2")
	}
	return r, err
}

// memoryUnits are what an amount of memory can be given in, with their bytes.
var memoryUnits = []struct {
	name  string
	bytes int64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9},
	{"TB", 1e12}}

// maxMemory is the most memory that an audit can be given.
const maxMemory = 1 << 42

// ParseMemory reads an amount of memory for an audit, such as 512 MiB, in bytes.
func ParseMemory(text string) (int64, error) {
	for _, unit := range memoryUnits {
		number, ok := strings.CutSuffix(text, unit.name)
		if !ok {
			continue
		}
		r, err := ParseNumber(strings.TrimSpace(number))
		if err != nil {
			return 0, fmt.Errorf("is %s, must be a number with a unit, such as 512 MiB", report.Quote(text))
		}
		r.Mul(r, new(big.Rat).SetInt64(unit.bytes))
		if r.Cmp(big.NewRat(audit.LeastMemory, 1)) < 0 || r.Cmp(big.NewRat(maxMemory, 1)) > 0 {
			return 0, fmt.Errorf("is %s, must be between 64 MiB and 4 TiB", report.Quote(text))
		}
		return new(big.Int).Quo(r.Num(), r.Denom()).Int64(), nil
	}
	return 0, fmt.Errorf("is %s, must be a number with a unit, such as 512 MiB or 1 GiB", report.Quote(text))
}

// memory reads an amount of memory, in bytes.
func (s source) memory(what string, n ast.Node) int64 {
	bytes, err := ParseMemory(s.scalar(what, n, "an amount such as 512 MiB"))
	if err != nil {
		s.fail(n, "%s %v", what, err)
	}
	return bytes
}
