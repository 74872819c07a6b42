package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestExample_Python: examples/dpsgd.py runs from the source where checkrr is not installed, whatever the working directory is.
func TestExample_Python(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil || !*full {
		t.Skip("there is no python3, or no -full: it builds checkrr")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go")
	}
	script, err := filepath.Abs("../../examples/dpsgd.py")
	if err != nil {
		t.Fatal(err)
	}
	hasNone := func(folder string) bool {
		_, err := os.Stat(filepath.Join(folder, "checkrr"))
		return err != nil
	}
	var path []string
	for _, folder := range filepath.SplitList(os.Getenv("PATH")) {
		if hasNone(folder) {
			path = append(path, folder)
		}
	}
	cmd := exec.Command(python, script)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "PATH="+strings.Join(path, string(filepath.ListSeparator)))
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Count(string(out), "stopped after ") != 4 {
		t.Fatalf("%v: %s", err, out)
	}
}
