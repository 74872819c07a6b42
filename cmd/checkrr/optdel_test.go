package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"checkrr/cmd/checkrr/internal/input"
)

// normal makes runs of blanks and lines one blank.
func normal(s string) string { return strings.Join(strings.Fields(s), " ") }

// TestTinyWidth: a width below every float64 is not printed as 0.
func TestTinyWidth(t *testing.T) {
	t.Parallel()
	for _, width := range []string{"1e-60", "1e-300", "1e-320"} {
		var stdout, stderr bytes.Buffer
		args := []string{"optdel", "--rel-width", width, "../../examples/tiny.yaml"}
		if code := execute(args, nil, &stdout, &stderr); code != exitOK {
			t.Fatalf("%s: exit code %d, %s", width, code, &stderr)
		}
		if strings.Contains(stdout.String(), "relative width 0 ") {
			t.Errorf("%s:\n%s", width, &stdout)
		}
		stdout.Reset()
		execute(append(args, "--json"), nil, &stdout, &stderr)
		var out struct {
			Width struct{ Requested, Reached float64 } `json:"rel_width"`
		}
		err := json.Unmarshal(stdout.Bytes(), &out)
		if w := out.Width; err != nil || !(w.Reached > 0 && w.Reached <= w.Requested) {
			t.Errorf("%s: %v, reached %g of %g", width, err, w.Reached, w.Requested)
		}
	}
}

// TestTimeout_Reading: the time counts for input that does not end.
func TestTimeout_Reading(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "proof.json")
	if err := os.WriteFile(file, proof(t, "tiny"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"optdel -", "schedule - --delta 1e-6", "noise - --delta 1e-6 --eps 1", "compose - --eps 1", "certify -", "certify " + file + " --problem -",
	} {
		never, w := io.Pipe()
		defer w.Close()
		var stdout, stderr bytes.Buffer
		code := execute(append(strings.Fields(line), "--timeout", "50ms"), never, &stdout, &stderr)
		if want := "checkrr: inconclusive: no result within 50ms\n"; code != exitInconclusive || stdout.Len() > 0 || stderr.String() != want {
			t.Errorf("%s: exit code %d, %s%s", line, code, stdout.String(), stderr.String())
		}
	}
}

const smallProblem = `
mechanisms: [{exp_eps: 3/2, delta: 1/100, count: 9}]
stops:
  - {after: 1, exp_eps: 2}
  - {after: 3, exp_eps: 3}
  - {after: 5, exp_eps: 7/2}
  - {after: 7, exp_eps: 4}
  - {after: 9, exp_eps: 5}
`

// TestFlagsLikeFile checks that flags and a file with the same keys give the
// same pipeline.
func TestFlagsLikeFile(t *testing.T) {
	t.Parallel()
	fromFile, err := input.ReadProblem("-", &input.Inputs{Stdin: strings.NewReader(smallProblem)}, input.ChargedStops, false)
	if err != nil {
		t.Fatal(err)
	}
	fromFlags, err := input.ProblemOfFlags([]string{"exp_eps=3/2,delta=1/100,count=9"}, []string{
		"after=1,exp_eps=2", "after=3,exp_eps=3", "after=5, exp_eps = 7/2", "exp_eps=4,after=7", "after=9,exp_eps=5"}, nil, input.ChargedStops)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(fromFlags.Pipeline), fmt.Sprint(fromFile.Pipeline); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestExamples: every problem file among the examples has an answer.
func TestExamples(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../examples/*.yaml")
	if err != nil || len(files) < 8 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if name := filepath.Base(file); strings.HasPrefix(name, "audit-") || name == "tune.yaml" {
			continue // other kinds
		}
		code, stdout, stderr := checkrr("", "optdel", file, "--timeout", "5m")
		if code != exitOK || !strings.HasPrefix(stdout, "OptDel    between ") || stderr != "" {
			t.Errorf("%s: exit code %d, %s%s", file, code, stdout, stderr)
		}
	}
}

// TestExampleLosses: the masses of losses.csv are those of the law that it names, rounded up.
func TestExampleLosses(t *testing.T) {
	t.Parallel()
	p, err := input.ReadProblem("../../examples/losses.yaml", nil, input.ChargedStops, false)
	if err != nil {
		t.Fatal(err)
	}
	mass := map[int]float64{} // by what the loss is in units of 1/20
	decay := math.Exp(-1.0 / 20)
	for z := -2000.0; z <= 2000; z++ {
		mass[int(math.Abs(z-2)-math.Abs(z))] += (1 - decay) / (1 + decay) * math.Pow(decay, math.Abs(z))
	}
	list := p.Mechanisms[0].Losses.List()
	for _, x := range list {
		loss, _ := x[0].Float64()
		got, _ := x[1].Float64()
		const digits, rounding = 1e-15, 1e-13
		if want := mass[int(math.Round(20*loss))]; got < want-rounding || got > want+digits+rounding {
			t.Errorf("loss %g has the mass %.17g, want %.17g", loss, got, want)
		}
	}
	if len(list) != len(mass) {
		t.Errorf("%d losses, want %d", len(list), len(mass))
	}
}
