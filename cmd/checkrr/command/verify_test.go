package command

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/run"
	"checkrr/verify/papers"
	"checkrr/verify/register"
)

// upTo is a check that all numbers from 1 to n stay below a limit.
func upTo(n, limit int) register.Check {
	return func(t *register.T) {
		t.Domain("1 to %d", n)
		for i := 1; i <= n; i++ {
			t.Case()
			if i >= limit {
				t.Refute("%d is not less than %d", i, limit)
			}
		}
	}
}

// statementsFor are made-up statements, with every kind of result.
func statementsFor(t *testing.T, ids ...string) []register.Statement {
	t.Helper()
	all := map[string]register.Statement{
		"TXT-D1": {Title: "a definition", Kind: register.Definition, Verdict: register.NotCheckable,
			Note: "It asserts nothing."},
		"TXT-L2": {Title: "less than 9", Kind: register.Exact, Verdict: register.Holds, In: []string{"spec.OptDel"},
			Check: upTo(5, 9), Controls: []register.Claim{{Says: "less than 3", Check: upTo(5, 3)}}},
		"TXT-L3": {Title: "less than 4", Kind: register.Exact, Verdict: register.Fails, Note: "It is 5.",
			Check: upTo(5, 4), Corrected: &register.Claim{Says: "less than 6", Check: upTo(5, 6)}},
		"TXT-L4": {Title: "it changed", Kind: register.Exact, Verdict: register.Holds, Check: upTo(5, 4)},
		"TXT-L5": {Title: "a weak check", Kind: register.Exact, Verdict: register.Holds, Check: upTo(5, 9),
			Controls: []register.Claim{{Says: "less than 8", Check: upTo(5, 8)}}},
		"TXT-L6": {Title: "too hard", Kind: register.Certified, Verdict: register.Holds,
			Check: func(t *register.T) { t.Inconclusive("the interval is too wide") }},
		"TXT-L7": {Title: "no case", Kind: register.Exact, Verdict: register.Holds, Check: func(*register.T) {}},
		"TXT-L8": {Title: "wrong correction", Kind: register.Exact, Verdict: register.Fails, Check: upTo(5, 4),
			Corrected: &register.Claim{Says: "less than 5", Check: upTo(5, 5)}},
	}
	var out []register.Statement
	for _, id := range ids {
		s, ok := all[id]
		if !ok {
			t.Fatalf("no statement %s", id)
		}
		s.ID = id
		if s.Check != nil {
			s.Last = register.Run(t.Context(), []register.Statement{s}, register.Options{})[0].Record()
		}
		out = append(out, s)
	}
	return out
}

// withStatements returns an app that has some of them, and its outputs.
func withStatements(t *testing.T, ids ...string) (a app, stdout, stderr *bytes.Buffer) {
	stdout, stderr = new(bytes.Buffer), new(bytes.Buffer)
	return app{
		App:        run.App{Inputs: new(input.Inputs), Stdout: stdout, Stderr: stderr},
		statements: func() []register.Statement { return statementsFor(t, ids...) },
	}, stdout, stderr
}

