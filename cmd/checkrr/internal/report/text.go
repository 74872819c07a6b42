package report

import (
	"strconv"
	"strings"
)

// Quote shows a typed text in a message: on one line, shortened, and between
// quotation marks unless it looks like a number or a word.
func Quote(s string) string {
	const longest = 40
	if len(s) > longest {
		s = strings.ToValidUTF8(s[:longest], "") + "…"
	}
	isPlain := func(r rune) bool {
		return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("+-./_…", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !isPlain(r) }) < 0 {
		return s
	}
	return strconv.Quote(s)
}

// Must panics if there is an error that there cannot be.
func Must(err error) {
	if err != nil {
		panic("internal error: " + err.Error())
	}
}

// Short returns x in so many digits.
func Short(x float64, digits int) string { return strconv.FormatFloat(x, 'g', digits, 64) }
