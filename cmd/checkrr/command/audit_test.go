package command

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"checkrr/verify/audit"
)

// mechanismRequest is what an audited program is asked.
type mechanismRequest struct {
	ID    int             `json:"id"`
	Input json.RawMessage `json:"input"`
	N     int             `json:"n"`
}

// fakeMechanism is a program that is audited: the test binary under another name. Its
// argument says how it replies.
func fakeMechanism() {
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var r mechanismRequest
		if err := json.Unmarshal(line, &r); err != nil {
			panic(err)
		}
		fmt.Println(fakeReplies[os.Args[1]](r))
	}
}

// repeated is a reply of n outputs.
func repeated(r mechanismRequest, output string, n int) string {
	return fmt.Sprintf(`{"id": %d, "outputs": [%s]}`, r.ID, strings.Join(slices.Repeat([]string{output}, n), ","))
}

var fakeReplies = map[string]func(mechanismRequest) string{
	"same":   func(r mechanismRequest) string { return repeated(r, "1", r.N) },
	"reveal": func(r mechanismRequest) string { return repeated(r, string(r.Input), r.N) },
	"parts":  func(r mechanismRequest) string { return repeated(r, `{"part": "a", "value": 1}`, r.N) },
	"error":  func(r mechanismRequest) string { return fmt.Sprintf(`{"id": %d, "error": "bad input"}`, r.ID) },
	"escape": func(r mechanismRequest) string {
		return repeated(r, fmt.Sprintf("\"\u202e\\u001b[31m %%d %s\"", r.Input), r.N)
	},
	"scored": func(r mechanismRequest) string {
		return repeated(r, fmt.Sprintf(`{"output": %s, "score": 1}`, r.Input), r.N)
	},
	"slow": func(r mechanismRequest) string { time.Sleep(20 * time.Millisecond); return repeated(r, "1", r.N) },
	"hang": func(mechanismRequest) string { time.Sleep(time.Hour); return "" },
	"crash": func(mechanismRequest) string {
		fmt.Fprintln(os.Stderr, "boom \x1b[31m")
		os.Exit(3)
		return ""
	},
}

// auditOf is an audit file for a fake, with some of its text replaced.
func auditOf(mode string, replaced ...string) string {
	return strings.NewReplacer(replaced...).Replace("command: [mechanism, " + mode + "]\n" + givenInputs +
		"\nclaim: {eps: 1}\nbudget: {samples: 300}\npatience: 60")
}

// givenInputs is a line of the file.
const givenInputs = "neighbours: [{x: 0, x2: 1}]"

// checkrr runs the command line.
func checkrr(stdin string, args ...string) (code int, stdout, stderr string) {
	var out, diagnostics bytes.Buffer
	code = execute(args, strings.NewReader(stdin), &out, &diagnostics)
	if err := checkOutput(args, out.Bytes()); err != nil {
		return exitSchema, out.String(), diagnostics.String() + err.Error()
	}
	return code, out.String(), diagnostics.String()
}

// checkRefused checks that a command line is a usage error, and what is said about it.
func checkRefused(t *testing.T, args, want string) {
	t.Helper()
	code, stdout, stderr := checkrr("", strings.Fields(args)...)
	if code != exitUsage || stdout != "" || stderr != "checkrr: "+want+"\n" {
		t.Errorf("%s: exit code %d, stdout %q, stderr\n%swant\n%s", args, code, stdout, stderr, want)
	}
}

// notFinite is what must not be printed.
var notFinite = regexp.MustCompile(`NaN|\bInf|%!|\x1b|\x{202e}|<nil>`)

// checkText checks what is printed for a person.
func checkText(t *testing.T, text string) {
	t.Helper()
	if found := notFinite.FindString(text); found != "" {
		t.Errorf("%q is in the output\n%s", found, text)
	}
}

// auditOutput is what tests look at in the output of checkrr audit --json.
type auditOutput struct {
	Subject  string
	Settings map[string]string
	Verdict  audit.Verdict
	Certain  bool
	Sampled  *struct {
		Alpha float64
		Bits  bool
	}
}

// readJSON reads one line of JSON.
func readJSON[T any](t *testing.T, line string) (out T) {
	t.Helper()
	isLine := strings.Count(line, "\n") == 1 && strings.HasSuffix(line, "\n")
	if err := json.Unmarshal([]byte(line), &out); err != nil || !isLine {
		t.Fatalf("%v: %s", err, line)
	}
	return out
}

