package command

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"
)

const forgedLine = "Verdict no violation found"

// hostileTexts would colour a terminal, forge a line, or show a text the other way round.
var hostileTexts = []string{"\x1b[31ma\r\u009bb\u202ec\u2066d\u200fe\u2028f", "\n" + forgedLine + "\n", "\xff\xc3"}

// hostileLines returns the lines of testdata/hostile.txtar by the names of its sections.
func hostileLines(t *testing.T) map[string][]string {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/hostile.txtar")
	if err != nil || len(archive.Files) < 8 {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for _, f := range archive.Files {
		all[f.Name] = strings.Split(strings.TrimSpace(string(f.Data)), "\n")
	}
	return all
}

// hostileCommands are the command lines that read the files of a section, if its name does not say so.
var hostileCommands = map[string]string{
	"problem": "optdel FILE; optdel FILE --json; optdel FILE --ledger after=2; optdel FILE --method exhaustive; " +
		"compose FILE --delta 0.2; compose FILE --delta 0.2 --json; schedule FILE --delta 0.3; " +
		"schedule FILE --delta 0.3 --json; schedule FILE --delta 0.3 -o DIR/o.yaml; optdel DIR/o.yaml; " +
		"noise FILE --delta 0.3 --eps 3; noise FILE --delta 0.3 --eps 3 --json; certify FILE --problem FILE; optdel " +
		"FILE FILE",
	"audit": "audit FILE; audit FILE --json; audit FILE --no-run; audit FILE --no-run --json",
	"ledger": "account FILE --budget eps=1; account FILE --budget eps=1 --json; account FILE; " +
		"account FILE --budget eps=1,delta=1e-6 --rule odp-advanced; odometer FILE --delta 1e-6; " +
		"odometer FILE --delta 1e-6 --json",
}

// acting are characters that a terminal does not just show.
var acting = regexp.MustCompile("[\x00-\x08\x0b-\x1f\x7f\u0080-\u009f\u061c" +
	"\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")

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
		for _, line := range hostileLines(t)["flags"] {
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
	write(t, filepath.Join(dir, "l"+hostile+".csv"), "0.1,0.5\n-0.1,0.4\n")
	write(t, filepath.Join(dir, "t"+hostile+".csv"), "output,p0,p1\n\""+hostile+"\",1,1\n")
	for section, texts := range hostileLines(t) {
		commands := strings.Split(cmp.Or(hostileCommands[section], section), "; ")
		if section == "flags" {
			continue
		}
		for _, text := range texts {
			write(t, filepath.Join(dir, name), strings.NewReplacer("ESCAPED", escaped, "RAW", hostile).Replace(text))
			for i, line := range commands {
				if i > 0 && hostile != hostileTexts[0] && !*full { // what is printed is escaped in one place
					break
				}
				args := strings.Fields(line)
				for i := range args {
					args[i] = strings.NewReplacer("FILE", filepath.Join(dir, name), "DIR", dir).Replace(args[i])
				}
				_, stdout, stderr := checkrr("", args...)
				checkQuiet(t, text+": "+line, stdout, stderr)
				if strings.HasSuffix(line, "--json") && stdout != "" && !json.Valid([]byte(stdout)) {
					t.Errorf("%s: %s is no JSON:\n%q", text, line, stdout)
				}
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
	text := `{"schema_version": 2, "command": "odometer", "checksum": "", "lines": 0, "parameters": {"rule": "best", ` +
		string(quoted) + `: "x"}}`
	write(t, state, resealed(text))
	write(t, ledger, "")
	code, stdout, stderr := checkrr("", "odometer", ledger, "--delta", "1e-6", "--state", state)
	checkQuiet(t, "odometer with a forged state", stdout, stderr)
	if code != exitUsage || !strings.Contains(stderr, "a\n  "+forgedLine) {
		t.Errorf("exit code %d, stderr %q", code, stderr)
	}
}
