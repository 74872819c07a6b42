package command

import (
	"bytes"
	"io"
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"checkrr/cmd/checkrr/internal/input"
)

// normal makes runs of blanks and lines one blank.
func normal(s string) string { return strings.Join(strings.Fields(s), " ") }

// TestTimeout_Reading: the time counts for input that does not end.
func TestTimeout_Reading(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "proof.json")
	write(t, file, string(proof(t, "tiny")))
	for _, line := range []string{
		"optdel -", "schedule - --delta 1e-6", "noise - --delta 1e-6 --eps 1", "compose - --eps 1", "certify -",
		"certify " + file + " --problem -",
	} {
		never, w := io.Pipe()
		defer w.Close()
		var stdout, stderr bytes.Buffer
		code := execute(append(strings.Fields(line), "--timeout", "50ms"), never, &stdout, &stderr)
		if want := "checkrr: inconclusive: no result within 50ms\n"; code != exitInconclusive || stdout.Len() > 0 ||
			stderr.String() != want {
			t.Errorf("%s: exit code %d, %s%s", line, code, stdout.String(), stderr.String())
		}
	}
}

// TestExamples: every problem file among the examples has an answer.
func TestExamples(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../../examples/*.yaml")
	if err != nil || len(files) < 8 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		switch name := filepath.Base(file); {
		case strings.HasPrefix(name, "audit-"), name == "tune.yaml", name == "claims.yaml":
			continue // other kinds
		}
		args := []string{"optdel", file, "--rel-width", "1e-2"}
		asksForCharges := []string{"dpsgd.yaml", "users.yaml", "sample.yaml", "batches.yaml", "bands.yaml",
			"column.yaml"}
		if slices.Contains(asksForCharges, filepath.Base(file)) {
			args = []string{"schedule", "--delta", "1e-6", file}
		}
		code, stdout, stderr := checkrr("", args...)
		if code != exitOK || !strings.HasPrefix(stdout, "Publish   δ = ") || stderr != "" {
			t.Errorf("%s: exit code %d, %s%s", file, code, stdout, stderr)
		}
	}
}

// TestExampleAllocation: the guide's epochs, in which each record takes part once, cost what it says.
func TestExampleAllocation(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	losses, err := exec.Command("go", "run", "../../../examples/allocation", "-noise", "1", "-steps", "235").Output()
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "epoch.csv"), string(losses))
	file := filepath.Join(folder, "problem.yaml")
	write(t, file, "mechanisms: [{losses: epoch.csv, count: 30}]\nstops: [{every: 1}]")
	code, stdout, stderr := checkrr("", "compose", file, "--delta", "1e-5")
	if code != exitOK || !strings.Contains(stdout, " and 1.8826") {
		t.Errorf("exit code %d, %s%s", code, stdout, stderr)
	}
}

// TestExampleLosses: the masses of losses.csv are those of the law that it names, rounded up.
func TestExampleLosses(t *testing.T) {
	t.Parallel()
	p, err := input.ReadProblem("../../../examples/losses.yaml", nil, input.ChargedStops, false)
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

// TestFieldExamples: every audit file of the examples, and of the field report, can be read. What they name is not run:
// it needs the libraries that are audited.
func TestFieldExamples(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../../examples/field/*/*.yaml")
	own, _ := filepath.Glob("../../../examples/audit-*.yaml")
	files = append(files, own...)
	if err != nil || len(files) < 50 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		code, stdout, stderr := checkrr("", "audit", "--no-run", file)
		if code != exitOK || !strings.Contains(stdout, "Claim") || stderr != "" {
			t.Errorf("%s: exit code %d, %s%s", file, code, stdout, stderr)
		}
	}
}