// TestAuditBuiltin: verdicts and exit codes. Sampled audits have the seed 1, and alpha 1e-3
// or less: a true claim would be refuted by one in 1000 of seeds.
func TestAuditBuiltin(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a lot of arithmetic, and nothing at once")
	}
	const (
		proved = "no violation: the claim is true for 1 pair of inputs, for certain"
		some   = "no violation: the claim is true for 2 pairs of inputs, for certain; of 4 more, what was computed " +
			"does not refute it"
		open     = "no violation found: not every output of the inputs examined was"
		refuted  = "refuted, for certain"
		probably = "refuted (a true claim would be with probability at most 1e-3)"
		tooSmall = "checkrr: inconclusive: with 1 output for each input, not even the release of the input would " +
			"have been seen\n"
	)
	for _, tt := range []struct {
		args    string
		outcome string // in words
		code    int
		stderr  string // if it is not that of the outcome
	}{
		{"svt --claim odp --eps 1 --c 3 --queries 6", some, exitOK, ""},
		{"toy --claim odp --delta 1e-300 --eps 100", proved, exitOK, ""},
		{"logreg-test --method exact", open, exitOK, ""},
		{"logreg-test --method exact --eps 0.001", open, exitOK, ""},
		{"svt --eps 100 --noise 0.001 --c 20 --queries 4", refuted, exitRefuted, ""},
		{"laplace --noise 1/3", refuted, exitRefuted, ""},
		{"laplace-float", refuted, exitRefuted, ""},
		{"laplace --method sampled --samples 2e3 --alpha 1e-100 --bits", "no violation found", exitOK, ""},
		{"laplace --noise 0.5 --method sampled --samples 2e3", probably, exitRefuted, ""},
		{"laplace --noise 0.5 --method sampled --samples 2e3 --full --seed 18446744073709551615", probably, exitRefuted,
			""},
		{"laplace --method sampled --samples 1", "budget too small", exitInconclusive, tooSmall},
		{"laplace --method sampled --timeout 1ns", "budget too small", exitInconclusive,
			"checkrr: inconclusive: nothing was drawn (stopped after 1ns)\n"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"audit", "--builtin"}, strings.Fields(tt.args)...)
			if tt.code == exitRefuted {
				tt.stderr = "checkrr: refuted: the claim about " + args[2] + "\n"
			}
			code, stdout, stderr := checkrr("", args...)
			stderr = withoutEvent(stderr)
			first, _, _ := strings.Cut(stdout, "\n")
			if code != tt.code || stderr != tt.stderr || first != "Verdict     "+tt.outcome {
				t.Errorf("exit code %d, want %d, stderr %q, want %q, stdout\n%s", code, tt.code, stderr, tt.stderr,
					stdout)
			}
			checkText(t, stdout)
		})
	}
}

// TestAuditReproduced: the settings in the output, given as flags, give the same output.
func TestAuditReproduced(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ args, want string }{
		{"--builtin laplace --delta 1e-30 --noise 12/7 --eps 1/3",
			"delta:1e-30 eps:1/3 noise:12/7"},
		{"--builtin svt --c 1 --queries 4", "c:1 delta:0 eps:1 noise:1 queries:4"},
	} {
		typed := strings.Fields(tt.args)
		args := append([]string{"audit", "--json", "--method", "exact"}, typed...)
		_, first, _ := checkrr("", args...)
		settings := readJSON[auditOutput](t, first).Settings
		if got := fmt.Sprint(settings); got != "map["+tt.want+"]" {
			t.Errorf("%s: the settings are %s, want %s", tt.args, got, tt.want)
		}
		args = args[:len(args)-len(typed)+2] // up to --builtin and its name
		for name, value := range settings {
			args = append(args, "--"+name, value)
		}
		_, second, stderr := checkrr("", args...)
		if withoutTime(first) != withoutTime(second) {
			t.Errorf("%s: %s became\n%s, was\n%s", args, stderr, second, first)
		}
	}
}

// withoutTime is an output without how long it took.
func withoutTime(text string) string { return times.ReplaceAllString(text, "${1}T${2}") }

// withoutEvent is what is said of a claim that is refuted, without which event refutes it.
func withoutEvent(text string) string {
	return regexp.MustCompile(`: it is not .*the event “.*”.*`).ReplaceAllString(text, "")
}

