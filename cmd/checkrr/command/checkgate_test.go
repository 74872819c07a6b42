package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sync/errgroup"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/run"
)

// gateClaim is a claim in the output of checkrr check --json.
type gateClaim struct{ Name, Verdict, Message, Command string }

// runIn runs a program in a folder.
func runIn(t *testing.T, folder string, words ...string) (code int, stdout, stderr string) {
	t.Helper()
	cmd := exec.Command(words[0], words[1:]...)
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, &out, &errs
	if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// TestCheckGate: of claims of all kinds those that are wrong are refuted, and no other, whatever the seed; all is the
// same when it is done again, reports are what they are called, and the commands that are printed show the same.
// Without -full it leaves out the claims that take longest, and has one seed.
func TestCheckGate(t *testing.T) {
	t.Parallel()
	text, seeds := contents(t, "testdata/gate/claims.yaml"), 10
	if !*full {
		text, _, _ = strings.Cut(text, "  # what takes longest")
		seeds = 1
	}
	for seed := 1; seed <= seeds; seed++ {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			if err := copyExamples(filepath.Join(folder, "examples")); err != nil {
				t.Fatal(err)
			}
			withSeed := strings.ReplaceAll(text, "seed: 1", fmt.Sprintf("seed: %d", seed))
			write(t, filepath.Join(folder, "claims.yaml"), withSeed)
			claims, first := runGate(t, folder)
			if want := strings.Count(text, "name: "); len(claims) != want || *full && want != 50 {
				t.Errorf("%d claims, must be %d", len(claims), want)
			}
			for _, c := range claims {
				want := map[bool]string{true: "refuted", false: "holds"}[strings.HasPrefix(c.Name, "wrong ")]
				if c.Verdict != want {
					t.Errorf("%s: %s, must be %s: %s", c.Name, c.Verdict, want, c.Message)
				}
			}
			if seed > 1 {
				return
			}
			checkReported(t, first)
			if _, again := runGate(t, folder); first != again {
				t.Errorf("once\n%s\nagain\n%s", first, again)
			}
			checkReproduced(t, folder, claims)
		})
	}
}

// gateOutput is all that a check prints and writes, without times.
type gateOutput struct{ stdout, stderr, junit, sarif, codeQuality string }

func runGate(t *testing.T, folder string) (claims []gateClaim, all gateOutput) {
	t.Helper()
	code, stdout, stderr := runIn(t, folder, "checkrr", "check", "claims.yaml", "--json", "--junit", "report.xml",
		"--sarif", "report.sarif", "--annotations", "gitlab")
	if strings.Contains(stdout, "##[") {
		t.Error("a name is a command for a runner:", stdout)
	}
	var printed struct{ Claims []gateClaim }
	if err := json.Unmarshal([]byte(stdout), &printed); err != nil || code != exitRefuted {
		t.Fatalf("exit code %d, %v: %s", code, err, stderr)
	}
	of := func(name string) string { return contents(t, filepath.Join(folder, name)) }
	junit := regexp.MustCompile(` time="[0-9.]+"`).ReplaceAllString(of("report.xml"), "")
	return printed.Claims, gateOutput{stdout, stderr, junit, of("report.sarif"), of(codeQuality)}
}

func checkReported(t *testing.T, all gateOutput) {
	t.Helper()
	if err := checkJUnit(t, all.junit); err != nil {
		t.Error("JUnit:", err)
	}
	if err := checkJSON(t, "sarif.json", all.sarif); err != nil {
		t.Error("SARIF:", err)
	}
	if err := checkJSON(t, "codequality.json", all.codeQuality); err != nil {
		t.Error("Code Quality:", err)
	}
}

