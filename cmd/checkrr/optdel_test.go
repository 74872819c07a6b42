package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
	"checkrr/impl/interval"
)

const smallProblem = `
mechanisms: [{exp_eps: 3/2, delta: 1/100, count: 9}]
stops:
  - {after: 1, exp_eps: 2}
  - {after: 3, exp_eps: 3}
  - {after: 5, exp_eps: 7/2}
  - {after: 7, exp_eps: 4}
  - {after: 9, exp_eps: 5}
`

func TestTable(t *testing.T) {
	t.Parallel()
	a, stdout, stderr := fakeApp(smallProblem)
	if code := a.run([]string{"optdel", "-"}); code != exitOK || stderr.Len() > 0 {
		t.Fatalf("exit code %d, %s", code, stderr)
	}
	head, table, _ := strings.Cut(stdout.String(), "\n\n")
	wantHead := `OptDel    between 1.250000000000e-06 and 1.250000000100e-06
Lemma 11  2.501e-05, 20 times OptDel
Pipeline  9 mechanisms, 5 stops
Method    lattice, relative width 8e-11 (asked for 1e-09), `
	if !strings.HasPrefix(normal(head), normal(wantHead)) {
		t.Errorf("the heading is\n%s\nwant\n%s", head, wantHead)
	}
	want := `
stop after  charged E  δ of this stop alone  worst rule: stop at loss ≥  probability
──────────────────────────────────────────────────────────────────────────────────────
         1       ln 2             1.000e-07                    0.831776        0.125
         3       ln 3             2.000e-07                     1.31833        0.111
         5    ln(7/2)             3.000e-07                     1.50331          0.1
         7       ln 4             4.000e-07                       never            0
         9       ln 5             5.000e-07                   ends here            0
`
	if normal(table) != normal(want) {
		t.Errorf("the table is\n%s\nwant\n%s", table, want)
	}
}

// normal makes runs of blanks and lines one blank.
func normal(s string) string { return strings.Join(strings.Fields(s), " ") }

func TestTableManyStops(t *testing.T) {
	t.Parallel()
	p := manyStops(t, 1000, "")
	for _, tt := range []struct {
		all   bool
		lines int
	}{{false, 5 + 2 + maxRows + 2}, {true, 5 + 2 + 1000}} {
		var b strings.Builder
		s := &solution{found: found{Result: fakeResult(p.Pipeline)}, solved: solved{o: solverFlags{allStops: tt.all}, problem: p}}
		s.writeTable(&b)
		if got := strings.Count(b.String(), "\n"); got != tt.lines {
			t.Errorf("all stops %v: %d lines, want %d:\n%s", tt.all, got, tt.lines, b.String())
		}
		if got := strings.Contains(b.String(), "960 of 1000 stops are left out"); got == tt.all {
			t.Errorf("all stops %v: says that stops are left out: %v", tt.all, got)
		}
	}
}

// TestTableLastStop: at the last stop everything ends, at others a threshold of +Inf means
// never.
func TestTableLastStop(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		threshold float64
		want      string
	}{{math.Inf(1), "ends here"}, {1.5, "1.5"}} {
		p := manyStops(t, 5, "")
		s := &solution{found: found{Result: fakeResult(p.Pipeline)}, solved: solved{problem: p}}
		s.Rule[4].LossAtLeast = tt.threshold
		var b strings.Builder
		s.writeTable(&b)
		lines := strings.Split(strings.TrimSpace(b.String()), "\n")
		last, before := normal(lines[len(lines)-1]), normal(lines[len(lines)-2])
		if !strings.HasSuffix(last, " "+tt.want+" 0") && !strings.HasSuffix(last, " "+tt.want+" 0.0833") || !strings.Contains(before, "never") {
			t.Errorf("%v: the last lines are\n%s\n%s", tt.threshold, before, last)
		}
	}
}

// TestTimesAsLarge: one number where the intervals are narrow, else a range that is not
// too short.
func TestTimesAsLarge(t *testing.T) {
	t.Parallel()
	of := interval.Of
	for _, tt := range []struct {
		optDel, lemma11 interval.Interval
		want            string
	}{
		{of(1, 1), of(2.5, 2.5), ", 2.5 times OptDel"},
		{of(0.9995, 1), of(2.5, 2.5), ", 2.5 times OptDel"},
		{of(0.998, 1), of(2.5, 2.5), ", 2.5 to 2.51 times OptDel"},
		{of(1.335e-06, 1.816e-06), of(1.816e-06, 1.816e-06), ", 1 to 1.37 times OptDel"},
		{of(1, 2), of(1.5, 3), ", 1 to 3 times OptDel"},
		{of(1, 1), of(2, 3), ", 2 to 3 times OptDel"},
		{of(0, 1), of(2, 3), ", at least 2 times OptDel"},
		{of(0, 0), of(0, 0), ""},
	} {
		if got := timesAsLarge(tt.optDel, tt.lemma11); got != tt.want {
			t.Errorf("OptDel %v, Lemma 11 %v: %q, want %q", tt.optDel, tt.lemma11, got, tt.want)
		}
	}
}

