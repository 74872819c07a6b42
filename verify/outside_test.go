package verify

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestOutside: the programs of docs/go.md, each in a module of its own, print what the page says.
func TestOutside(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/go.md")
	if err != nil {
		t.Fatal(err)
	}
	programs := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllSubmatch(page, -1)
	prints := regexp.MustCompile("It prints `(.*?)`").FindAllSubmatch(page, -1)
	if len(programs) == 0 || len(programs) != len(prints) {
		t.Fatalf("docs/go.md has %d programs, and says of %d what they print", len(programs), len(prints))
	}
	for i, program := range programs {
		if got := runOutside(t, program[1]); got != string(prints[i][1]) {
			t.Errorf("program %d prints\n%s\nwant\n%s", i+1, got, prints[i][1])
		}
	}
}

// runOutside returns what a program prints, in a module of its own.
func runOutside(t *testing.T, program []byte) string {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile("../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`(?m)^go .*$`).Find(mod)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":  fmt.Sprintf("module outside\n\n%s\n\nrequire checkrr v0.0.0\n\nreplace checkrr => %s\n", version, root),
		"go.sum":  string(sum),
		"main.go": string(program),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.Command("go", "run", "-mod=mod", ".")
	command.Dir = dir
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s\n%v", out, err)
	}
	return strings.TrimSpace(string(out))
}
