package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"checkrr/impl/certificate"
	"checkrr/impl/certify"
)

// proofs are commands that write certificates, small enough for the checker in Python.
var proofs = map[string][]string{
	"dpsgd":  {"optdel", "steps.yaml"},
	"mixed":  {"optdel", "mixed.yaml"},
	"tiny":   {"optdel", "tiny.yaml", "--at-most", "0.2"},
	"states": {"optdel", "unrelated.yaml", "--at-most", "0.04"},
	"grid":   {"optdel", "unrelated.yaml", "--method", "bracket", "--rel-width", "1e-3"},
	"few states": {"optdel", "--mech", "eps=0.1234567", "--mech", "eps=0.2718281,delta=1e-6", "--mech", "exp_eps=7/5", "--mech", "eps=0.3141592",
		"--stop", "after=2,eps=0.25", "--stop", "after=3,eps=0.4", "--stop", "after=4,eps=0.5", "--at-most", "0.1"},
	"schedule": {"schedule", "steps.yaml", "--delta", "1e-6"},
	"eps":      {"compose", "mixed.yaml", "--delta", "1e-6", "--rel-width", "1e-6"},
	"delta":    {"compose", "mixed.yaml", "--eps", "2"},
	"law":      {"optdel", "law.yaml", "--at-most", "0.8"},
	"close":    {"optdel", "../cmd/checkrr/testdata/close.yaml"},
	"law grid": {"optdel", "law.yaml", "--method", "bracket", "--rel-width", "1e-3"},
	"lattice":  {"optdel", "--mech", "eps=0.1,delta=1e-6,count=20", "--stop", "after=10,eps=0.3", "--stop", "after=20,eps=0.6"},
}

// proof returns the certificate of a command in proofs.
func proof(t *testing.T, name string) []byte {
	t.Helper()
	args := append([]string(nil), proofs[name]...)
	if strings.HasSuffix(args[1], ".yaml") {
		args[1] = filepath.Join("../../examples", args[1])
	}
	file := filepath.Join(t.TempDir(), name+".json")
	var out bytes.Buffer
	if code := execute(append(args, "--certificate", file), nil, &out, &out); code > exitRefuted {
		t.Fatalf("%s: exit code %d, %s", name, code, out.String())
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// certifyText returns the exit code of checkrr certify, and what it prints.
func certifyText(text []byte) (int, string) {
	var stdout, stderr bytes.Buffer
	code := execute([]string{"certify", "-"}, bytes.NewReader(text), &stdout, &stderr)
	return code, stdout.String() + stderr.String()
}

// inPython returns the exit codes of examples/certify.py with the options for all texts, from one process, which has little memory.
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
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i, ".json")), text, 0o666); err != nil {
			t.Fatal(err)
		}
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
		texts = texts[:5]
	}
	for i, code := range inPython(t, texts) {
		if code != exitOK {
			t.Errorf("examples/certify.py: exit code %d for %s: %s", code, names[i], texts[i])
		}
	}
}

// object is a part of a certificate that a test changes.
type object = map[string]any

// within returns what is at a path of keys and indices.
func within(value any, path ...any) any {
	for _, key := range path {
		switch key := key.(type) {
		case string:
			value = value.(object)[key]
		case int:
			value = value.([]any)[key]
		}
	}
	return value
}

// tampering is one change of a certificate.
type tampering struct {
	name string
	file object
}

// tamper collects changed copies of a certificate.
type tamper struct {
	t       *testing.T
	name    string
	text    []byte
	changed []tampering
}

// change adds a copy, changed by f.
func (x *tamper) change(what string, f func(claim object)) {
	x.t.Helper()
	d := json.NewDecoder(bytes.NewReader(x.text))
	d.UseNumber()
	var file object
	if err := d.Decode(&file); err != nil {
		x.t.Fatal(err)
	}
	f(within(file, "claims", 0).(object))
	x.changed = append(x.changed, tampering{x.name + ": " + what, file})
}

// scale multiplies the number at a key.
func scale(m object, key string, by *big.Rat) {
	r, _ := new(big.Rat).SetString(m[key].(string))
	m[key] = r.Mul(r, by).RatString()
}

// without returns a list without element i.
func without(list any, i int) []any {
	xs := list.([]any)
	return append(append([]any{}, xs[:i]...), xs[i+1:]...)
}

