package input

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"

	"checkrr/verify/audit"
	"checkrr/verify/audit/program"
)

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
		{"defaults", "command: [./m]\nclaim: {eps: 1}\n" +
			"search: {values: [0, 1.0, -2e1], length: [0, 1e1], neighbours: add}\n", `command ["./m"]
search [0 1.0 -2e1], 0 to 10, add
part "" eps 1, typed 1
delta 0, typed 0
1000000 samples, 1m0s, alpha 1/1000, 1024 MiB, bits false, patience 30s
`},
		{"json", `{"command": ["m"], "neighbours": [{"x": "\ud83d\ude00", "x2": {}}], ` +
			`"claim": {"exp_eps": 2, "delta": 0.5}, "numbers": "real"}`, `command ["m"]
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
	if _, err = ReadAudit("-", &Inputs{Stdin: strings.NewReader("a")}, false); err == nil ||
		!strings.HasPrefix(err.Error(), "<stdin>:1:1: ") {
		t.Errorf("got the error %v", err)
	}
	if _, err := ReadAudit(filepath.Join(dir, "none"), nil, false); !os.IsNotExist(err) {
		t.Errorf("a missing file gives %v", err)
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
			if err := p.On(json.RawMessage(tt.input), !a.Claim.IsDP()).Sample(t.Context(), 10_000, [32]byte{1},
				&s); err != nil {
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
	seed(f, "audit", fullAudit, "command: [m]\nsearch: {values: [0, 1], length: [1, 2], neighbours: shift}\nclaim: "+
		"{eps: 1}")
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
		if a.Budget.Samples < 1 || a.Budget.Time < 1 || a.Budget.Time > 24*time.Hour || a.Budget.Alpha.Sign() <= 0 ||
			a.Patience < 1 {
			t.Errorf("%q has the budget %v", text, a.Budget)
		}
	})
}
