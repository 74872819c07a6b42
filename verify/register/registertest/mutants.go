package registertest

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"checkrr/verify/register"
	"checkrr/verify/register/mutation"
)

var (
	mutants = flag.String("mutants", "", "run `all` mutants, one in "+fmt.Sprint(mutantShare)+" by a number, or k "+
		"mod n as k/n; tried: count -results")
	only    = flag.String("only", "", "of the mutants, only those whose name a `regexp` finds, such as ^spec.OptDel:")
	results = flag.String("results", "", "append what came of each mutant to this `file`, and do not try again "+
		"what is there")
	asRecorded = flag.String("as-recorded",
		"", "test only that the statements with these `IDs` are as recorded, as for a mutant")
)

// mutantShare is of how many mutants a number takes one.
const mutantShare = 160

// limits run a command with as much time of a processor, and as much memory, as no check needs: a mutant may go round
// in a circle.
func limits(entries int) string {
	return fmt.Sprintf(`ulimit -t %d && ulimit -v 8000000 && exec "$0" "$@"`, 5+2*entries)
}

// Mutants tests that every mutant of what the entries of the registers name changes what they find: a verdict, a
// counterexample, a number of cases; or that it crashes. What is not noticed must be in survivors.txt, with the reason.
func Mutants(t *testing.T, papers []register.Paper) {
	if *asRecorded != "" {
		checkRecorded(t, papers, strings.Split(*asRecorded, ","))
		return
	}
	valid(t, papers...)
	all, err := mutation.All(Root(t), rooms(t), named(papers))
	if err != nil {
		t.Fatal(err)
	}
	reasons := survivorsOf(t, all)
	before := readResults(t)
	if *mutants == "tried" {
		tried(all, before).judge(t, papers, reasons)
		return
	}
	isTaken, isWanted := Taken(t), regexp.MustCompile(*only)
	var taken []mutation.Mutant
	for i, m := range all {
		if isTaken(i) && isWanted.MatchString(m.Name) {
			taken = append(taken, m)
		}
	}
	b := build(t, taken)
	b.of, b.outcome = len(all), before
	b.tryAll(t, papers)
	b.judge(t, papers, reasons)
}

// Taken returns which of the mutants -mutants takes, and skips the test without it.
func Taken(t *testing.T) (isTaken func(i int) bool) {
	t.Helper()
	if *mutants == "" {
		t.Skip("builds a test with mutants: -mutants all, or a number for one in ", mutantShare)
	}
	return share(t, "mutants", *mutants, mutantShare)
}

// checked returns the statements that are checked, in their order.
func checked(papers []register.Paper) (all []register.Statement) {
	for _, p := range papers {
		for _, s := range p.Statements() {
			if s.Check != nil {
				all = append(all, s)
			}
		}
	}
	return all
}

