package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

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
		n, verdict := len(tt.claims), map[int]string{exitOK: "holds", exitInconclusive: "undecided"}[tt.code]
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
			{"", tt.code, " undecided: OptDel for neighbours in this order only", btoi(isOpen)},
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
