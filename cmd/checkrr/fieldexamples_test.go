package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestFieldExamples: every audit file of the examples, and of the field report, can be read. What they name is not run:
// it needs the libraries that are audited.
func TestFieldExamples(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../examples/field/*/*.yaml")
	own, _ := filepath.Glob("../../examples/audit-*.yaml")
	files = append(files, own...)
	if err != nil || len(files) < 50 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		code, stdout, stderr := checkrr("", "audit", "--no-run", file)
		if code != exitOK || !strings.Contains(stdout, "Claim") || stderr != "" {
			t.Errorf("%s: exit code %d, %s%s", file, code, stdout, stderr)
		}
	}
}