func TestVerifyExitCodes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		ids            string
		code           int
		stdout, stderr string
	}{
		{"TXT-D1 TXT-L2 TXT-L3", exitOK, "3 statements: holds 1, fails 1, not-checkable 1; all that was decided is " +
			"as recorded.", ""},
		{"TXT-L3", exitOK, "counterexample: 4 is not less than 4\n  corrected: less than 6 – holds", ""},
		{"TXT-L2 TXT-L4", exitRefuted, "fails (!)",
			"TXT-L4: the statement fails, recorded: holds: 4 is not less than 4"},
		{"TXT-L5", exitRefuted, "holds (!)", "TXT-L5: control “less than 8” holds, recorded: fails"},
		{"TXT-L6", exitInconclusive, "inconclusive: the interval is too wide", "the interval is too wide"},
		{"TXT-L7", exitInconclusive, "inconclusive", "the check went through no case"},
		{"TXT-L8", exitRefuted, "corrected: less than 5 – fails",
			"TXT-L8: corrected form “less than 5” fails, recorded: holds: 5 is not less than 5"},
		{"TXT-L4 TXT-L6", exitRefuted, "fails 1, inconclusive 1; 1 not as recorded", "TXT-L4"},
	}
	for _, test := range tests {
		a, stdout, stderr := withStatements(t, strings.Fields(test.ids)...)
		if code := a.run(t.Context(), append([]string{"verify"}, strings.Fields(test.ids)...)); code != test.code {
			t.Errorf("verify %s: exit code %d, must be %d", test.ids, code, test.code)
		}
		if !strings.Contains(stdout.String(), test.stdout) {
			t.Errorf("verify %s: output\n%s\nmust contain %q", test.ids, stdout, test.stdout)
		}
		if !strings.Contains(stderr.String(), test.stderr) || test.stderr == "" && stderr.Len() > 0 {
			t.Errorf("verify %s: message\n%s\nmust contain %q", test.ids, stderr, test.stderr)
		}
	}
}

// What is explained is what the records show: also that there is none, or that they contradict the statement.
func TestExplain_Records(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"TXT-L2": "  holds (exact, 5 cases)\n  checked on: 1 to 5\n  implemented in: spec.OptDel\n" +
			"  control: less than 3 – refuted, as it must be\n  refuted by: 3 is not less than 3\n",
		"TXT-L4": "  fails (exact, 4 cases)\n  checked on: 1 to 5\n  counterexample: 4 is not less than 4\n" +
			"  but statements.yaml says: holds: correct it, or the check\n",
		"TXT-L5": "  holds (exact, 5 cases)\n  checked on: 1 to 5\n  control: less than 8 – not refuted\n",
		"TXT-L6": "  inconclusive: no run is recorded\n",
	} {
		a, stdout, _ := withStatements(t, id)
		code := a.run(t.Context(), []string{"explain", id})
		if _, got, _ := strings.Cut(stdout.String(), "\n"); code != exitOK || got != want {
			t.Errorf("%s: exit code %d,\n%s\nmust be\n%s", id, code, got, want)
		}
	}
}

// A claim about statements says which verdicts they have.
func TestVerdictsIn(t *testing.T) {
	t.Parallel()
	for ids, want := range map[string]string{
		"TXT-D1": "not-checkable",
		"TXT-L2": "holds",
		"TXT-L3": "fails as recorded",
		"TXT-L4": "fails not as recorded",
		"TXT-D1 TXT-L2 TXT-L3 TXT-L4 TXT-L5 TXT-L6 TXT-L7": "1 holds, 1 holds not as recorded, 1 fails as recorded, " +
			"1 fails not as recorded, 1 not-checkable, 2 inconclusive",
		"TXT-L2 TXT-L3 TXT-L2": "2 hold, 1 fails as recorded",
	} {
		a, stdout, _ := withStatements(t, strings.Fields(ids)...)
		a.run(t.Context(), append([]string{"verify", "--json"}, strings.Fields(ids)...))
		if got := verdictsIn(stdout.Bytes()); got != want {
			t.Errorf("%s: %s, must be %s", ids, got, want)
		}
	}
}

func TestVerifyJSON(t *testing.T) {
	t.Parallel()
	a, stdout, _ := withStatements(t, "TXT-L2", "TXT-L3", "TXT-L4")
	if code := a.run(t.Context(), []string{"verify", "--json"}); code != exitRefuted {
		t.Errorf("exit code %d", code)
	}
	want := `{"schema_version":2,"statements":[` + strings.Join([]string{
		`{"id":"TXT-L2","title":"less than 9","kind":"exact","verdict":"holds","recorded":"holds","domain":"1 to 5"`,
		`"cases":5,"counterexample":null,"corrected":null,"controls":[{"title":"less than 3","verdict":"fails"`,
		`"domain":"1 to 5","counterexample":"3 is not less than 3"}],"implemented_in":["spec.OptDel"],"seconds":T}`,
		`{"id":"TXT-L3","title":"less than 4","kind":"exact","verdict":"fails","recorded":"fails","domain":"1 to 5"`,
		`"cases":4,"counterexample":"4 is not less than 4","corrected":{"title":"less than 6","verdict":"holds"`,
		`"domain":"1 to 5"},"controls":[],"note":"It is 5.","implemented_in":[],"seconds":T}`,
		`{"id":"TXT-L4","title":"it changed","kind":"exact","verdict":"fails","recorded":"holds","domain":"1 to 5"`,
		`"cases":4,"counterexample":"4 is not less than 4","corrected":null,"controls":[],"implemented_in":[]`,
		`"changes":["the statement fails, recorded: holds: 4 is not less than 4"],"seconds":T}]}` + "\n",
	}, ",")
	if got := withoutTime(stdout.String()); got != want {
		t.Errorf("%s\nmust be\n%s", got, want)
	}
}

