package registertest

import (
	"flag"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"checkrr/verify/register"
)

var covered = flag.String("covered", "", "test that checks run what their entries name, by coverage: "+
	"all, or one in 20, by a `number`")

// coveredShare is of how many entries a number takes one.
const coveredShare = 20

// Runs tests that the check of every entry runs what the entry names.
func Runs(t *testing.T, p register.Paper) {
	valid(t, p)
	if *asRecorded != "" {
		checkRecorded(t, []register.Paper{p}, []string{*asRecorded})
		return
	}
	if *covered == "" {
		t.Skip("runs the checks one by one: -covered all, or a number for one in 20")
	}
	isTaken := share(t, "covered", *covered, coveredShare)
	test := filepath.Join(t.TempDir(), "test")
	var packages []string
	for _, room := range rooms(t) {
		packages = append(packages, path.Join(module(t), room))
	}
	run(t, exec.Command("go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-covermode=set",
		"-coverpkg="+strings.Join(packages, ","), "-o", test, "."))
	before, only := functionsRun(t, test, "-test.run=^$"), "-test.run=^"+t.Name()+"$"
	symbols := Symbols(t)
	for i, s := range p.Statements() {
		if s.Check == nil || !isTaken(i) {
			continue
		}
		t.Run(s.ID, func(t *testing.T) {
			t.Parallel()
			ran := functionsRun(t, test, only, "-as-recorded="+s.ID)
			for _, name := range s.In {
				_, inPackage, _ := strings.Cut(name, ".")
				key := symbols[name].File + " " + inPackage
				if symbols[name].IsFunction && ran[key] == before[key] {
					t.Errorf("does not run %s", name)
				}
			}
		})
	}
}

// coverage is a line of go tool covdata func: a file, a function, and how much of it ran.
var coverage = regexp.MustCompile(`(?m)^(\S+\.go):\d+:\s+(\S+)\s+(\S+)%$`)

// functionsRun returns the functions that a test runs, by their files and names, such as spec/pipeline.go OptDel, with
// how much of them.
func functionsRun(t *testing.T, test string, args ...string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	run(t, exec.Command(test, append(args, "-test.gocoverdir="+dir)...))
	out := run(t, exec.Command("go", "tool", "covdata", "func", "-i="+dir))
	ran := map[string]string{}
	for _, m := range coverage.FindAllStringSubmatch(out, -1) {
		if m[3] != "0.0" {
			ran[strings.TrimPrefix(m[1], module(t)+"/")+" "+strings.TrimPrefix(m[2], "*")] = m[3]
		}
	}
	return ran
}

// share returns which of many a flag takes: all; by a number one of so many; by a fraction k/n those that are k mod n.
func share(t *testing.T, name, value string, of int) (isTaken func(i int) bool) {
	t.Helper()
	first, rest, isFraction := strings.Cut(value, "/")
	number, err := strconv.Atoi(first)
	if isFraction && err == nil {
		of, err = strconv.Atoi(rest)
	}
	if value != "all" && (err != nil || of < 1) {
		t.Fatalf("-%s is %q, must be all, a number, or two of them as in 3/20", name, value)
	}
	return func(i int) bool { return value == "all" || i%of == number%of }
}
