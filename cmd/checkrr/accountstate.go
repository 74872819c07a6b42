package main

import (
	"fmt"
	"maps"
	"slices"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
)

// accountState is what an account remembers from ledger to ledger.
type accountState struct {
	stateHead
	Spent      impl.Spending    `json:"spent"`
	Sums       *impl.Sums       `json:"sums,omitzero"`       // of the rules adaptive and zcdp
	ODPSums    *impl.ODPSums    `json:"odp_sums,omitzero"`   // of odp-advanced
	WithoutODP *placeJSON       `json:"without_odp_refused"` // the first event that would not have fitted without ODP
	Mechanisms []mechanismState `json:"mechanisms"`
	Others     impl.Spending    `json:"other_mechanisms"`
}

type mechanismState struct {
	Mechanism string        `json:"mechanism"`
	Spent     impl.Spending `json:"spent"`
}

func (r *replay) head() stateHead {
	parameters := map[string]string{"rule": r.rule}
	if r.hasBudget {
		budget := r.accountant.Budget()
		parameters["eps"], parameters["delta"] = budget.Eps.String(), budget.Delta.String()
	}
	if r.filter != nil {
		parameters["leak"] = r.leak.RatString()
		if f, ok := r.filter.Filter().(*impl.ODPFilter); ok {
			parameters["lambda"] = f.Lambda().RatString()
		}
	}
	return newStateHead("account", parameters, r.before+int64(max(r.line, 1)-1))
}

func (r *replay) state() any {
	s := accountState{stateHead: r.head(), Spent: r.spent, Mechanisms: []mechanismState{}, Others: r.mechanisms.others}
	if r.filter != nil {
		switch _, memory := r.filter.State(); m := memory.(type) {
		case impl.Sums:
			s.Sums = &m
		case impl.ODPSums:
			s.ODPSums = &m
		}
	}
	if r.withoutODP != nil && !r.withoutODP.isNotCounted {
		s.WithoutODP = &placeJSON{r.withoutODP.line, r.withoutODP.mechanism}
	}
	for _, name := range slices.Sorted(maps.Keys(r.mechanisms.named)) {
		s.Mechanisms = append(s.Mechanisms, mechanismState{name, *r.mechanisms.named[name]})
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
		return fmt.Errorf("spent: %w", err)
	}
	if err := r.resumeFilter(s); err != nil {
		return err
	}
	r.before = s.Lines
	if err := r.resumePlace(s.WithoutODP); err != nil {
		return err
	}
	return r.mechanisms.resume(s)
}

func (r *replay) resumeSpent(s accountState) (err error) {
	if r.hasBudget && r.filter == nil {
		r.accountant, err = r.accountant.Resume(s.Spent)
	} else {
		err = s.Spent.Validate()
	}
	r.spent = s.Spent
	return err
}

// resumeFilter gives a filter its memory.
func (r *replay) resumeFilter(s accountState) error {
	if r.filter == nil {
		return nil // sums that are there all the same are found by input.CheckState
	}
	name, memory := "sums", any(nil)
	if s.Sums != nil {
		memory = *s.Sums
	}
	if r.rule == odpAdvanced {
		if name = "odp_sums"; s.ODPSums != nil {
			memory = *s.ODPSums
		}
	}
	if memory == nil {
		return fmt.Errorf("%s is missing", name)
	}
	if err := r.filter.Resume(s.Spent.Events, memory); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// resumePlace takes over which event would not have fitted without ODP.
func (r *replay) resumePlace(p *placeJSON) error {
	mustBe := r.hasBudget && !r.spent.WithoutODP.Within(r.accountant.Budget())
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
	r.withoutODP = &refusal{line: p.Line, mechanism: p.Mechanism}
	return nil
}

// resume takes over what each mechanism spent.
func (t *tally) resume(s accountState) error {
	if len(s.Mechanisms) > maxNames {
		return fmt.Errorf("mechanisms has %d entries, must have at most %d", len(s.Mechanisms), maxNames)
	}
	t.named, t.others = map[string]*impl.Spending{}, s.Others
	events := s.Others.Events
	for i, m := range s.Mechanisms {
		if rule := input.BrokenLabel(m.Mechanism); rule != "" {
			return fmt.Errorf("mechanisms.%d.mechanism %s", i, rule)
		}
		if err := m.Spent.Validate(); err != nil {
			return fmt.Errorf("mechanisms.%d.spent: %w", i, err)
		}
		t.named[m.Mechanism] = &m.Spent
		events += m.Spent.Events
	}
	if err := s.Others.Validate(); err != nil {
		return fmt.Errorf("other_mechanisms: %w", err)
	}
	if events != s.Spent.Events {
		return fmt.Errorf("mechanisms and other_mechanisms have %s, must have %d, as spent has", report.Plural(events, "event"), s.Spent.Events)
	}
	return nil
}
