package input

import (
	"fmt"
	"strings"
	"testing"
)

var tuneMethods = []string{"threshold", "random-stop", "hard-stop"}

func parseTune(text string) (*TuneFile, error) {
	return decodeTune("t.yaml", strings.NewReader(text), tuneMethods)
}

func TestTuneFile(t *testing.T) {
	t.Parallel()
	got, err := parseTune(`# all keys
command: [./run, --fast, 2]
candidates:
  - {strength: 1e-3, kind: 'a b'}
  - [1, 2.50]
budget: {eps: 1/3, delta: 1e-6}
run: {delta: 0, eps: 0.1}
method: threshold
threshold: -1e-1
target: 9/10
fail: 0.1
slack: 0.5
patience: 0.25
`)
	if err != nil {
		t.Fatal(err)
	}
	said := fmt.Sprintf("%q %s %s %s %s %s %s %g %s %s %s %v", got.Command, got.Candidates, got.Budget.Eps.RatString(), got.Budget.Delta.RatString(), got.Run.Eps.RatString(),
		got.Run.Delta.RatString(), got.Method, *got.Threshold, got.Target.RatString(), got.Fail.RatString(), got.Slack.RatString(), got.Patience)
	if want := `["./run" "--fast" "2"] [{"strength":1e-3,"kind":"a b"} [1,2.50]] 1/3 1/1000000 1/10 0 threshold -0.1 9/10 1/10 1/2 250ms`; said != want {
		t.Errorf("%s, want %s", said, want)
	}
	got, err = parseTune("{command: [a], candidates: [1], budget: {eps: 1}, run: {eps: 1}}")
	if err != nil || got.Method != "random-stop" || got.Threshold != nil || got.Target != nil || got.Fail != nil || got.Slack != nil || got.Budget.Delta.Sign() != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestTuneFile_Errors(t *testing.T) {
	t.Parallel()
	const whole = "command: [a]\ncandidates: [1]\nbudget: {eps: 1}\nrun: {eps: 1}\n"
	for text, want := range map[string]string{
		"[1]": "t.yaml:1:1: the file is a list, must have the keys command, candidates, budget and run",
		"candidates: [1]\nbudget: {eps: 1}\nrun: {eps: 1}\n":                       "t.yaml:1:1: command is missing, must be a list",
		"command: [a]\nbudget: {eps: 1}\nrun: {eps: 1}\n":                          "t.yaml:1:1: candidates is missing, must be a list",
		"command: [a]\ncandidates: [1]\nbudget: {eps: 1}\n":                        "t.yaml:1:1: run is missing, must be {eps:",
		"command: [a]\ncandidates: []\nbudget: {eps: 1}\nrun: {eps: 1}\n":          "t.yaml:2:13: candidates is an empty list",
		"command: [a]\ncandidates: [1]\nbudget: {eps: 0}\nrun: {eps: 1}\n":         "t.yaml:3:15: budget: eps is 0, must be greater than 0",
		"command: [a]\ncandidates: [1]\nbudget: {delta: 0}\nrun: {eps: 1}\n":       "t.yaml:3:9: budget: eps is missing",
		"command: [a]\ncandidates: [.5]\nbudget: {eps: 1}\nrun: {eps: 1}\n":        "t.yaml:2:14: candidate 1",
		"command: [a]\ncandidates: [1]\nbudget: {eps: 1, delta: 1}\nrun: {eps: 1}": "t.yaml:3:25: budget: delta is 1, must be at least 0 and less than 1",
		whole + "method: none":                    "t.yaml:5:9: method is none, must be one of threshold, random-stop, hard-stop",
		whole + "method: threshold":               "t.yaml:1:1: threshold is missing",
		whole + "threshold: 1":                    "t.yaml:5:12: threshold is given, but not used",
		whole + "method: threshold\nthreshold: x": "t.yaml:6:12: threshold ",
		whole + "fail: 1":                         "t.yaml:5:7: fail is 1, must be greater than 0 and less than 1",
		whole + "patience: 0":                     "t.yaml:5:11: patience is 0, must be more than 0",
		whole + "seed: 1":                         "t.yaml:5:1: unknown key seed",
	} {
		if _, err := parseTune(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// FuzzTune checks that any text is read as candidates, or refused in one line with a place.
func FuzzTune(f *testing.F) {
	f.Add("command: [a]\ncandidates: [1, {x: 2}]\nbudget: {eps: 1, delta: 1e-6}\nrun: {eps: 1/2}\nmethod: threshold\nthreshold: 1\n")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := parseTune(text)
		switch {
		case err != nil && (!strings.HasPrefix(err.Error(), "t.yaml:") || strings.Contains(err.Error(), "\n")):
			t.Errorf("%q: %v", text, err)
		case err == nil && (len(got.Command) == 0 || len(got.Candidates) == 0 || got.Run.Eps.Sign() <= 0):
			t.Errorf("%q: %+v", text, got)
		}
	})
}
