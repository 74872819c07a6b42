package register

import "fmt"

// Record is what a run of the normal size found. It is kept in a file, so that a list of
// statements needs no run, and that a change of what a check finds is noticed.
type Record struct {
	Trace
	Readings  []Trace `json:"readings,omitempty"`
	Controls  []Trace `json:"controls,omitempty"`
	Corrected *Trace  `json:"corrected,omitempty"`
}

// Of returns what is recorded of a control or a reading, or nil.
func Of(recorded []Trace, i int) *Trace {
	if i < len(recorded) {
		return &recorded[i]
	}
	return nil
}

// Trace is what one check left behind.
type Trace struct {
	Domain         string   `json:"domain,omitempty"`
	Cases          int      `json:"cases,omitempty"` // of a claim that fails, the place of the counterexample
	Counterexample Sentence `json:"counterexample,omitzero"`
	Closest        Sentence `json:"closest,omitzero"` // of a bound that holds
}

// Verdict returns what came of the check: Inconclusive if there was none. What fails at once has no case, but a
// counterexample.
func (t Trace) Verdict() Verdict {
	switch {
	case !t.Counterexample.IsZero():
		return Fails
	case t.Cases > 0:
		return Holds
	}
	return Inconclusive
}

// differences says what is not as last time.
func (t Trace) differences(last Trace) (all []string) {
	if t.Cases != last.Cases {
		all = append(all, fmt.Sprintf("%d cases, recorded: %d", t.Cases, last.Cases))
	}
	if t.Domain != last.Domain {
		all = append(all, fmt.Sprintf("domain %s, recorded: %s", t.Domain, last.Domain))
	}
	if !t.Counterexample.same(last.Counterexample) {
		all = append(all, fmt.Sprintf("counterexample %s, recorded: %s", t.Counterexample, last.Counterexample))
	}
	if !t.Closest.same(last.Closest) {
		all = append(all, fmt.Sprintf("closest %s, recorded: %s", t.Closest, last.Closest))
	}
	return all
}
