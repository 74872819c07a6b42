// Package registertest has the tests that every register shares.
package registertest

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"regexp"
	"slices"
	"sync"
	"testing"

	"checkrr/verify/register"
)

var (
	update = flag.Bool("update", false, "record what the checks find in findings.json")
	deep   = flag.Bool("deep", false, "check larger domains, which takes minutes")
)

// valid ends a test of texts of which one has a fault.
func valid(t *testing.T, papers ...register.Paper) {
	t.Helper()
	for _, p := range papers {
		if err := p.Validate(); err != nil {
			t.Fatal(err)
		}
	}
}

// Run tests a register, of this module or another, in the folder of its test: that it can be read, that entries are
// consistent, that what they name is there and cites them, and that checks find what is recorded and refute their
// controls.
//
// notNamed are the IDs that a symbol cites though no entry of theirs names it, such as spec.PTR: ODP-D9; the list
// may only shrink.
func Run(t *testing.T, p register.Paper, notNamed map[string][]string) {
	valid(t, p)
	statements := p.Statements()
	t.Run("consistent", func(t *testing.T) { consistent(t, statements) })
	t.Run("recorded", func(t *testing.T) { recorded(t, p) })
	t.Run("cited", func(t *testing.T) { cited(t, p, statements, notNamed) })
	t.Run("verify", func(t *testing.T) { verify(t, p, statements) })
}

// consistent: what an entry says of itself is consistent, and what it names is there.
func consistent(t *testing.T, statements []register.Statement) {
	for _, s := range statements {
		checked := s.Verdict != register.NotCheckable
		switch {
		case s.Title == "":
			t.Errorf("%s has no title", s.ID)
		case checked == (s.Kind == register.Definition || s.Kind == register.Opinion):
			t.Errorf("%s: verdict %s, kind %s", s.ID, s.Verdict, s.Kind)
		case !checked && s.Note == "":
			t.Errorf("%s: the note must say why it is not checkable", s.ID)
		case checked && s.Printed == "":
			t.Errorf("%s: it is not said where it stands, and what is printed", s.ID)
		case checked && len(s.NearMisses) == 0:
			t.Errorf("%s has no control that nearly holds, must have a register.NearMiss", s.ID)
		case (s.Verdict == register.Fails) != slices.Contains(register.Severities, s.Severity):
			t.Errorf("%s %s with the severity %q", s.ID, s.Verdict, s.Severity)
		case s.Verdict == register.Fails && s.Note == "":
			t.Errorf("%s: the note must say what is wrong with it", s.ID)
		case s.Verdict != register.Fails && s.Corrected != nil:
			t.Errorf("%s: a statement that holds needs no corrected form", s.ID)
		}
	}
}

// recorded: what is recorded is of a statement that is there. An update drops the rest.
func recorded(t *testing.T, p register.Paper) {
	if *update {
		return
	}
	ids := p.IDs()
	for _, id := range slices.Sorted(maps.Keys(p.Recorded())) {
		if !slices.Contains(ids, id) {
			t.Errorf("findings.json has a record of %s, which is no statement: run with -update", id)
		}
	}
}

// verify: every check finds what is recorded, and refutes its controls.
func verify(t *testing.T, p register.Paper, statements []register.Statement) {
	var found sync.Map // from ID to register.Finding
	t.Run("statements", func(t *testing.T) {
		for _, s := range statements {
			t.Run(s.ID, func(t *testing.T) {
				t.Parallel()
				f := register.Run(t.Context(), []register.Statement{s}, register.Options{Deep: *deep})[0]
				found.Store(s.ID, f)
				checkFinding(t, f)
			})
		}
	})
	if *update && !*deep {
		write(t, p, &found)
	}
}

func checkFinding(t *testing.T, f register.Finding) {
	changes := f.Changes()
	if *update && !*deep {
		changes = f.Contradictions()
	}
	for _, change := range changes {
		t.Error(change)
	}
	if f.Statement.Verdict != register.NotCheckable && f.Verdict() == register.Inconclusive {
		t.Errorf("inconclusive: %s", f.Reason())
	}
	for _, o := range append([]register.Outcome{f.Outcome}, f.Readings...) {
		isDecided := o.Verdict == register.Holds || o.Verdict == register.Fails
		if isDecided && o.Domain == "" {
			t.Errorf("“%s” %s, but its domain is not said: call t.Domain", o.Says, o.Verdict)
		}
	}
	t.Logf("%s: %d cases, %v", f.Outcome.Domain, f.Outcome.Cases, f.Elapsed)
	for _, c := range f.Controls {
		t.Logf("control %s: %s", c.Says, c.Counterexample)
	}
}

// write records what was found, and keeps what is recorded of others.
func write(t *testing.T, p register.Paper, found *sync.Map) {
	all, ids := p.Recorded(), p.IDs()
	maps.DeleteFunc(all, func(id string, _ register.Record) bool { return !slices.Contains(ids, id) })
	found.Range(func(_, x any) bool {
		record(all, x.(register.Finding))
		return true
	})
	text := numbers.ReplaceAllStringFunc(asJSON(t, all), func(list string) string {
		return indented.ReplaceAllString(list, " ")
	})
	if err := os.WriteFile("findings.json", []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// record puts a finding in the place of what was recorded of a statement. Of what is inconclusive there is no record.
func record(all map[string]register.Record, f register.Finding) {
	delete(all, f.Statement.ID)
	if v := f.Verdict(); v == register.Holds || v == register.Fails {
		all[f.Statement.ID] = f.Record()
	}
}

// The numbers of a sentence stand on one line.
var (
	numbers  = regexp.MustCompile(`"numbers": \[\n(\s+".*\n)+\s+\]`)
	indented = regexp.MustCompile(`\n\s+`)
)

func asJSON(t *testing.T, x any) string {
	t.Helper()
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(x); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// Updating reports whether files that tests compare with are to be written.
func Updating() bool { return *update }