// checkReproduced runs the commands that are printed for claims that do not hold.
func checkReproduced(t *testing.T, folder string, claims []gateClaim) {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no shell")
	}
	for _, c := range claims {
		if c.Verdict == "holds" {
			continue
		}
		code, _, stderr := runIn(t, folder, "sh", "-c", c.Command)
		said := strings.Replace(strings.TrimSpace(stderr), "--delta is", "compose: delta is", 1) // in words of the claim
		if code != exitRefuted || said != c.Message {
			t.Errorf("%s: exit code %d and %s, must be 1 and %s", c.Command, code, stderr, c.Message)
		}
	}
}

// TestCheckValues: what is wrong with a value is told by its key and place, not by the flag that it is given to.
func TestCheckValues(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "claims.yaml")
	a := app{App: run.App{Inputs: new(input.Inputs)}}
	for _, c := range [][2]string{
		{"pipeline: {}, optdel: {at_most: 0.001%}", `2:45: claim a: optdel: at_most is "0.001%", must be `},
		{"pipeline: {}, compose: {delta: 1e-6, eps: {at_most: -1}}", "2:65: claim a: compose: eps: at_most is -1, "},
		{"pipeline: {}, schedule: {delta: 2, eps: {at_most: 1}}", "2:45: claim a: schedule: delta is 2, must be "},
		{"builtin: svt, samples: 0", "2:36: claim a: samples is 0, must be "},
		{"inequality: a <= b, search: {pipelines: x}", "2:53: claim a: search: pipelines is x, must be "},
		{"inequality: n <= k, over: {stops: [3, 2]}", "2:47: claim a: over: stops is [3, 2], must be "},
		{"pipeline: {mechanisms: [{eps: 1}]}, optdel: {at_most: 0.1}", "2:23: claim a: stops is missing, must be "},
		{"command: [x], neighbours: [{x: 0, x2: 1}], claim: {eps: 1}, budget: {samples: 0}",
			"2:91: claim a: budget: samples is 0, must be "},
		{"menu: [eps=1], rule: best, target_eps: 1, budget: {eps: 1, delta: 1e-3}",
			"2:52: claim a: target_eps and the eps of budget are both given, must be "},
	} {
		claim, want := c[0], c[1]
		write(t, file, "claims:\n- {name: a, "+claim+"}\n")
		files, err := a.readClaims(checkOptions{}, []string{file})
		if err != nil {
			t.Fatal(err)
		}
		c := files[0].chosen[0]
		c.check(t.Context(), a, checkOptions{})
		if c.code != exitUsage || !strings.HasPrefix(c.message, file+":"+want) {
			t.Errorf("%s: exit code %d, %s, must begin %s", claim, c.code, c.message, want)
		}
	}
	for kind, want := range map[string]string{"builtin": "raise samples", "command": "raise budget: {samples: …}"} {
		got := input.Claim{Kind: kind}.Fault("checkrr", "inconclusive: unseen: draw more with --samples", false)
		if !strings.HasSuffix(got, want) {
			t.Errorf("%s: %s, must end %s", kind, got, want)
		}
	}
}

// TestCheckUnfinished: what is not finished in time is inconclusive, and what is keeps its verdict.
func TestCheckUnfinished(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "claims.yaml")
	const pipeline = "pipeline: {mechanisms: [{eps: 0.1, count: 9}], stops: [{after: 9, eps: 0.5}]}, optdel: "
	write(t, file, "claims:\n"+
		"- {name: right, "+pipeline+"{at_most: 0.1}}\n"+
		"- {name: wrong, "+pipeline+"{at_most: 1e-9}}\n"+
		"- {name: endless, inequality: 'optdel <= lemma11', search: {pipelines: 1000000}}\n"+
		"- {name: late, statements: [ODP-D1]}\n")
	a := app{App: run.App{Inputs: new(input.Inputs)}}
	files, err := a.readClaims(checkOptions{}, []string{file})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for i, want := range []int{exitOK, exitRefuted, exitInconclusive, exitInconclusive} {
		c := files[0].chosen[i]
		if c.Name == "endless" {
			go cancel()
		}
		if c.check(ctx, a, checkOptions{}); c.code != want {
			t.Errorf("%s: exit code %d, must be %d: %s", c.Name, c.code, want, c.message)
		}
	}
}

