package verify

import (
	"flag"
	"runtime/debug"
	"testing"
)

// TestMain lets the heap grow to five times what is in use, as [register.Run] does: tests leave many small numbers behind
// them, and collecting those took a fifth of the time. Properties are tried on 50 problems each, half of rapid's own number, if
// -rapid.checks does not say otherwise: these ask every method about each problem.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	if err := flag.Set("rapid.checks", "50"); err != nil {
		panic(err)
	}
	m.Run()
}
