package registertest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"checkrr/verify/register"
)

// Mutant is a wrong change of the code that the checks of a register are to notice: in a file, the text Old,
// which is there exactly once, becomes New.
type Mutant struct {
	Name     string // what is wrong
	File     string // from the root of the module
	Old, New string
	In       string  // what entries name of it, such as spec.OptDel; if empty, the function that is changed
	Also     *Mutant // the same mistake in another room; only its File, Old and New count
	Survives string  // why no check of the register notices it; empty if one must
}

var (
	mutants    = flag.String("mutants", "", "run all mutants, or one in 240, by a `number`")
	asRecorded = flag.String("as-recorded", "", "test only that the statement with this `ID` is as recorded, as for a mutant")
)

// mutantShare is of how many mutants a number takes one.
const mutantShare = 240

// aMutant is how long the checks of a mutant may take. What takes longer is noticed.
const aMutant = 3 * time.Minute

// Mutants tests that every mutant changes what the entries that name it find: a verdict, a counterexample, a
// number of cases; or that it crashes. With -mutants all -update they write their table into docs; -run chooses some, "/" in a name
// being "÷".
func Mutants(t *testing.T, p register.Paper, all []Mutant) {
	if *asRecorded != "" {
		checkRecorded(t, p, *asRecorded)
		return
	}
	for _, m := range all {
		m.Check(t)
	}
	isTaken := Taken(t)
	rows := make([]string, len(all))
	t.Run("mutants", func(t *testing.T) {
		for i, m := range all {
			if !isTaken(i) {
				continue
			}
			t.Run(strings.NewReplacer(" ", "_", "/", "÷").Replace(m.Name), func(t *testing.T) {
				t.Parallel()
				rows[i] = m.try(t, p)
			})
		}
	})
	if *mutants == "all" && *update {
		writeMutants(t, p, all, rows)
	}
}

// Taken returns which of the mutants -mutants takes, and skips the test without it.
func Taken(t *testing.T) (isTaken func(i int) bool) {
	t.Helper()
	if *mutants == "" {
		t.Skip("builds this test once for each mutant: -mutants all, or a number for one in 240")
	}
	return share(t, "mutants", *mutants, mutantShare)
}

// share returns which of many a flag takes: all, or by a number one of so many.
func share(t *testing.T, name, value string, of int) (isTaken func(i int) bool) {
	t.Helper()
	number, err := strconv.Atoi(value)
	if err != nil && value != "all" {
		t.Fatalf("-%s is %q, must be all or a number", name, value)
	}
	return func(i int) bool { return value == "all" || i%of == number%of }
}

// checkRecorded checks that a statement is as recorded.
func checkRecorded(t *testing.T, p register.Paper, id string) {
	for _, s := range p.Statements() {
		if s.ID != id {
			continue
		}
		f := register.Run(t.Context(), []register.Statement{s}, register.Options{})[0]
		for _, change := range f.Changes() {
			t.Error(change)
		}
		if f.Verdict() == register.Undecided {
			t.Errorf("undecided: %s", f.Reason())
		}
	}
}

// try runs the checks of the entries that name what m changes, and returns its row of the table.
func (m Mutant) try(t *testing.T, p register.Paper) (row string) {
	symbol := m.In
	if symbol == "" {
		symbol = m.changed(t)
	}
	var ids []string
	for _, s := range p.Statements() {
		if slices.Contains(s.In, symbol) && s.Check != nil {
			ids = append(ids, s.ID)
		}
	}
	if len(ids) == 0 {
		t.Fatalf("no entry with a check names %s", symbol)
	}
	noticed := m.noticed(t, ids)
	switch {
	case len(noticed) == 0 && m.Survives == "":
		t.Errorf("%s: %q instead of %q is not noticed by %s", m.File, m.New, m.Old, strings.Join(ids, ", "))
	case len(noticed) > 0 && m.Survives != "":
		t.Errorf("%q is noticed by %s, but said to survive", m.Name, strings.Join(noticed, ", "))
	}
	return fmt.Sprintf("| %s | `%s` | `%s` | %s |", m.Name, m.File, symbol, cmp.Or(strings.Join(noticed, ", "), "none: "+m.Survives))
}

// changed returns the function that m changes, such as spec.OptDel.
func (m Mutant) changed(t *testing.T) string {
	t.Helper()
	source := filepath.Join(Root(t), m.File)
	text := m.source(t)
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, source, text, 0)
	if err != nil {
		t.Fatal(err)
	}
	at := token.Pos(fset.File(file.Pos()).Base() + bytes.Index(text, []byte(m.Old)))
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Pos() <= at && at < f.End() {
			return filepath.Base(filepath.Dir(m.File)) + "." + receiver(f) + f.Name.Name
		}
	}
	t.Fatalf("%q is in no function of %s: say what entries name of it", m.Old, m.File)
	return ""
}

