package audit

import (
	"flag"
	"runtime/debug"
	"testing"
)

var full = flag.Bool("full", false, "audit each tight mechanism 2000 times, see what is found in larger audits, "+
	"and of all else more sizes and seeds: minutes more")

// TestMain lets the heap grow to five times what is in use: collecting what tests leave behind takes a fifth of the
// time otherwise.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}

// Full reports whether tests are to take minutes.
func Full() bool { return *full }

// AtLeast returns n, or with -full another number.
func AtLeast(n, all int) int {
	if *full {
		return all
	}
	return n
}
