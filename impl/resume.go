package impl

import (
	"cmp"
	"fmt"

	"checkrr/impl/loss"
)

// total is a sum over all mechanisms so far, by its name.
type total struct {
	name string
	sum  loss.Sum
}

// checkTotals refuses what cannot be the sums over so many mechanisms.
func checkTotals(events int, totals ...total) error {
	if events < 0 {
		return fmt.Errorf("events is %d, must be at least 0", events)
	}
	for _, t := range totals {
		switch sign := t.sum.Sign(); {
		case sign < 0:
			return fmt.Errorf("%s is %s, must be at least 0", t.name, t.sum.Text())
		case sign > 0 && events == 0:
			return fmt.Errorf("%s is %s, must be 0 as there is no event", t.name, t.sum.Text())
		}
	}
	return nil
}

// within refuses a total that is more than there is; what that is, is said.
func (t total) within(most loss.Sum, what string) error {
	if t.sum.AtMost(most) {
		return nil
	}
	return fmt.Errorf("%s is %s, must be at most %s, %s", t.name, t.sum.Text(), most.Text(), what)
}

// Validate returns why s cannot be what mechanisms have spent, or nil.
func (s Spending) Validate() error {
	err := checkTotals(s.Events, total{"odp.eps", s.ODP.Eps}, total{"odp.delta", s.ODP.Delta},
		total{"without_odp.eps", s.WithoutODP.Eps}, total{"without_odp.delta", s.WithoutODP.Delta})
	if err == nil && !s.HasDP && s.WithoutODP.Delta.Cmp(s.ODP.Delta) != 0 {
		err = fmt.Errorf("without_odp.delta is %s, must be odp.delta, %s, as has_dp is false", s.WithoutODP.Delta.Text(), s.ODP.Delta.Text())
	}
	return err
}

// Resume returns the accountant with the budget of a that has spent s, as [Accountant.Spent] of an earlier one said:
// from there on, the two are the same. Nothing is lost if s is written as JSON and read in between.
//
// Domain: a valid s that is within the budget.
func (a Accountant) Resume(s Spending) (Accountant, error) {
	if err := s.Validate(); err != nil {
		return a, err
	}
	if err := (total{"odp.eps", s.ODP.Eps}).within(a.budget.Eps, "the budget"); err != nil {
		return a, err
	}
	if err := (total{"odp.delta", s.ODP.Delta}).within(a.budget.Delta, "the budget"); err != nil {
		return a, err
	}
	a.spent = s
	return a, nil
}

// State returns how many mechanisms there were and what the filter remembers of them, for [FilterRun.Resume].
// That is [Sums], or [ODPSums] of an [ODPFilter], which can be written as JSON and read without loss.
func (r *FilterRun) State() (events int, memory any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.n, r.memory
}

// Resume makes r go on from the State of an earlier run of a filter with the same parameters: from there on, the two are
// the same. If that state is not possible, the error says why, and r is as before.
func (r *FilterRun) Resume(events int, memory any) error {
	if err := r.filter.Check(events, memory); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.n, r.memory = events, memory
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
	charge, delta := total{"charge", s.Charge}, total{"delta", s.Delta}
	return cmp.Or(checkTotals(events, charge, delta),
		charge.within(most.Eps, "what the filter admits"), delta.within(most.Delta, "what the filter admits"))
}

// Check implements [BudgetFilter].
func (f *ODPFilter) Check(events int, memory any) error {
	s, ok := memory.(ODPSums)
	if !ok {
		return fmt.Errorf("the memory is of type %T, must be ODPSums", memory)
	}
	eps, charge, delta := total{"eps", s.Eps}, total{"charge", s.Charge}, total{"delta", s.Delta}
	err := cmp.Or(checkTotals(events, eps, charge, delta), delta.within(f.leak, "what the filter admits"))
	if err == nil && !s.Eps.AtMost(f.budget.Eps) {
		err = charge.within(f.capacity, "what the filter admits, or eps at most the budget")
	}
	return err
}

// OdometerState is what an [Odometer] remembers.
type OdometerState struct {
	Events int      `json:"events"`
	V      loss.Sum `json:"v"`     // Σ ε_m²
	Eps    loss.Sum `json:"eps"`   // Σ ε_m
	Delta  loss.Sum `json:"delta"` // Σ δ_m
}

// State returns what o remembers, for [Odometer.Resume]. It can be written as JSON and read without loss.
func (o *Odometer) State() OdometerState {
	o.mu.Lock()
	defer o.mu.Unlock()
	return OdometerState{o.n, o.v, o.eps, o.delta}
}

// Resume makes o go on from the State of an earlier odometer with the same parameters: from there on, the two are the same.
// If that state is not possible, the error says why, and o is as before.
func (o *Odometer) Resume(s OdometerState) error {
	if err := checkTotals(s.Events, total{"v", s.V}, total{"eps", s.Eps}, total{"delta", s.Delta}); err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.n, o.v, o.eps, o.delta = s.Events, s.V, s.Eps, s.Delta
	return nil
}
