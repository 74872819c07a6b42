package command

import (
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl/selection"
)

func (s *selectionPlans) writeTable(w io.Writer) {
	budget, run := "eps "+report.Typed(s.goal.Eps), "eps-DP with the eps"
	if s.hasDelta() {
		budget, run = budget+", delta "+report.Typed(s.goal.Delta), "(eps, delta)-DP with those"
	}
	fmt.Fprintf(w, "Budget   %s, for the output of the selection\n", budget)
	fmt.Fprintf(w, "Target   the %s quantile of the scores of all runs: one reaches it with probability %s\n",
		report.Typed(s.target), report.Typed(s.goal.Reach))
	fmt.Fprintf(w, "Runs     each draws one of %s at random, and must be %s of its column\n\n",
		report.Plural(s.candidates, "candidate"), run)
	head := []any{"method", "needs", "eps of a run", "by theorem", "gamma", "runs on average", "at most", "fails with"}
	if s.hasDelta() {
		head = slices.Insert(head, 4, any("delta of a run"), any("by theorem"))
	}
	t := report.NewTable(head...).Right(3, 4, 5, 6, 7, 8, 9, 10)
	for i, p := range s.plans {
		limit := "no limit"
		if p.Limit != selection.Unlimited {
			limit = strconv.Itoa(p.Limit)
		}
		printed, printedDelta := "none", "none"
		if p.Printed.Eps != nil {
			printed, printedDelta = report.Down.RoundTo(p.Printed.Eps, 5).String(),
				report.Down.RoundTo(p.Printed.Delta, 3).String()
		}
		row := []any{
			s.methods[i].name, s.methods[i].needs(), report.RoundTo(big.NewFloat(p.Eps), 5, false), printed,
			report.Typed(p.Gamma),
			report.RoundTo(p.Runs.Upper, 4, true), limit, report.RoundTo(p.Failing.Upper, 4, true),
		}
		if s.hasDelta() {
			row = slices.Insert(row, 4, any(report.Down.RoundTo(p.Delta, 3)), any(printedDelta))
		}
		t.Row(row...)
	}
	t.Write(w)
	s.writeCharges(w)
}

// hasDelta reports whether the budget has one.
func (s *selectionPlans) hasDelta() bool { return s.goal.Delta.Sign() > 0 }

// toJSON is the output of --json, but for a FILE: all but the plans as typed.
func (s *selectionPlans) toJSON() report.Object {
	var plans []report.Object
	for i, p := range s.plans {
		var theorem, allRuns report.Object
		if x := p.Printed; x.Eps != nil {
			var limit any
			if x.Limit != nil {
				limit = report.Up.Whole(x.Limit)
			}
			theorem = report.Object{"id", x.ID, "eps", report.Down.Rat(x.Eps), "delta", report.Down.Rat(x.Delta),
				"limit", limit}
		}
		if s.charges != nil {
			allRuns = s.charges[i].toJSON(s.allRuns)
		}
		plans = append(plans, report.Object{
			"method", s.methods[i].name,
			"needs", s.methods[i].needs(),
			"gamma", report.Near.Rat(p.Gamma),
			"limit", limitJSON(p.Limit),
			"eps", report.LowerBound(p.Eps), // of a run, rounded down
			"delta", report.Down.Rat(p.Delta), // of a run
			"loss", report.ToJSON(p.Loss), // of the output, or a bound of it
			"runs", report.ToJSON(p.Runs), // on average
			"failing", report.ToJSON(p.Failing),
			"theorem", theorem, // what it allows with the same gamma; null if there is none
			"all_runs?", allRuns,
		})
	}
	g := s.goal
	return report.Output(
		"eps", report.Typed(g.Eps),
		"delta", report.Typed(g.Delta),
		"candidates", s.candidates,
		"target", report.Typed(s.target),
		"reach", report.Typed(g.Reach), // the probability that a run reaches the target
		"fail", report.Typed(g.Fail),
		"slack", report.Typed(g.Slack), // of eps, that a limit may cost
		"plans", plans,
	)
}

// limitJSON is a limit of runs; null if there is none.
func limitJSON(limit int) any {
	if limit == selection.Unlimited {
		return nil
	}
	return limit
}