// TestAuditProgram: verdicts about programs, all of them certain but for chance far below
// 1e-6: outputs are the same for all inputs, or the input.
func TestAuditProgram(t *testing.T) {
	t.Parallel()
	const refuted = "checkrr: refuted: the claim about <stdin>\n"
	for _, tt := range []struct {
		name, text, args string
		code             int
		stdout, stderr   string
	}{
		{"same", auditOf("same"), "", exitOK, "no violation found", ""},
		{"reveal", auditOf("reveal"), "", exitRefuted,
			"refuted (a true claim would be with probability at most 0.001)", refuted},
		{"flags win over the file", auditOf("reveal"), "--alpha 1/50 --samples 200 --seed 3", exitRefuted,
			"of at most 200; alpha 1/50, seed 3", refuted},
		{"bits, all of them", auditOf("reveal", "patience", "numbers: bits\npatience"), "--full", exitRefuted,
			"300 outputs for each input, of at most 300; alpha 0.001, seed 1, bits, full", refuted},
		{"no terminal codes", auditOf("escape"), "", exitRefuted, `"�\u001b[31m %d 0"`, refuted},
		{"parts", auditOf("parts", "{eps: 1}", "{parts: {a: 0, b: 1}}"), "", exitOK,
			"ODP with δ = 0 and the ε of 2 parts below", ""},
		{"search", auditOf("same", givenInputs, "search: {values: [0, 1], length: [1, 2], neighbours: replace}"), "",
			exitOK, "no violation found", ""},
		{"search finds", auditOf("reveal", givenInputs,
			"search: {values: [0, 1], length: [1, 2], neighbours: replace}"), "", exitRefuted, "refuted (", refuted},
		{"huge claim", auditOf("reveal", "{eps: 1}", "{exp_eps: 1e9999, delta: 1e-9999}"), "", exitInconclusive,
			"(ln 1e9999, 1e-9999)-DP",
			"checkrr: inconclusive: with 300 outputs for each input, not even the release of the input would have " +
				"been seen\n"},
		{"no time", auditOf("hang"), "--timeout 100ms", exitInconclusive, "0 outputs for each input, of at most 300",
			"checkrr: inconclusive: nothing was drawn (stopped after 100ms)\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			args := append([]string{"audit", "-"}, strings.Fields(tt.args)...)
			code, stdout, stderr := checkrr(tt.text, args...)
			stderr = withoutEvent(stderr)
			if code != tt.code || stderr != tt.stderr || !strings.Contains(stdout, tt.stdout) {
				t.Errorf("exit code %d, want %d, stderr %q, want %q, stdout (want %q in it)\n%s", code, tt.code,
					stderr, tt.stderr, tt.stdout, stdout)
			}
			checkText(t, stdout)
		})
	}
}

// TestAuditProgramFaults: programs that break the protocol, or cannot be started.
func TestAuditProgramFaults(t *testing.T) {
	t.Parallel()
	const words = "; arguments are items of their own, as in [python3, mechanism.py]"
	for _, tt := range []struct{ name, text, want string }{
		{"crash", auditOf("crash"), "checkrr: input 0: mechanism crash: request 1: the program ended (exit status 3) " +
			"before it replied, must run until its standard input ends\n  its standard error ends with\n  boom " +
			"�[31m\n"},
		{"long input", auditOf("error", givenInputs, "neighbours: [{x: ["+strings.Repeat("1, ", 5000)+"1], x2: 0}]"),
			"checkrr: input [" + strings.Repeat("1,", 49) +
				"1…: mechanism error: request 1: the program reports an error: bad input\n"},
		{"other part", auditOf("parts", "{eps: 1}", "{parts: {b: 1}}"),
			`checkrr: input 0: an output is in part "a", which the claim does not have` + "\n"},
		{"words in one", auditOf("", "mechanism, ", "no-such-mechanism x.py"),
			"checkrr: no-such-mechanism x.py cannot be " +
				"started: exec: \"no-such-mechanism x.py\": executable file not found in $PATH" + words + "\n"},
		{"words of a path in one", auditOf("", "mechanism, ", "./no-such-mechanism x.py"),
			"checkrr: ./no-such-mechanism x.py " +
				"cannot be started: fork/exec ./no-such-mechanism x.py: no such file or directory" + words + "\n"},
		{"fault in the file", auditOf("same", "{eps: 1}", "{eps: -1}"),
			"<stdin>:3:14: claim: eps is -1, must be between 0 and 1e6\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := checkrr(tt.text, "audit", "-")
			if code != exitUsage || stdout != "" || stderr != tt.want {
				t.Errorf("exit code %d, stdout %q, stderr\n%s\nwant\n%s", code, stdout, stderr, tt.want)
			}
		})
	}
}

// TestAuditPython audits the examples, which draw from the seeds they are asked to.
func TestAuditPython(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("there is no python3")
	}
	for _, tt := range []struct {
		file, samples string
		code          int
	}{{"audit-wrong.yaml", "2e4", exitRefuted}, {"audit-parts.yaml", "1e3", exitOK}} {
		args := []string{"audit", filepath.Join("../../../examples", tt.file), "--json", "--samples", tt.samples}
		code, first, stderr := checkrr("", args...)
		if code != tt.code {
			t.Fatalf("%s: exit code %d, want %d, %s", tt.file, code, tt.code, stderr)
		}
		if _, second, _ := checkrr("", args...); withoutTime(first) != withoutTime(second) {
			t.Errorf("%s: twice with one seed, and got\n%s\n%s", tt.file, first, second)
		}
	}
}

