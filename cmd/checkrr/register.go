package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"checkrr/verify"
	"checkrr/verify/odp"
)

// register returns the statements of all texts, in their order.
func register() []verify.Statement { return odp.Statements() }

// find returns the statements that the IDs name, each once, in the order of the register:
// a whole ID, or the name of a text, such as ODP. Without IDs it returns all.
func find(statements []verify.Statement, ids []string) ([]verify.Statement, error) {
	if len(ids) == 0 {
		return statements, nil
	}
	chosen := map[string]bool{}
	for _, id := range ids {
		matches := matching(statements, strings.ToUpper(id))
		if len(matches) == 0 {
			return nil, fmt.Errorf("%s is not the ID of a statement, nor a text; checkrr statements lists them", quote(id))
		}
		for _, s := range matches {
			chosen[s.ID] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(statements), func(s verify.Statement) bool { return !chosen[s.ID] }), nil
}

func matching(statements []verify.Statement, id string) []verify.Statement {
	var out []verify.Statement
	for _, s := range statements {
		if text, _, _ := strings.Cut(s.ID, "-"); s.ID == id || text == id {
			out = append(out, s)
		}
	}
	return out
}

// registerJSON is the output of statements, verify and explain with --json.
type registerJSON struct {
	SchemaVersion int             `json:"schema_version"`
	Statements    []statementJSON `json:"statements"`
}

// statementJSON is a statement and, if it was checked, what came of it.
type statementJSON struct {
	ID             string         `json:"id"`
	Title          string         `json:"title"`
	Kind           verify.Kind    `json:"kind"`
	Verdict        verify.Verdict `json:"verdict"`  // found, or recorded if it was not checked now
	Recorded       verify.Verdict `json:"recorded"` // what is expected
	Domain         *string        `json:"domain"`
	Cases          int            `json:"cases,omitempty"`
	Counterexample *string        `json:"counterexample"`
	Corrected      *claimJSON     `json:"corrected"`
	Controls       []claimJSON    `json:"controls"`
	Note           string         `json:"note,omitempty"`
	In             []string       `json:"implemented_in"`
	Changes        []string       `json:"changes,omitempty"`
	Undecided      string         `json:"undecided,omitempty"`
	Seconds        *float64       `json:"seconds,omitempty"`
}

// claimJSON is a variant of a statement: a control, or the corrected form.
type claimJSON struct {
	Title          string         `json:"title"`
	Verdict        verify.Verdict `json:"verdict"`
	Domain         *string        `json:"domain,omitempty"`
	Counterexample *string        `json:"counterexample,omitempty"`
}

// recordedJSON is a statement that was not checked now: what is recorded of it.
func recordedJSON(s verify.Statement) statementJSON {
	out := statementJSON{
		ID: s.ID, Title: s.Title, Kind: s.Kind, Verdict: s.Verdict, Recorded: s.Verdict,
		Domain: orNull(s.Last.Domain), Counterexample: orNull(s.Last.Counterexample),
		Note: s.Note, In: nonNil(s.In), Controls: []claimJSON{},
	}
	for _, c := range s.Controls {
		out.Controls = append(out.Controls, claimJSON{Title: c.Says, Verdict: verify.Fails})
	}
	if s.Corrected != nil {
		out.Corrected = &claimJSON{Title: s.Corrected.Says, Verdict: verify.Holds, Domain: orNull(s.Last.Corrected)}
	}
	return out
}

// findingJSON is a statement that was checked.
func findingJSON(f verify.Finding) statementJSON {
	out := recordedJSON(f.Statement)
	seconds := math.Round(f.Elapsed.Seconds()*1e6) / 1e6
	out.Verdict, out.Seconds, out.Cases = f.Verdict(), &seconds, f.Outcome.Cases
	out.Domain, out.Counterexample = orNull(f.Outcome.Domain), orNull(f.Outcome.Counterexample)
	out.Changes = f.Changes()
	if out.Verdict == verify.Undecided {
		out.Undecided = f.Reason()
	}
	for i, o := range f.Controls {
		out.Controls[i] = outcomeJSON(o)
	}
	if f.Corrected != nil {
		corrected := outcomeJSON(*f.Corrected)
		out.Corrected = &corrected
	}
	return out
}

func outcomeJSON(o verify.Outcome) claimJSON {
	return claimJSON{o.Says, o.Verdict, orNull(o.Domain), orNull(o.Counterexample)}
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func nonNil(s []string) []string { return append([]string{}, s...) }

// writeRegister prints statements as one line of JSON.
func writeRegister(w io.Writer, statements []statementJSON) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(registerJSON{schemaVersion, append([]statementJSON{}, statements...)})
}