// Check tests that what m changes is there, once.
func (m Mutant) Check(t *testing.T) {
	t.Helper()
	for x := &m; x != nil; x = x.Also {
		x.source(t)
	}
}

// source returns the file that m changes.
func (m Mutant) source(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(Root(t), m.File))
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(text, []byte(m.Old)); n != 1 {
		t.Fatalf("%s contains %q %d times, must be once: bring the mutant %q up to date", m.File, m.Old, n, m.Name)
	}
	return text
}

// noticed returns which of the statements are not as recorded, or undecided, with the mutant.
func (m Mutant) noticed(t *testing.T, ids []string) (noticed []string) {
	dir := t.TempDir()
	test := filepath.Join(dir, "test") // is built sooner than the command, which has all registers
	run(t, exec.Command("go", "test", "-c", "-vet=off", "-ldflags=-s -w", NotInlined, "-overlay="+m.Overlay(t, dir), "-o", test, "."))
	for _, id := range ids {
		if !isAsRecorded(t, test, id) {
			noticed = append(noticed, id)
			if !*update {
				break // the table names all of them
			}
		}
	}
	return noticed
}

// Overlay writes the changed files into a folder, with a list of them for go build -overlay, and returns its path.
func (m Mutant) Overlay(t *testing.T, dir string) string {
	changed := map[string]string{}
	for x := &m; x != nil; x = x.Also {
		file := filepath.Join(dir, strings.ReplaceAll(x.File, "/", "-"))
		writeFile(t, file, bytes.Replace(x.source(t), []byte(x.Old), []byte(x.New), 1))
		changed[filepath.Join(Root(t), x.File)] = file
	}
	text, err := json.Marshal(map[string]any{"Replace": changed})
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "overlay.json")
	writeFile(t, list, text)
	return list
}

// NotInlined is a flag of go test that halves the time to build a test of a register with a mutant, and costs its checks nothing:
// they go through loops in loops, of which inlining makes much code.
const NotInlined = "-gcflags=checkrr/verify/...=-l"

// run runs a command, which must not fail.
func run(t *testing.T, command *exec.Cmd) {
	t.Helper()
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
}

// isAsRecorded reports whether the test, with -as-recorded, finds a statement to be what is recorded. A crash, and a mutant
// that takes too long, are noticed.
func isAsRecorded(t *testing.T, test, id string) bool {
	ctx, cancel := context.WithTimeout(t.Context(), aMutant)
	defer cancel()
	name, _, _ := strings.Cut(t.Name(), "/")
	verify := exec.CommandContext(ctx, test, "-test.run=^"+name+"$", "-as-recorded="+id)
	var says bytes.Buffer
	verify.Stdout, verify.Stderr = &says, &says
	err := verify.Run()
	t.Logf("%s: %s", id, &says)
	_, ended := errors.AsType[*exec.ExitError](err)
	switch code := verify.ProcessState.ExitCode(); {
	case err == nil:
		return true
	case ctx.Err() != nil || ended && code == 1:
		return false
	case ended && code == 2 && strings.Contains(says.String(), "\ngoroutine "): // a panic of another goroutine
		return false
	}
	t.Fatalf("%s: %v", id, err)
	return false
}

func writeFile(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// writeMutants writes the table of all mutants. Of those that were not run now it keeps the row, so that a table can
// be made in several parts.
func writeMutants(t *testing.T, p register.Paper, all []Mutant, rows []string) {
	path := filepath.Join(Root(t), "docs", "mutants-"+p.Name+".md")
	table, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	survived, untried := 0, 0
	for i, m := range all {
		rows[i] = cmp.Or(rows[i], rowOf(string(table), m), fmt.Sprintf("| %s | `%s` | | not tried |", m.Name, m.File))
		switch {
		case strings.HasSuffix(rows[i], "| not tried |"):
			untried++
		case strings.Contains(rows[i], "| none: "):
			survived++
		}
	}
	text := fmt.Sprintf(`# Mutants: %s

Every check of the register is itself tried: a wrong change of the code must change what some entry that names it
finds. Of %d, %d are noticed by the register alone, %d are not, and %d were not tried. Made by

`+"```\ngo test ./verify/%s -run Mutants -mutants all -update -timeout 3h\n```"+`

| wrong change | file | in | noticed by |
|---|---|---|---|
%s
`, p.Title, len(all), len(all)-survived-untried, survived, untried, p.Name, strings.Join(rows, "\n"))
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// rowOf returns the row of a mutant in a table, or nothing.
func rowOf(table string, m Mutant) string {
	for row := range strings.Lines(table) {
		if strings.HasPrefix(row, fmt.Sprintf("| %s | `%s` |", m.Name, m.File)) {
			return strings.TrimSuffix(row, "\n")
		}
	}
	return ""
}
