package command

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/cmd/checkrr/internal/state"
	"checkrr/impl/ledger"
)

// accountState is what an account remembers from ledger to ledger.
type accountState struct {
	state.Head
	sharedState                        // of the events that name no partition
	Partitions  map[string]sharedState `json:"partitions,omitempty"` // of these and of those that name it
	Neighbours  input.Neighbours       `json:"neighbours,omitzero"`
	// the first event that would not have fitted without ODP
	WithoutODP *place           `json:"without_odp_refused"`
	Refused    *place           `json:"refused,omitempty"` // the event that ended the account
	Mechanisms []mechanismState `json:"mechanisms"`
	Others     ledger.Spending  `json:"other_mechanisms"`
}

// sharedState is what was spent on the records of one partition of the data, and what the rule remembers of that.
type sharedState struct {
	Spent   ledger.Spending `json:"spent"`
	Sums    *ledger.Sums    `json:"sums,omitzero"`     // of the rules sum, adaptive and zcdp
	ODPSums *ledger.ODPSums `json:"odp_sums,omitzero"` // of odp-advanced
}

type mechanismState struct {
	Mechanism string          `json:"mechanism"`
	Spent     ledger.Spending `json:"spent"`
}

func (r *replay) head() state.Head {
	parameters := map[string]string{"rule": r.rule}
	if r.run != nil {
		budget := r.budget()
		parameters["eps"], parameters["delta"] = budget.Eps.String(), budget.Delta.String()
	}
	if r.rule != "sum" {
		parameters["leak"] = r.leak.RatString()
	}
	if lambda := r.lambda(); lambda != nil {
		parameters["lambda"] = lambda.RatString()
	}
	return r.headOf("account", parameters)
}

func (r *replay) state() any {
	s := accountState{Head: r.head(), Neighbours: r.neighbours.Unusual(), Mechanisms: []mechanismState{},
		Others: r.mechanisms.Others}
	var filter ledger.FilterState
	if r.run != nil {
		filter = r.run.State()
	}
	for name, spent := range r.spent.All() {
		switch {
		case name == "":
			s.sharedState = shared(spent, filter.All)
			continue
		case s.Partitions == nil:
			s.Partitions = map[string]sharedState{}
		}
		s.Partitions[name] = shared(spent, filter.Parts[name])
	}
	if r.withoutODP != nil && !r.withoutODP.isNotCounted {
		s.WithoutODP = r.withoutODP.asPlace()
	}
	if s.Refused = r.ended; r.refused != nil {
		s.Refused = &place{r.before + r.refused.Line, r.refused.Mechanism}
	}
	for _, name := range slices.Sorted(maps.Keys(r.mechanisms.Named)) {
		s.Mechanisms = append(s.Mechanisms, mechanismState{name, r.mechanisms.Named[name]})
	}
	return s
}

// shared returns what is remembered of a partition.
func shared(spent ledger.Spending, memory any) sharedState {
	s := sharedState{Spent: spent}
	switch m := memory.(type) {
	case ledger.Sums:
		s.Sums = &m
	case ledger.ODPSums:
		s.ODPSums = &m
	}
	return s
}

// resume makes a new account go on from a state.
func (r *replay) resume(decode func(into any) error) error {
	var s accountState
	if err := decode(&s); err != nil {
		return err
	}
	if err := r.resumeSpent(s); err != nil {
		return err
	}
	if r.before, r.ended, r.chain = s.Lines, s.Refused, s.Chain; r.ended != nil && r.ended.Line != s.Lines+1 {
		return fmt.Errorf("refused.line is %d, must be the one after lines, %d", r.ended.Line, s.Lines)
	}
	if err := s.CheckEvents(r.events()); err != nil {
		return err
	}
	r.neighbours = s.Neighbours.Usual(r.events())
	if err := r.resumePlace(s.WithoutODP); err != nil {
		return err
	}
	return r.resumeMechanisms(s)
}

