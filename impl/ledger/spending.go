package ledger

import "checkrr/impl/loss"

// Plus returns what two sequences of mechanisms have spent together.
func (s Spending) Plus(t Spending) Spending {
	return Spending{s.Events + t.Events, s.ODP.plus(t.ODP), s.WithoutODP.plus(t.WithoutODP), s.HasDP || t.HasDP}
}

// Equal reports whether s and t are the same, but for sums that were rounded.
func (s Spending) Equal(t Spending) bool {
	equal := func(x, y loss.Sum) bool { return x.IsRounded() || y.IsRounded() || x.Cmp(y) == 0 }
	return s.Events == t.Events && s.HasDP == t.HasDP &&
		equal(s.ODP.Eps, t.ODP.Eps) && equal(s.ODP.Delta, t.ODP.Delta) &&
		equal(s.WithoutODP.Eps, t.WithoutODP.Eps) && equal(s.WithoutODP.Delta, t.WithoutODP.Delta)
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
