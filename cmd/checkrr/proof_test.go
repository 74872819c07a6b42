package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// lopsidedText is a problem file of a pipeline for which the orders of neighbours differ.
const lopsidedText = `{"mechanisms": [{"law": [["4/5", "9/10"], ["1/5", "1/10"]], "count": 2}], "stops": [{"after": 1, "eps": 0}, {"after": 2, "eps": "3/5"}]}`

// A file with one order of neighbours says so, and is about a pipeline only if all that it claims is that OptDel is more.
func TestCertify_OneOrder(t *testing.T) {
	t.Parallel()
	problem := filepath.Join(t.TempDir(), "p.json")
	if err := os.WriteFile(problem, []byte(lopsidedText), 0o666); err != nil {
		t.Fatal(err)
	}
	claim := func(limits ...string) object { // of the first order, with limits and their values
		file := filepath.Join(t.TempDir(), "proof.json")
		if code, _, stderr := checkrr("", "optdel", problem, "--certificate", file); code != exitOK {
			t.Fatal(stderr)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		first := firstClaim(t, text)
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
		{[]object{both}, exitInconclusive, exitRefuted, "there is no claim about " + problem + " for neighbours in one of their orders"},
		{[]object{more}, exitOK, exitOK, "holds: OptDel for neighbours in this order only is between "},
		{[]object{less}, exitInconclusive, exitRefuted, "there is no claim about " + problem + " for neighbours in one of their orders"},
		{[]object{more, less}, exitInconclusive, exitRefuted, "there is no claim about " + problem + " for neighbours in one of their orders"},
	} {
		text, err := json.Marshal(object{"schema_version": 1, "claims": tt.claims})
		if err != nil {
			t.Fatal(err)
		}
		texts, want, wantOne = append(texts, text), append(want, tt.code), append(wantOne, exitOK)
		certify := func(more ...string) (int, string) {
			var out bytes.Buffer
			return execute(append([]string{"certify", "-"}, more...), bytes.NewReader(text), &out, &out), out.String()
		}
		if code, out := certify("--problem", problem); code != tt.about || !strings.Contains(out, tt.want) {
			t.Errorf("exit code %d, want %d: %s, want %s", code, tt.about, out, tt.want)
		}
		code, out := certify()
		isSaid := strings.Contains(out, "is for one order of neighbours, and none is for the other one; add --one-order")
		if code != tt.code || isSaid != (code != exitOK) || strings.Count(out, "OptDel for neighbours in this order only is between ") != len(tt.claims) {
			t.Errorf("without a problem: exit code %d, want %d: %s", code, tt.code, out)
		}
		if code, out := certify("--json"); code != tt.code || strings.Count(out, `"one_order":true`) != len(tt.claims) {
			t.Errorf("as JSON: exit code %d, want %d: %s", code, tt.code, out)
		}
		verdict := map[int]string{exitOK: `"verdict":"holds"`, exitInconclusive: `"verdict":"undecided"`}
		if _, out := certify("--json"); !strings.HasPrefix(out, `{"schema_version":2,`+verdict[tt.code]) ||
			tt.code != exitOK && strings.Count(out, verdict[tt.code]) < 2 {
			t.Errorf("as JSON, with exit code %d: %s", tt.code, out)
		}
		if _, out := certify(); tt.code != exitOK && !strings.Contains(out, " undecided: OptDel for neighbours in this order only") {
			t.Errorf("with exit code %d: %s", tt.code, out)
		}
		if _, out := certify("--json", "--one-order"); strings.Count(out, verdict[exitOK]) != 1+len(tt.claims) {
			t.Errorf("--one-order: %s", out)
		}
		if _, out := certify("--json", "--at-most", "0"); !strings.Contains(out, `"verdict":"refuted"`) {
			t.Errorf("at most 0: %s", out)
		}
		if code, out := certify("--at-most", "1"); code != exitInconclusive {
			t.Errorf("at most 1: exit code %d: %s", code, out)
		}
		for _, also := range [][]string{nil, {"--problem", problem}, {"--at-most", "1"}} {
			if code, out := certify(append(also, "--one-order")...); code != exitOK {
				t.Errorf("--one-order %v: exit code %d: %s", also, code, out)
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