// TestTinyWidth: a width below every float64 is not printed as 0.
func TestTinyWidth(t *testing.T) {
	t.Parallel()
	for _, width := range []string{"1e-60", "1e-300", "1e-320"} {
		var stdout, stderr bytes.Buffer
		args := []string{"optdel", "--rel-width", width, "../../examples/tiny.yaml"}
		if code := run(args, nil, &stdout, &stderr); code != exitOK {
			t.Fatalf("%s: exit code %d, %s", width, code, &stderr)
		}
		if strings.Contains(stdout.String(), "relative width 0 ") {
			t.Errorf("%s:\n%s", width, &stdout)
		}
		stdout.Reset()
		run(append(args, "--json"), nil, &stdout, &stderr)
		var out optdelJSON
		if err := json.Unmarshal(stdout.Bytes(), &out); err != nil || !(out.RelWidth.Reached > 0) || float64(out.RelWidth.Reached) > out.RelWidth.Requested {
			t.Errorf("%s: %v, reached %g of %g", width, err, out.RelWidth.Reached, out.RelWidth.Requested)
		}
	}
}

func TestSomeOf(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"1 of 41 stops is":        report.SomeOf(1, 41, "stop"),
		"2 of 41 stops are":       report.SomeOf(2, 41, "stop"),
		"21 of 41 mechanisms are": report.SomeOf(21, 41, "mechanism"),
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestEvenly(t *testing.T) {
	t.Parallel()
	for n := range 200 {
		for most := range 50 {
			got := report.Evenly(n, most)
			if len(got) != min(n, most) {
				t.Fatalf("evenly(%d, %d) has %d numbers", n, most, len(got))
			}
			for i := range got {
				if i > 0 && got[i] <= got[i-1] {
					t.Fatalf("evenly(%d, %d) = %v does not rise", n, most, got)
				}
			}
			if len(got) > 1 && (got[0] != 0 || got[len(got)-1] != n-1) {
				t.Fatalf("evenly(%d, %d) = %v misses an end", n, most, got)
			}
		}
	}
}

// TestJSON checks the shape of the output and that its numbers round-trip.
func TestJSON(t *testing.T) {
	t.Parallel()
	a, stdout, stderr := fakeApp(smallProblem)
	if code := a.run([]string{"optdel", "--json", "-"}); code != exitOK || stderr.Len() > 0 {
		t.Fatalf("exit code %d, %s", code, stderr)
	}
	if n := strings.Count(stdout.String(), "\n"); n != 1 {
		t.Errorf("the output has %d lines, want 1", n)
	}
	got := stdout.String()
	seconds := got[strings.Index(got, `"seconds":`):]
	got = strings.Replace(got, seconds[:strings.IndexAny(seconds, ",}")], `"seconds":0`, 1)
	want := `{"schema_version":2,"optdel":{"lower":1.25e-06,"upper":1.2500000001e-06},"lemma11":{"lower":2.5e-05,"upper":2.5000000000000002e-05},` +
		`"single_stop":[{"after":1,"delta":{"lower":9.999999999999999e-08,"upper":1e-07}}`
	if !strings.HasPrefix(got, want) {
		t.Errorf("got  %s\nwant %s...", got, want)
	}
	var out optdelJSON
	if err := json.Unmarshal(stdout.Bytes(), &out); err != nil {
		t.Fatal(err)
	}
	r := fakeResult(impl.Pipeline{Stops: make([]impl.Stop, 0)})
	for _, tt := range []struct {
		text fmt.Stringer
		want *big.Float
	}{{out.OptDel.Lower, r.OptDel.Lower}, {out.OptDel.Upper, r.OptDel.Upper}, {out.Lemma11.Upper, r.Lemma11.Upper}} {
		back, _, err := big.ParseFloat(tt.text.String(), 10, tt.want.Prec(), big.ToNearestEven)
		if err != nil || back.Cmp(tt.want) != 0 {
			t.Errorf("%s reads back as %v, want %v", tt.text, back, tt.want)
		}
	}
	if len(out.SingleStop) != 5 || len(out.StoppingRule) != 5 {
		t.Fatalf("%d stops and %d thresholds, want 5 of each", len(out.SingleStop), len(out.StoppingRule))
	}
	if line := out.StoppingRule[3]; line.After != 7 || line.LossAtLeast != nil {
		t.Errorf("where stopping never pays the threshold is %+v, want null", line)
	}
	if line := out.StoppingRule[0]; line.After != 1 || line.LossAtLeast == nil || line.Probability != 0.125 {
		t.Errorf("the first threshold is %+v", line)
	}
	for _, absent := range []string{"shortfall", "exact"} {
		if strings.Contains(stdout.String(), absent) {
			t.Errorf("the output has %q, which must be left out when empty", absent)
		}
	}
}

func TestExact(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"auto", "exhaustive"} {
		a, stdout, stderr := fakeApp(smallProblem)
		if code := a.run([]string{"optdel", "--json", "--exact", "--method", method, "-"}); code != exitOK {
			t.Fatalf("exit code %d, %s", code, stderr)
		}
		want := fmt.Sprintf(`"exact":"%v","lemma11_exact":"%v"`, fakeExact, fakeLemma11)
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("got %s, want %s in it", stdout, want)
		}
		a, stdout, _ = fakeApp(smallProblem)
		code := a.run([]string{"optdel", "--exact", "--method", method, "-"})
		if code != exitOK || !strings.Contains(stdout.String(), "exactly "+fakeExact.String()) {
			t.Errorf("exit code %d, %s", code, stdout)
		}
	}
}

