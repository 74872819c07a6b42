package ledger

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"checkrr/impl/loss"
)

// FilterState is what a [FilterRun] remembers. What a filter does is [Sums], or [ODPSums] of an [ODPFilter], which
// can be written as JSON and read without loss.
type FilterState struct {
	Rule   string         `json:"rule"`                 // which filter it is, with its parameters
	Events int            `json:"events"`               // open reservations are among them
	All    any            `json:"all"`                  // what the filter remembers of those on all of the data
	Parts  map[string]any `json:"partitions,omitempty"` // and of those and others on each partition, by its name
}

// UnmarshalJSON reads what a FilterState was written as. A key that is there twice is a [*StateError], as is one that
// is unknown.
func (s *FilterState) UnmarshalJSON(text []byte) error {
	var raw struct {
		Rule   string                    `json:"rule"`
		Events int                       `json:"events"`
		All    jsontext.Value            `json:"all"`
		Parts  map[string]jsontext.Value `json:"partitions,omitempty"`
	}
	err := readWhole(text, &raw, json.RejectUnknownMembers(true))
	if err != nil {
		return unread("a filter", err)
	}
	read := FilterState{Rule: raw.Rule, Events: raw.Events}
	read.All, err = memoryOf(raw.All)
	for name, part := range raw.Parts {
		if read.Parts == nil {
			read.Parts = map[string]any{}
		}
		if err == nil {
			read.Parts[name], err = memoryOf(part)
		}
	}
	if err == nil {
		*s = read
	}
	return unread("a filter", err)
}

// memoryOf reads the memory of one of our filters: [ODPSums] have an eps.
func memoryOf(text []byte) (memory any, err error) {
	var keys map[string]*loss.Sum
	if err := json.Unmarshal(text, &keys); err != nil {
		return nil, err
	}
	charge, delta, eps := keys["charge"], keys["delta"], keys["eps"]
	switch {
	case charge == nil || delta == nil:
	case len(keys) == 2:
		return Sums{Charge: *charge, Delta: *delta}, nil
	case eps != nil && len(keys) == 3:
		return ODPSums{Eps: *eps, Charge: *charge, Delta: *delta}, nil
	}
	return nil, fmt.Errorf("%.60s must have charge and delta, and eps of an ODPFilter", text)
}

// State returns what r remembers, for [FilterRun.Resume]. Open reservations are charged at their worst in it, and no
// longer open after Resume. Where a budget outlives a program, its state must be stored after each Reserve, before the
// mechanism runs, and again after the commit: of a program that is killed in between, what it has released is charged.
// No state may be stored in the place of a later one, so only one caller at a time takes and stores it.
func (r *FilterRun) State() FilterState {
	r.mu.Lock()
	defer r.mu.Unlock()
	all, parts := split(&r.lanes, func(l lane) any { return l.held })
	return FilterState{ruleOf(r.filter), r.n + r.open, all, parts}
}

// ruleOf tells filters apart that would take the memory of another one for their own: by their method Rule, which has
// their parameters, or else by their type.
func ruleOf(f BudgetFilter) string {
	if named, ok := f.(interface{ Rule() string }); ok {
		return named.Rule()
	}
	return fmt.Sprintf("%T", f)
}

// exactly is a sum in the name of a rule: no two are the same there.
func exactly(s loss.Sum) string {
	if text := s.Text(); !strings.HasPrefix(text, "about") {
		return text
	}
	return s.String()
}

func (a Amount) exactly() string {
	return fmt.Sprintf("ε = %s, δ = %s", exactly(a.Eps), exactly(a.Delta))
}

// Rule names the filter, with its parameters.
func (f *SumFilter) Rule() string { return "sum for " + f.budget.exactly() }

// Rule names the filter, with its parameters.
func (f *VarianceFilter) Rule() string {
	return fmt.Sprintf("%s with δ″ = %s for %s", f.name, exactly(f.capacity.Delta), f.budget.exactly())
}

// Rule names the filter, with its parameters.
func (f *ODPFilter) Rule() string {
	return fmt.Sprintf("odp-advanced with λ = %s and δ″ = %s for %s", exactly(loss.OfRat(f.lambda)), exactly(f.leak),
		f.budget.exactly())
}

// Resume makes r go on from the State of an earlier run of a filter with the same parameters: from there on, the two
// are the same. If that state is of another rule or not possible, a [*StateError] says why, and r is as before; it is
// another error if r has counted mechanisms, or has open reservations. A state that was changed to another possible one
// is not noticed: who stores it may store a checksum.
func (r *FilterRun) Resume(s FilterState) error {
	if err := mustBeOf(ruleOf(r.filter), s.Rule); err != nil {
		return err
	}
	check := func(memory any) error { return r.filter.Check(s.Events, memory) }
	lanes, err := resumed(s.All, s.Parts, check, func(memory any) lane { return lane{spent: memory, held: memory} })
	if err != nil {
		return damaged(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.open > 0:
		return fmt.Errorf("reservations are open, %d, must be none", r.open)
	case r.n > 0:
		return fmt.Errorf("mechanisms were counted, %d, must be none: a filter goes on from a state before its first", r.n)
	}
	r.n, r.lanes = s.Events, lanes
	return nil
}

// Check implements [BudgetFilter].
func (f *SumFilter) Check(events int, memory any) error { return checkSums(events, memory, f.budget) }

// Check implements [BudgetFilter].
func (f *VarianceFilter) Check(events int, memory any) error {
	return checkSums(events, memory, f.capacity)
}

// checkSums refuses sums of so many mechanisms that are none, or more than a filter admits.
func checkSums(events int, memory any, most Amount) error {
	s, ok := memory.(Sums)
	if !ok {
		return fmt.Errorf("the memory is of type %T, must be Sums", memory)
	}
	return cmp.Or(checkTotals(events, s), total{"charge", s.Charge}.within(most.Eps, "what the filter admits"),
		total{"delta", s.Delta}.within(most.Delta, "what the filter admits"))
}

// Check implements [BudgetFilter].
func (f *ODPFilter) Check(events int, memory any) error {
	s, ok := memory.(ODPSums)
	if !ok {
		return fmt.Errorf("the memory is of type %T, must be ODPSums", memory)
	}
	err := cmp.Or(checkTotals(events, s), total{"delta", s.Delta}.within(f.leak, "what the filter admits"),
		f.checkCharge(events, s))
	if err == nil && !s.Eps.AtMost(f.budget.Eps) {
		err = total{"charge", s.Charge}.within(f.capacity, "what the filter admits, or eps at most the budget")
	}
	return err
}

// checkCharge refuses what cannot be the charges of so many parts, given their Σ ℰ: each is 0 only for ℰ = 0, and at
// least λℰ − ln 2.
func (f *ODPFilter) checkCharge(events int, s ODPSums) error {
	if s.Charge.Sign() != s.Eps.Sign() {
		return fmt.Errorf("charge is %s and eps is %s, must both be 0 or neither",
			s.Charge.Text(), s.Eps.Text())
	}
	if least := f.at.Mul(s.Eps.Float()).Lo*(1-1e-9) - 0.6932*float64(events); s.Charge.Float().Hi < least {
		return fmt.Errorf("charge is %s, must be at least about %.6g, as eps is %s",
			s.Charge.Text(), least, s.Eps.Text())
	}
	return nil
}