// TestCheckEnded: what was not done in time is told what makes it shorter, which is not samples where none are drawn.
func TestCheckEnded(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "claims.yaml")
	const program = "command: [x], neighbours: [{x: 0, x2: 1}], claim: {eps: 1}"
	ended := map[string]string{
		program: "raise it, or lower budget.samples",
		program + ", noise: {values: [[0, 1/2], [1, 1/2]]}": "raise it, or give noise fewer values",
		"builtin: svt":                       "raise it, or lower samples and queries",
		"law: x.csv, claim: {parts: {a: 1}}": "raise it",
	}
	ctx, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	a := app{App: run.App{Inputs: new(input.Inputs)}}
	for claim, want := range ended {
		write(t, file, "claims:\n- {name: a, "+claim+"}\n")
		files, err := a.readClaims(checkOptions{}, []string{file})
		if err != nil {
			t.Fatal(err)
		}
		if err := files[0].chosen[0].endedBy(ctx, time.Second); !strings.HasSuffix(err.Error(), ": "+want) {
			t.Errorf("%s: %v, must end %s", claim, err, want)
		}
	}
	mute := &checked{isMute: true}
	if err := mute.endedBy(ctx, time.Second); !strings.HasSuffix(err.Error(), "or does it not flush them?") {
		t.Errorf("without replies: %v", err)
	}
}

// TestCheckTurns: what is quick is done however many claims before it take all the time that they get; these begin
// again, with more of it.
func TestCheckTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // where hours are no time
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		var all []*checked
		for i := range 3 * runtime.GOMAXPROCS(0) {
			all = append(all, &checked{name: "endless"}, &checked{name: fmt.Sprintf("quick %d", i)})
		}
		slices.SortStableFunc(all, func(x, y *checked) int { return strings.Compare(x.name, y.name) })
		var late, turns atomic.Int64
		inTurn(ctx, slices.Clone(all), func(ctx context.Context, c *checked) {
			if c.name == "endless" {
				turns.Add(1)
				<-ctx.Done()
			}
			if c.isLate = ctx.Err() != nil; c.isLate && c.name != "endless" {
				late.Add(1)
			}
		})
		if most := int64(len(all)); late.Load() > 0 || turns.Load() != most || ctx.Err() == nil {
			t.Errorf("%d that are quick were late, and the others had %d turns, must have %d", late.Load(), turns.Load(), most)
		}
	})
}

// TestCheckUpdates: of runs that update a claim each, and have begun before any of them has written, none forgets what
// another has found.
func TestCheckUpdates(t *testing.T) {
	t.Parallel()
	const runs = 20
	file := filepath.Join(t.TempDir(), "claims.yaml")
	text := "regression: {baseline: base.json}\nclaims:\n"
	for i := range runs {
		text += fmt.Sprintf("- {name: claim %d, statements: [ODP-D1]}\n", i)
	}
	write(t, file, text)
	a := app{App: run.App{Inputs: new(input.Inputs)}}
	var group errgroup.Group
	for i := range runs {
		o := checkOptions{only: fmt.Sprintf("claim %d", i), update: true}
		files, err := a.readClaims(o, []string{file})
		if err != nil {
			t.Fatal(err)
		}
		files[0].chosen[0].found = "holds"
		group.Go(func() error {
			_, err := settle(t.Context(), o, files)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	base := filepath.Join(filepath.Dir(file), "base.json")
	if got := contents(t, base); strings.Count(got, "holds") != runs {
		t.Errorf("%d runs have written %s", runs, got)
	}
	if _, err := os.Stat(base + ".lock"); err == nil {
		t.Error("the file of the lock was left behind")
	}
}
