package input

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const lawClaim = "claim: {parts: {a: 1, b: 0}, delta: 0}\n"

// Rows in the file and in a table are the same law.
func TestAuditLaw(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("t.csv", "\uFEFF# a comment\nPart, p1,output,p0\na,1/4,\"x, y\",0.5\r\nb,75e-2,2,1/2\n")
	for _, text := range []string{"law: t.csv", "law: [{output: 'x, y', p0: 1/2, p1: 0.25, part: a}, {output: 2, p0: 0.5, p1: 3/4, part: b}]\nneighbours: [{x: 0, x2: 1}]"} {
		a, err := ReadAudit(write("a.yaml", lawClaim+text), nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		x, y := a.Law.Cells[0], a.Law.Cells[1]
		if len(a.Law.Cells) != 2 || x.Name != "x, y" || x.Part != 0 || x.Exact[1].RatString() != "1/4" || y.Name != "2" || y.Part != 1 || y.Exact[1].RatString() != "3/4" {
			t.Errorf("%s: %+v", text, a.Law.Cells)
		}
	}
}

func TestAuditLaw_Errors(t *testing.T) {
	for text, want := range map[string]string{
		"law: {a: 1}":                                 "2:6: law is a mapping, must be of the form [{output: a,",
		"law: none.csv":                               "2:6: law: open none.csv: no such file",
		"law: [1]":                                    "2:7: law: output 1 is 1, must be of the form {output: a,",
		"law: [{output: x, p0: 1}]":                   "2:7: law: output 1: p1 is missing, must have output, p0 and p1",
		"law: [{output: x, p: 1}]":                    "2:19: law: output 1: unknown key p, must be one of output, p0, p1, part",
		"law: [{output: x, p0: a}]":                   "2:7: law: output 1: p1 is missing",
		"command: [m]\nlaw: [1]":                      "2:10: both law and command are given, must be only one of them",
		"law: [1]\nbudget: {alpha: 1}":                "3:9: both law and budget are given, must be only one of them",
		"law: [{output: x, p0: 1, p1: 1, part: c}]":   `2:39: law: output 1: part is "c", must be a part of the claim`,
		"law: [{output: x, p0: 1, p1: 1}]":            `2:7: law: output 1: part is "", must be a part of the claim`,
		"law: [{output: x, p0: 1, p1: 1/2, part: a}]": "2:6: law: p1 sums to 1/2, must to 1",
		"law: [{output: x, p0: -1, p1: 1, part: a}]":  "2:23: law: output 1: p0 is -1, must be between 0 and 1",
		"law: [{output: x, p0: 1x, p1: 1, part: a}]":  `2:23: law: output 1: p0 is 1x, must be a decimal`,
		"law: [{output: x, p0: 1, p1: 1, part: a}, {output: x, p0: 0, p1: 0, part: a}]":         `2:52: law: output 2: output is "x", must not be there twice`,
		"law: [{output: x, p0: 1, p1: 1, part: a}]\nneighbours: [{x: 0, x2: 1},{x: 1, x2: 2}]":  "3:13: neighbours has 2 pairs, must have one",
		"command: [m]\nsearch: {values: [0, 1], length: [1, 2], neighbours: replace}\nnoise: 1": "3:9: both noise and search are given",
	} {
		if _, err := parseAudit(lawClaim + text); err == nil || !strings.HasPrefix(err.Error(), "a.yaml:"+want) {
			t.Errorf("%s\ngives the error %v\nmust begin with a.yaml:%s", text, err, want)
		}
	}
}

func TestAuditNoise_Errors(t *testing.T) {
	for text, want := range map[string]string{
		"1":                                         "3:8: noise is 1, must be of the form {values:",
		"{count: 2}":                                "3:8: noise: values is missing",
		"{values: [1]}":                             "3:18: noise: value 1 is 1, must be a list of the value and its probability",
		"{values: [[0, 1, 2]]}":                     "3:18: noise: value 1 is a list, must be a list of the value and its probability",
		"{values: [[0, 1/2], [0, 1/2]]}":            "3:28: noise: value 2 is there twice",
		"{values: [[0, 1/2]]}":                      "3:8: noise: the probability of all values sums to 1/2, must to 1",
		"{values: [[0, x]]}":                        `3:22: noise: value 1: its probability is x, must be a decimal`,
		"{values: [[0, -1], [1, 2]]}":               "3:22: noise: value 1: its probability is",
		"{values: [[0, 1]], count: 0}":              "3:34: noise: count is 0, must be a whole number between 1 and 64",
		"{values: [[0, 1/2], [1, 1/2]], count: 30}": "3:8: noise: 2 values 30 times are too many, must be at most 1000000 together",
	} {
		if _, err := parseAudit("command: [m]\nneighbours: [{x: 0, x2: 1}]\nnoise: " + text + "\nclaim: {eps: 1}"); err == nil || !strings.HasPrefix(err.Error(), "a.yaml:"+want) {
			t.Errorf("%s\ngives the error %v\nmust begin with a.yaml:%s", text, err, want)
		}
	}
}

func TestReadLaw_Errors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 "1:1: the file is empty, must begin with the header output,p0,p1",
		"x,y\n":                            `1:1: the header has x, must be`,
		"output,p0,p0\n":                   `1:11: the header has p0, must be`,
		"output,p0\n":                      "1:1: the header has no p1, must be",
		"output,p0,p1\na,1\n":              "2:1: wrong number of fields",
		"output,p0,p1\na,1,\"\n":           "",
		"output,p0,p1\n\n# c\na, 1,1//2\n": `4:6: p1 is 1//2, must be a decimal`,
	} {
		if _, err := readLaw("l.csv", strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), "l.csv:"+want) {
			t.Errorf("%q gives the error %v, must begin with l.csv:%s", text, err, want)
		}
	}
}