// named returns what the entries with a check name, in their order.
func named(papers []register.Paper) (names []string) {
	for _, s := range checked(papers) {
		for _, name := range s.In {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// checkRecorded checks that statements are as recorded, in this order, and stops at the first that is not.
func checkRecorded(t *testing.T, papers []register.Paper, ids []string) {
	entries, list := map[string]register.Statement{}, ","+strings.Join(ids, ",")
	for _, p := range papers {
		if strings.Contains(list, ","+p.Prefix+"-") { // reading all would take as long as most checks
			for _, s := range p.Statements() {
				entries[s.ID] = s
			}
		}
	}
	for _, id := range ids {
		f := register.Run(t.Context(), []register.Statement{entries[id]}, register.Options{})[0]
		if changes := f.Changes(); len(changes) > 0 {
			t.Fatal(changes[0])
		}
		if f.Verdict() == register.Inconclusive {
			t.Fatalf("inconclusive: %s", f.Reason())
		}
	}
}

// built is a test with mutants in it, and what came of them.
type built struct {
	test    string
	mutants []mutation.Mutant
	of      int   // so many
	numbers []int // of those that are Go
	mu      sync.Mutex
	outcome map[string]string // by the name of a mutant
}

// build builds the test that runs, with mutants. Those that are no Go are left out.
func build(t *testing.T, mutants []mutation.Mutant) *built {
	dir := t.TempDir()
	test, left := filepath.Join(dir, "test"), map[int]bool{}
	for range 10 {
		overlay, err := mutation.Overlay(Root(t), dir, mutants, left)
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-gcflags="+module(t)+"/...=-e",
			notInlined, "-overlay="+overlay.List, "-o", test, ".").CombinedOutput()
		if err == nil {
			b := &built{test: test, mutants: mutants}
			for i := range mutants {
				if !left[i] {
					b.numbers = append(b.numbers, i)
				}
			}
			return b
		}
		mistakes := overlay.Mistakes(string(out))
		if len(mistakes) == 0 {
			t.Fatalf("%v\n%s", err, out)
		}
		maps.Copy(left, mistakes)
	}
	t.Fatal("there is always another mutant that is no Go")
	return nil
}

// notInlined is a flag of go test that halves the time to build a test of a register with a mutant, and costs its
// checks nothing: they go through loops in loops, of which inlining makes much code.
var notInlined = "-gcflags=" + ours + "/verify/...=-l"

// tryAll tries the mutants, each by the entries that name what it changes, in a random order: those that a run which
// ended early has tried are a fair sample.
func (b *built) tryAll(t *testing.T, papers []register.Paper) {
	known, entries := maps.Clone(b.outcome), checked(papers)
	b.control(t, entries)
	turns := make(chan struct{}, runtime.GOMAXPROCS(0))
	var workers sync.WaitGroup
	for _, n := range rand.Perm(len(b.numbers)) {
		i := b.numbers[n]
		if m := b.mutants[i]; known[m.Name] == "" {
			turns <- struct{}{}
			workers.Go(func() {
				b.keep(t, m.Name, b.try(t, i+1, entriesOf(entries, m)))
				<-turns
			})
		}
	}
	workers.Wait()
}

// control tests that without a mutant an entry is as recorded.
func (b *built) control(t *testing.T, entries []register.Statement) {
	if len(b.mutants) == 0 {
		return
	}
	id := entriesOf(entries, b.mutants[0])[:1]
	if outcome := b.try(t, 0, id); outcome != "survives" {
		t.Fatalf("%s, no mutant: %s", id[0], outcome)
	}
}

// entriesOf returns the IDs of the entries that name what a mutant changes, first those with few cases.
func entriesOf(entries []register.Statement, m mutation.Mutant) (ids []string) {
	naming := slices.DeleteFunc(slices.Clone(entries), func(s register.Statement) bool {
		return !slices.ContainsFunc(s.In, func(name string) bool { return slices.Contains(m.Symbols, name) })
	})
	slices.SortStableFunc(naming, func(s, t register.Statement) int { return cmp.Compare(s.Last.Cases, t.Last.Cases) })
	for _, s := range naming {
		ids = append(ids, s.ID)
	}
	return ids
}

// try returns what the entries with these IDs find of a mutant: "noticed", "stopped" at a limit or "survives".
func (b *built) try(t *testing.T, number int, ids []string) string {
	says, passes := b.run(t, number, len(ids), "-test.run=^"+t.Name()+"$", "-as-recorded="+strings.Join(ids, ","))
	switch {
	case passes:
		return "survives"
	case strings.Contains(says, "--- FAIL") || strings.Contains(says, "\ngoroutine "):
		return "noticed"
	}
	return "stopped"
}

// run runs the test with a mutant, in as much time as so many entries need, and returns what it says.
func (b *built) run(t *testing.T, number, entries int, args ...string) (says string, passes bool) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, "sh", append([]string{"-c", limits(entries), b.test}, args...)...)
	command.Env = append(os.Environ(), fmt.Sprintf("%s=%d", mutation.Variable, number))
	out, err := command.CombinedOutput()
	if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended && ctx.Err() == nil {
		t.Errorf("mutant %d: %v", number, err)
	}
	return string(out), err == nil
}

// Each builds the test of this folder with the mutants that -mutants takes, and says what one of its tests, in full,
// says of each.
func Each(t *testing.T, test string, mutants []mutation.Mutant,
	do func(t *testing.T, i int, says string, passes bool)) {
	isTaken := Taken(t)
	var taken []mutation.Mutant
	var places []int
	for i, m := range mutants {
		if isTaken(i) {
			taken, places = append(taken, m), append(places, i)
		}
	}
	if len(taken) == 0 {
		return
	}
	b := build(t, taken)
	if len(b.numbers) != len(taken) {
		t.Fatalf("of %d mutants %d are no Go", len(taken), len(taken)-len(b.numbers))
	}
	for n, i := range places {
		t.Run(mutants[i].Name, func(t *testing.T) {
			t.Parallel()
			says, passes := b.run(t, n+1, 35, "-test.run=^"+test+"$", "-full")
			do(t, i, says, passes)
		})
	}
}

// keep keeps what came of a mutant.
func (b *built) keep(t *testing.T, name, outcome string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.outcome[name] = outcome
	if *results == "" {
		return
	}
	file, err := os.OpenFile(*results, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err == nil {
		_, err = fmt.Fprintf(file, "%s %s\n", outcome, name)
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		t.Error(err)
	}
}

// readResults returns what came of mutants before, by name.
func readResults(t *testing.T) map[string]string {
	text, err := os.ReadFile(*results)
	if err != nil && *results != "" && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	outcome := map[string]string{}
	for line := range strings.Lines(string(text)) {
		what, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		outcome[name] = what
	}
	return outcome
}

// tried returns those of all mutants of which the outcome is known.
func tried(all []mutation.Mutant, outcome map[string]string) *built {
	b := &built{mutants: all, of: len(all), outcome: outcome}
	for i, m := range all {
		if outcome[m.Name] != "" {
			b.numbers = append(b.numbers, i)
		}
	}
	return b
}
