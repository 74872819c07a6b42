package main

import (
	"fmt"
	"io"
	"math/big"
	"strconv"

	"github.com/jedib0t/go-pretty/v6/table"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
	"checkrr/impl/loss"
)

// split returns the share of delta for the mechanisms, and λ.
func (o accountOptions) split(delta *big.Rat) (leak, lambda *big.Rat, err error) {
	if leak, err = leakOf(o.leak, delta, "delta"); err == nil {
		lambda, err = lambdaOf(o.lambda)
	}
	return leak, lambda, err
}

// newFilterRun returns a run of a filter other than the sum, and the share of delta for the mechanisms.
func newFilterRun(o accountOptions, eps loss.Epsilon, delta *big.Rat) (run *impl.FilterRun, leak *big.Rat, err error) {
	if delta.Sign() == 0 {
		return nil, nil, fmt.Errorf("--budget has no delta, the rule %s needs one, such as eps=3,delta=1e-5", o.rule)
	}
	leak, lambda, err := o.split(delta)
	if err != nil {
		return nil, nil, err
	}
	f, err := newFilter(o.rule, eps, delta, leak, lambda)
	if err != nil {
		return nil, nil, fmt.Errorf("--budget with the rule %s: %w", o.rule, unprefixed(err))
	}
	return impl.NewFilterRun(f), leak, nil
}

// spendFiltered counts an event by a filter.
func (r *replay) spendFiltered(e *input.Event) error {
	spent, err := r.spent.Add(e.Guarantee, e.Observed)
	if err != nil {
		return err
	}
	if err := r.filter.SpendGuarantee(e.Guarantee, e.Observed); err != nil {
		return err
	}
	r.spent = spent
	return nil
}

// refuseFiltered notes that a filter does not admit an event.
func (r *replay) refuseFiltered(l *input.Ledger, e *input.Event, cause *impl.NotAdmittedError) error {
	remaining := cause.Budget.Minus(shownSpent(cause.Spent, cause.Budget))
	r.noteRefusal(l, e, cause.Requested, remaining)
	short := "too little ε remains"
	if lacksDelta(cause) {
		short = "too little δ remains for the mechanisms' own"
	}
	fault := l.Fault(e.Start, "%s is refused by the rule %s, %s: it requests %s%s; with δ = 0, an ε up to %g fits, and δ %s remains",
		report.Quote(e.Mechanism), r.rule, short, report.AmountText(cause.Requested, true), byWorst(e, cause.Requested), cause.Fits, report.ForPeople.Cell(remaining.Delta, false))
	return &refusedEvent{fault}
}

// lacksDelta reports whether it is δ of which too little remains.
func lacksDelta(cause *impl.NotAdmittedError) bool {
	return cause.Requested.Delta.Cmp(cause.Budget.Minus(cause.Spent).Delta) > 0
}

// fitsJSON is what still fits.
type fitsJSON struct {
	Eps float64 `json:"eps"` // the largest of a mechanism with delta 0, rounded down
}

// fits returns what still fits.
func (r *replay) fits() float64 {
	if r.filter != nil {
		return r.filter.Read().Fits
	}
	return typedFit(r.accountant.Remaining().Eps, r.accountant.Fits())
}

// typedFit returns what fits by the sum: what remains, if it is the decimal that stands for a float64, as events are taken as
// typed, and otherwise what fits as a float64, too.
func typedFit(remaining loss.Sum, fits float64) float64 {
	if x, ok := remaining.Rat(); ok {
		f, _ := x.Float64()
		if typed, ok := new(big.Rat).SetString(report.Short(f, -1)); ok && typed.Cmp(x) == 0 {
			return f
		}
	}
	return fits
}

// shortFit shows what fits.
func shortFit(x float64) string { return fmt.Sprintf("%.6g", floored(x, 6)) }