// TestAuditUsage: what is refused before anything is started.
func TestAuditUsage(t *testing.T) {
	t.Parallel()
	const file = "../../../examples/audit-wrong.yaml"
	for _, flag := range builtinParameters {
		checkRefused(t, "audit "+file+" --"+flag+" 1", "--"+flag+" is given, must be used with --builtin only")
	}
	for _, tt := range []struct{ args, want string }{
		{"", "nothing to audit: give a FILE, --builtin NAME, --all or --list"},
		{file + " --builtin svt", "2 of FILE, --builtin, --all and --list are given, must be one"},
		{"--all --list", "2 of FILE, --builtin, --all and --list are given, must be one"},
		{"a.yaml b.yaml", "2 files are named, must be only one: a.yaml b.yaml"},
		{"no.yaml", "open no.yaml: no such file or directory"},
		{file + " --method exact", "--method is exact, must be sampled for a program: the law of its outputs is not " +
			"known"},
		{"--builtin svt --method x", "--method is x, must be auto, exact or sampled"},
		{"--all --eps 1", "--eps is given, must be used with --builtin only"},
		{"--all --method sampled", "--method is given, must not be with --all, which audits by laws and by samples"},
		{"--list --c 3", "--c is given, must not be with --list"},
		{"--list --seed 3", "--seed is given, must not be with --list"},
		// parameters
		{"--builtin svt --c 0", "--c is 0, must be at least 1"},
		{"--builtin svt --c -1", "svt: c is -1, must be at least 1 and at most 20"},
		{"--builtin svt --c 1.5", "--c is 1.5, must be a whole number of at most 18 digits"},
		{"--builtin svt --queries 0", "--queries is 0, must be at least 1"},
		{"--builtin svt --eps 1e400", "svt: eps is 1e+400, must be at least 0.001 and at most 100"},
		{"--builtin svt --eps 1e-400", "svt: eps is 1e-400, must be at least 0.001 and at most 100"},
		{"--builtin svt --eps 1e99999", "--eps has the exponent 99999, must have one between -10000 and 10000"},
		{"--builtin svt --eps=", "--eps is empty, must have a value"},
		{"--builtin svt --claim=", "--claim is empty, must have a value"},
		{"--builtin svtt", `--builtin: no built-in mechanism is named "svtt"; did you mean svt?`},
		{"--builtin \x1b[31m", `--builtin: no built-in mechanism is named "\x1b[31m"`},
		// limits
		{"--builtin svt --samples 0", "--samples is 0, must be a whole number from 1 to 1000000000"},
		{"--builtin svt --samples 1.5", "--samples is 1.5, must be a whole number from 1 to 1000000000"},
		{"--builtin svt --samples 1e12", "--samples is 1e12, must be a whole number from 1 to 1000000000"},
		{"--builtin svt --alpha 1", "--alpha is 1, must be between 1e-100 and 0.5"},
		{"--builtin svt --alpha 1e-101", "--alpha is 1e-101, must be between 1e-100 and 0.5"},
		{"--builtin svt --seed -1", "--seed is -1, must be a whole number from 0 to 18446744073709551615, in digits"},
		{"--builtin svt --timeout -1s", "--timeout is -1s, must not be negative"},
		{"--builtin svt --timeout 5", "--timeout is 5, must be a time such as 30s or 5m; did you mean 5s?"},
		{"--builtin svt --timeout -5", "--timeout is -5, must be a time such as 30s or 5m"},
		{"--builtin svt --timeout 5x", "--timeout is 5x, must be a time such as 30s or 5m"},
		{"--list=x", "--list is x, must be true or false"},
	} {
		checkRefused(t, "audit "+tt.args, tt.want)
	}
}

// TestAuditTimeout: no law within the time.
func TestAuditTimeout(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"--builtin svt --c 5 --timeout 1ns", "--all --timeout 1ns"} {
		code, stdout, stderr := checkrr("", append([]string{"audit"}, strings.Fields(args)...)...)
		if code != exitInconclusive || stdout != "" || stderr != "checkrr: inconclusive: no result within 1ns\n" {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", args, code, stdout, stderr)
		}
	}
}

// A mechanism that is wrong in its last bits is audited with them, and the report says so.
func TestAuditBits(t *testing.T) {
	t.Parallel()
	_, stdout, _ := checkrr("", "audit", "--builtin", "laplace-float", "--method", "sampled", "--json")
	if out := readJSON[auditOutput](t, stdout); out.Verdict != audit.Refuted || !out.Sampled.Bits {
		t.Errorf("got %s", stdout)
	}
}
