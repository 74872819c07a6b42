package main

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var full = flag.Bool("full", false, "build the renamed module, and a second one that imports it")

const newPath = "example.org/you/checkrr"

// A renamed copy is not changed by renaming it again, builds, and can be imported from a second module.
func TestRename(t *testing.T) {
	t.Parallel()
	renamed := filepath.Join(t.TempDir(), "checkrr")
	copyTracked(t, renamed)
	if err := run([]string{newPath, renamed}, io.Discard); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time as if the first had been interrupted
		if left := leftIn(t, renamed); len(left) > 0 {
			t.Errorf("the old path is left in\n%s", strings.Join(left, "\n"))
		}
		command(t, renamed, "go", "mod", "edit", "-module=checkrr")
		if err := run([]string{newPath, renamed}, io.Discard); err != nil {
			t.Fatal(err)
		}
	}
	if !*full {
		return
	}
	command(t, renamed, "go", "build", "./...")
	command(t, renamed, "go", "test", "./verify", "-run", "Layout")

	_, guide, _ := strings.Cut(contents(t, filepath.Join(renamed, "docs/go.md")), "```go\n")
	program, after, _ := strings.Cut(guide, "```\n")
	second := t.TempDir()
	write(t, filepath.Join(second, "go.mod"), "module example.org/second\n\ngo 1.26.0\n")
	write(t, filepath.Join(second, "main.go"), program)
	write(t, filepath.Join(second, "own.go"), statement)
	command(t, second, "go", "mod", "edit", "-require="+newPath+"@v0.0.0", "-replace="+newPath+"="+renamed)
	command(t, second, "go", "mod", "tidy")
	lines := strings.Split(strings.TrimSpace(command(t, second, "go", "run", ".")), "\n")
	if want := "n² < 9·n: fails, n = 9"; lines[0] != want {
		t.Errorf("a statement of the second module: %q, want %q", lines[0], want)
	}
	if printed := lines[len(lines)-1]; len(lines) != 2 || !strings.HasPrefix(after, "\nIt prints `"+printed+"`") {
		t.Errorf("the program of docs/go.md prints %q, and not what stands there", printed)
	}
}

// statement is a file of the second module: a statement of its own in a register.
const statement = `package main

import (
	"context"
	"fmt"

	"` + newPath + `/verify/register"
)

func init() {
	below := func(t *register.T) {
		for n := 1; n <= 20; n++ {
			t.Case()
			if n*n >= 9*n {
				t.Refute("n = %d", n)
			}
		}
	}
	s := register.Statement{Title: "n² < 9·n", Kind: register.Exact, Verdict: register.Fails, Check: below}
	f := register.Run(context.Background(), []register.Statement{s}, register.Options{})[0]
	fmt.Printf("%s: %s, %s\n", s.Title, f.Verdict(), f.Outcome.Counterexample)
}
`

// leftIn returns the files of a folder that name a package by its old path.
func leftIn(t *testing.T, folder string) (left []string) {
	t.Helper()
	files, err := filesOf(os.DirFS(folder))
	if err != nil {
		t.Fatal(err)
	}
	old := regexp.MustCompile(`(^|[^\w./-])checkrr/(cmd/checkrr|docs|exhaustive|impl|spec|verify)\b`)
	return slices.DeleteFunc(files, func(name string) bool {
		return !old.MatchString(contents(t, filepath.Join(folder, name)))
	})
}

// What names a package has the new path, and what only looks so has not.
func TestRename_Texts(t *testing.T) {
	t.Parallel()
	r := newRenaming("old", newPath, []string{"impl/optdel.go", "impl/internal/check/check.go", "cmd/old/main.go"})
	for _, test := range []struct{ file, before, after string }{
		{"a.md", "`old/impl` and old/impl/internal.", "`N/impl` and N/impl/internal."},
		{"a.md", "see old/impl.OptDel, old/impl.", "see N/impl.OptDel, N/impl."},
		{"a.md", "-gcflags=old/...=-l 'old/impl/...'", "-gcflags=N/...=-l 'N/impl/...'"},
		{"a.sh", "-X old/cmd/old.version=1", "-X N/cmd/old.version=1"},
		{"a.md", "./cmd/old/impl ../old/impl my-old/impl", ""},
		{"a.md", "old/steps.yaml old/implicit old optdel", ""},
		{"a.md", "old/impl\x00", ""},
		{"a.md", "old/impl\xff", ""},
		{"go.mod", "module old\n\ngo 1.26\n", "module N\n\ngo 1.26\n"},
		{"b/go.mod", "module b\n\nrequire (\n\told v0.0.0 // a\n\tolds v1.0.0\n)\n\nreplace old => ../old\n",
			"module b\n\nrequire (\n\tN v0.0.0 // a\n\tolds v1.0.0\n)\n\nreplace N => ../old\n"},
		{"a.go", "package a // as old/impl\n\nimport i \"old/impl\"\n\nvar b = \"old/impl\" + `old`\n",
			"package a // as N/impl\n\nimport i \"N/impl\"\n\nvar b = \"N/impl\" + `old`\n"},
		{"a.go", "package a\n\nimport _ \"olds/impl\"\n", ""},
		{"a.go", "package a\r\n\r\nimport _ \"old/impl\"\r\n\r\nvar b = `1\r\nold/impl\r\n3` // old/impl\r\n",
			"package a\r\n\r\nimport _ \"N/impl\"\r\n\r\nvar b = `1\r\nN/impl\r\n3` // N/impl\r\n"},
		{"a.go", "package a\r\n\nvar b   = 1\r\n", ""},
		{"go.mod", "module old\r\n\r\ngo 1.26\r\n", "module N\r\n\r\ngo 1.26\r\n"},
	} {
		want := strings.ReplaceAll(test.after, "N", newPath)
		if want == "" {
			want = test.before
		}
		if got, err := r.file(test.file, []byte(test.before)); err != nil || string(got) != want {
			t.Errorf("%s: %q becomes %q, want %q (%v)", test.file, test.before, got, want, err)
		}
	}
}

