package main

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
	"few states": "optdel --mech eps=0.1234567 --mech eps=0.2718281,delta=1e-6 --mech exp_eps=7/5 --mech eps=0.3141592 " +
		"--stop after=2,eps=0.25 --stop after=3,eps=0.4 --stop after=4,eps=0.5 --at-most 0.1",
	"schedule": "schedule steps.yaml --delta 1e-6",
	"eps":      "compose mixed.yaml --delta 1e-6 --rel-width 1e-6",
	"delta":    "compose mixed.yaml --eps 2",
	"law":      "optdel law.yaml --at-most 0.8",
	"close":    "optdel ../cmd/checkrr/testdata/close.yaml",
	"law grid": "optdel law.yaml --method bracket --rel-width 1e-3",
	"lattice":  "optdel --mech eps=0.1,delta=1e-6,count=20 --stop after=10,eps=0.3 --stop after=20,eps=0.6",
}

// proof returns the certificate of a command in proofs.
func proof(t *testing.T, name string) []byte {
	t.Helper()
	args := strings.Fields(proofs[name])
	if strings.HasSuffix(args[1], ".yaml") {
		args[1] = filepath.Join("../../examples", args[1])
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

// inPython returns the exit codes of examples/certify.py with the options for all texts, from one process, which has
// little memory.
func inPython(t *testing.T, texts [][]byte, options ...string) []int {
	t.Helper()
	if testing.Short() {
		t.Skip("examples/certify.py takes a while")
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3, which examples/certify.py needs")
	}
	const program = `
import os, sys
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
except (ImportError, OSError, ValueError):
    pass  # no such limit on this system
sys.path.insert(0, sys.argv[1])
import certify
files = [os.path.join(sys.argv[2], f"{i}.json") for i in range(int(sys.argv[3]))]
print([certify.main([*sys.argv[4:], file]) for file in files], file=sys.stderr)
`
	dir := t.TempDir()
	for i, text := range texts {
		write(t, filepath.Join(dir, fmt.Sprint(i, ".json")), string(text))
	}
	args := append([]string{"-B", "-c", program, "../../examples", dir, fmt.Sprint(len(texts))}, options...)
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
