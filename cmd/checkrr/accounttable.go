package main

import (
	"errors"
	"fmt"
	"io"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl/ledger"
)

// maxMechanisms is how many mechanisms the table shows.
const maxMechanisms = 20

// writeTable prints the account for a person.
func (r *replay) writeTable(w io.Writer) {
	rule, without := "", "Without ODP"
	counts := "Without ODP counts what a mechanism guarantees as a whole: its worst part or a better dp."
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
	fmt.Fprintf(w, "Ledger  %s, %s%s\n\n", report.Plural(r.events(), "event"), r.status(), rule)
	t.Write(w)
	if r.withoutODP != nil {
		fmt.Fprintf(w, "\n%s the account would have ended at line %d (%s).\n", without, r.withoutODP.line,
			report.Quote(r.withoutODP.mechanism))
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
	if r.run != nil {
		addAmount(t, "remaining", r.budget().Minus(most.ODP), false)
		r.addFits(t)
	}
	addAmount(t, "spent without ODP", most.WithoutODP, true)
	if r.run != nil {
		addAmount(t, "left without ODP", r.budget().Minus(most.WithoutODP), false)
	}
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
		return fmt.Sprintf("ended at line %d: %s is refused", r.refused.line, report.Quote(r.refused.mechanism))
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

// accountJSON is the output of checkrr account --json. What was spent or requested is
// rounded up, what remains is rounded down, if a decimal would be long.
type accountJSON struct {
	SchemaVersion int                `json:"schema_version"`
	DryRun        bool               `json:"dry_run,omitempty"` // whether nothing is charged
	Events        int                `json:"events"`
	Complete      bool               `json:"complete"`
	Budget        *report.AmountJSON `json:"budget"` // null: there is none
	Spent         report.AmountJSON  `json:"spent"`
	Remaining     *report.AmountJSON `json:"remaining"`
	WithoutODP    withoutJSON        `json:"without_odp"`
	Refused       *refusedJSON       `json:"refused"`
	// why the account is incomplete; null if it is not, or an event was refused
	Error      *string         `json:"error"`
	Mechanisms []mechanismJSON `json:"mechanisms"`
	Others     *mechanismJSON  `json:"other_mechanisms,omitempty"` // those beyond the first ledger.MaxTallied
	Rule       string          `json:"rule,omitempty"`             // unless it is the sum
	Fits       *fitsJSON       `json:"fits,omitempty"`             // if there is a budget
	Lambda     *report.Number  `json:"lambda,omitempty"`           // of odp-advanced
	Compare    []comparedJSON  `json:"compare,omitempty"`          // with --compare
	Partitions []partitionJSON `json:"partitions,omitempty"`       // if events name them
}

// withoutJSON is the same account by (ε, δ)-DP guarantees.
type withoutJSON struct {
	Spent     report.AmountJSON  `json:"spent"`
	Remaining *report.AmountJSON `json:"remaining"` // negative: overspent
	Refused   *placeJSON         `json:"refused"`   // the first event that would not have fitted
}

type placeJSON struct {
	Line      int64  `json:"line"`
	Mechanism string `json:"mechanism"`
}

type refusedJSON struct {
	placeJSON
	Partition string            `json:"partition,omitempty"` // on which the most is lacking
	Requested report.AmountJSON `json:"requested"`
	Remaining report.AmountJSON `json:"remaining"`
	Exceeds   report.AmountJSON `json:"exceeds"` // by how much what it requests is more
}

type mechanismJSON struct {
	Mechanism  string            `json:"mechanism,omitempty"`
	Events     int               `json:"events"`
	Spent      report.AmountJSON `json:"spent"`
	WithoutODP report.AmountJSON `json:"without_odp"`
}

func (r *replay) toJSON() accountJSON {
	most := r.most()
	out := accountJSON{
		SchemaVersion: report.SchemaVersion,
		DryRun:        r.isDry,
		Events:        r.events(),
		Complete:      r.end == nil && r.unsaved == nil,
		Spent:         report.AmountToJSON(most.ODP, true),
		WithoutODP:    withoutJSON{Spent: report.AmountToJSON(most.WithoutODP, true)},
		Mechanisms:    []mechanismJSON{},
		Partitions:    r.partitionsJSON(),
	}
	if r.run != nil {
		r.budgetToJSON(&out, most)
	}
	if r.withoutODP != nil {
		out.WithoutODP.Refused = &placeJSON{r.withoutODP.line, r.withoutODP.mechanism}
	}
	wrong := errors.Join(r.end, r.unsaved)
	if f := r.refused; f != nil {
		wrong = r.unsaved
		out.Refused = &refusedJSON{placeJSON{f.line, f.mechanism}, f.partition, report.AmountToJSON(f.requested, true),
			report.AmountToJSON(f.remaining, false), report.AmountToJSON(f.exceeds, true)}
	}
	if wrong != nil {
		out.Error = new(wrong.Error())
	}
	for _, name := range r.mechanisms.ByEps() {
		out.Mechanisms = append(out.Mechanisms, toMechanismJSON(name, r.mechanisms.Named[name]))
	}
	if r.mechanisms.Others.Events > 0 {
		out.Others = new(toMechanismJSON("", r.mechanisms.Others))
	}
	for _, c := range r.compared {
		out.Compare = append(out.Compare, c.toJSON())
	}
	return out
}

// budgetToJSON completes the output by what the rule knows of the budget.
func (r *replay) budgetToJSON(out *accountJSON, most ledger.Spending) {
	at := standOf(r.rule, r.run)
	out.Fits = &fitsJSON{report.Down.Rat(at.fits)}
	out.Budget = new(report.AmountToJSON(r.budget(), false))
	out.Spent = report.AmountToJSON(at.spent, true)
	out.Remaining = new(report.AmountToJSON(at.remaining, false))
	out.WithoutODP.Remaining = new(report.AmountToJSON(r.budget().Minus(most.WithoutODP), false))
	if r.rule != "sum" {
		out.Rule = r.rule
	}
	if lambda := r.lambda(); lambda != nil {
		out.Lambda = new(report.Near.Rat(lambda))
	}
}

func toMechanismJSON(name string, s ledger.Spending) mechanismJSON {
	return mechanismJSON{name, s.Events, report.AmountToJSON(s.ODP, true), report.AmountToJSON(s.WithoutODP, true)}
}
