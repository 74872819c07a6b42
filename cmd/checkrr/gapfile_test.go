package main

import (
	"bytes"
	"io"
	"regexp"
	"strings"
	"testing"
)

// A file with ε has the same numbers as the flags, in JSON with all digits.
func TestGapOfFile(t *testing.T) {
	t.Parallel()
	const rest = " --values 3,70,1000 --json"
	code, ofFile, stderr := commanded("gap"+rest, "mechanisms: [{eps: 0.05, count: 1000}]")
	if code != exitOK {
		t.Fatalf("code %d, stderr %s", code, stderr)
	}
	var out bytes.Buffer
	run(strings.Fields("gap --eps 0.05 --mechanisms 1000"+rest), strings.NewReader(""), &out, io.Discard)
	ofFlags := out.String()
	others := regexp.MustCompile(`"mechanism":"eps: 0\.05, delta: 0",|"eps":0\.05,"spread":0,"order":"rising",|"seconds":[^}]*`)
	if got, want := others.ReplaceAllString(ofFile, ""), others.ReplaceAllString(ofFlags, ""); got != want || ofFile == ofFlags {
		t.Errorf("of the file:\n%s\nof the flags:\n%s", got, want)
	}
}