func TestVerifyJUnit(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "report.xml")
	a, _, _ := withStatements(t, "TXT-D1", "TXT-L2", "TXT-L3", "TXT-L4", "TXT-L6")
	if code := a.run(t.Context(), []string{"verify", "--junit", file}); code != exitRefuted {
		t.Errorf("exit code %d", code)
	}
	if err := checkJUnit(t, contents(t, file)); err != nil {
		t.Error(err)
	}
	got := regexp.MustCompile(`time="[0-9.]+"`).ReplaceAllString(contents(t, file), "")
	for _, want := range []string{
		`<testsuite name="checkrr verify" tests="5" failures="1" errors="1" skipped="1" >`,
		`<testcase classname="checkrr.TXT" name="TXT-D1 a definition" >` +
			"\n    <skipped>It asserts nothing.</skipped>",
		`<failure message="the statement fails, recorded: holds: 4 is not less than 4">`,
		`<error message="the interval is too wide">`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %s in\n%s", want, got)
		}
	}
}

func TestVerifyRefuses(t *testing.T) {
	t.Parallel()
	checkRefused(t, "verify --timeout -1s", "--timeout is -1s, must not be negative")
	checkRefused(t, "verify --junit no/such/folder/r.xml",
		"--junit is no/such/folder/r.xml, must be in a folder that exists")
	checkRefused(t, "explain", "no statement: name one, for example\n  checkrr explain ODP-TB1")
}

// A text names all its statements, an ID one, a pattern all that match, in the order of
// the register, each once.
func TestSelection(t *testing.T) {
	t.Parallel()
	all := statementsFor(t, "TXT-D1", "TXT-L2", "TXT-L3")
	all[2].ID = "OTHER-L3"
	a := app{papers: papers.All, statements: func() []register.Statement { return all }}
	tests := []struct{ ids, verdict, want string }{
		{"", "", "TXT-D1 TXT-L2 OTHER-L3"},
		{"txt", "", "TXT-D1 TXT-L2"},
		{"OTHER-L3 txt-d1 TXT-D1", "", "TXT-D1 OTHER-L3"},
		{"*-l*", "", "TXT-L2 OTHER-L3"},
		{"", "fails", "OTHER-L3"},
		{"txt", "holds", "TXT-L2"},
	}
	for _, test := range tests {
		found, err := chosenEntries{strings.Fields(test.ids), test.verdict}.from(a)
		var ids []string
		for _, s := range found {
			ids = append(ids, s.ID)
		}
		if got := strings.Join(ids, " "); err != nil || got != test.want {
			t.Errorf("%q, %q: %s, %v, must be %s", test.ids, test.verdict, got, err, test.want)
		}
	}
	for want, c := range map[string]chosenEntries{
		"none of the statements named has the recorded verdict fails": {[]string{"TXT-L2"}, "fails"},
		"\"[\" is not the ID of a statement, such as ODP-T15 or ODP-L*, nor a text: odp, adaptive, basics, " +
			"selection, ours; checkrr statements lists them; a text of your own is known only to its own " +
			"program": {[]string{"["}, ""},
	} {
		if _, err := c.from(a); err == nil || err.Error() != want {
			t.Errorf("%v: %v, must be %s", c, err, want)
		}
	}
}