// TestControl_WrongExactIsCaught checks that an exact value outside the
// interval is not printed.
func TestControl_WrongExactIsCaught(t *testing.T) {
	t.Parallel()
	for _, wrong := range []string{"1.2499e-6", "1.2501e-6"} {
		a, stdout, stderr := fakeApp(smallProblem)
		a.exactly = func(context.Context, impl.Pipeline) (optDel, lemma11 *big.Rat, err error) {
			optDel, err = input.ParseNumber(wrong)
			return optDel, fakeLemma11, err
		}
		code := a.run([]string{"optdel", "--exact", "-"})
		if code != exitUsage || stdout.Len() > 0 || !strings.Contains(stderr.String(), "internal error") {
			t.Errorf("exit code %d, stdout %s, stderr %s", code, stdout, stderr)
		}
	}
}

func TestExactTooLarge(t *testing.T) {
	t.Parallel()
	a, stdout, stderr := fakeApp(smallProblem)
	a.exactly = func(context.Context, impl.Pipeline) (optDel, lemma11 *big.Rat, err error) {
		return nil, nil, impl.ErrTooLarge
	}
	code := a.run([]string{"optdel", "--exact", "-"})
	if want := "checkrr: --exact: " + impl.ErrTooLarge.Error() + "\n"; code != exitUsage || stdout.Len() > 0 || stderr.String() != want {
		t.Errorf("exit code %d, stdout %s, stderr %s", code, stdout, stderr)
	}
}

