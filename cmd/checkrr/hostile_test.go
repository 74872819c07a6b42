package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"
)

const forgedLine = "Verdict no violation found"

// hostileTexts would colour a terminal, forge a line, or show a text the other way round.
var hostileTexts = []string{"\x1b[31ma\r\u009bb\u202ec\u2066d\u200fe\u2028f", "\n" + forgedLine + "\n", "\xff\xc3"}

// hostileFiles are files with such a text as ESCAPED, as a text in quotes may have it, or RAW, and the command
// lines that read them.
var hostileFiles = []struct{ text, commands string }{
	{`{mechanisms: [{"ESCAPED": 1}], stops: [{after: 1, eps: 1}]}`, problemCommands},
	{`{mechanisms: [{eps: "ESCAPED"}], stops: [{after: 1, eps: 1}]}`, problemCommands},
	{`{mechanisms: [{eps: RAW}], stops: [{after: 1, eps: 1}]}`, problemCommands},
	{`{mechanisms: [{eps: 1, "ESCAPED": {noise: 1}}], stops: [{after: 1, eps: 1}]}`, problemCommands},
	{`{mechanisms: [{gaussian: {"ESCAPED": 1}}], stops: [{after: 1, eps: 1}]}`, problemCommands},
	{`{mechanisms: [{law: [["ESCAPED", 1]]}], stops: [{after: 1, eps: 1}]}`, problemCommands},
	{`{mechanisms: [{losses: "ESCAPED"}], stops: [{after: 1, eps: 1}]}`, problemCommands},
	{`{mechanisms: [{losses: "../ESCAPED"}], stops: [{after: 1, eps: 1}]}`, problemCommands},
	{`{mechanisms: [{losses: "lESCAPED.csv", count: 2}], stops: [{after: 2, eps: 1}]}`, problemCommands},
	{`{mechanisms: [{eps: 0.1, count: 2}], stops: [{after: 2, eps: 1}]}`, problemCommands},
	{`{"ESCAPED": [], mechanisms: [{eps: 1}], stops: [{after: 1, eps: 1}]}`, problemCommands},
	{`{neighbours: "ESCAPED", mechanisms: [{eps: 1}], stops: [{after: 1, eps: 1}]}`, problemCommands},
	{`{mechanisms: [{repeat: 1, mechanisms: [{eps: 1}], "ESCAPED": 1}], stops: [{after: 1, eps: "ESCAPED"}]}`, problemCommands},
	{`{mechanisms: [{eps: 1}], stops: [{after: "ESCAPED", eps: 1}]}`, problemCommands},
	{"mechanisms: RAW: RAW", problemCommands},
	{`RAW`, problemCommands},

	{`{command: ["ESCAPED"], neighbours: [{x: 0, x2: 1}], claim: {eps: 1}}`, auditCommands},
	{`{command: ["ESCAPED/x"], neighbours: [{x: 0, x2: 1}], claim: {eps: 1}}`, auditCommands},
	{`{command: [mechanism, crash], neighbours: [{x: "ESCAPED", x2: 1}], claim: {eps: 1}}`, auditCommands},
	{`{command: [mechanism, garbage, "ESCAPED"], neighbours: [{x: "ESCAPED", x2: 1}], claim: {eps: 1}}`, auditCommands},
	{`{command: [mechanism, reveal], neighbours: [{x: "ESCAPED", x2: "b"}], claim: {eps: 1}, budget: {samples: 300}}`, auditCommands},
	{`{command: [mechanism, reveal], neighbours: [{x: {part: "ESCAPED", value: "ESCAPED"}, x2: {part: "ESCAPED", value: 2}}], claim: {parts: {"ESCAPED": 0.1}}, budget: {samples: 300}}`, auditCommands},
	{`{command: [mechanism, reveal], neighbours: [{x: {"ESCAPED": 1}, x2: {"ESCAPED": 2}}], claim: {eps: 1}, budget: {samples: 300}}`, auditCommands},
	{`{command: [mechanism, reveal], neighbours: [{x: {part: "ESCAPED", value: 1}, x2: 1}], claim: {parts: {a: 0.1}}}`, auditCommands},
	{`{command: [mechanism, reveal], noise: {values: [["ESCAPED", 1/2], [0, 1/2]]}, neighbours: [{x: "ESCAPED", x2: 1}], claim: {eps: 1}}`, auditCommands},
	{`{law: [{output: "ESCAPED", p0: 1, p1: 1/4, part: "ESCAPED"}, {output: b, p0: 0, p1: 3/4, part: "ESCAPED"}], claim: {parts: {"ESCAPED": 0.1}}}`, auditCommands},
	{`{law: [{output: "ESCAPED", p0: "ESCAPED", p1: 1/4}], claim: {eps: 1}}`, auditCommands},
	{`{law: [{output: "ESCAPED", p0: 1, p1: 1, part: "ESCAPED"}], claim: {parts: {a: 1}}}`, auditCommands},
	{`{law: [{output: "ESCAPED", p0: 1/2, p1: 1/2}, {output: "ESCAPED", p0: 1/2, p1: 1/2}], claim: {eps: 1}}`, auditCommands},
	{`{law: "ESCAPED", claim: {eps: 1}}`, auditCommands},
	{`{law: "tESCAPED.csv", claim: {eps: 1}}`, auditCommands},
	{`{law: [{output: a, p0: 1, p1: 1}], claim: {"ESCAPED": 1}}`, auditCommands},
	{`{command: [mechanism, same], search: {values: ["ESCAPED"], length: [1, 2], neighbours: "ESCAPED"}, claim: {eps: 1}}`, auditCommands},
	{`{command: [mechanism, same], search: {values: [0, 1], length: [1, 2], neighbours: "ESCAPED"}, claim: {eps: 1}, budget: {memory: "ESCAPED"}}`, auditCommands},

	{`{command: [mechanism, scored], candidates: ["ESCAPED"], budget: {eps: 1}, run: {eps: 0.1}}`, "select FILE --seed 1\nselect FILE --seed 1 --json"},
	{`{command: ["ESCAPED"], candidates: ["ESCAPED"], budget: {eps: 1}, run: {eps: 0.1}}`, "select FILE"},
	{`{command: [mechanism, garbage], candidates: ["ESCAPED"], budget: {eps: 1}, run: {eps: 0.1}, method: "ESCAPED"}`, "select FILE"},
	{`{command: [mechanism, garbage], candidates: ["ESCAPED"], budget: {eps: 1}, run: {eps: 10}}`, "select FILE"},

	{`{"mechanism": "ESCAPED", "parts": {"ESCAPED": 0.1}, "delta": 0, "observed": "ESCAPED"}`, ledgerCommands},
	{`{"mechanism": "ESCAPED", "parts": {"ESCAPED": 10}, "delta": 0, "observed": "ESCAPED"}`, ledgerCommands},
	{`{"mechanism": "m", "parts": {"ESCAPED": 0.1}, "delta": 0, "observed": "a"}`, ledgerCommands},
	{`{"mechanism": "m", "parts": {"a": 0.1}, "delta": 0, "observed": "ESCAPED"}`, ledgerCommands},
	{`{"mechanism": "m", "parts": {"a": "ESCAPED"}, "delta": 0, "observed": "a"}`, ledgerCommands},
	{`{"mechanism": "m", "parts": {"ESCAPED": {"ESCAPED": 1}}, "delta": 0, "observed": "a"}`, ledgerCommands},
	{`{"ESCAPED": "m", "time": "ESCAPED"}`, ledgerCommands},
	{`{"time": "ESCAPED"}`, ledgerCommands},
	{`{"ESCAPED": 1, "ESCAPED": 2}`, ledgerCommands},
	{`{"mechanism": RAW}`, ledgerCommands},
	{`RAW`, ledgerCommands},

	{`{"schema_version": 1, "claims": [], "ESCAPED": 1}`, "certify FILE\ncertify FILE --json"},
	{`{"ESCAPED": 1, "ESCAPED": 1}`, "certify FILE\ncertify FILE --json"},
	{`{"schema_version": "ESCAPED", "claims": "ESCAPED"}`, "certify FILE\ncertify FILE --json"},
	{`RAW`, "certify FILE\nselect FILE\naudit FILE"},
}

