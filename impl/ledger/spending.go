package ledger

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"checkrr/impl/loss"
)

// Plus returns what two sequences of mechanisms have spent together.
func (s Spending) Plus(t Spending) Spending {
	return Spending{s.Events + t.Events, s.ODP.plus(t.ODP), s.WithoutODP.plus(t.WithoutODP), s.HasDP || t.HasDP}
}

// Equal reports whether s and t are the same, but for sums that were rounded.
func (s Spending) Equal(t Spending) bool {
	return s.Events == t.Events && s.HasDP == t.HasDP && s.ODP.equal(t.ODP) && s.WithoutODP.equal(t.WithoutODP)
}

// equal reports whether two amounts are the same, but for sums that were rounded.
func (a Amount) equal(b Amount) bool { return equalSums(a.Eps, b.Eps) && equalSums(a.Delta, b.Delta) }

func equalSums(x, y loss.Sum) bool { return x.IsRounded() || y.IsRounded() || x.Cmp(y) == 0 }

// CheckSpent returns why a filter cannot remember this where so much was spent, or nil: what both have in common must
// be the same.
func (r *FilterRun) CheckSpent(spent Spending, memory any) error {
	switch m := memory.(type) {
	case ODPSums:
		if !spent.ODP.equal(Amount{m.Eps, m.Delta}) {
			return errors.New("odp_sums has an eps or a delta other than spent.odp, must have the same")
		}
	case Sums:
		if _, isSum := r.filter.(*SumFilter); isSum {
			if !spent.ODP.equal(Amount{m.Charge, m.Delta}) {
				return errors.New("sums has a charge or a delta other than spent.odp, must have the same")
			}
			return nil
		}
		if !equalSums(m.Delta, spent.WithoutODP.Delta) {
			return errors.New("sums has a delta other than spent.without_odp, must have the same")
		}
		if err := CheckSquares(spent.Events, m.Charge, spent.WithoutODP.Eps); err != nil {
			return fmt.Errorf("sums.charge: %w", err)
		}
	}
	return nil
}

// Check returns why a tally cannot be that of what was spent, or nil: it must add up to that, and none is among the
// others before there are as many names as are told apart.
func (t *Tally) Check(spent *Partitioned[Spending]) error {
	all, err := t.Others, t.Others.Validate()
	for _, name := range slices.Sorted(maps.Keys(t.Named)) {
		all, err = all.Plus(t.Named[name]), cmp.Or(err, t.Named[name].Validate())
	}
	switch {
	case err != nil:
		return fmt.Errorf("mechanisms: %w", err)
	case len(t.Named) < MaxTallied && t.Others.Events > 0:
		return fmt.Errorf("other_mechanisms.events is %d, must be 0 as there are less than %d mechanisms",
			t.Others.Events, MaxTallied)
	case !all.Equal(AllSpent(spent)):
		return errors.New("mechanisms and other_mechanisms do not add up to spent")
	}
	return nil
}

// MostSpent returns the largest of what was spent on disjoint parts of the data, and the number of all events.
func MostSpent(spent *Partitioned[Spending]) Spending {
	var most Spending
	onAll := 0
	for name, s := range spent.All() {
		if name == "" {
			most, onAll = s, s.Events
			continue
		}
		most.Events += s.Events - onAll
		most.ODP, most.WithoutODP = most.ODP.Larger(s.ODP), most.WithoutODP.Larger(s.WithoutODP)
		most.HasDP = most.HasDP || s.HasDP
	}
	return most
}

// AllSpent returns what all events spent, as if no two partitions were disjoint.
func AllSpent(spent *Partitioned[Spending]) Spending {
	var total, onAll Spending
	for name, s := range spent.All() {
		if name == "" {
			total, onAll = s, s
			continue
		}
		own := Spending{s.Events - onAll.Events, s.ODP.Minus(onAll.ODP), s.WithoutODP.Minus(onAll.WithoutODP), s.HasDP}
		total = total.Plus(own)
	}
	return total
}
