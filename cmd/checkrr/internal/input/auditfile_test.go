package input

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"

	"checkrr/verify/audit"
	"checkrr/verify/audit/program"
)

func parseAudit(text string) (*AuditFile, error) {
	return decodeAudit("a.yaml", named{}, strings.NewReader(text))
}

// describeAudit prints an audit file, numbers of the claim as ratios.
func describeAudit(a *AuditFile) string {
	var b strings.Builder
	fmt.Fprintf(&b, "command %q\n", a.Command)
	for _, pair := range a.Neighbours {
		fmt.Fprintf(&b, "x %s x2 %s\n", pair[0], pair[1])
	}
	if s := a.Search; s != nil {
		fmt.Fprintf(&b, "search %s, %d to %d, %s\n", s.Values, s.Shortest, s.Longest, s.Relation)
	}
	for i, part := range a.Claim.Parts {
		kind := map[bool]string{true: "e^"}[part.Eps.Log]
		fmt.Fprintf(&b, "part %q %seps %s, typed %s\n", part.Name, kind, part.Eps.Rat().RatString(), a.Charges[i])
	}
	fmt.Fprintf(&b, "delta %s, typed %s\n", a.Claim.Delta.RatString(), a.Delta)
	fmt.Fprintf(&b, "%d samples, %v, alpha %s, %d MiB, bits %t, patience %v\n",
		a.Budget.Samples, a.Budget.Time, a.Budget.Alpha.RatString(), a.Budget.Memory>>20, a.Bits, a.Patience)
	return b.String()
}

const fullAudit = `# all keys but search
command: [python3, my_mechanism.py, --noise, 1.0, yes, '']
neighbours:
  - {x: [0, 0, 1], x2: [0, 1, 1]}
  - x: {"b": 1.50, a: [null, true, False, 1e6, -0, 12345678901234567890], 1: 'it''s <b>'}
    x2: "é\n"
claim: {parts: {bot: 0.5, top: {exp_eps: 3/2}, 'two words': {eps: 1}}, delta: 1e-6}
budget: {samples: 2e3, seconds: 0.5, alpha: 1/100, memory: 0.5 GiB}
numbers: bits
patience: 1e-12
`

func TestAuditFile(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"all", fullAudit, `command ["python3" "my_mechanism.py" "--noise" "1.0" "yes" ""]
x [0,0,1] x2 [0,1,1]
x {"b":1.50,"a":[null,true,false,1e6,-0,12345678901234567890],"1":"it's <b>"} x2 "é\n"
part "bot" eps 1/2, typed 0.5
part "top" e^eps 3/2, typed ln(3/2)
part "two words" eps 1, typed 1
delta 1/1000000, typed 1e-6
2000 samples, 500ms, alpha 1/100, 512 MiB, bits true, patience 1ns
`},
		{"defaults", "command: [./m]\nsearch: {values: [0, 1.0, -2e1], length: [0, 1e1], neighbours: add}\nclaim: {eps: 1}\n", `command ["./m"]
search [0 1.0 -2e1], 0 to 10, add
part "" eps 1, typed 1
delta 0, typed 0
1000000 samples, 1m0s, alpha 1/1000, 1024 MiB, bits false, patience 30s
`},
		{"json", `{"command": ["m"], "neighbours": [{"x": "\ud83d\ude00", "x2": {}}], "claim": {"exp_eps": 2, "delta": 0.5}, "numbers": "real"}`, `command ["m"]
x "😀" x2 {}
part "" e^eps 2, typed ln 2
delta 1/2, typed 0.5
1000000 samples, 1m0s, alpha 1/1000, 1024 MiB, bits false, patience 30s
`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, err := parseAudit(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			if got := describeAudit(a); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// auditWith is an audit file with some keys replaced, or left out if they are "".
func auditWith(replaced ...string) string {
	lines := []string{"command: [m]", "neighbours: [{x: 0, x2: 1}]", "claim: {eps: 1}"}
	for i := 0; i < len(replaced); i += 2 {
		key, line := replaced[i], replaced[i+1]
		at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, key+":") })
		if at < 0 {
			at = len(lines)
			lines = append(lines, "")
		}
		lines[at] = line
	}
	return strings.Join(lines, "\n")
}

