package program

import (
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	p := start(t, "scored")
	s, err := p.Run(t.Context(), []byte(`[1]`), 5)
	if err != nil || string(s.Output) != `{"model":[1,2.50]}` || s.Score != -0.25 {
		t.Errorf("%s, %g, %v", s.Output, s.Score, err)
	}
}

// What is no output with a score is refused, with its place and the rule.
func TestScored(t *testing.T) {
	for text, want := range map[string]string{
		`5`:                                    "is 5, must be of the form",
		`{"output": 1}`:                        "has no score, must be of the form",
		`{"score": 1}`:                         "has no output, must be of the form",
		`{"output": 1, "score": 2, "more": 3}`: `has the key "more", must be of the form`,
		`{"output": 1, "score": "2"}`:          `has the score "2", must be a finite number`,
		`{"output": 1, "score": null}`:         "has the score null, must be a finite number",
		`{"output": 1, "score": 1e999}`:        "has the score 1e999, must be a finite number",
		`{"output": 1, "score": [1]}`:          "has the score [1], must be a finite number",
	} {
		var s Scored
		if err := s.read([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	var s Scored
	if err := s.read([]byte(`{"score": 1e-3, "output": null}`)); err != nil || s.Score != 1e-3 ||
		string(s.Output) != "null" {
		t.Errorf("%s, %g, %v", s.Output, s.Score, err)
	}
}