// addFits adds the row that says so.
func (r *replay) addFits(t table.Writer) {
	t.AppendRow(table.Row{"still fits, if δ is 0", shortFit(r.fits()), 0})
}

// filteredJSON completes the output of --json by what a filter knows.
func (r *replay) filteredJSON(out *accountJSON) {
	state := r.filter.Read()
	out.Rule = r.rule
	if f, ok := r.filter.Filter().(*impl.ODPFilter); ok {
		out.Lambda = report.AmountToJSON(impl.Amount{Delta: loss.OfRat(f.Lambda())}, false).Delta
	}
	spent := shownSpent(state.Spent, state.Budget)
	out.Spent = report.AmountToJSON(spent, true)
	out.Remaining = new(report.AmountToJSON(state.Budget.Minus(spent), false))
}

// roundedUp returns an amount with an ε of fewer digits, as that of a filter is a bound that was rounded. A sum is none.
func roundedUp(a impl.Amount) impl.Amount {
	const digits = 15
	if x, ok := a.Eps.Rat(); a.Eps.Sign() > 0 && !(ok && isShort(x)) {
		a.Eps = loss.OfRat(report.RoundTo(a.Eps.Bounds(64).Upper, digits, true).Rat())
	}
	return a
}

// shownSpent returns what is spent of a budget, [roundedUp], and still within it.
func shownSpent(spent, budget impl.Amount) impl.Amount {
	spent = roundedUp(spent)
	if spent.Eps.Cmp(budget.Eps) > 0 {
		spent.Eps = budget.Eps
	}
	return spent
}

// isShort reports whether a decimal of 18 places is x.
func isShort(x *big.Rat) bool {
	const unit = 1_000_000_000_000_000_000
	return new(big.Rat).Mul(x, big.NewRat(unit, 1)).IsInt()
}

// writeFiltered prints the account of a filter for a person.
func (r *replay) writeFiltered(w io.Writer) {
	rule := r.rule
	if f, ok := r.filter.Filter().(*impl.ODPFilter); ok {
		rule += ", λ = " + report.Typed(f.Lambda())
	}
	fmt.Fprintf(w, "Ledger  %s, %s, rule %s\n\n", report.Plural(r.spent.Events, "event"), r.status(), rule)
	state := r.filter.Read()
	t := report.NewTable("", "ε", "δ")
	report.AlignRight(t, 2, 3)
	addAmount(t, "budget", state.Budget, true)
	addAmount(t, "spent by this rule", shownSpent(state.Spent, state.Budget), true)
	remaining := state.Budget.Minus(state.Spent)
	r.addFits(t)
	t.AppendRow(table.Row{"left for the mechanisms' δ", "", report.ForPeople.Cell(remaining.Delta, false)})
	if r.rule == odpAdvanced {
		addAmount(t, "the sum by ODP", r.spent.ODP, true)
	}
	addAmount(t, "the sum of all", r.spent.WithoutODP, true)
	report.Must(report.WriteRendered(w, t))
	if r.withoutODP != nil {
		fmt.Fprintf(w, "\nBy the sum of all the account would have ended at line %d (%s).\n", r.withoutODP.line, report.Quote(r.withoutODP.mechanism))
	}
	if r.spent.Events > 0 {
		fmt.Fprintln(w, "\n"+countedBy(r.rule))
		fmt.Fprintln(w)
		r.writeMechanisms(w)
	}
}

// countedBy says what an event counts by.
func countedBy(rule string) string {
	if rule == odpAdvanced {
		return "An event counts by the part that was observed; the sum of all by its worst part or a better dp."
	}
	return "An event counts by what it guarantees as a whole: its worst part or a better dp."
}

// floored returns x ≥ 0, rounded down to a decimal of so many digits.
func floored(x float64, digits int) float64 {
	if short, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64); short == x {
		return x
	}
	f, _ := report.RoundTo(big.NewFloat(x), digits, false).Rat().Float64()
	return f
}
