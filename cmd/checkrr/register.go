package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/verify/papers"
	"checkrr/verify/register"
)

// selection says which statements a command is about.
type chosenEntries struct {
	ids     []string // IDs with * for anything, or names of texts; none for all
	verdict string   // a recorded verdict; "" for all
}

// from returns the statements selected, in the order of the register; those that fail by their weight, the
// heaviest first.
func (c chosenEntries) from(statements []register.Statement) ([]register.Statement, error) {
	if err := c.check(statements); err != nil {
		return nil, err
	}
	var out []register.Statement
	for _, s := range statements {
		named := len(c.ids) == 0 || slices.ContainsFunc(c.ids, func(id string) bool { return names(id, s.ID) })
		if named && (c.verdict == "" || c.verdict == string(s.Verdict) || c.verdict == string(register.Fails) &&
			s.MostSevere() != "") {
			out = append(out, s)
		}
	}
	if c.verdict == string(register.Fails) {
		slices.SortStableFunc(out, func(a, b register.Statement) int {
			return cmp.Compare(slices.Index(register.Severities, a.MostSevere()),
				slices.Index(register.Severities, b.MostSevere()))
		})
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("none of the statements named has the recorded verdict %s", c.verdict)
	}
	return out, nil
}

// recordable are the verdicts that can be recorded.
var recordable = []string{string(register.Holds), string(register.Fails), string(register.NotCheckable)}

func (c chosenEntries) check(statements []register.Statement) error {
	for _, id := range c.ids {
		if !slices.ContainsFunc(statements, func(s register.Statement) bool { return names(id, s.ID) }) {
			var ids []string
			for _, s := range statements {
				ids = append(ids, s.ID)
			}
			err := fmt.Errorf("%s is not the ID of a statement, such as ODP-T15 or ODP-L*, nor a text: %s; checkrr "+
				"statements lists them", report.Quote(id), strings.Join(textNames(), ", "))
			if hasParts(id, ids) {
				return fmt.Errorf("%w; %s* names its parts", err, strings.ToUpper(id))
			}
			return didYouMean(err, strings.ToUpper(id), ids)
		}
	}
	return nil
}

// hasParts reports whether statements are parts of what the argument numbers, as PSC-T3.1a is of PSC-T3.1.
func hasParts(argument string, ids []string) bool {
	return len(argument) > 0 && slices.ContainsFunc(ids, func(id string) bool {
		return strings.HasPrefix(strings.ToUpper(id), strings.ToUpper(argument))
	})
}

func textNames() (names []string) {
	for _, p := range papers.All {
		names = append(names, p.Name)
	}
	return names
}

// names reports whether an argument names the statement: by its ID, or by its text, whose name or prefix it is.
func names(argument, id string) bool {
	argument = strings.ToUpper(argument)
	prefix, _, _ := strings.Cut(id, "-")
	matches, err := path.Match(argument, strings.ToUpper(id))
	return err == nil && matches || argument == prefix || slices.ContainsFunc(papers.All, func(p register.Paper) bool {
		return p.Prefix == prefix && strings.EqualFold(p.Name, argument)
	})
}

// selectBy adds the flag --verdict.
func selectBy(cmd *cobra.Command, c *chosenEntries) {
	addChoiceTo(cmd, &c.verdict, "verdict", "",
		"only statements with this recorded `VERDICT`: "+strings.Join(recordable, ", "), recordable)
}

// registerJSON is the output of statements, verify and explain with --json.
type registerJSON struct {
	SchemaVersion int             `json:"schema_version"`
	Statements    []statementJSON `json:"statements"`
}

// statementJSON is a statement and, if it was checked, what came of it.
type statementJSON struct {
	ID             string            `json:"id"`
	Title          string            `json:"title"`
	Kind           register.Kind     `json:"kind"`
	Verdict        register.Verdict  `json:"verdict"`  // found, or recorded if it was not checked now
	Recorded       register.Verdict  `json:"recorded"` // what is expected
	Weight         register.Severity `json:"weight,omitempty"`
	Printed        string            `json:"printed,omitempty"`
	Reading        string            `json:"reading,omitempty"`
	Domain         *string           `json:"domain"`
	Cases          int               `json:"cases,omitempty"`
	Counterexample *string           `json:"counterexample"`
	Closest        *string           `json:"closest,omitempty"`
	Readings       []claimJSON       `json:"readings,omitempty"`
	Corrected      *claimJSON        `json:"corrected"`
	Controls       []claimJSON       `json:"controls"`
	Note           string            `json:"note,omitempty"`
	In             []string          `json:"implemented_in"`
	Changes        []string          `json:"changes,omitempty"`
	Undecided      string            `json:"undecided,omitempty"`
	Seconds        *float64          `json:"seconds,omitempty"`
}

