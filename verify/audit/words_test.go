package audit

import (
	"slices"
	"strings"
	"testing"
)

// texts are such as outputs have, and such as are cut in odd places.
var texts = []string{
	"", " ", "a", "7", "one two", "request 00ff: count -3.25, ok", "x1 1x x 1", "--4 -5 a-6 +7", ".5 1. 2..3 1.2.3", "1e5 1e 1e+ 1E-3 2e5x",
	"straße 5µ µ 5", "n=12;m=-13e2", "a_b 1_2", "00012", "999999999999999999999", "1e999",
}

// The words of a text are what is between bytes that are no letter, digit or underscore.
func TestWordsOfText(t *testing.T) {
	for _, s := range texts {
		want := strings.FieldsFunc(s, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r >= 0x80)
		})
		var got []string
		eachWord(s, func(w string) { got = append(got, w) })
		if !slices.Equal(got, want) {
			t.Errorf("words of %q are %q, must be %q", s, got, want)
		}
		for _, w := range append(want, "o", "count", "1", "x", "00", "ff", "3") {
			if has := hasWord(s, w); has != slices.Contains(want, w) {
				t.Errorf("%q has the word %q: %v", s, w, has)
			}
		}
	}
}

// Numbers stand by themselves, with a sign that follows no word.
func TestNumbersOfText(t *testing.T) {
	for s, want := range map[string][]string{
		"":                              nil,
		"request 00ff: count -3.25, ok": {"-3.25"},
		"x1 1x x 1":                     {"1"},
		"--4 -5 a-6 +7":                 {"-4", "-5", "6", "+7"},
		".5 1. 2..3":                    {".5", "1", "2", ".3"},
		"1.2.3":                         {"1.2", ".3"},
		"1e5 1e 1e+ 1E-3 2e5x":          {"1e5", "1E-3"},
		"-.5 a.5":                       {"-.5", ".5"},
		"n=12;m=-13e2":                  {"12", "-13e2"},
		"5µ µ 5":                        {"5"},
		"a_b 1_2":                       nil,
	} {
		var got []string
		eachNumber(s, func(number string) bool { got = append(got, number); return true })
		if !slices.Equal(got, want) {
			t.Errorf("numbers of %q are %q, must be %q", s, got, want)
		}
		if len(want) > 1 {
			first := 0
			eachNumber(s, func(string) bool { first++; return false })
			if first != 1 {
				t.Errorf("%q: %d numbers, must end after the first", s, first)
			}
		}
	}
}

func TestNumberOfText(t *testing.T) {
	const s = "a 1, b -2.5, a 3, c 1e999"
	for index, want := range map[int]float64{0: 1, 1: -2.5, 2: 3, 3: missing, 4: missing, -1: missing, -2: 3,
		-3: -2.5, -4: 1, -5: missing} {
		if got := nthNumber(s, index); got != want {
			t.Errorf("number %d of %q is %g, must be %g", index, s, got, want)
		}
	}
	if got := nthNumber("none", 0); got != missing {
		t.Errorf("a number of a text without: %g", got)
	}
}