const (
	problemCommands = "optdel FILE\noptdel FILE --json\noptdel FILE --ledger after=2\noptdel FILE --method exhaustive\ncompose FILE --delta 0.2\ncompose FILE --delta 0.2 --json\n" +
		"schedule FILE --delta 0.3\nschedule FILE --delta 0.3 --json\nschedule FILE --delta 0.3 -o DIR/o.yaml\noptdel DIR/o.yaml\nnoise FILE --delta 0.3 --eps 3\nnoise FILE --delta 0.3 --eps 3 --json\n" +
		"certify FILE --problem FILE\noptdel FILE FILE"
	auditCommands  = "audit FILE\naudit FILE --json\naudit FILE --no-run\naudit FILE --no-run --json"
	ledgerCommands = "account FILE --budget eps=1\naccount FILE --budget eps=1 --json\naccount FILE\naccount FILE --budget eps=1,delta=1e-6 --rule odp-advanced\n" +
		"odometer FILE --delta 1e-6\nodometer FILE --delta 1e-6 --json"
)

// hostileFlags are command lines without files.
var hostileFlags = []string{
	"H", "optdel H", "optdel --H", "optdel -H", "optdel --=H", "optdel --method H", "optdel --rel-width H",
	"optdel --mech H --stop H", "optdel --mech H=1 --stop after=1,eps=1",
	"optdel --mech eps=H --stop after=1,eps=1", "optdel --mech losses=H --stop after=1,eps=1",
	"optdel --mech eps=1 --stop after=1,eps=1 -o /H/x", "optdel --mech eps=1 --stop after=1,eps=1 --plot H.svg",
	"optdel --mech eps=1 --stop after=1,eps=1 --certificate H/H", "optdel a --timeout H", "optdel a --json=H",
	"optdel a --ledger H", "optdel a --at-most H", "optdel a --method x --method H", "optdel H H",
	"compose --delta H", "compose --mech H --delta 1", "compose --mech eps=1 --delta 1e-6 --eps H",
	"schedule --delta H", "schedule a --delta 1 --shape H", "noise H --delta 1 --eps 1",
	"noise a --delta 1 --eps H", "certify H",
	"certify a --at-most H", "certify a --problem H", "account H", "account a --budget H",
	"account a --budget eps=H", "account a --rule H", "account H --state H", "odometer H", "odometer a --delta H",
	"challenge --rule H", "challenge --menu H", "challenge --budget H", "accuracy H", "accuracy --builtin H",
	"select --budget H --candidates 3", "select H", "audit H", "audit --builtin H",
	"audit --builtin laplace --claim H", "audit --builtin laplace --eps H", "audit a --memory H",
	"audit a --samples H", "statements H", "statements --verdict H",
	"verify H", "verify --verdict H", "verify ODP-L8 --junit H/x", "explain H", "reproduce H",
	"reproduce odp --output /dev/null/H", "version H", "help H", "completion H", "completion bash H",
}

