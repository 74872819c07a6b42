// Package testkit is what the tests of impl and its rooms share.
package testkit

import (
	"flag"
	"runtime/debug"
	"strings"
	"testing"
)

// Full is the flag of the tests of impl and its rooms.
var Full = flag.Bool("full", false, "run whole tables, and more random cases: a minute more")

// RunAll runs all tests. It makes random searches short: 25 tries each, or as many as -rapid.checks says; with -full it
// is rapid's own number. It lets the heap grow to five times what is in use, but not beyond a gigabyte: collecting what
// tests leave behind takes a tenth of the time otherwise.
func RunAll(m *testing.M) {
	tries := flag.Lookup("rapid.checks").Value
	own := tries.String()
	if err := tries.Set("25"); err != nil {
		panic(err)
	}
	flag.Parse()
	if *Full && tries.String() == "25" {
		_ = tries.Set(own)
	}
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(1 << 30)
	m.Run()
}

// Few returns the first rows of a table, or with -full all.
func Few[T any](n int, rows []T) []T { return rows[:AtLeast(n, len(rows))] }

// AtLeast returns n, or with -full another number.
func AtLeast(n, all int) int {
	if *Full {
		return all
	}
	return n
}

// ExpectError fails unless err says what was expected; nothing stands for no error.
func ExpectError(t testing.TB, err error, want string) {
	t.Helper()
	if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
		t.Errorf("error is %v, must contain %q", err, want)
	}
}
