package register

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Record is what a run of the normal size found. It is kept in a file, so that a list of
// statements needs no run, and that a change of what a check finds is noticed.
type Record struct {
	Trace
	Readings  []Trace `json:"readings,omitempty"`
	Controls  []Trace `json:"controls,omitempty"`
	Corrected *Trace  `json:"corrected,omitempty"`
}

// Of returns what is recorded of a control or a reading, or nil.
func Of(recorded []Trace, i int) *Trace {
	if i < len(recorded) {
		return &recorded[i]
	}
	return nil
}

// Trace is what one check left behind.
type Trace struct {
	Domain         string `json:"domain,omitempty"`
	Cases          int    `json:"cases,omitempty"` // of a claim that fails, the place of the counterexample
	Counterexample string `json:"counterexample,omitempty"`
	Closest        string `json:"closest,omitempty"` // of a bound that holds
}

// number finds the numbers of a text: whole ones, fractions, decimals, and those with an exponent.
var number = regexp.MustCompile(`[0-9]+(?:[./][0-9]+)*(?:e[+−-]?[0-9]+)?`)

// Numbers returns the numbers of a text, in its order: what does not change when it is put in other words. A sign
// belongs to a number if nothing stands before it that a number could be subtracted from, or a range begin with.
func Numbers(text string) (all []string) {
	for _, at := range number.FindAllStringIndex(text, -1) {
		x := text[at[0]:at[1]]
		before, size := utf8.DecodeLastRuneInString(text[:at[0]])
		last, _ := utf8.DecodeLastRuneInString(text[:at[0]-size])
		if (before == '-' || before == '−') && !unicode.IsLetter(last) && !unicode.IsDigit(last) &&
			!strings.ContainsRune(")}]", last) {
			x = "-" + x
		}
		all = append(all, x)
	}
	return all
}

// Words returns a text without its numbers.
func Words(text string) string { return number.ReplaceAllString(text, "#") }

// differences says what is not as last time: the number of cases, or the numbers of the domain, of the
// counterexample or of how close it came. Other words are no difference.
func (t Trace) differences(last Trace) (all []string) {
	if t.Cases != last.Cases {
		all = append(all, fmt.Sprintf("%d cases, recorded: %d", t.Cases, last.Cases))
	}
	for _, x := range []struct{ what, now, then string }{
		{"domain", t.Domain, last.Domain}, {"counterexample", t.Counterexample, last.Counterexample},
		{"closest", t.Closest, last.Closest},
	} {
		if now, then := Numbers(x.now), Numbers(x.then); !slices.EqualFunc(now, then, sameNumber) {
			all = append(all, fmt.Sprintf("%s with the numbers %s, recorded: %s", x.what, strings.Join(now, " "),
				strings.Join(then, " ")))
		}
	}
	return all
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
	return errX == nil && errY == nil && strings.Contains(s+t, ".") && math.Abs(x-y) <= hardly*max(math.Abs(x),
		math.Abs(y))
}