// claimJSON is a variant of a statement: a control, or the corrected form.
type claimJSON struct {
	Title          string            `json:"title"`
	Verdict        register.Verdict  `json:"verdict"`
	Domain         *string           `json:"domain,omitempty"`
	Counterexample *string           `json:"counterexample,omitempty"`
	Closest        *string           `json:"closest,omitempty"`
	Weight         register.Severity `json:"weight,omitempty"` // of a reading that is printed and fails
}

// recordedJSON is a statement that was not checked now: what is recorded of it.
func recordedJSON(s register.Statement) statementJSON {
	out := statementJSON{
		ID: s.ID, Title: s.Title, Kind: s.Kind, Verdict: s.Verdict, Recorded: s.Verdict,
		Weight: s.Severity, Printed: s.Printed, Reading: s.Reading,
		Domain: orNull(s.Last.Domain), Counterexample: orNull(s.Last.Counterexample.String()),
		Closest: orNull(s.Last.Closest.String()),
		Cases:   s.Last.Cases, Note: s.Note, In: nonNil(s.In), Controls: []claimJSON{},
	}
	for i, r := range s.Readings {
		reading := lastJSON(r.Claim, r.Verdict, register.Of(s.Last.Readings, i))
		reading.Weight = r.Severity
		out.Readings = append(out.Readings, reading)
	}
	for i, c := range s.AllControls() {
		out.Controls = append(out.Controls, lastJSON(c, register.Fails, register.Of(s.Last.Controls, i)))
	}
	if s.Corrected != nil {
		corrected := lastJSON(*s.Corrected, register.Holds, s.Last.Corrected)
		out.Corrected = &corrected
	}
	return out
}

// lastJSON is a claim that was not checked now: what is recorded of it, if anything is.
func lastJSON(c register.Claim, v register.Verdict, last *register.Trace) claimJSON {
	if last == nil {
		last = &register.Trace{}
	}
	return claimOf(c.Says, v, last.Domain, last.Counterexample.String(), last.Closest.String())
}

// findingJSON is a statement that was checked.
func findingJSON(f register.Finding) statementJSON {
	out := recordedJSON(f.Statement)
	seconds := report.Microseconds(f.Elapsed)
	out.Verdict, out.Seconds, out.Cases = f.Verdict(), &seconds, f.Outcome.Cases
	out.Domain, out.Counterexample, out.Closest = orNull(f.Outcome.Domain), orNull(f.Outcome.Counterexample),
		orNull(f.Outcome.Closest)
	out.Changes = f.Changes()
	if out.Verdict == register.Undecided {
		out.Undecided = f.Reason()
	}
	for i, o := range f.Readings {
		out.Readings[i] = outcomeJSON(o)
		out.Readings[i].Weight = f.Statement.Readings[i].Severity
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

func claimOf(title string, v register.Verdict, domain, counterexample, closest string) claimJSON {
	return claimJSON{title, v, orNull(domain), orNull(counterexample), orNull(closest), ""}
}

func outcomeJSON(o register.Outcome) claimJSON {
	return claimOf(o.Says, o.Verdict, o.Domain, o.Counterexample, o.Closest)
}

// weighed returns a verdict and the weight of what is wrong in print: of the statement or, if that holds, of a step or
// a reading.
func weighed(v register.Verdict, s register.Statement) string {
	w := s.MostSevere()
	switch {
	case w == "":
		return string(v)
	case v == register.Fails:
		return string(v) + ": " + string(w)
	case v == register.Holds && w == register.ProofStep:
		return "holds, a step fails"
	case v == register.Holds:
		return "holds, but for " + w.WithArticle()
	}
	return string(v)
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
	return e.Encode(registerJSON{report.SchemaVersion, append([]statementJSON{}, statements...)})
}
