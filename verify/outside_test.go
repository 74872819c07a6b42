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
	prints := regexp.MustCompile("It prints\\s`(.*?)`").FindAllSubmatch(page, -1)
	if len(programs) == 0 || len(programs) != len(prints) {
		t.Fatalf("docs/go.md has %d programs, and says of %d what they print", len(programs), len(prints))
	}
	for i, program := range programs {
		if got := runOutside(t, program[1]); got != string(prints[i][1]) {
			t.Errorf("program %d prints\n%s\nwant\n%s", i+1, got, prints[i][1])
		}
	}
}

// killed is a program that goes on from a file, and is killed when a mechanism has released something.
const killed = `
func main() {
	budget, err := ledger.NewBudget(loss.Nats(big.NewRat(1, 1)), new(big.Rat))
	if err == nil {
		err = resume(budget)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		panic(err)
	}
	g := ledger.Guarantee{Parts: []ledger.Part{{Name: "found", Eps: loss.Nats(big.NewRat(3, 8))}}, Delta: new(big.Rat)}
	err = ask(budget, g, func() (string, error) {
		fmt.Print("released ")
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = self.Kill()
		}
		for {
		}
	})
	fmt.Print(err)
}
`

// TestOutside_Killed: programs that keep a budget as docs/go.md shows, and are killed between the run and the
// commit, spend no more than one.
func TestOutside_Killed(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/go.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile("(?s)```go\n(package main[^`]*func ask.*?)\nfunc main").FindSubmatch(page)
	if shown == nil {
		t.Fatal("docs/go.md has no program with the function ask")
	}
	dir := outside(t, append(shown[1], killed...))
	build := exec.Command("go", "build", "-mod=mod", "-o", "killed", ".")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s\n%v", out, err)
	}
	all := ""
	for range 4 {
		command := exec.Command(filepath.Join(dir, "killed"))
		command.Dir = dir
		out, _ := command.CombinedOutput()
		all += string(out)
	}
	if strings.Count(all, "released") != 2 || strings.Count(all, "requested") != 2 {
		t.Errorf("they print %s", all)
	}
}

// runOutside returns what a program prints, in a module of its own.
func runOutside(t *testing.T, program []byte) string {
	t.Helper()
	command := exec.Command("go", "run", "-mod=mod", ".")
	command.Dir = outside(t, program)
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s\n%v", out, err)
	}
	return strings.TrimSpace(string(out))
}

const outsideMod = "module outside\n\n%s\n\nrequire checkrr v0.0.0\n\nreplace checkrr => %s\n"

// outside returns the folder of a module of its own with a program.
func outside(t *testing.T, program []byte) string {
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
		"go.mod":  fmt.Sprintf(outsideMod, version, root),
		"go.sum":  string(sum),
		"main.go": string(program),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
