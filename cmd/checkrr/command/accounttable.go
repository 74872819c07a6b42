package command

import (
	"errors"
	"fmt"
	"io"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl/ledger"
)

// maxMechanisms is how many mechanisms the table shows.
const maxMechanisms = 20

// writeTable prints the account for a person.
func (r *replay) writeTable(w io.Writer) {
	rule, without := "", "Without ODP"
	counts := "Without ODP counts what a mechanism guarantees as a whole: its worst part or, if better, the dp of " +
		"its line."
	t := report.NewTable("", "ε", "δ").Right(2, 3)
	if r.rule == "sum" {
		r.addSum(t)
	} else {
		rule, without, counts = ", rule "+r.rule, "By the sum of all", countedBy(r.rule)
		r.addFiltered(t)
	}
	if lambda := r.lambda(); lambda != nil {
		rule += ", λ = " + report.Typed(lambda)
	}
	fmt.Fprintf(w, "Ledger  %s, %s%s\n", report.Plural(r.events(), "event"), r.status(), rule)
	if of := r.neighbours.Unusual(); of != (input.Neighbours{}) {
		fmt.Fprintf(w, "        for neighbours that differ by %s\n", of.Says())
	}
	fmt.Fprintln(w)
	t.Write(w)
	if r.withoutODP != nil {
		fmt.Fprintf(w, "\n%s the account would have ended at line %d (%s).\n", without, r.withoutODP.Line,
			report.Quote(r.withoutODP.Mechanism))
	}
	if r.events() > 0 {
		fmt.Fprintf(w, "\n%s\n\n", counts)
		r.writeMechanisms(w)
	}
	r.writePartitions(w)
	r.writeCompared(w)
}

// addSum adds the rows of an account by the sum.
func (r *replay) addSum(t *report.Table) {
	most := r.most()
	if r.run != nil {
		addAmount(t, "budget", r.budget(), true)
	}
	addAmount(t, "spent", most.ODP, true)
	if r.isDry {
		addAmount(t, "at most, while the last one runs", r.atMost(), true)
	}
	if r.run != nil {
		addAmount(t, "remaining", r.budget().Minus(most.ODP), false)
		r.addFits(t)
	}
	addAmount(t, "spent without ODP", most.WithoutODP, true)
	if r.run != nil {
		addAmount(t, "left without ODP", r.budget().Minus(most.WithoutODP), false)
	}
}

// atMost returns what is spent if the last event ends in its worst part.
func (r *replay) atMost() ledger.Amount {
	all := r.spent.Clone()
	report.Must(all.Step(r.last, func(s ledger.Spending) (ledger.Spending, error) {
		s.ODP.Eps = s.ODP.Eps.Plus(r.open)
		return s, nil
	}))
	return ledger.MostSpent(&all).ODP
}

// addAmount adds a row with an amount, rounded up or down.
func addAmount(t *report.Table, name string, a ledger.Amount, up bool) {
	t.Row(name, report.ForPeople.Cell(a.Eps, up), report.ForPeople.Cell(a.Delta, up))
}

// status says how far the account goes, and whether that counts.
func (r *replay) status() string {
	switch {
	case r.isDry:
		return r.progress() + ", asked only: nothing is charged"
	case r.unsaved != nil:
		return r.progress() + ", but nothing is charged: the state could not be written"
	}
	return r.progress()
}

// progress says how far the account goes.
func (r *replay) progress() string {
	switch {
	case r.refused != nil:
		return fmt.Sprintf("ended at line %d: %s is refused", r.refused.Line, report.Quote(r.refused.Mechanism))
	case r.end != nil:
		return fmt.Sprintf("incomplete: ended at line %d", r.line)
	}
	return "complete"
}

// hasParts reports whether the rule charges for the part observed, and not for a mechanism as a whole.
func (r *replay) hasParts() bool { return r.rule == "sum" || r.rule == odpAdvanced }

