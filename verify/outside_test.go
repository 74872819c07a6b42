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

// TestOutside: the program of docs/go.md, in a module of its own, prints what the page says.
func TestOutside(t *testing.T) {
	page, err := os.ReadFile("../docs/go.md")
	if err != nil {
		t.Fatal(err)
	}
	program := regexp.MustCompile("(?s)```go\n(.*?)```").FindSubmatch(page)
	prints := regexp.MustCompile("It prints `(.*?)`").FindSubmatch(page)
	if program == nil || prints == nil {
		t.Fatal("docs/go.md has no program, or does not say what it prints")
	}
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
		"main.go": string(program[1]),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.Command("go", "run", "-mod=mod", ".")
	command.Dir = dir
	out, err := command.CombinedOutput()
	if got := strings.TrimSpace(string(out)); err != nil || got != string(prints[1]) {
		t.Errorf("it prints\n%s\nwant\n%s\n%v", got, prints[1], err)
	}
}
