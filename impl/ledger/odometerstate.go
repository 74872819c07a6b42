package ledger

import (
	"cmp"
	"fmt"

	"github.com/go-json-experiment/json"

	"checkrr/impl/loss"
)

// OdometerState is what an [Odometer] remembers.
type OdometerState struct {
	Rule         string `json:"rule"`   // which odometer it is, with its parameters
	Events       int    `json:"events"` // all of them
	OdometerSums        // over those on all of the data
	// Over those and others on each partition, by its name.
	Parts map[string]OdometerSums `json:"partitions,omitempty"`
}

// OdometerSums are sums over the mechanisms that read some records.
type OdometerSums struct {
	V     loss.Sum `json:"v"`     // Σ ε_m²
	Eps   loss.Sum `json:"eps"`   // Σ ε_m
	Delta loss.Sum `json:"delta"` // Σ δ_m
}

// UnmarshalJSON reads what an OdometerState was written as. A key that is there twice is a [*StateError], as is one
// that is unknown or missing.
func (s *OdometerState) UnmarshalJSON(text []byte) error {
	type plain OdometerState // without this method
	return unread("an odometer", readWhole(text, (*plain)(s), json.RejectUnknownMembers(true)))
}

// State returns what o remembers, for [Odometer.Resume]. It can be written as JSON and read without loss. Where an
// odometer outlives a program, a mechanism is counted and the state is stored before the mechanism runs.
func (o *Odometer) State() OdometerState {
	o.mu.Lock()
	defer o.mu.Unlock()
	all, parts := split(&o.lanes, func(l *odometerLane) OdometerSums { return l.OdometerSums })
	return OdometerState{o.rule(), o.n, all, parts}
}

// rule names the odometer with its parameters.
func (o *Odometer) rule() string {
	return fmt.Sprintf("%#v with δ′ = %s and δ″ = %s", o.curve, exactly(o.level), exactly(o.most))
}

// Resume makes o go on from the State of an earlier odometer with the same parameters: from there on, the two are the
// same. If that state is of another rule or not possible, a [*StateError] says why, and o is as before.
func (o *Odometer) Resume(s OdometerState) error {
	if err := mustBeOf(o.rule(), s.Rule); err != nil {
		return err
	}
	check := func(of OdometerSums) error { return of.check(s.Events) }
	lanes, err := resumed(s.OdometerSums, s.Parts, check, func(of OdometerSums) *odometerLane {
		return &odometerLane{OdometerSums: of, isStale: true}
	})
	if err != nil {
		return damaged(err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.n > 0 {
		return fmt.Errorf("mechanisms were counted, %d, must be none: an odometer goes on from a state before its first",
			o.n)
	}
	o.n, o.lanes = s.Events, lanes
	return nil
}

// check refuses what cannot be the sums over that many mechanisms, or fewer.
func (s OdometerSums) check(events int) error {
	return cmp.Or(checkTotals(events, s), total{"delta", s.Delta}.atMost(ofEvents(events), "events"),
		CheckSquares(events, s.V, s.Eps))
}
