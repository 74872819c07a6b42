package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// proofs are commands that write certificates, small enough for the checker in Python; files are among the examples.
var proofs = map[string]string{
	"dpsgd":  "optdel steps.yaml",
	"mixed":  "optdel mixed.yaml",
	"tiny":   "optdel tiny.yaml --at-most 0.2",
	"states": "optdel unrelated.yaml --at-most 0.04",
	"grid":   "optdel unrelated.yaml --method bracket --rel-width 1e-3",
	"few states": "optdel --mech eps=0.1234567 --mech eps=0.2718281,delta=1e-6 --mech exp_eps=7/5 " +
		"--mech eps=0.3141592 --stop after=2,eps=0.25 --stop after=3,eps=0.4 --stop after=4,eps=0.5 --at-most 0.1",
	"schedule": "schedule steps.yaml --delta 1e-6",
	"eps":      "compose mixed.yaml --delta 1e-6 --rel-width 1e-6",
	"delta":    "compose mixed.yaml --eps 2",
	"law":      "optdel law.yaml --at-most 0.8",
	"close":    "optdel ../cmd/checkrr/command/testdata/close.yaml",
	"law grid": "optdel law.yaml --method bracket --rel-width 1e-3",
	"lattice":  "optdel --mech eps=0.1,delta=1e-6,count=20 --stop after=10,eps=0.3 --stop after=20,eps=0.6",
}

// proof returns the certificate of a command in proofs.
func proof(t *testing.T, name string) []byte {
	t.Helper()
	args := strings.Fields(proofs[name])
	if strings.HasSuffix(args[1], ".yaml") {
		args[1] = filepath.Join("../../../examples", args[1])
	}
	return certificateOf(t, args...)
}

// certificateOf returns the certificate that a command writes.
func certificateOf(t *testing.T, args ...string) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "proof.json")
	if code, stdout, stderr := checkrr("", append(args, "--certificate", file)...); code > exitRefuted {
		t.Fatalf("%q: exit code %d, %s%s", args, code, stdout, stderr)
	}
	return []byte(contents(t, file))
}

// certifyText returns the exit code of checkrr certify, and what it prints.
func certifyText(text []byte, flags ...string) (int, string) {
	code, stdout, stderr := checkrr(string(text), append([]string{"certify", "-"}, flags...)...)
	return code, stdout + stderr
}

// inPython returns the exit codes of examples/certify.py with the options for all texts.
func inPython(t *testing.T, texts [][]byte, options ...string) []int {
	t.Helper()
	return byProgram(t, "certify", texts, options...)
}

