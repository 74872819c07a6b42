package impl

import (
	"runtime/debug"
	"testing"
)

// TestMain lets the heap grow to five times what is in use, but not beyond a gigabyte: collecting what tests leave
// behind takes a tenth of the time otherwise.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(1 << 30)
	m.Run()
}
