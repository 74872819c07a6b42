package ledger

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"checkrr/impl/internal/rational"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// total is a sum over all mechanisms so far, by its name.
type total struct {
	name string
	sum  loss.Sum
}

// checkTotals refuses what cannot be the sums over so many mechanisms.
func checkTotals(events int, of summed) error {
	const most = math.MaxInt / 2 // as many again can be counted
	if events < 0 || events > most {
		return fmt.Errorf("events is %d, must be at least 0 and at most %d", events, most)
	}
	for _, t := range of.totals() {
		switch sign := t.sum.Sign(); {
		case sign < 0:
			return fmt.Errorf("%s is %s, must be at least 0", t.name, t.sum.Text())
		case sign > 0 && events == 0:
			return fmt.Errorf("%s is %s, must be 0 as there is no event", t.name, t.sum.Text())
		}
	}
	return nil
}

// roundings is more than what all roundings of a sum have added to it.
var roundings = loss.OfRat(rational.MustParse("1e-60"))

// atMost refuses a total that is more than another number, but for roundings.
func (t total) atMost(most loss.Sum, what string) error {
	return t.unless(t.sum.Cmp(most.PlusExactly(roundings)) <= 0, most, what)
}

// within refuses a total that is more than there is; what that is, is said.
func (t total) within(most loss.Sum, what string) error {
	return t.unless(t.sum.AtMost(most), most, what)
}

func (t total) unless(isAtMost bool, most loss.Sum, what string) error {
	if isAtMost {
		return nil
	}
	return fmt.Errorf("%s is %s, must be at most %s, %s", t.name, t.sum.Text(), most.Text(), what)
}

// ofEvents is a number of mechanisms as a sum: what their δ add up to at most.
func ofEvents(n int) loss.Sum { return loss.OfRat(new(big.Rat).SetInt64(int64(n))) }

// CheckSquares refuses what cannot be Σ ε² over so many mechanisms, given their Σ ε: it is at most (Σ ε)² and, by the
// inequality of Cauchy and Schwarz, at least (Σ ε)² / events.
func CheckSquares(events int, squares, sum loss.Sum) error {
	if events < 1 {
		return nil // nor are there sums
	}
	const near = 1e-9 // which covers the squares of ε that were given as e^ε
	square := sum.Float().Mul(sum.Float())
	least, most := square.Quo(interval.Point(float64(events))).Lo*(1-near), square.Hi*(1+near)
	if v, slack := squares.Float(), roundings.Float().Hi; v.Hi < least-slack || v.Lo > most+slack {
		return fmt.Errorf("the sum of the squares of ε is %s, must be about %.6g to %.6g, as %d ε add up to %s",
			squares.Text(), least, most, events, sum.Text())
	}
	return nil
}

// UnmarshalJSON reads what a Spending was written as. A key that is there twice is an error, as is one that is unknown
// or missing.
func (s *Spending) UnmarshalJSON(text []byte) error {
	type plain Spending // without these methods
	return readWhole(text, (*plain)(s), json.RejectUnknownMembers(true))
}

// UnmarshalJSONFrom is UnmarshalJSON where a decoder, which may skip what is unknown, has come to a Spending.
func (s *Spending) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	type plain Spending // without these methods
	text, err := d.ReadValue()
	if err != nil {
		return err
	}
	return readWhole(text, (*plain)(s), d.Options())
}

// Validate returns why s cannot be what mechanisms have spent, or nil.
func (s Spending) Validate() error {
	err := checkTotals(s.Events, s)
	switch {
	case err != nil:
		return err
	case s.HasDP && s.Events == 0:
		return errors.New("has_dp is true, must be false as there is no event")
	case !s.HasDP && s.WithoutODP.Delta.Cmp(s.ODP.Delta) != 0:
		return fmt.Errorf("without_odp.delta is %s, must be odp.delta, %s, as has_dp is false",
			s.WithoutODP.Delta.Text(), s.ODP.Delta.Text())
	case !s.HasDP:
		err = s.totals()[0].atMost(s.WithoutODP.Eps, "without_odp.eps, as has_dp is false")
	}
	most, totals := ofEvents(s.Events), s.totals()
	return cmp.Or(err, totals[1].atMost(most, "events"), totals[3].atMost(most, "events"))
}

