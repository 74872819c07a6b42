package odp

import (
	"slices"
	"testing"

	"checkrr/verify"
)

// Every ID of the paper has an entry, once.
func TestStatements(t *testing.T) {
	var ids []string
	for _, s := range Statements() {
		ids = append(ids, s.ID)
	}
	for _, id := range IDs() {
		if !slices.Contains(ids, id) {
			t.Errorf("%s has no entry", id)
		}
	}
	for i, id := range ids {
		if !slices.Contains(IDs(), id) {
			t.Errorf("%s is not in statements.txt", id)
		}
		if i > 0 && ids[i-1] == id {
			t.Errorf("%s has two entries", id)
		}
	}
}

// Every check finds what is recorded, and refutes its controls.
func TestVerify(t *testing.T) {
	for _, s := range Statements() {
		t.Run(s.ID, func(t *testing.T) {
			t.Parallel()
			f := verify.Run(t.Context(), []verify.Statement{s}, verify.Options{})[0]
			for _, change := range f.Changes() {
				t.Error(change)
			}
			if s.Verdict != verify.NotCheckable && f.Verdict() == verify.Undecided {
				t.Errorf("undecided: %s", f.Outcome.Reason)
			}
			t.Logf("%s: %d cases, %v", f.Outcome.Domain, f.Outcome.Cases, f.Elapsed)
			for _, c := range f.Controls {
				t.Logf("control %s: %s", c.Says, c.Counterexample)
			}
		})
	}
}