// resumeSpent gives the account what was spent, and the rule its memory.
func (r *replay) resumeSpent(s accountState) error {
	all := map[string]sharedState{"": s.sharedState}
	maps.Copy(all, s.Partitions)
	spent, parts := map[string]ledger.Spending{}, map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		shared, err := all[name], error(nil)
		if wrong := input.CheckLabel(name); name != "" && wrong != nil {
			return fmt.Errorf("the name of a partition %w", wrong)
		}
		if err = cmp.Or(shared.Spent.Validate(), shared.Spent.AtLeast(s.Spent)); err == nil && r.run != nil {
			parts[name], err = r.memory(shared)
		}
		if err != nil {
			return inPartition(name, err)
		}
		spent[name] = shared.Spent
	}
	delete(spent, "")
	var err error
	if r.spent, err = ledger.PartitionedOf(s.Spent, spent); err != nil || r.run == nil {
		return err // sums that are there all the same are found as the state is not what would be written
	}
	onAll := parts[""]
	delete(parts, "")
	rule := r.run.State().Rule // as the head of the state has been compared with
	return r.run.Resume(ledger.FilterState{Rule: rule, Events: r.events(), All: onAll, Parts: parts})
}

// inPartition says for which partition something is wrong.
func inPartition(name string, err error) error {
	if name == "" {
		return err
	}
	return fmt.Errorf("partitions.%s: %w", report.Quote(name), err)
}

// memory returns what the rule remembers.
func (r *replay) memory(s sharedState) (memory any, err error) {
	switch {
	case r.rule == odpAdvanced && s.ODPSums != nil:
		memory = *s.ODPSums
	case r.rule != odpAdvanced && s.Sums != nil:
		memory = *s.Sums
	default:
		return nil, fmt.Errorf("the sums of the rule %s are missing", r.rule)
	}
	return memory, r.run.CheckSpent(s.Spent, memory)
}

// reopen refuses to go on from the state of an account that ended, unless it is told to.
func (r *replay) reopen(o accountOptions) error {
	switch {
	case o.reopens && o.state.name == "":
		return errors.New("--reopen is given, needs --state")
	case r.ended != nil && !o.reopens:
		return &refusedEvent{fmt.Errorf("%s: the account ended when %s was refused, at line %d of all: to go on, give "+
			"what was run since then, and --reopen",
			report.Name(o.state.name), report.Quote(r.ended.Mechanism), r.ended.Line)}
	}
	r.ended = nil
	return nil
}

// resumePlace takes over which event would not have fitted without ODP.
func (r *replay) resumePlace(p *place) error {
	mustBe := r.run != nil && !r.most().WithoutODP.Within(r.budget())
	switch {
	case p == nil && mustBe:
		return fmt.Errorf("without_odp_refused is missing, as spent.without_odp is more than the budget")
	case p == nil:
		return nil
	case !mustBe:
		return fmt.Errorf("without_odp_refused is there, must not be as spent.without_odp is within the budget")
	case p.Line < 1 || p.Line > r.before:
		return fmt.Errorf("without_odp_refused.line is %d, must be from 1 to lines, %d", p.Line, r.before)
	}
	r.withoutODP = &refusal{place: *p}
	return nil
}

// resumeMechanisms takes over what each mechanism spent, which must add up to what all of them did.
func (r *replay) resumeMechanisms(s accountState) error {
	if len(s.Mechanisms) > ledger.MaxTallied {
		return fmt.Errorf("mechanisms has %d entries, must have at most %d", len(s.Mechanisms), ledger.MaxTallied)
	}
	r.mechanisms = ledger.Tally{Named: map[string]ledger.Spending{}, Others: s.Others}
	before := ""
	for i, m := range s.Mechanisms {
		if wrong := input.CheckLabel(m.Mechanism); wrong != nil {
			return fmt.Errorf("mechanisms.%d.mechanism %w", i, wrong)
		}
		if m.Mechanism <= before {
			return fmt.Errorf("mechanisms.%d.mechanism is %s, must come after %s, in the order of bytes", i,
				report.Quote(m.Mechanism), report.Quote(before))
		}
		if m.Spent.Events == 0 {
			return fmt.Errorf("mechanisms.%d.spent.events is 0, must be at least 1", i)
		}
		r.mechanisms.Named[m.Mechanism], before = m.Spent, m.Mechanism
	}
	return r.mechanisms.Check(&r.spent)
}