// writeMechanisms prints what each mechanism spent by the sums, and of a rule that has no parts, as a whole.
func (r *replay) writeMechanisms(w io.Writer) {
	header, cells := []any{"mechanism", "events", "ε spent", "without ODP", "δ spent"}, func(s ledger.Spending) []any {
		return []any{report.ForPeople.Cell(s.ODP.Eps, true), report.ForPeople.Cell(s.WithoutODP.Eps, true),
			report.ForPeople.Cell(s.ODP.Delta, true)}
	}
	if !r.hasParts() {
		header, cells = []any{"mechanism", "events", "sum of ε", "sum of δ"}, func(s ledger.Spending) []any {
			return []any{report.ForPeople.Cell(s.WithoutODP.Eps, true), report.ForPeople.Cell(s.WithoutODP.Delta, true)}
		}
	}
	t := report.NewTable(header...).Right(2, 3, 4, 5)
	row := func(name string, s ledger.Spending) { t.Row(append([]any{name, s.Events}, cells(s)...)...) }
	names := r.mechanisms.ByEps()
	for _, name := range names[:min(len(names), maxMechanisms)] {
		row(report.Quote(name), r.mechanisms.Named[name])
	}
	if r.mechanisms.Others.Events > 0 {
		row("(more mechanisms)", r.mechanisms.Others)
	}
	t.Write(w)
	report.LeftOut(w, maxMechanisms, len(names), "mechanism", "--json shows")
}

// toJSON is the output of --json. What was spent or requested is rounded up, what remains is rounded down, if a decimal
// would be long.
func (r *replay) toJSON() report.Object {
	most := r.most()
	spent, rule := report.Up.Amount(most.ODP), ""
	var budget, remaining, left, fits, atMost report.Object
	if r.run != nil {
		at := standOf(r.rule, r.run)
		budget, spent = report.Down.Amount(r.budget()), report.Up.Amount(at.spent)
		remaining, fits = report.Down.Amount(at.remaining), fitsJSON(at.fits)
		left = report.Down.Amount(r.budget().Minus(most.WithoutODP))
	}
	if r.rule != "sum" {
		rule = r.rule
	} else if r.isDry {
		atMost = report.Up.Amount(r.atMost())
	}
	return report.Output(
		"dry_run?", r.isDry, // whether nothing is charged
		"events", r.events(),
		"complete", r.end == nil && r.unsaved == nil,
		"budget", budget, // null: there is none
		"spent", spent,
		"spent_at_most?", atMost, // if the last event ends in its worst part
		"remaining", remaining,
		"without_odp", report.Object{ // the same account by (ε, δ)-DP guarantees
			"spent", report.Up.Amount(most.WithoutODP),
			"remaining", left, // negative: overspent
			"refused", r.withoutODP.asPlace(), // the first event that would not have fitted
		},
		"refused", r.refused.toJSON(),
		"error", r.wrong(),
		"mechanisms", r.mechanismsJSON(),
		"other_mechanisms?", spendingJSON("", r.mechanisms.Others),
		"rule?", rule,
		"neighbours?", r.neighbours.Unusual(),
		"fits?", fits,
		"lambda?", report.Near.OrNull(r.lambda()), // of odp-advanced
		"compare?", r.comparedJSON(),
		"partitions?", r.partitionsJSON(),
	)
}

// wrong says why the account is incomplete; nil if it is not, or an event was refused.
func (r *replay) wrong() any {
	wrong := r.unsaved
	if r.refused == nil {
		wrong = errors.Join(r.end, r.unsaved)
	}
	if wrong == nil {
		return nil
	}
	return wrong.Error()
}

// mechanismsJSON is what each mechanism spent.
func (r *replay) mechanismsJSON() []report.Object {
	all := []report.Object{}
	for _, name := range r.mechanisms.ByEps() {
		all = append(all, spendingJSON(name, r.mechanisms.Named[name]))
	}
	return all
}

// spendingJSON is what mechanisms spent together: those of a name or, without one, those beyond the first
// [ledger.MaxTallied]; nil if there are none.
func spendingJSON(name string, s ledger.Spending) report.Object {
	if s.Events == 0 {
		return nil
	}
	return report.Object{"mechanism?", name, "events", s.Events, "spent", report.Up.Amount(s.ODP),
		"without_odp", report.Up.Amount(s.WithoutODP)}
}

// most returns what was spent: the largest of all partitions of the data.
func (r *replay) most() ledger.Spending { return ledger.MostSpent(&r.spent) }

// events returns how many events were counted.
func (r *replay) events() int { return r.most().Events }

// partitionsJSON is what was spent on each of several disjoint parts of the data, by the events that name it and by
// those that name none.
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
			t.Row(report.Quote(name), s.Events, report.ForPeople.Cell(spent.Eps, true),
				report.ForPeople.Cell(spent.Delta, true))
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