// auditErrors are faulty files and what is said about them.
var auditErrors = []struct{ text, want string }{
	{"", "1:1: the file is empty, must have the keys command, neighbours and claim, or law and claim"},
	{"- 1", "1:1: the file is a list, must have the keys command, neighbours and claim, or law and claim"},
	{"\x00", "1:1: byte 0x00 does not belong here, an audit file is plain UTF-8 text"},
	{"a: !!x 1", "1:4: a tag (!) is not supported, write the value out"},
	{auditWith("extra", "extra: 1"), "4:1: unknown key extra, must be one of command, neighbours, search, claim, budget, numbers, patience, law, noise"},
	{auditWith("extra", "claim: {eps: 1}"), "4:1: claim is given twice"},
	{auditWith("x", strings.Repeat("[", 40)), "4:33: nested too deeply"},
	{strings.Repeat("a: 1\n", 300), "257:2: too many keys without a list or brackets between them, must be at most 256"},
	{"x: [" + strings.Repeat("[],", 200_000), "1:600002: the file is too long, must have at most 200000 dashes and brackets"},
	{auditWith("neighbours", "neighbours:\n- - 1"), "3:3: a list directly inside a list, must be in brackets, such as [[1, 2], [3]]"},
	// what must be there
	{auditWith("command", ""), "2:1: command is missing, must be a list such as [python3, mechanism.py]"},
	{auditWith("neighbours", ""), "1:1: neighbours is missing, must be a list of {x: …, x2: …}; or search must be there"},
	{auditWith("claim", ""), "1:1: claim is missing, must be of the form {eps: 1, delta: 1e-6} or {parts: {a: 1, b: 2}, delta: 1e-6}"},
	{auditWith("search", "search: {values: [0, 1], length: [1, 2], neighbours: add}"), "4:9: both neighbours and search are given, must be only one of them"},
	// command
	{auditWith("command", "command: python3 m.py"), `1:10: command is "python3 m.py", must be a list`},
	{auditWith("command", "command: []"), "1:10: command is an empty list, must have at least one entry"},
	{auditWith("command", "command: ['']"), "1:11: command: word 1 is \"\", must be a text without a zero byte, and the first not empty"},
	{auditWith("command", `command: [a, "b\0"]`), `1:14: command: word 2 is "b\x00", must be a text without a zero byte, and the first not empty`},
	{auditWith("command", "command: [a, [b]]"), "1:14: command: word 2 is a list, must be a text"},
	{auditWith("command", "command: [a, ~]"), "1:14: command: word 2 is empty, must be a text"},
	// neighbours
	{auditWith("neighbours", "neighbours: {x: 1, x2: 2}"), "2:13: neighbours is a mapping, must be a list"},
	{auditWith("neighbours", "neighbours: []"), "2:13: neighbours is an empty list, must have at least one entry"},
	{auditWith("neighbours", "neighbours: [1]"), "2:14: neighbours 1 is 1, must be of the form {x: …, x2: …}"},
	{auditWith("neighbours", "neighbours: [{x: 1}]"), "2:14: neighbours 1: x2 is missing, must have x and x2"},
	{auditWith("neighbours", "neighbours: [{x2: 1}]"), "2:14: neighbours 1: x is missing, must have x and x2"},
	{auditWith("neighbours", "neighbours: [{x: 1, x2: 2, y: 3}]"), "2:28: neighbours 1: unknown key y, must be one of x, x2"},
	{auditWith("neighbours", "neighbours: [{x: 1, x: 2}]"), "2:21: neighbours 1: x is given twice"},
	{auditWith("neighbours", "neighbours: [{x: 1, x2: 2}, {x: [1, {a: 2, b: 3.0}], x2: [1.0, {b: 3, a: 2e0}]}]"), "2:29: neighbours 2: x and x2 are the same, must differ"},
	{auditWith("neighbours", "neighbours: [{x: , x2: 2}]"), "2:17: neighbours 1: x has a value that is empty, must be null if that is meant"},
	{auditWith("neighbours", "neighbours: [{x: {a: 1, 'a': 2}, x2: 2}]"), "2:25: neighbours 1: x: a is given twice"},
	{auditWith("neighbours", "neighbours: [{x: 0, x2: [0x10]}]"), "2:26: neighbours 1: x2 has the number 0x10, must be as in JSON, such as 0.5 or 1e-6, or in quotes"},
	{auditWith("neighbours", "neighbours: [{x: 0, x2: .5}]"), "2:25: neighbours 1: x2 has the number .5, must be as in JSON, such as 0.5 or 1e-6, or in quotes"},
	{auditWith("neighbours", "neighbours: [{x: 0, x2: .nan}]"), "2:25: neighbours 1: x2 has the number .nan, must be as in JSON, such as 0.5 or 1e-6, or in quotes"},
	{auditWith("neighbours", "neighbours: [{x: 0, x2: 1e99999}]"), "2:25: neighbours 1: x2 has a number that has the exponent 99999, must have one between -10000 and 10000"},
	{auditWith("neighbours", "neighbours: ["+strings.Repeat("{x: 0, x2: 1},", 1000)+"1]"), "2:14014: neighbours has 1001 entries, must have at most 1000"},
	// claim
	{auditWith("claim", "claim: 1"), "3:8: claim is 1, must be of the form {eps: 1, delta: 1e-6} or {parts: {a: 1, b: 2}, delta: 1e-6}"},
	{auditWith("claim", "claim: {}"), "3:8: claim: eps is missing, must have eps, exp_eps or parts"},
	{auditWith("claim", "claim: {delta: 0}"), "3:8: claim: eps is missing, must have eps, exp_eps or parts"},
	{auditWith("claim", "claim: {eps: 1, parts: {a: 1}}"), "3:24: claim: both eps and parts are given, must be only one of them"},
	{auditWith("claim", "claim: {eps: 1, epsilon: 2}"), "3:17: claim: unknown key epsilon, must be one of eps, exp_eps, parts, delta; did you mean eps?"},
	{auditWith("claim", "claim: {eps: -1}"), "3:14: claim: eps is -1, must be between 0 and 1e6"},
	{auditWith("claim", "claim: {eps: 1000001}"), "3:14: claim: eps is 1000001, must be between 0 and 1e6"},
	{auditWith("claim", "claim: {exp_eps: 1/2}"), "3:18: claim: exp_eps is 1/2, must be at least 1"},
	{auditWith("claim", "claim: {eps: [1]}"), "3:14: claim: eps is a list, must be a number"},
	{auditWith("claim", "claim: {eps: x}"), "3:14: claim: eps is x, must be a decimal such as 0.1 or 1e-6, or a ratio such as 3/2"},
	{auditWith("claim", "claim: {eps: 1, delta: 1.5}"), "3:24: claim: delta is 1.5, must be between 0 and 1"},
	{auditWith("claim", "claim: {eps: 1, delta: -1}"), "3:24: claim: delta is -1, must be between 0 and 1"},
	{auditWith("claim", "claim: {parts: {}}"), "3:16: claim: parts is empty, must have at least one"},
	{auditWith("claim", "claim: {parts: [a]}"), "3:16: claim: parts is a list, must be of the form {a: 1, b: 2}"},
	{auditWith("claim", "claim: {parts: {'': 1}}"), "3:17: claim: a part has an empty name, must have at least one character"},
	{auditWith("claim", "claim: {parts: {a: 1, a: 2}}"), "3:23: claim: part a is given twice"},
	{auditWith("claim", "claim: {parts: {a: 1, b: -2}}"), "3:26: claim: part b is -2, must be between 0 and 1e6"},
	{auditWith("claim", "claim: {parts: {a: {exp_eps: 0}}}"), "3:30: claim: part a: exp_eps is 0, must be at least 1"},
	{auditWith("claim", "claim: {parts: {a: {eps: 1, exp_eps: 2}}}"), "3:20: claim: part a: must have either eps or exp_eps"},
	{auditWith("claim", "claim: {parts: {a: {}}}"), "3:20: claim: part a: must have either eps or exp_eps"},
	{auditWith("claim", "claim: {parts: {a: {delta: 0}}}"), "3:21: claim: part a: unknown key delta, must be one of eps, exp_eps"},
	{auditWith("claim", "claim: {parts: {a: }}"), "3:19: claim: part a is empty, must be a number"},
	// budget and what else can be set
	{auditWith("budget", "budget: 1e6"), "4:9: budget is 1e6, must be of the form {samples: 1e6, seconds: 60, alpha: 1e-3, memory: 1 GiB}"},
	{auditWith("budget", "budget: {memory: 1e9}"), "4:18: budget: memory is 1e9, must be a number with a unit, such as 512 MiB or 1 GiB"},
	{auditWith("budget", "budget: {memory: 1 MiB}"), "4:18: budget: memory is \"1 MiB\", must be between 64 MiB and 4 TiB"},
	{auditWith("budget", "budget: {memory: [1]}"), "4:18: budget: memory is a list, must be an amount such as 512 MiB"},
	{auditWith("budget", "budget: {sample: 1}"), "4:10: budget: unknown key sample, must be one of samples, seconds, alpha, memory; did you mean samples?"},
	{auditWith("budget", "budget: {samples: 0}"), "4:19: budget: samples is 0, must be a whole number between 1 and 1000000000"},
	{auditWith("budget", "budget: {samples: 2e9}"), "4:19: budget: samples is 2e9, must be a whole number between 1 and 1000000000"},
	{auditWith("budget", "budget: {samples: 1.5}"), "4:19: budget: samples is 1.5, must be a whole number between 1 and 1000000000"},
	{auditWith("budget", "budget: {seconds: 0}"), "4:19: budget: seconds is 0, must be more than 0 and at most 86400"},
	{auditWith("budget", "budget: {seconds: 60s}"), "4:19: budget: seconds is 60s, must be a number of seconds without a unit; did you mean 60?"},
	{auditWith("budget", "budget: {seconds: 1m30s}"), "4:19: budget: seconds is 1m30s, must be a number of seconds without a unit; did you mean 90?"},
	{auditWith("budget", "budget: {seconds: -1s}"), "4:19: budget: seconds is -1s, must be a decimal such as 0.1 or 1e-6, or a ratio such as 3/2"},
	{auditWith("budget", "budget: {seconds: 86401}"), "4:19: budget: seconds is 86401, must be more than 0 and at most 86400"},
	{auditWith("budget", "budget: {alpha: 0}"), "4:17: budget: alpha is 0, must be between 1e-100 and 0.5"},
	{auditWith("budget", "budget: {alpha: 0.6}"), "4:17: budget: alpha is 0.6, must be between 1e-100 and 0.5"},
	{auditWith("budget", "budget: {alpha: ~}"), "4:17: budget: alpha is empty, must be a number"},
	{auditWith("numbers", "numbers: floats"), "4:10: numbers is floats, must be one of real, bits"},
	{auditWith("numbers", "numbers: [bits]"), "4:10: numbers is a list, must be one of real, bits"},
	{auditWith("patience", "patience: -1"), "4:11: patience is -1, must be more than 0 and at most 86400"},
	// search
	{auditWith("neighbours", "search: 1"), "2:9: search is 1, must be of the form {values: [0, 1], length: [1, 5], neighbours: replace}"},
	{auditWith("neighbours", "search: {values: [0, 1], length: [1, 2]}"), "2:9: search: neighbours is missing, must be of the form {values: [0, 1], length: [1, 5], neighbours: replace}"},
	{auditWith("neighbours", "search: {values: [0, a], length: [1, 2], neighbours: add}"), `2:22: search: values has "\"a\"", must have numbers only`},
	{auditWith("neighbours", "search: {values: [0, 1, 0.0], length: [1, 2], neighbours: add}"), "2:25: search: values has 0.0 twice, must have it once"},
	{auditWith("neighbours", "search: {values: [], length: [1, 2], neighbours: add}"), "2:18: search: values is an empty list, must have at least one entry"},
	{auditWith("neighbours", "search: {values: [0], length: [1, 2], neighbours: replace}"), "2:9: search: values has one entry, must have at least two for neighbours: replace"},
	{auditWith("neighbours", "search: {values: [0, 1], length: 1, neighbours: replace}"), "2:34: search: length is 1, must be a list"},
	{auditWith("neighbours", "search: {values: [0, 1], length: [1], neighbours: replace}"), "2:34: search: length has 1 entry, must be of the form [shortest, longest]"},
	{auditWith("neighbours", "search: {values: [0, 1], length: [1, 2, 3], neighbours: replace}"), "2:41: search: length has 3 entries, must have at most 2"},
	{auditWith("neighbours", "search: {values: [0, 1], length: [-1, 2], neighbours: replace}"), "2:35: search: length is -1, must be a whole number between 0 and 64"},
	{auditWith("neighbours", "search: {values: [0, 1], length: [0, 0], neighbours: replace}"), "2:38: search: length is 0, must be a whole number between 1 and 64"},
	{auditWith("neighbours", "search: {values: [0, 1], length: [1, 65], neighbours: replace}"), "2:38: search: length is 65, must be a whole number between 1 and 64"},
	{auditWith("neighbours", "search: {values: [0, 1], length: [3, 2], neighbours: replace}"), "2:34: search: length is [3, 2], must not fall"},
	{auditWith("neighbours", "search: {values: [0, 1], length: [2, 2], neighbours: add}"), "2:9: search: length is [2, 2], must rise for neighbours: add"},
	{auditWith("neighbours", "search: {values: [0, 5], length: [1, 3], neighbours: shift}"), "2:9: search: no value can become another, must be possible where neighbours is shift"},
	{auditWith("neighbours", "search: {values: [0, 1], length: [2, 2], neighbours: remove}"), "2:54: search: neighbours is remove, must be one of replace, add, shift"},
}

func TestAuditFileErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range auditErrors {
		a, err := parseAudit(tt.text)
		if err != nil {
			if got := strings.TrimPrefix(err.Error(), "a.yaml:"); got != tt.want {
				t.Errorf("%.80q\ngot  %s\nwant %s", tt.text, got, tt.want)
			}
			continue
		}
		t.Errorf("%.80q is read as\n%swant the error %s", tt.text, describeAudit(a), tt.want)
	}
}

// TestReadAudit checks where the command runs.
func TestReadAudit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := filepath.Join(dir, "a.yaml")
	if err := os.WriteFile(name, []byte(fullAudit), 0o600); err != nil {
		t.Fatal(err)
	}
	a, err := ReadAudit(name, nil, false)
	if err != nil || a.Dir != dir {
		t.Errorf("the folder is %q, %v, want %q", a.Dir, err, dir)
	}
	if a, err = ReadAudit("-", &Inputs{Stdin: strings.NewReader(fullAudit)}, false); err != nil || a.Dir != "" {
		t.Errorf("the folder is %q, %v, want the working directory", a.Dir, err)
	}
	if _, err = ReadAudit("-", &Inputs{Stdin: strings.NewReader("a")}, false); err == nil || !strings.HasPrefix(err.Error(), "<stdin>:1:1: ") {
		t.Errorf("got the error %v", err)
	}
	if _, err := ReadAudit(filepath.Join(dir, "none"), nil, false); !os.IsNotExist(err) {
		t.Errorf("a missing file gives %v", err)
	}
}

