package main

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
			printed, printedDelta = report.RoundTo(report.Down.Rounded(p.Printed.Eps), 5, false).String(),
				report.RoundTo(report.Down.Rounded(p.Printed.Delta), 3, false).String()
		}
		row := []any{
			s.methods[i].name, s.methods[i].needs(), report.RoundTo(big.NewFloat(p.Eps), 5, false), printed,
			report.Typed(p.Gamma),
			report.RoundTo(p.Runs.Upper, 4, true), limit, report.RoundTo(p.Failing.Upper, 4, true),
		}
		if s.hasDelta() {
			row = slices.Insert(row, 4, any(report.RoundTo(report.Down.Rounded(p.Delta), 3, false)), any(printedDelta))
		}
		t.Row(row...)
	}
	t.Write(w)
	s.writeCharges(w)
}

// hasDelta reports whether the budget has one.
func (s *selectionPlans) hasDelta() bool { return s.goal.Delta.Sign() > 0 }

// selectJSON is the output of checkrr select --json, but for a FILE.
type selectJSON[Plan any] struct {
	SchemaVersion int    `json:"schema_version"`
	Eps           string `json:"eps"` // this and the next as typed
	Delta         string `json:"delta"`
	Candidates    int    `json:"candidates"`
	Target        string `json:"target"`
	Reach         string `json:"reach"` // the probability that a run reaches the target
	Fail          string `json:"fail"`
	Slack         string `json:"slack"` // of eps, that a limit may cost
	Plans         []Plan `json:"plans"`
}

// selectToJSON returns the output for some plans.
func selectToJSON[Plan any](s *selectionPlans, plans []Plan) selectJSON[Plan] {
	g := s.goal
	return selectJSON[Plan]{report.SchemaVersion, report.Typed(g.Eps), report.Typed(g.Delta), s.candidates,
		report.Typed(s.target), report.Typed(g.Reach), report.Typed(g.Fail), report.Typed(g.Slack), plans}
}

type selectPlanJSON struct {
	Method  string              `json:"method"`
	Needs   string              `json:"needs"`
	Gamma   report.Number       `json:"gamma"`
	Limit   *int                `json:"limit"` // null if there is none
	Eps     report.LowerBound   `json:"eps"`   // of a run, rounded down
	Delta   report.Number       `json:"delta"` // of a run
	Loss    report.IntervalJSON `json:"loss"`  // of the output, or a bound of it
	Runs    report.IntervalJSON `json:"runs"`  // on average
	Failing report.IntervalJSON `json:"failing"`
	Theorem *selectTheoremJSON  `json:"theorem"` // null if there is none
	AllRuns *allRunsJSON        `json:"all_runs,omitempty"`
}

// selectTheoremJSON is what a theorem allows with the same gamma.
type selectTheoremJSON struct {
	ID    string         `json:"id"`
	Eps   report.Number  `json:"eps"`
	Delta report.Number  `json:"delta"`
	Limit *report.Number `json:"limit"` // null if there is none
}

func (s *selectionPlans) toJSON() selectJSON[selectPlanJSON] {
	var plans []selectPlanJSON
	for i, p := range s.plans {
		plan := selectPlanJSON{
			Method: s.methods[i].name, Needs: s.methods[i].needs(), Gamma: report.Near.Rat(p.Gamma),
			Eps: report.LowerBound(p.Eps), Delta: report.Down.Rat(p.Delta),
			Loss: report.ToJSON(p.Loss), Runs: report.ToJSON(p.Runs), Failing: report.ToJSON(p.Failing),
		}
		if x := p.Printed; x.Eps != nil {
			plan.Theorem = &selectTheoremJSON{x.ID, report.Down.Rat(x.Eps), report.Down.Rat(x.Delta), nil}
			if x.Limit != nil {
				plan.Theorem.Limit = new(report.Up.Whole(x.Limit))
			}
		}
		if s.charges != nil {
			plan.AllRuns = s.charges[i].toJSON(s.allRuns)
		}
		if p.Limit != selection.Unlimited {
			plan.Limit = &p.Limit
		}
		plans = append(plans, plan)
	}
	return selectToJSON(s, plans)
}