// byProgram returns the exit codes of a program of examples for all texts, from one process, which has little memory
// and, for certify_noise, not much time.
func byProgram(t *testing.T, program string, texts [][]byte, options ...string) []int {
	t.Helper()
	if testing.Short() {
		t.Skip("checkers in Python take a while")
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3, which checkers in Python need")
	}
	const script = `
import importlib, os, sys
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
except (ImportError, OSError, ValueError):
    pass  # no such limit on this system
sys.path.insert(0, sys.argv[1])
program = importlib.import_module(sys.argv[2])
if sys.argv[2] == "certify_noise":
    program.certify.OWN_STEPS >>= 4
files = [os.path.join(sys.argv[3], f"{i}.json") for i in range(int(sys.argv[4]))]
print([program.main([*sys.argv[5:], file]) for file in files], file=sys.stderr)
`
	dir := t.TempDir()
	for i, text := range texts {
		write(t, filepath.Join(dir, fmt.Sprint(i, ".json")), string(text))
	}
	args := append([]string{"-B", "-c", script, "../../../examples", program, dir, fmt.Sprint(len(texts))}, options...)
	var stderr bytes.Buffer
	cmd := exec.Command(python, args...)
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil || strings.Contains(stderr.String(), "not enough memory") {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
	var codes []int
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &codes); err != nil || len(codes) != len(texts) {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	return codes
}

// TestCertificatesHold lets both checkers accept what checkrr writes.
func TestCertificatesHold(t *testing.T) {
	t.Parallel()
	var texts [][]byte
	var names []string
	for _, name := range slices.Sorted(maps.Keys(proofs)) {
		text := proof(t, name)
		if code, out := certifyText(text); code != exitOK {
			t.Errorf("%s: exit code %d, %s", name, code, out)
		}
		texts, names = append(texts, text), append(names, name)
	}
	if !*full {
		texts = texts[:3]
	}
	for i, code := range inPython(t, texts) {
		if code != exitOK {
			t.Errorf("examples/certify.py: exit code %d for %s: %s", code, names[i], texts[i])
		}
	}
}

// object is a part of a certificate that a test changes.
type object = map[string]any

// firstClaim returns the first claim of a certificate.
func firstClaim(t *testing.T, text []byte) object {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var file struct{ Claims []object }
	if err := d.Decode(&file); err != nil {
		t.Fatal(err)
	}
	return file.Claims[0]
}

// TestLongRuns: a value or a space that is too long makes a file none, for both checkers; one that is not does nothing.
func TestLongRuns(t *testing.T) {
	t.Parallel()
	good := string(proof(t, "lattice"))
	const most = 1 << 20
	var texts [][]byte
	for _, n := range []int{most, most + 1} {
		texts = append(texts, []byte("{"+strings.Repeat(" ", n)+good[1:]),
			[]byte(strings.Replace(good, `"eps":"`, `"eps":"`+strings.Repeat("0", n), 1)))
	}
	for i, code := range inPython(t, texts) {
		if own, says := certifyText(texts[i]); own != code || (i == 0) != (code == exitOK) {
			t.Errorf("text %d: exit code %d, of examples/certify.py %d: %.200s", i, own, code, says)
		}
	}
}

// lopsidedText is a problem file of a pipeline for which the orders of neighbours differ.
const lopsidedText = `{"mechanisms": [{"law": [["4/5", "9/10"], ["1/5", "1/10"]], "count": 2}], "stops": [{"after": ` +
	`1, "eps": 0}, {"after": 2, "eps": "3/5"}]}`

// A file with one order of neighbours says so, and is about a pipeline only if all that it claims is that OptDel is
// more.
func TestCertify_OneOrder(t *testing.T) {
	t.Parallel()
	problem := filepath.Join(t.TempDir(), "p.json")
	write(t, problem, lopsidedText)
	claim := func(limits ...string) object { // of the first order, with limits and their values
		first := firstClaim(t, certificateOf(t, "optdel", problem))
		for i := 0; i < len(limits); i += 2 {
			first[limits[i]] = limits[i+1]
		}
		return first
	}
	less, more, both := claim(), claim("more_than", "1/20"), claim("more_than", "1/20", "at_most", "0.999")
	var texts [][]byte
	var want, wantOne []int
	for _, tt := range []struct {
		claims []object
		code   int // without a problem
		about  int // with the problem of the file
		want   string
	}{
		{[]object{both}, exitInconclusive, exitRefuted, "there is no claim about " + problem +
			" for neighbours in one of their orders"},
		{[]object{more}, exitOK, exitOK, "holds: OptDel for neighbours in this order only is between "},
		{[]object{less}, exitInconclusive, exitRefuted, "there is no claim about " + problem +
			" for neighbours in one of their orders"},
		{[]object{more, less}, exitInconclusive, exitRefuted, "there is no claim about " + problem +
			" for neighbours in one of their orders"},
	} {
		text, err := json.Marshal(object{"schema_version": 1, "claims": tt.claims})
		if err != nil {
			t.Fatal(err)
		}
		texts, want, wantOne = append(texts, text), append(want, tt.code), append(wantOne, exitOK)
		n, verdict := len(tt.claims), map[int]string{exitOK: "holds", exitInconclusive: "inconclusive"}[tt.code]
		isOpen := tt.code != exitOK
		for _, call := range []struct {
			flags string
			code  int
			says  string
			times int // at least; none if 0
		}{
			{"--problem " + problem, tt.about, tt.want, 1},
			{"", tt.code, "is for one order of neighbours, and none is for the other one; add --one-order",
				btoi(isOpen)},
			{"", tt.code, "OptDel for neighbours in this order only is between ", n},
			{"", tt.code, " inconclusive: OptDel for neighbours in this order only", btoi(isOpen)},
			{"--json", tt.code, `"one_order":true`, n},
			{"--json", tt.code, `{"schema_version":2,"verdict":"` + verdict + `"`, 1},
			{"--json", tt.code, `"verdict":"` + verdict + `"`, 2},
			{"--json --one-order", exitOK, `"verdict":"holds"`, 1 + n},
			{"--json --at-most 0", exitRefuted, `"verdict":"refuted"`, 1},
			{"--at-most 1", exitInconclusive, "", 1},
			{"--one-order", exitOK, "", 1},
			{"--one-order --problem " + problem, exitOK, "", 1},
			{"--one-order --at-most 1", exitOK, "", 1},
		} {
			code, out := certifyText(text, strings.Fields(call.flags)...)
			found := strings.Count(out, call.says)
			if code != call.code || found < call.times || call.times == 0 && found > 0 {
				t.Errorf("%s: exit code %d, want %d, and %d times %s: %s", call.flags, code, call.code, call.times,
					call.says, out)
			}
		}
	}
	if codes := inPython(t, texts); !slices.Equal(codes, want) {
		t.Errorf("examples/certify.py: exit codes %v, want %v", codes, want)
	}
	if codes := inPython(t, texts, "--one-order"); !slices.Equal(codes, wantOne) {
		t.Errorf("examples/certify.py --one-order: exit codes %v, want %v", codes, wantOne)
	}
}

func btoi(b bool) int { return map[bool]int{true: 1}[b] }
