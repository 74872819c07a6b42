package papers

import (
	"regexp"
	"slices"
	"testing"

	"checkrr/verify/register"
)

// misprint finds words by which an entry says that print has another word or sign than it must have.
var misprint = regexp.MustCompile(`(?i)misprint|\b(?:is|are) meant\b|\bshould be\b|\b(?:is|are) printed for\b|` +
	`\bslips? in print\b|\bis a slip\b|\bwhere [^.;]{1,60} (?:is|are) printed\b|\bsign [^.;]{0,40}\bis lost\b`)

// What is literally printed is what is checked: whoever reads it kindly says so where it fails. So no entry says that
// there is a misprint unless it fails, or has a reading that does: the literal one, with its severity and a
// counterexample.
func TestWording_MisprintsFail(t *testing.T) {
	t.Parallel()
	for _, p := range All {
		for _, s := range p.Statements() {
			if says := admits(s); says != "" && !hasFailing(s) {
				t.Errorf("%s says “%s”, but it does not fail, and has no reading with a severity that does", s.ID, says)
			}
		}
	}
}

// admits returns the words by which an entry says that something is misprinted.
func admits(s register.Statement) string {
	for _, text := range []string{s.Title, s.Printed, s.Reading, s.Note} {
		if found := misprint.FindString(text); found != "" {
			return found
		}
	}
	return ""
}

// hasFailing reports whether what is printed fails: the statement, or a reading that is print.
func hasFailing(s register.Statement) bool {
	return s.Verdict == register.Fails || slices.ContainsFunc(s.Readings, func(r register.Reading) bool {
		return r.Verdict == register.Fails && r.Severity != ""
	})
}

// The test above sees what it is for.
func TestWording_IsSeen(t *testing.T) {
	t.Parallel()
	for _, says := range []string{"A misprint.", "g_2 is meant.", "T̂_1, …, T̂_k are meant", "It should be ≤.",
		"0 is printed for δ", "Slips in print: two", "the domain is a slip.", "⊆ where ∈ is printed.",
		"The sign = is lost; the next display has it."} {
		if admits(register.Statement{Note: says}) == "" {
			t.Errorf("%q is not seen", says)
		}
	}
	for _, says := range []string{"∈ is printed, and read as ⊆", "what is lost is the overshoot",
		"budgets that are lost", "what that means is open"} {
		if found := admits(register.Statement{Note: says}); found != "" {
			t.Errorf("%q: %q is no misprint", says, found)
		}
	}
	slip := register.Reading{Verdict: register.Fails, Severity: register.Slip}
	other := register.Reading{Verdict: register.Fails}
	for _, c := range []struct {
		s    register.Statement
		want bool
	}{
		{register.Statement{Verdict: register.Holds}, false},
		{register.Statement{Verdict: register.Fails}, true},
		{register.Statement{Verdict: register.Holds, Readings: []register.Reading{other}}, false},
		{register.Statement{Verdict: register.Holds, Readings: []register.Reading{other, slip}}, true},
	} {
		if hasFailing(c.s) != c.want {
			t.Errorf("%v fails: want %v", c.s, c.want)
		}
	}
}
