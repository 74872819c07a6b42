package conjecture

import (
	"runtime/debug"
	"testing"
)

// TestMain lets the heap grow to five times what is in use: collecting what tests leave behind takes a quarter of the
// time otherwise.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}
