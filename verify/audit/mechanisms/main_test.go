package mechanisms

import (
	"runtime/debug"
	"testing"
)

// TestMain lets the heap grow to five times what is in use, as [checkrr/verify/register.Run] does: tests leave many
// small numbers behind them, and collecting those took a fifth of the time.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}
