package command

import (
	"errors"
	"fmt"
	"io"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"checkrr/cmd/checkrr/internal/run"
	"checkrr/verify/audit"
	"checkrr/verify/audit/mechanisms"
)

// allOutput is what tests look at in the output of checkrr audit --all --json.
type allOutput struct {
	Alpha  float64
	Audits []struct {
		Name, Claim string
		Right       bool
		Law         *auditOutput `json:"by_law"`
		Sampled     auditOutput  `json:"by_samples"`
	}
}

// TestAuditAll: laws decide about every mechanism but one, and nothing is wrong.
func TestAuditAll(t *testing.T) {
	t.Parallel()
	if !*full {
		t.Skip("with -full only: each of them is audited in the tests of verify/audit/mechanisms, too")
	}
	code, stdout, stderr := checkrr("", "audit", "--all", "--json", "--samples", "300", "--alpha", "0.01")
	if code != exitOK || stderr != "" {
		t.Fatalf("exit code %d, %s", code, stderr)
	}
	out := readJSON[allOutput](t, stdout)
	if out.Alpha != 0.01 || len(out.Audits) != len(catalogue()) {
		t.Errorf("alpha is %g, %d audits", out.Alpha, len(out.Audits))
	}
	for _, a := range out.Audits {
		if alpha := a.Sampled.Sampled.Alpha; alpha == 0.01 {
			t.Errorf("%s: the share of alpha is %g", a.Name, alpha)
		}
		if a.Law == nil || (a.Law.Verdict == audit.Refuted) == a.Right || a.Law.Certain != (a.Name != "logreg-test") {
			t.Errorf("%s %s: the law says %+v", a.Name, a.Claim, a.Law)
		}
	}
}

// TestAuditAllText prints a line for every audit.
func TestAuditAllText(t *testing.T) {
	t.Parallel()
	var all []control
	for _, c := range catalogue() {
		if c.Name == "laplace" || c.Name == "leak" {
			all = append(all, c)
		}
	}
	a := app{App: run.App{Stderr: io.Discard}}
	o := auditOptions{method: "auto", alpha: run.Number{Text: "0.01", Value: big.NewRat(1, 100)}, samples: "300",
		memory: "1 GiB", seed: 1}
	limits, err := o.limits()
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		if err := a.control(t.Context(), &all[i], o, limits); err != nil {
			t.Fatal(err)
		}
	}
	var b strings.Builder
	writeControls(&b, all)
	got := regexp.MustCompile(`\S+ s\b`).ReplaceAllString(b.String(), "T")
	for _, want := range []string{"laplace dp right true 1 T not refuted",
		"leak dp wrong refuted unbounded T not refuted 1 0.36 300 T"} {
		if !strings.Contains(normal(got), want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	all[1].law = nil // not known
	b.Reset()
	writeControls(&b, all)
	if !strings.Contains(normal(b.String()), "leak dp wrong – – – not refuted") {
		t.Errorf("without a law:\n%s", b.String())
	}
	if err := checkControls(all); err == nil || err.Error() != "the false claim about leak is not refuted" {
		t.Errorf("without a law, leak gives the error %v", err)
	}
}

// TestControl_AuditMistakesAreCaught: a true claim that is refuted, a false one that is not.
func TestControl_AuditMistakesAreCaught(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		wrong   string
		verdict audit.Verdict
		want    string
	}{
		{"", audit.NoViolation, ""},
		{"", audit.TooSmall, ""},
		{"", audit.Refuted, "the true claim about m is refuted"},
		{"no noise", audit.NoViolation, "the false claim about m is not refuted"},
		{"no noise", audit.TooSmall, "the false claim about m is not refuted"},
		{"no noise", audit.Refuted, ""},
	} {
		c := control{Mechanism: mechanisms.Mechanism{Name: "m", Wrong: tt.wrong},
			sampled: &audited{sampled: &audit.Report{Verdict: tt.verdict}}}
		err := checkControls([]control{c})
		if got := fmt.Sprint(err); tt.want == "" && err != nil || tt.want != "" &&
			(got != tt.want || !errors.Is(err, run.ErrRefuted)) {
			t.Errorf("%q, %s: got the error %v, want %q", tt.wrong, tt.verdict, err, tt.want)
		}
	}
}

// TestAuditAllInterrupted: the audits that are done are printed.
func TestAuditAllInterrupted(t *testing.T) {
	t.Parallel()
	if !*full {
		t.Skip("with -full only: takes seconds")
	}
	code, stdout, stderr := checkrr("", strings.Fields("audit --all --samples 1000 --timeout 3s --json")...)
	if code == exitOK {
		t.Skip("all audits were done")
	}
	out := readJSON[allOutput](t, stdout)
	left := regexp.MustCompile(`^checkrr: inconclusive: no more within 3s: (\d+) of \d+ claims (is|are) not ` +
		`audited\n$`).
		FindStringSubmatch(stderr)
	if code != exitInconclusive || len(out.Audits) == 0 || left == nil ||
		left[1] != strconv.Itoa(len(catalogue())-len(out.Audits)) {
		t.Errorf("exit code %d, %d audits, stderr %q", code, len(out.Audits), stderr)
	}
}
