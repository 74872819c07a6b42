package main

import (
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestNotice: NOTICE names each module that a binary has in it, and no other, with a licence of which it has the text.
func TestNotice(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go")
	}
	modules := map[string]bool{"std": true}
	for _, system := range []string{"linux", "darwin", "windows"} {
		cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", ".")
		cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(system, err)
		}
		for path := range strings.FieldsSeq(string(out)) {
			modules[path] = true
		}
	}
	delete(modules, "checkrr")
	text := contents(t, "../../NOTICE")
	var named []string
	for _, line := range regexp.MustCompile(`(?m)^(\S+) \((.+?)\): \S*Copyright .`).FindAllStringSubmatch(text, -1) {
		named = append(named, line[1])
		for licence := range strings.SplitSeq(line[2], " AND ") {
			isElsewhere := licence == "Apache-2.0" || licence == "CC-BY-4.0"
			if !isElsewhere && !strings.Contains(text, "\n"+licence) {
				t.Errorf("%s: there is no text of %s", line[1], licence)
			}
		}
	}
	if want := slices.Sorted(maps.Keys(modules)); !slices.Equal(named, want) {
		t.Errorf("NOTICE names\n%s\nmust name\n%s", strings.Join(named, "\n"), strings.Join(want, "\n"))
	}
}
