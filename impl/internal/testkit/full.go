// Package testkit is what the tests of impl and its rooms share.
package testkit

import (
	"flag"
	"hash/fnv"
	"runtime/debug"
	"strings"
	"testing"
)

// The flags of the tests of impl and its rooms.
var (
	Full = flag.Bool("full", false, "run what takes seconds, whole tables, and more random cases: a minute more")
	part = flag.Int("part", -1, "with -full, run one in 8 of the tests that take seconds, others for every number; "+
		"all if below 0")
)

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

// Deep skips a test that takes seconds, but with -full.
func Deep(t *testing.T) {
	t.Helper()
	hash := fnv.New32a()
	hash.Write([]byte(t.Name()))
	if !*Full || *part >= 0 && int(hash.Sum32()%8) != *part%8 {
		t.Skip("takes seconds: -full runs it")
	}
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