func TestReadAuditFiles(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../../../examples/audit-*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, file := range files {
		if _, err := ReadAudit(file, nil, false); err != nil {
			t.Error(err)
		}
	}
}

// TestAuditExamples checks that the examples answer, and that their outputs lie around the
// count. The mean of 10,000 outputs with Laplace noise of scale b has the standard deviation
// 0.014 b; six of them are exceeded with probability 2e-9, and the seed is fixed.
func TestAuditExamples(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, input string
		parts       string
		mean        float64 // of outputs that are numbers; NaN where it is not checked
	}{
		{"audit-right.yaml", "[1, 0, 1]", "", 2},
		{"audit-wrong.yaml", "[1, 0, 1]", "", 2},
		{"audit-parts.yaml", "[1, 0, 1]", "bot top", math.NaN()},
		{"audit-go.yaml", "[1, 0, 1]", "", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a, err := ReadAudit("../../../../examples/"+tt.name, nil, false)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := exec.LookPath(a.Command[0]); err != nil || a.Command[0] == "go" && testing.Short() {
				t.Skip("there is no", a.Command[0], "or it takes too long")
			}
			p, err := program.Start(a.Command, a.Dir)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			var s audit.Sample
			if err := p.On(json.RawMessage(tt.input), !a.Claim.IsDP()).Sample(t.Context(), 10_000, [32]byte{1}, &s); err != nil {
				t.Fatal(err)
			}
			var parts []string
			for _, g := range s.Groups() {
				parts = append(parts, g.Part)
				if mean := stat.Mean(g.Numbers, nil); math.Abs(mean-tt.mean) > 0.09 {
					t.Errorf("the mean is %g, want %g", mean, tt.mean)
				}
			}
			if got := strings.Join(parts, " "); got != tt.parts {
				t.Errorf("the parts are %q, want %q", got, tt.parts)
			}
			checkRefusal(t, p)
		})
	}
}

