package program

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"checkrr/verify/audit"
)

// What a program has started ends with it.
func TestGroup(t *testing.T) {
	t.Parallel()
	p := start(t, "parent")
	var s audit.Sample
	if err := p.On(json.RawMessage("0"), false).Sample(t.Context(), 2, [32]byte{}, &s); err != nil {
		t.Fatal(err)
	}
	child := int(s.Groups()[0].Numbers[0])
	if err := syscall.Kill(child, 0); err != nil {
		t.Fatalf("the child does not run: %v", err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	for runs(child) {
		time.Sleep(time.Millisecond)
	}
}

// runs reports whether a process runs. One that has ended and that nobody has waited for
// does not.
func runs(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, _ := strings.Cut(string(text), ") ")
	return err == nil && !strings.HasPrefix(state, "Z")
}
