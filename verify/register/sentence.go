package register

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"checkrr/verify/rat"
)

// Sentence is what a check says of a case: words, and the numbers that two runs are compared by.
type Sentence struct {
	Words   string   `json:"words"` // with %s for each number
	Numbers []string `json:"numbers,omitempty"`
}

// say puts a format and what it prints apart. A number may be what several make up, such as a law.
func say(format string, args ...any) (s Sentence) {
	for {
		words, rest, isVerb := strings.Cut(format, "%")
		s.Words += words
		if !isVerb {
			return s
		}
		end := strings.IndexFunc(rest, func(r rune) bool { return r == '%' || unicode.IsLetter(r) }) + 1
		verb := "%" + rest[:end]
		if format = rest[end:]; verb == "%%" {
			s.Words += verb
			continue
		}
		s.Words, s.Numbers = s.Words+"%s", append(s.Numbers, fmt.Sprintf(verb, written(verb, args[len(s.Numbers)])))
	}
}

// written returns what a verb prints of a number: of rational ones %s the ratio, %g the nearest float64.
func written(verb string, number any) any {
	switch x, isRat := number.(*big.Rat); {
	case isRat && verb == "%s":
		return rat.Show(x)
	case isRat && strings.HasSuffix(verb, "g"):
		return rat.Float64(x)
	}
	if xs, areRats := number.([]*big.Rat); areRats {
		return rat.Show(xs...)
	}
	return number
}

// place is where a case is: the beginning of what is said of it.
type place struct {
	format string
	args   []any
}

// and returns it with more of it, after a mark.
func (p place) and(mark, format string, args []any) place {
	if p.format == "" || format == "" {
		mark = ""
	}
	return place{p.format + mark + format, append(slices.Clip(p.args), args...)}
}

func (p place) say() Sentence { return say(p.format, p.args...) }

// String prints the sentence.
func (s Sentence) String() string {
	var numbers []any
	for _, x := range s.Numbers {
		numbers = append(numbers, x)
	}
	return fmt.Sprintf(s.Words, numbers...)
}

// IsZero reports whether nothing is said.
func (s Sentence) IsZero() bool { return s.Words == "" }

// same reports whether both have the same words and numbers.
func (s Sentence) same(t Sentence) bool {
	return s.Words == t.Words && slices.EqualFunc(s.Numbers, t.Numbers, func(x, y string) bool {
		return slices.EqualFunc(parts(x), parts(y), sameNumber)
	})
}

// parts are the numbers that make up one, such as a list or a law, and the words between them.
func parts(number string) []string {
	return strings.FieldsFunc(number, func(r rune) bool { return strings.ContainsRune(" ,:;()[]{}", r) })
}

// sameNumber reports whether two numbers are written the same or, if they are decimals, are hardly different:
// processors that round x·y + z once, as arm64 does, find other last digits than those that round twice.
func sameNumber(s, t string) bool {
	if s == t {
		return true
	}
	const hardly = 1e-9
	x, errX := strconv.ParseFloat(s, 64)
	y, errY := strconv.ParseFloat(t, 64)
	isDecimal := errX == nil && errY == nil && strings.Contains(s+t, ".")
	return isDecimal && math.Abs(x-y) <= hardly*max(math.Abs(x), math.Abs(y))
}