// AtLeast returns why s cannot be what was spent on one part of the data, given what mechanisms on all of it spent,
// or nil.
func (s Spending) AtLeast(all Spending) error {
	if s.Events < all.Events {
		return fmt.Errorf("events is %d, must be at least %d, that of the mechanisms on all of the data",
			s.Events, all.Events)
	}
	return notBelow(s, all)
}

// Resume returns the accountant with the budget of a that has spent s, as [Accountant.Spent] of an earlier one said:
// from there on, the two are the same. Nothing is lost if s is written as JSON and read in between. What is stored
// must be what was spent with the mechanism that is about to run at its worst, as for [FilterRun.State].
//
// Domain: a valid s that is within the budget; of others the error is a [*StateError].
func (a Accountant) Resume(s Spending) (Accountant, error) {
	totals, budget := s.totals(), a.Budget()
	err := cmp.Or(s.Validate(), totals[0].within(budget.Eps, "the budget"),
		totals[1].within(budget.Delta, "the budget"))
	if err == nil {
		a.spent = s
	}
	return a, damaged(err)
}

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
		return damaged(err)
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
	return damaged(err)
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
	return nil, fmt.Errorf("%.60s is not the state of a filter, must have charge and delta, and eps of an ODPFilter", text)
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

// Rule names the filter, with its parameters.
func (f *SumFilter) Rule() string { return "sum for " + f.budget.text() }

// Rule names the filter, with its parameters.
func (f *VarianceFilter) Rule() string {
	return fmt.Sprintf("sum of squares up to %s for %s", f.capacity.text(), f.budget.text())
}

// Rule names the filter, with its parameters.
func (f *ODPFilter) Rule() string {
	return fmt.Sprintf("odp-advanced with λ = %s and δ″ = %s for %s", f.lambda.RatString(), f.leak.Text(),
		f.budget.text())
}

func (a Amount) text() string { return fmt.Sprintf("ε = %s, δ = %s", a.Eps.Text(), a.Delta.Text()) }

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
		return fmt.Errorf("%d mechanisms were counted, must be none: a filter goes on from a state before its first",
			r.n)
	}
	r.n, r.lanes = s.Events, lanes
	return nil
}

// resumed returns what is remembered by a state, if it is possible on all of the data and on each partition.
func resumed[S, T any](all S, parts map[string]S, check func(S) error, kept func(S) T) (p Partitioned[T], err error) {
	if err := check(all); err != nil {
		return p, err
	}
	of := map[string]T{}
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		err := check(parts[name])
		if err == nil { // then it is of the same type as what is remembered of all
			err = notBelow(parts[name], all)
		}
		if err != nil {
			return p, fmt.Errorf("partition %q: %w", name, err)
		}
		of[name] = kept(parts[name])
	}
	return PartitionedOf(kept(all), of)
}

// summed is what is remembered by sums.
type summed interface{ totals() []total }

func (s Sums) totals() []total { return []total{{"charge", s.Charge}, {"delta", s.Delta}} }

func (s ODPSums) totals() []total {
	return []total{{"eps", s.Eps}, {"charge", s.Charge}, {"delta", s.Delta}}
}

func (s OdometerSums) totals() []total {
	return []total{{"v", s.V}, {"eps", s.Eps}, {"delta", s.Delta}}
}

func (s Spending) totals() []total {
	return []total{{"odp.eps", s.ODP.Eps}, {"odp.delta", s.ODP.Delta},
		{"without_odp.eps", s.WithoutODP.Eps}, {"without_odp.delta", s.WithoutODP.Delta}}
}

// notBelow refuses totals on one partition that are less than those of the mechanisms on all of the data, but for
// roundings. Memories of filters that are not ours are not looked at.
func notBelow(part, all any) error {
	p, areSums := part.(summed)
	a, too := all.(summed)
	if !areSums || !too {
		return nil
	}
	least := a.totals()
	for i, t := range p.totals() {
		if least[i].sum.Cmp(t.sum.PlusExactly(roundings)) > 0 {
			const rule = "%s is %s, must be at least %s, that of the mechanisms on all of the data"
			return fmt.Errorf(rule, t.name, t.sum.Text(), least[i].sum.Text())
		}
	}
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
	return damaged(readWhole(text, (*plain)(s), json.RejectUnknownMembers(true)))
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
	return fmt.Sprintf("%#v with ln(1/δ′) = %v and δ″ = %s", o.curve, o.log, o.most.Text())
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
		return fmt.Errorf("%d mechanisms were counted, must be none: an odometer goes on from a state before its first",
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