// bounds moves every bound over the other one, and the limits.
func (x *tamper) bounds() {
	beyond := map[string]*big.Rat{"lower": big.NewRat(1001, 1000), "upper": big.NewRat(999, 1000)}
	other := map[string]string{"lower": "upper", "upper": "lower"}
	move := func(what string, path ...any) {
		for end, factor := range beyond {
			x.change(what+" "+end, func(c object) {
				m := within(c, path...).(object)
				m[end] = m[other[end]]
				scale(m, end, factor)
			})
		}
	}
	move("optdel", "optdel")
	move("lemma11", "lemma11")
	move("single stop 1", "single_stop", 0)
	move("single stop 2", "single_stop", 1)
	x.change("at_most", func(c object) { c["at_most"] = within(c, "optdel", "lower"); scale(c, "at_most", beyond["upper"]) })
	x.change("more_than", func(c object) { c["more_than"] = within(c, "optdel", "upper") })
}

// problems changes numbers of the problem, in both directions.
func (x *tamper) problems(mechanisms, stops int) {
	losses := func(what, list string, entries int) {
		for _, factor := range []*big.Rat{big.NewRat(99, 100), big.NewRat(101, 100)} {
			for i := range entries {
				x.change(fmt.Sprintf("%s %d times %v", what, i+1, factor), func(c object) {
					m := within(c, "problem", list, i).(object)
					if _, isExp := m["exp_eps"]; isExp {
						scale(m, "exp_eps", factor)
					} else {
						scale(m, "eps", factor)
					}
				})
			}
		}
	}
	losses("mechanism", "mechanisms", mechanisms)
	losses("charge", "stops", stops)
	for i := range mechanisms {
		x.change(fmt.Sprintf("delta %d", i+1), func(c object) {
			m := within(c, "problem", "mechanisms", i).(object)
			r, _ := new(big.Rat).SetString(m["delta"].(string))
			m["delta"] = r.Add(r, big.NewRat(1, 1000)).RatString()
		})
	}
	if mechanisms == 0 {
		return
	}
	x.change("count", func(c object) { within(c, "problem", "mechanisms", 0).(object)["count"] = 3 })
	for i := range stops - 1 {
		x.change(fmt.Sprintf("stop %d removed", i+1), func(c object) {
			p := c["problem"].(object)
			p["stops"] = without(p["stops"], i)
		})
		x.change(fmt.Sprintf("stop %d removed everywhere", i+1), func(c object) {
			p, q := c["problem"].(object), c["proof"].(object)
			p["stops"], q["thresholds"] = without(p["stops"], i), without(q["thresholds"], i)
			c["single_stop"] = without(c["single_stop"], i)
		})
	}
}

// isTrue reports whether a certificate is known to be true in spite of its change, by exact
// rationals. An eps that matters to no loss near its charge changes nothing.
func isTrue(t *testing.T, text []byte) bool {
	claims, err := certificate.Read(bytes.NewReader(text))
	if err != nil {
		return false
	}
	_, err = claims[0].VerifyExact(t.Context())
	return err == nil
}

// TestTamperedCertificates lets both checkers reject a hundred false certificates.
func TestTamperedCertificates(t *testing.T) {
	t.Parallel()
	var all []tampering
	for _, base := range []struct {
		name              string
		mechanisms, stops int
	}{{"tiny", 3, 3}, {"few states", 0, 3}, {"grid", 5, 3}, {"lattice", 1, 2}, {"law", 0, 3}} {
		x := &tamper{t: t, name: base.name, text: proof(t, base.name)}
		x.bounds()
		x.problems(base.mechanisms, base.stops)
		all = append(all, x.changed...)
	}
	all = slices.DeleteFunc(all, func(x tampering) bool { return isTrue(t, textsOf(t, []tampering{x})[0]) })
	if len(all) < 100 {
		t.Fatalf("there are %d tampered certificates, must be at least 100", len(all))
	}
	isFalse := func(i, code int) {
		if code != exitRefuted && code != exitUsage {
			t.Errorf("exit code %d for %s", code, all[i].name)
		}
	}
	for i, text := range textsOf(t, all) {
		code, _ := certifyText(text)
		isFalse(i, code)
	}
	if !*full {
		some := all[:0]
		for i := 0; i < len(all); i += 3 {
			some = append(some, all[i])
		}
		all = some
	}
	for i, code := range inPython(t, textsOf(t, all)) {
		isFalse(i, code)
	}
}

