package report

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agext/levenshtein"
)

// Quote shows a typed text in a message: on one line, shortened, and between
// quotation marks unless it looks like a number or a word. Of a long number it shows both ends: a ratio has a
// denominator there, and numbers that begin alike are told apart.
func Quote(s string) string {
	const longest, tail = 40, 16
	isNumeric := strings.Trim(s, "0123456789+-./eE") == ""
	switch {
	case len(s) > longest && isNumeric:
		s = s[:longest-tail] + "…" + s[len(s)-tail:]
	case len(s) > longest:
		end := longest
		for end > longest-utf8.UTFMax && !utf8.RuneStart(s[end]) {
			end--
		}
		s = s[:end] + "…"
	}
	isPlain := func(r rune) bool {
		return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("+-./_…", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !isPlain(r) }) < 0 {
		return s
	}
	return quoted(s)
}

// Names returns the names of some things.
func Names[T any](all []T, name func(T) string) (names []string) {
	for _, x := range all {
		names = append(names, name(x))
	}
	return names
}

// Must panics if there is an error that there cannot be.
func Must(err error) {
	if err != nil {
		panic("internal error: " + err.Error())
	}
}

// Floor returns a finite x, rounded down to so many digits; to the nearest if it is that but for its last bits.
func Floor(x float64, digits int) string {
	text := Short(x, digits)
	nearest, err := strconv.ParseFloat(text, 64)
	Must(err)
	if nearest-x <= 4*math.Abs(x)*0x1p-52 {
		return text
	}
	if x < 0 {
		return RoundTo(big.NewFloat(-x), digits, true).Negative()
	}
	return RoundTo(big.NewFloat(x), digits, false).String()
}

// Short returns x in so many digits.
func Short(x float64, digits int) string { return strconv.FormatFloat(x, 'g', digits, 64) }

// Widths returns a width that was reached, and the one that was asked for: in two digits, or in as many as tell them
// apart where it is wider.
func Widths(reached *big.Float, asked float64) (_, _ string) {
	const most = 17
	for digits := 2; ; digits++ {
		x, y := reached.Text('g', digits), Short(asked, digits)
		if x != y || digits == most || reached.Cmp(big.NewFloat(asked)) <= 0 {
			return x, y
		}
	}
}

// Nearest returns the name that is at most two letters off what was typed, and less than half of them; if there is
// none, one that begins with it, or else ends with it, or the other way round; empty if there is none either. One that
// is the same but for - and _ is before all others.
func Nearest(typed string, names []string) (name string) {
	dashed := func(name string) string { return strings.ReplaceAll(name, "_", "-") }
	if i := slices.IndexFunc(names, func(n string) bool { return dashed(n) == dashed(typed) }); i >= 0 {
		return names[i]
	}
	const short = 2 // names that say nothing in another
	least, begun, part := min(3, (len(typed)+1)/2), "", ""
	for _, n := range names {
		if distance := levenshtein.Distance(typed, n, nil); distance < least {
			least, name = distance, n
		}
		if begun == "" && len(typed) > short && strings.HasPrefix(n, typed) {
			begun = n
		}
		if part == "" && (len(typed) > short && isAtEnd(n, typed) || len(n) > short && isAtEnd(typed, n)) {
			part = n
		}
	}
	return cmp.Or(name, begun, part)
}

// isAtEnd reports whether a name begins or ends with a part.
func isAtEnd(name, part string) bool {
	return strings.HasPrefix(name, part) || strings.HasSuffix(name, part)
}