// failing runs the command with a solver that returns r and err.
func failing(t *testing.T, r *impl.Result, err error, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	a, out, errs := fakeApp(smallProblem)
	a.optDel = func(ctx context.Context, _ impl.Pipeline, _ impl.Options) (*impl.Result, error) {
		if err == nil && r == nil {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return r, err
	}
	return a.run(append([]string{"optdel", "-"}, args...)), out.String(), errs.String()
}

func TestShortfall(t *testing.T) {
	t.Parallel()
	p, err := input.ReadProblem("-", &input.Inputs{Stdin: strings.NewReader(smallProblem)}, input.ChargedStops, false)
	if err != nil {
		t.Fatal(err)
	}
	r := fakeResult(p.Pipeline)
	r.Shortfall = "the grid would need 10 GB"
	for _, args := range [][]string{nil, {"--json"}} {
		code, stdout, stderr := failing(t, r, nil, args...)
		if code != exitInconclusive {
			t.Errorf("%v: exit code %d, want %d", args, code, exitInconclusive)
		}
		if !strings.Contains(stdout, "1.25") {
			t.Errorf("%v: the interval is not printed: %s", args, stdout)
		}
		if want := "checkrr: inconclusive: the intervals hold, but are wider than asked for: the grid would need 10 GB\n"; stderr != want {
			t.Errorf("%v: stderr is %q, want %q", args, stderr, want)
		}
	}
	if _, stdout, _ := failing(t, r, nil, "--json"); !strings.Contains(stdout, `"shortfall":"the grid would need 10 GB"`) {
		t.Errorf("the shortfall is not in %s", stdout)
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
		code := run(append(strings.Fields(line), "--timeout", "50ms"), never, &stdout, &stderr)
		if want := "checkrr: inconclusive: no result within 50ms\n"; code != exitInconclusive || stdout.Len() > 0 || stderr.String() != want {
			t.Errorf("%s: exit code %d, %s%s", line, code, stdout.String(), stderr.String())
		}
	}
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	code, stdout, stderr := failing(t, nil, nil, "--timeout", "20ms")
	if want := "checkrr: inconclusive: no result within 20ms\n"; code != exitInconclusive || stdout != "" || stderr != want {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}

func TestSolverErrors(t *testing.T) {
	t.Parallel()
	code, stdout, stderr := failing(t, nil, errors.New("no luck"))
	if want := "checkrr: no luck\n"; code != exitUsage || stdout != "" || stderr != want {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	code, _, stderr = failing(t, nil, fmt.Errorf("solving: %w", &impl.InputError{List: "stops", Index: 1, Field: "after", Rule: "is odd"}))
	if want := "<stdin>:5:13: stop 2: after is odd\n"; code != exitUsage || stderr != want {
		t.Errorf("exit code %d, stderr %q, want %q", code, stderr, want)
	}
}

func TestOutputFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "out.json")
	a, stdout, stderr := fakeApp(smallProblem)
	if code := a.run([]string{"optdel", "--json", "-o", file, "-"}); code != exitOK || stdout.Len()+stderr.Len() > 0 {
		t.Fatalf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	data, err := os.ReadFile(file)
	if err != nil || !json.Valid(data) {
		t.Errorf("the file holds %q, %v", data, err)
	}
	a, _, stderr = fakeApp(smallProblem)
	if code := a.run([]string{"optdel", "-o", filepath.Join(file, "x"), "-"}); code != exitUsage || stderr.Len() == 0 {
		t.Errorf("exit code %d for a file that cannot be written, stderr %q", code, stderr)
	}
}

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

// A narrower interval that is sought for a verdict may reach the width that was asked for.
func TestJudge_Shortfall(t *testing.T) {
	t.Parallel()
	wide, narrow := interval.Of(0.5, 1), interval.Of(0.5, 0.5625)
	for requested, want := range map[float64]string{0.25: "", 1e-9: "narrow"} {
		a, _, _ := fakeApp("")
		a.optDel = func(context.Context, impl.Pipeline, impl.Options) (*impl.Result, error) {
			return &impl.Result{OptDel: narrow, Lemma11: narrow, Method: impl.Bracket, Shortfall: "narrow"}, nil
		}
		r := &impl.Result{OptDel: wide, Lemma11: wide, Method: impl.Bracket, Shortfall: "wide"}
		o := optdelOptions{method: string(impl.Auto), solverFlags: solverFlags{gate: gate{typed: "0.75", most: big.NewRat(3, 4)}}}
		s := &solution{found: found{Result: r}, solved: solved{o: o.solverFlags, problem: manyStops(t, 1, "1")}, requested: requested}
		if a.judge(t.Context(), s, o, nil); s.verdict != holds || s.Shortfall != want {
			t.Errorf("asked for %g: %s, shortfall %q, want %q", requested, s.verdict, s.Shortfall, want)
		}
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

// A δ that is known roughly has few digits, and one of which only an upper end is known is called that.
func TestDeltaCell(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lower, upper float64
		want         string
	}{
		{0.25, 0.25, "0.2500"}, {0.249999, 0.25, "0.2500"}, {0.249, 0.25, "0.250"}, {0.24, 0.2501, "0.26"}, {0.1, 0.2501, "at most 0.26"},
		{0, 1e-17, "at most 1.1e-17"}, {0, 0, "0"}, {0, 1, "at most 1.0"}, {1, 1, "1.000"},
	} {
		if got := deltaCell([]interval.Interval{interval.Of(c.lower, c.upper)}, 0); got != c.want {
			t.Errorf("%g to %g: %q, must be %q", c.lower, c.upper, got, c.want)
		}
	}
	if got := deltaCell(nil, 0); got != "–" {
		t.Errorf("nothing: %q", got)
	}
}

// Where no grid has room for all losses there is no result, and nothing is wrong with the input.
func TestOptDel_NoRoom(t *testing.T) {
	t.Parallel()
	const problem = "mechanisms: [{gaussian: {noise: 0.1}, count: 1000000}]\nstops: [{after: 1, eps: 1e-3}, {after: 1000000, eps: 50000000}]\n"
	var stdout, stderr bytes.Buffer
	code := run([]string{"optdel", "-"}, strings.NewReader(problem), &stdout, &stderr)
	if code != exitInconclusive || stdout.Len() > 0 || !strings.HasPrefix(stderr.String(), "checkrr: inconclusive: no result: too large to compute (") {
		t.Errorf("exit code %d, %s%s", code, &stdout, &stderr)
	}
}