func textsOf(t *testing.T, all []tampering) (texts [][]byte) {
	for _, x := range all {
		text, err := json.Marshal(x.file)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
	}
	return texts
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

// TestTamperedHints moves windows and thresholds: the intervals that are found still contain the
// truth, and a certificate is accepted if and only if what it states contains those.
func TestTamperedHints(t *testing.T) {
	t.Parallel()
	truths := map[string]string{"grid": "states", "lattice": "lattice", "few states": "few states"}
	var all []tampering
	var truth []*certificate.Claim
	for name, narrow := range truths {
		x := &tamper{t: t, name: name, text: proof(t, name)}
		claims, err := certificate.Read(bytes.NewReader(proof(t, narrow)))
		if err != nil {
			t.Fatal(err)
		}
		x.hints()
		for range x.changed {
			truth = append(truth, claims[0])
		}
		all = append(all, x.changed...)
	}
	texts := textsOf(t, all)
	var codes []int
	for i, text := range texts {
		claims, err := certificate.Read(bytes.NewReader(text))
		if err != nil {
			t.Fatalf("%s: %v", all[i].name, err)
		}
		codes = append(codes, expected(t, all[i].name, claims[0], truth[i]))
	}
	for i, code := range inPython(t, texts) {
		if code != codes[i] {
			t.Errorf("%s: examples/certify.py exits with %d, must be %d", all[i].name, code, codes[i])
		}
	}
}

// expected returns the exit code that a claim deserves, which is that of checkrr certify.
func expected(t *testing.T, name string, c, truth *certificate.Claim) int {
	t.Helper()
	b := &certify.Bounds{Problem: c.Problem, Hints: c.Hints}
	for _, loss := range c.Hints.Thresholds {
		b.Rule = append(b.Rule, certify.Threshold{LossAtLeast: loss})
	}
	found, err := certificate.New(t.Context(), b, certificate.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if found.OptDel.Lower.Cmp(truth.OptDel.Upper) > 0 || found.OptDel.Upper.Cmp(truth.OptDel.Lower) < 0 {
		t.Errorf("%s: OptDel is found between %v and %v, but is between %v and %v", name,
			found.OptDel.Lower, found.OptDel.Upper, truth.OptDel.Lower, truth.OptDel.Upper)
	}
	err = c.Verify(t.Context())
	if _, isFailure := errors.AsType[*certificate.Failure](err); err != nil && !isFailure {
		t.Fatalf("%s: %v", name, err)
	}
	if err != nil {
		return exitRefuted
	}
	return exitOK
}

// hints moves thresholds, and windows of lattices.
func (x *tamper) hints() {
	for _, loss := range []any{nil, 0.0, 0.3, 0.7, 2.5} {
		x.change(fmt.Sprint("threshold ", loss), func(c object) { c["proof"].(object)["thresholds"].([]any)[0] = loss })
	}
	if x.name == "few states" {
		return
	}
	for _, lattice := range []string{"upper", "lower"} {
		cuts := []int{4}
		if *full {
			cuts = []int{1, 4, 8}
		}
		for _, cut := range cuts {
			for k := range 2 {
				x.change(fmt.Sprintf("%s window %d narrowed by %d", lattice, k+1, cut), func(c object) { narrowWindow(c, lattice, k, 0, cut) })
				x.change(fmt.Sprintf("%s window %d lowered by %d", lattice, k+1, cut), func(c object) { narrowWindow(c, lattice, k, 1, -cut) })
				x.change(fmt.Sprintf("%s window %d widened by %d", lattice, k+1, cut), func(c object) { narrowWindow(c, lattice, k, 0, -cut) })
			}
		}
	}
}

// narrowWindow moves an end of a window, if there is that lattice.
func narrowWindow(c object, lattice string, k, end, by int) {
	m, ok := c["proof"].(object)[lattice].(object)
	if !ok {
		return
	}
	w := within(m, "windows", k).([]any)
	n, _ := w[end].(json.Number).Int64()
	w[end] = int(n) + by
}