// acting are characters that a terminal does not just show.
var acting = regexp.MustCompile("[\x00-\x08\x0b-\x1f\x7f\u0080-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")

// checkQuiet checks that no text acts on a terminal, or forges a line.
func checkQuiet(t *testing.T, what string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if acting.MatchString(text) || !utf8.ValidString(text) || strings.Contains("\n"+text, "\n"+forgedLine) {
			t.Errorf("%q prints\n%q", what, text)
		}
	}
}

func TestHostileFlags(t *testing.T) {
	t.Parallel()
	for _, hostile := range hostileTexts {
		for _, line := range hostileFlags {
			args := strings.Fields(line)
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], "H", hostile)
			}
			_, stdout, stderr := checkrr("", args...)
			checkQuiet(t, strings.Join(args, " "), stdout, stderr)
		}
	}
}

func TestHostileFiles(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("names of files are not just bytes here")
	}
	for _, hostile := range hostileTexts {
		quoted, err := json.Marshal(hostile)
		if err != nil {
			t.Fatal(err)
		}
		escaped := string(quoted[1 : len(quoted)-1])
		t.Run(escaped, func(t *testing.T) {
			t.Parallel()
			readHostile(t, hostile, escaped)
		})
	}
}

// readHostile has every file read with a hostile text in it, and in its name.
func readHostile(t *testing.T, hostile, escaped string) {
	dir, name := t.TempDir(), "f"+hostile
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("l"+hostile+".csv", "0.1,0.5\n-0.1,0.4\n")
	write("t"+hostile+".csv", "output,p0,p1\n\""+hostile+"\",1,1\n")
	for _, f := range hostileFiles {
		write(name, strings.NewReplacer("ESCAPED", escaped, "RAW", hostile).Replace(f.text))
		for i, line := range strings.Split(f.commands, "\n") {
			if i > 0 && hostile != hostileTexts[0] && !*full { // what is printed is escaped in one place
				break
			}
			args := strings.Fields(line)
			for i := range args {
				args[i] = strings.NewReplacer("FILE", filepath.Join(dir, name), "DIR", dir).Replace(args[i])
			}
			_, stdout, stderr := checkrr("", args...)
			checkQuiet(t, f.text+": "+line, stdout, stderr)
			if strings.HasSuffix(line, "--json") && stdout != "" && !json.Valid([]byte(stdout)) {
				t.Errorf("%s: %s is no JSON:\n%q", f.text, line, stdout)
			}
		}
	}
}

// A state is refused whose parameters forge a line.
func TestForgedState(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	state, ledger := filepath.Join(dir, "state.json"), filepath.Join(dir, "ledger.jsonl")
	quoted, err := json.Marshal("a\n" + forgedLine)
	if err != nil {
		t.Fatal(err)
	}
	text := `{"schema_version": 2, "command": "odometer", "checksum": "", "lines": 0, "parameters": {"rule": "best", ` + string(quoted) + `: "x"}}`
	if err := errors.Join(os.WriteFile(state, []byte(resealed(text)), 0o600), os.WriteFile(ledger, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := checkrr("", "odometer", ledger, "--delta", "1e-6", "--state", state)
	checkQuiet(t, "odometer with a forged state", stdout, stderr)
	if code != exitUsage || !strings.Contains(stderr, "a\n  "+forgedLine) {
		t.Errorf("exit code %d, stderr %q", code, stderr)
	}
}
