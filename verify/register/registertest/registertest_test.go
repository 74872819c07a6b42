package registertest

import (
	"testing"

	"checkrr/verify/register"
)

// Of a statement whose check, or whose control, crashed there is no record, not even that of a run before.
func TestRecord(t *testing.T) {
	t.Parallel()
	holds := func(t *register.T) { t.Case() }
	fails := func(t *register.T) { t.Case(); t.Refute("wrong") }
	crashes := func(t *register.T) { t.Case(); panic("a fault") }
	for name, test := range map[string]struct {
		check, control register.Check
		isRecorded     bool
	}{
		"holds":                 {holds, fails, true},
		"fails":                 {fails, fails, true},
		"the check crashes":     {crashes, fails, false},
		"the control crashes":   {holds, crashes, false},
		"the control is missed": {holds, holds, true},
	} {
		s := register.Statement{ID: "X", Check: test.check, Controls: []register.Claim{{Check: test.control}}}
		all := map[string]register.Record{"X": {Trace: register.Trace{Cases: 7}}, "Y": {}}
		record(all, register.Run(t.Context(), []register.Statement{s}, register.Options{})[0])
		if r, isThere := all["X"]; isThere != test.isRecorded || r.Cases == 7 || len(all) > 2 {
			t.Errorf("%s: recorded %v, %+v", name, isThere, r)
		}
	}
}
