package command

import (
	"fmt"
	"math/big"
	"strconv"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl/ledger"
	"checkrr/impl/loss"
)

// newFilterRun returns a run of the filter of a rule, and the share of delta for the mechanisms, if it divides delta.
func newFilterRun(
	o accountOptions, rule string, eps loss.Epsilon, delta *big.Rat,
) (*ledger.FilterRun, *big.Rat, error) {
	if rule != "sum" && delta.Sign() == 0 {
		return nil, nil, fmt.Errorf("--budget has no delta, the rule %s needs one, such as eps=3,delta=1e-5", rule)
	}
	leak, err := leakOf(o.leak, delta, "delta")
	if err != nil {
		return nil, nil, err
	}
	f, err := newFilter(rule, eps, delta, leak, o.lambda.Value)
	if err != nil {
		return nil, nil, fmt.Errorf("--budget with the rule %s: %w", rule, unprefixed(err))
	}
	return ledger.NewFilterRun(f), leak, nil
}

// stand is where an account by a rule is.
type stand struct {
	events           int
	spent, remaining ledger.Amount
	fits             *big.Rat
}

// standOf returns where a run of a rule is.
func standOf(rule string, run *ledger.FilterRun) stand {
	state := run.Read()
	if rule == "sum" {
		remaining := state.Budget.Minus(state.Spent)
		return stand{state.Events, state.Spent, remaining, typedFit(remaining.Eps, state.Fits)}
	}
	spent := shownSpent(state.Spent, state.Budget)
	return stand{state.Events, spent, state.Budget.Minus(spent), fitOf(state.Fits)}
}

// fitsJSON is what still fits: the largest ε of a mechanism with delta 0.
func fitsJSON(eps *big.Rat) report.Object { return report.Object{"eps", report.Down.Rat(eps)} }

// typedFit returns what fits by the sum: what remains, if it is the decimal that stands for a float64, as events are
// taken as typed, and otherwise what fits as a float64, too.
func typedFit(remaining loss.Sum, fits float64) *big.Rat {
	if x, ok := remaining.Rat(); ok {
		f, _ := x.Float64()
		if typed, ok := new(big.Rat).SetString(report.Short(f, -1)); ok && typed.Cmp(x) == 0 {
			return x
		}
	}
	return fitOf(fits)
}

// fitOf returns what fits by a float64: as that and as its shortest decimal, so the larger one of both.
func fitOf(fits float64) *big.Rat {
	x := new(big.Rat).SetFloat64(fits)
	if typed, ok := new(big.Rat).SetString(report.Short(fits, -1)); ok && typed.Cmp(x) > 0 {
		return typed
	}
	return x
}

// shortFit shows what fits.
func shortFit(x *big.Rat) string {
	f, _ := x.Float64()
	return fmt.Sprintf("%.6g", floored(f, 6))
}

// addFits adds the row that says so.
func (r *replay) addFits(t *report.Table) {
	t.Row("still fits, if δ is 0", shortFit(standOf(r.rule, r.run).fits), 0)
}

// lambda returns λ of a rule that has one.
func (r *replay) lambda() *big.Rat {
	if r.run == nil {
		return nil
	}
	if f, ok := r.run.Filter().(*ledger.ODPFilter); ok {
		return f.Lambda()
	}
	return nil
}

// shownSpent returns what is spent of a budget, in fewer digits, and still within it.
func shownSpent(spent, budget ledger.Amount) ledger.Amount {
	if spent.Eps = report.Shorter(spent.Eps); spent.Eps.Cmp(budget.Eps) > 0 {
		spent.Eps = budget.Eps
	}
	return spent
}

// addFiltered adds the rows of an account by another filter.
func (r *replay) addFiltered(t *report.Table) {
	state, most := r.run.Read(), r.most()
	addAmount(t, "budget", state.Budget, true)
	addAmount(t, "spent by this rule", shownSpent(state.Spent, state.Budget), true)
	remaining := state.Budget.Minus(state.Spent)
	r.addFits(t)
	t.Row("left for the mechanisms' δ", "", report.ForPeople.Cell(remaining.Delta, false))
	if r.rule == odpAdvanced {
		addAmount(t, "the sum by ODP", most.ODP, true)
	}
	addAmount(t, "the sum of all", most.WithoutODP, true)
}

// countedBy says what an event counts by.
func countedBy(rule string) string {
	if rule == odpAdvanced {
		return "An event counts by the part that was observed; the sum of all by its worst part or, if better, the " +
			"dp of its line."
	}
	return "An event counts by what it guarantees as a whole: its worst part or, if better, the dp of its line."
}

// floored returns x ≥ 0, rounded down to a decimal of so many digits.
func floored(x float64, digits int) float64 {
	if short, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64); short == x {
		return x
	}
	f, _ := report.RoundTo(big.NewFloat(x), digits, false).Rat().Float64()
	return f
}
