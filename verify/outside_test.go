package verify

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

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

// TestOutside: the programs of docs/go.md, in a module of their own, print what the page says: one of them, or with
// -full all. One that keeps a budget as the page shows, and is killed between the run and the commit, spends no more
// than one.
func TestOutside(t *testing.T) {
	t.Parallel()
	page := string(read(t, "../docs/go.md"))
	programs := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(page, -1)
	prints := regexp.MustCompile("It prints\\s`(.*?)`").FindAllStringSubmatch(page, -1)
	keeps := regexp.MustCompile("(?s)```go\n(package main[^`]*func ask.*?)\nfunc main").FindStringSubmatch(page)
	if len(programs) == 0 || len(programs) != len(prints) || keeps == nil {
		t.Fatalf("docs/go.md has %d programs, says of %d what they print, and keeps a budget in %d", len(programs),
			len(prints), len(keeps))
	}
	all := []string{keeps[1] + killed}
	for _, p := range programs[:amount(1, len(programs))] {
		all = append(all, p[1])
	}
	folders := outside(t, all)
	for i, folder := range folders[1:] {
		if got := printed(folder); strings.TrimSpace(got) != prints[i][1] {
			t.Errorf("program %d prints\n%s\nwant\n%s", i+1, got, prints[i][1])
		}
	}
	said := ""
	for range 4 {
		said += printed(folders[0])
	}
	if strings.Count(said, "released") != 2 || strings.Count(said, "requested") != 2 {
		t.Errorf("they print %s", said)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// printed is what the program of a folder prints.
func printed(folder string) string {
	command := exec.Command(filepath.Join(folder, "program"))
	command.Dir = folder
	out, _ := command.CombinedOutput()
	return string(out)
}

const outsideMod = "module outside\n\n%s\n\nrequire checkrr v0.0.0\n\nreplace checkrr => %s\n"

// outside builds programs in a module of their own, and returns the folder of each.
func outside(t *testing.T, programs []string) (folders []string) {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir, version := t.TempDir(), regexp.MustCompile(`(?m)^go .*$`).Find(read(t, "../go.mod"))
	files := map[string]string{
		"go.mod": fmt.Sprintf(outsideMod, version, root),
		"go.sum": string(read(t, "../go.sum")),
	}
	for i, text := range programs {
		folders = append(folders, filepath.Join(dir, fmt.Sprint(i)))
		files[fmt.Sprint(i, "/main.go")] = text
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	for _, folder := range folders {
		build := exec.Command("go", "build", "-mod=mod", "-ldflags=-s -w", "-o", "program", ".")
		build.Dir = folder
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%s\n%v", out, err)
		}
	}
	return folders
}
