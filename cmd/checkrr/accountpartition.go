package main

import (
	"fmt"
	"io"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl/ledger"
)

// most returns what was spent: the largest of all partitions of the data.
func (r *replay) most() ledger.Spending { return ledger.MostSpent(&r.spent) }

// events returns how many events were counted.
func (r *replay) events() int { return r.most().Events }

// partitionsJSON is what was spent on each of several disjoint parts of the data, by the events that name it and by those
// that name none.
func (r *replay) partitionsJSON() (all []report.Object) {
	for name, s := range r.spent.All() {
		if name != "" {
			all = append(all, report.Object{"partition", name, "events", s.Events, "spent", report.Up.Amount(s.ODP),
				"without_odp", report.Up.Amount(s.WithoutODP)})
		}
	}
	return all
}

// maxPartitions is how many partitions the table shows.
const maxPartitions = 20

// writePartitions prints what was spent on each partition.
func (r *replay) writePartitions(w io.Writer) {
	t := report.NewTable("partition", "events", "sum of ε", "sum of δ").Right(2, 3, 4)
	n := 0
	for name, s := range r.spent.All() {
		if name == "" {
			continue
		}
		spent := s.ODP
		if !r.hasParts() {
			spent = s.WithoutODP
		}
		if n++; n <= maxPartitions {
			t.Row(report.Quote(name), s.Events, report.ForPeople.Cell(spent.Eps, true), report.ForPeople.Cell(spent.Delta, true))
		}
	}
	if n == 0 {
		return
	}
	fmt.Fprintln(w, "\nThe partitions are disjoint parts of the data: what is spent is the largest of them, not their "+
		"sum.")
	fmt.Fprintln(w)
	t.Write(w)
	report.LeftOut(w, maxPartitions, n, "partition", "--json shows")
}
