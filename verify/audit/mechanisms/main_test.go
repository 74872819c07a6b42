package mechanisms

import (
	"flag"
	"runtime/debug"
	"testing"
)

var full = flag.Bool("full", false, "audit with more outputs, of spec's programs and of what is hard to refute, too, "+
	"compare more with a perfect sniper, on a million, and go through all corners of the parameters")

// TestMain lets the heap grow to five times what is in use, as [checkrr/verify/register.Run] does: tests leave many
// small numbers behind them, and collecting those took a fifth of the time.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}

// atLeast returns n, or with -full another number.
func atLeast(n, all int) int {
	if *full {
		return all
	}
	return n
}
