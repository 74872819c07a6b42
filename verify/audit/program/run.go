package program

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Scored is what a run of a candidate of a selection answers: an output with its score.
type Scored struct {
	Output json.RawMessage // any JSON value, on one line
	Score  float64         // finite
}

// Run asks for one output on an input, which must be of the form {"output": …, "score": …}. The seed is below 2^53.
func (p *Program) Run(ctx context.Context, input json.RawMessage, seed uint64) (s Scored, err error) {
	err = p.ask(ctx, request{Input: input, N: 1, Seed: seed}, func(id int, line []byte) error {
		r := newReply(line)
		r.take = s.read
		return r.read(id, 1)
	})
	return s, err
}

const scoredForm = `{"output": …, "score": …}`

// read reads an output with its score.
func (s *Scored) read(raw jsontext.Value) error {
	var keys map[string]json.RawMessage
	if raw.Kind() != '{' || json.Unmarshal(raw, &keys) != nil {
		return fmt.Errorf("is %s, must be of the form %s", show(raw), scoredForm)
	}
	for key := range keys {
		if key != "output" && key != "score" {
			return fmt.Errorf("has the key %s, must be of the form %s", show([]byte(key)), scoredForm)
		}
	}
	for _, key := range []string{"output", "score"} {
		if keys[key] == nil {
			return fmt.Errorf("has no %s, must be of the form %s", key, scoredForm)
		}
	}
	if err := json.Unmarshal(keys["score"], &s.Score); err != nil || math.IsInf(s.Score, 0) ||
		!strings.ContainsAny(string(keys["score"][:1]), "-0123456789") {
		return errors.New("has the score " + show(keys["score"]) + ", must be a finite number")
	}
	s.Output = append(json.RawMessage(nil), keys["output"]...)
	return nil
}