// checkRefusal checks that an example refuses an input that is no list.
func checkRefusal(t *testing.T, p *program.Program) {
	var s audit.Sample
	err := p.On(json.RawMessage(`"a"`), false).Sample(t.Context(), 1, [32]byte{}, &s)
	if err == nil || !strings.Contains(err.Error(), "the program reports an error: the input is ") {
		t.Errorf("got the error %v", err)
	}
}

// FuzzAuditFile checks that any text is read as an audit with a valid claim and inputs
// that are JSON, or refused in one line with a place.
func FuzzAuditFile(f *testing.F) {
	for _, tt := range auditErrors {
		if len(tt.text) < 1000 {
			f.Add(tt.text)
		}
	}
	f.Add(fullAudit)
	f.Add(auditWith("neighbours", "search: {values: [0, 1], length: [1, 2], neighbours: shift}"))
	f.Fuzz(func(t *testing.T, text string) {
		a, err := parseAudit(text)
		if err != nil {
			checkFault(t, text, err)
			return
		}
		if err := a.Claim.Validate(); err != nil {
			t.Errorf("%q is read as an invalid claim: %v", text, err)
		}
		for _, pair := range a.Neighbours {
			if !json.Valid(pair[0]) || !json.Valid(pair[1]) || sameJSON(pair[0], pair[1]) {
				t.Errorf("%q has the inputs %s and %s", text, pair[0], pair[1])
			}
		}
		if (len(a.Neighbours) == 0) == (a.Search == nil) || len(a.Charges) != len(a.Claim.Parts) {
			t.Errorf("%q is read as %s", text, describeAudit(a))
		}
		if a.Budget.Samples < 1 || a.Budget.Time < 1 || a.Budget.Time > 24*time.Hour || a.Budget.Alpha.Sign() <= 0 || a.Patience < 1 {
			t.Errorf("%q has the budget %v", text, a.Budget)
		}
	})
}
