package input

import (
	"fmt"
	"strings"
	"testing"
)

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
	said := fmt.Sprintf("%q %s %s %s %s %s %s %g %s %s %s %v", got.Command, got.Candidates, got.Budget.Eps.RatString(),
		got.Budget.Delta.RatString(), got.Run.Eps.RatString(), got.Run.Delta.RatString(), got.Method, *got.Threshold,
		got.Target.RatString(), got.Fail.RatString(), got.Slack.RatString(), got.Patience)
	if want := `["./run" "--fast" "2"] [{"strength":1e-3,"kind":"a b"} [1,2.50]] 1/3 1/1000000 1/10 0 threshold -0.1 ` +
		`9/10 1/10 1/2 250ms`; said != want {
		t.Errorf("%s, want %s", said, want)
	}
	got, err = parseTune("{command: [a], candidates: [1], budget: {eps: 1}, run: {eps: 1}}")
	if err != nil || got.Method != "random-stop" || got.Threshold != nil || got.Target != nil || got.Fail != nil ||
		got.Slack != nil || got.Budget.Delta.Sign() != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

// FuzzTune checks that any text is read as candidates, or refused in one line with a place.
func FuzzTune(f *testing.F) {
	seed(f, "candidates", "command: [a]\ncandidates: [1, {x: 2}]\nbudget: {eps: 1, delta: 1e-6}\nrun: {eps: "+
		"1/2}\nmethod: threshold\nthreshold: 1\n")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := parseTune(text)
		switch {
		case err != nil && (!strings.HasPrefix(err.Error(), "f:") || strings.Contains(err.Error(), "\n")):
			t.Errorf("%q: %v", text, err)
		case err == nil && (len(got.Command) == 0 || len(got.Candidates) == 0 || got.Run.Eps.Sign() <= 0):
			t.Errorf("%q: %+v", text, got)
		}
	})
}