// A path that goes on from the old one is put in once, however often a run is interrupted before it is in go.mod.
func TestRename_Longer(t *testing.T) {
	t.Parallel()
	const from, to = "example.org/checkrr", "example.org/checkrr/fork"
	folder := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module " + from + "\n", "impl/a.go": "package impl\n",
		"b.go": "package b\n\nimport _ \"" + from + "/impl\"\n", "c.md": from + "/impl",
		"d/go.mod": "module d\n\nrequire " + from + " v0.0.0\n"} {
		write(t, filepath.Join(folder, name), text)
	}
	for range 3 {
		if err := run([]string{to, folder}, io.Discard); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"b.go", "c.md", "d/go.mod"} {
			text := contents(t, filepath.Join(folder, name))
			if strings.Count(text, to) != 1 || strings.Contains(text, to+"/fork") {
				t.Errorf("%s is %q", name, text)
			}
		}
		write(t, filepath.Join(folder, "go.mod"), "module "+from+"\n")
	}
	err := run([]string{from + "/impl", folder}, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "must not be that of a package of the module") {
		t.Error(err)
	}
}

// Nothing is written where something is wrong, and a second run has nothing to do.
func TestRename_Errors(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, test := range []struct {
		files  map[string]string
		args   []string
		report string
	}{
		{nil, nil, "there are 0 arguments, must be the new path and perhaps a folder"},
		{nil, []string{"a", "b", "c"}, "there are 3 arguments"},
		{nil, []string{"example.org/you/checkrr/v2"}, `is "example.org/you/checkrr/v2", must be without a version`},
		{nil, []string{"old"}, `the new path is "old", must be such as example.org/you/checkrr`},
		{nil, []string{"example.org/a b"}, "must be such as example.org/you/checkrr"},
		{nil, []string{newPath, filepath.Join(folder, "none")}, "none"},
		{nil, []string{newPath, folder}, "go.mod"},
		{map[string]string{"go.mod": "go 1.26\n"}, []string{newPath, folder}, "must have one"},
		{map[string]string{"go.mod": "module old\n", "a.go": "package a\n\nimport _ \"old/b\"\n", "b.go": "pack"},
			[]string{newPath, folder}, "b.go:1:1: expected 'package'"},
		{map[string]string{"b.go": "package a\n"}, []string{newPath, folder}, ""},
		{nil, []string{newPath, folder}, ""},
	} {
		for name, text := range test.files {
			write(t, filepath.Join(folder, name), text)
		}
		var out bytes.Buffer
		err := run(test.args, &out)
		if (err == nil) != (test.report == "") || err != nil && !strings.Contains(err.Error(), test.report) {
			t.Errorf("%q: error %v, want %q", test.args, err, test.report)
		}
		if len(test.files) == 3 && contents(t, filepath.Join(folder, "a.go")) != test.files["a.go"] {
			t.Errorf("%q: something is written", test.args)
		}
	}
	if !strings.Contains(contents(t, filepath.Join(folder, "a.go")), newPath+"/b") {
		t.Error("nothing is renamed")
	}
	if files, err := filesOf(os.DirFS(folder)); err != nil || files[len(files)-1] != "go.mod" {
		t.Errorf("go.mod is not written last: %v (%v)", files, err)
	}
}

// copyTracked copies the files of the repository that git tracks.
func copyTracked(t *testing.T, to string) {
	t.Helper()
	names := strings.TrimRight(command(t, "../..", "git", "ls-files", "-z"), "\x00")
	for name := range strings.SplitSeq(names, "\x00") {
		text, err := os.ReadFile(filepath.Join("../..", name))
		if errors.Is(err, fs.ErrNotExist) { // it is to be removed
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(to, name), string(text))
	}
}

func command(t *testing.T, folder, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	var errs bytes.Buffer
	cmd.Dir, cmd.Stderr = folder, &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", cmd, err, out, &errs)
	}
	return string(out)
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(text), 0o666)); err != nil {
		t.Fatal(err)
	}
}

func contents(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
