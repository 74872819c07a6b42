package registertest

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"checkrr/verify/register"
	"checkrr/verify/register/mutation"
)

var covered = flag.String("covered", "", "test that checks run what their entries name, by coverage: "+
	"all, or one in 20, by a `number`")

// coveredShare is of how many entries a number takes one.
const coveredShare = 20

// Runs tests that the check of every entry runs what the entry names.
func Runs(t *testing.T, p register.Paper) {
	if *covered == "" {
		t.Skip("runs the checks one by one: -covered all, or a number for one in 20")
	}
	isTaken := share(t, "covered", *covered, coveredShare)
	dir := t.TempDir()
	command := filepath.Join(dir, "checkrr")
	run(t, exec.Command("go", "build", "-ldflags=-s -w", "-cover",
		"-covermode=set", "-coverpkg=checkrr/cmd/checkrr,checkrr/"+strings.Join(mutation.Rooms, ",checkrr/"), "-o",
		command, "checkrr/cmd/checkrr"))
	before := functionsRun(t, filepath.Join(dir, "none"), command, "version")
	symbols := Symbols(t)
	for i, s := range p.Statements() {
		if s.Check == nil || !isTaken(i) {
			continue
		}
		t.Run(s.ID, func(t *testing.T) {
			t.Parallel()
			ran := functionsRun(t, filepath.Join(dir, s.ID), command, "verify", s.ID)
			for _, name := range s.In {
				if symbols[name].IsFunction && ran[name] == before[name] {
					t.Errorf("does not run %s", name)
				}
			}
		})
	}
}

// coverage is a line of go tool covdata func: a file of ours, a function, and how much of it ran.
var coverage = regexp.MustCompile(`(?m)^checkrr/(\S+)/[^/\s]+\.go:\d+:\s+(\S+)\s+(\S+)%$`)

// functionsRun returns the functions that a command runs, such as spec.OptDel, with how much of them.
func functionsRun(t *testing.T, dir, command string, args ...string) map[string]string {
	t.Helper()
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	run := exec.Command(command, args...)
	run.Env = append(os.Environ(), "GOCOVERDIR="+dir)
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command("go", "tool", "covdata", "func", "-i="+dir).Output()
	if err != nil {
		t.Fatal(err)
	}
	ran := map[string]string{}
	for _, m := range coverage.FindAllStringSubmatch(string(out), -1) {
		if m[3] != "0.0" {
			ran[filepath.Base(m[1])+"."+strings.TrimPrefix(m[2], "*")] = m[3]
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

// run runs a command, which must not fail.
func run(t *testing.T, command *exec.Cmd) {
	t.Helper()
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
}
