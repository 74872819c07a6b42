package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
	"checkrr/impl/loss"
)

// accountState is what an account remembers from ledger to ledger.
type accountState struct {
	stateHead
	Spent      impl.Spending    `json:"spent"`
	Sums       *impl.Sums       `json:"sums,omitzero"`       // of the rules adaptive and zcdp
	ODPSums    *impl.ODPSums    `json:"odp_sums,omitzero"`   // of odp-advanced
	WithoutODP *placeJSON       `json:"without_odp_refused"` // the first event that would not have fitted without ODP
	Refused    *placeJSON       `json:"refused,omitempty"`   // the event that ended the account
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
		switch m := r.filter.State().All.(type) {
		case impl.Sums:
			s.Sums = &m
		case impl.ODPSums:
			s.ODPSums = &m
		}
	}
	if r.withoutODP != nil && !r.withoutODP.isNotCounted {
		s.WithoutODP = &placeJSON{r.withoutODP.line, r.withoutODP.mechanism}
	}
	if s.Refused = r.ended; r.refused != nil {
		s.Refused = &placeJSON{r.before + int64(r.refused.line), r.refused.mechanism}
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
	if r.before, r.ended = s.Lines, s.Refused; r.ended != nil && r.ended.Line != s.Lines+1 {
		return fmt.Errorf("refused.line is %d, must be the one after lines, %d", r.ended.Line, s.Lines)
	}
	if s.Lines < int64(s.Spent.Events) {
		return fmt.Errorf("lines is %d, must be at least spent.events, %d", s.Lines, s.Spent.Events)
	}
	if err := r.resumePlace(s.WithoutODP); err != nil {
		return err
	}
	return r.mechanisms.resume(s)
}

// reopen refuses to go on from the state of an account that ended, unless it is told to.
func (r *replay) reopen(o accountOptions) error {
	switch {
	case o.reopens && o.state == "":
		return errors.New("--reopen is given, needs --state")
	case r.ended != nil && !o.reopens:
		return &refusedEvent{fmt.Errorf("%s: the account ended when %s was refused, at line %d of all: to go on, give what was run since then, and --reopen",
			o.state, report.Quote(r.ended.Mechanism), r.ended.Line)}
	}
	r.ended = nil
	return nil
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

// resumeFilter gives a filter its memory. What it has in common with what was spent must be the same.
func (r *replay) resumeFilter(s accountState) error {
	var memory any
	switch plain := s.Spent.WithoutODP; {
	case r.filter == nil:
		return nil // sums that are there all the same are found by input.CheckState
	case r.rule == odpAdvanced && s.ODPSums != nil:
		if memory = *s.ODPSums; s.ODPSums.Eps.Cmp(s.Spent.ODP.Eps) != 0 || s.ODPSums.Delta.Cmp(s.Spent.ODP.Delta) != 0 {
			return errors.New("odp_sums has an eps or a delta other than spent.odp, must have the same")
		}
	case r.rule != odpAdvanced && s.Sums != nil:
		if memory = *s.Sums; s.Sums.Delta.Cmp(plain.Delta) != 0 {
			return errors.New("sums has a delta other than spent.without_odp, must have the same")
		}
		if err := impl.CheckSquares(s.Spent.Events, s.Sums.Charge, plain.Eps); err != nil {
			return fmt.Errorf("sums.charge: %w", err)
		}
	default:
		return fmt.Errorf("the sums of the rule %s are missing", r.rule)
	}
	if err := r.filter.Resume(impl.FilterState{Events: s.Spent.Events, All: memory}); err != nil {
		return fmt.Errorf("the sums of the rule %s: %w", r.rule, err)
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

// resume takes over what each mechanism spent, which must add up to what all of them did.
func (t *tally) resume(s accountState) error {
	if len(s.Mechanisms) > maxNames {
		return fmt.Errorf("mechanisms has %d entries, must have at most %d", len(s.Mechanisms), maxNames)
	}
	t.named, t.others = map[string]*impl.Spending{}, s.Others
	all, before := s.Others, ""
	err := s.Others.Validate()
	for i, m := range s.Mechanisms {
		if rule := input.BrokenLabel(m.Mechanism); rule != "" {
			return fmt.Errorf("mechanisms.%d.mechanism %s", i, rule)
		}
		if m.Mechanism <= before {
			return fmt.Errorf("mechanisms.%d.mechanism is %s, must come after %s, in the order of bytes", i, report.Quote(m.Mechanism), report.Quote(before))
		}
		if err = cmp.Or(err, m.Spent.Validate()); m.Spent.Events == 0 {
			return fmt.Errorf("mechanisms.%d.spent.events is 0, must be at least 1", i)
		}
		t.named[m.Mechanism], all, before = &m.Spent, plus(all, m.Spent), m.Mechanism
	}
	if err != nil {
		return fmt.Errorf("mechanisms: %w", err)
	}
	if len(s.Mechanisms) < maxNames && s.Others.Events > 0 {
		return fmt.Errorf("other_mechanisms.events is %d, must be 0 as there are less than %d mechanisms", s.Others.Events, maxNames)
	}
	if !same(all, s.Spent) {
		return errors.New("mechanisms and other_mechanisms do not add up to spent")
	}
	return nil
}

// plus returns what two kinds of mechanisms spent.
func plus(a, b impl.Spending) impl.Spending {
	sum := func(a, b impl.Amount) impl.Amount {
		return impl.Amount{Eps: a.Eps.Plus(b.Eps), Delta: a.Delta.Plus(b.Delta)}
	}
	return impl.Spending{Events: a.Events + b.Events, ODP: sum(a.ODP, b.ODP), WithoutODP: sum(a.WithoutODP, b.WithoutODP), HasDP: a.HasDP || b.HasDP}
}

// same reports whether two spendings are the same, but for sums that were rounded.
func same(a, b impl.Spending) bool {
	equal := func(x, y loss.Sum) bool { return x.IsRounded() || y.IsRounded() || x.Cmp(y) == 0 }
	return a.Events == b.Events && a.HasDP == b.HasDP && equal(a.ODP.Eps, b.ODP.Eps) && equal(a.ODP.Delta, b.ODP.Delta) &&
		equal(a.WithoutODP.Eps, b.WithoutODP.Eps) && equal(a.WithoutODP.Delta, b.WithoutODP.Delta)
}
