package command

import (
	"errors"
	"fmt"
	"io"
	"math/big"

	"github.com/spf13/pflag"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl/interval"
	"checkrr/impl/selection"
)

// pipelinePlan is the plan of a selection that looks for its threshold.
type pipelinePlan struct {
	*selectionPlans
	plan selection.SearchPlan
}

func (a app) selectsByPipeline(flags *pflag.FlagSet, o selectOptions) error {
	for _, flag := range []string{"seed", "all-runs"} {
		if flags.Changed(flag) {
			return fmt.Errorf("--%s is given, must not be with --method pipeline", flag)
		}
	}
	s, err := o.read()
	if err != nil {
		return err
	}
	if !s.hasDelta() {
		return errors.New("--budget: delta is 0, must be greater than 0 for --method pipeline, such as --budget " +
			"eps=1,delta=1e-6")
	}
	p := pipelinePlan{selectionPlans: s}
	if p.plan, err = selection.PlanPrivateSelection(s.goal, o.thresholds, o.search.Value); err != nil {
		return fmt.Errorf("pipeline: %w", unprefixed(err))
	}
	return a.Write("", o.json, p.toJSON, p.writeTable)
}

func (p pipelinePlan) writeTable(w io.Writer) {
	g, s := p.goal, p.plan.Search
	fmt.Fprintf(w, "Budget   eps %s, delta %s, for the output of the selection\n", report.Typed(g.Eps),
		report.Typed(g.Delta))
	fmt.Fprintf(w, "Target   a score of 1/%d less than the %s quantile of the scores of all runs, which one reaches "+
		"with probability %s\n", s.R, report.Typed(p.target), report.Typed(g.Reach))
	fmt.Fprintf(w, "Search   eps %s, by %s runs: one of %d thresholds that a run reaches with probability %s or more\n",
		report.Typed(s.Eps3), wholeNumber(p.plan.Samples), s.R, report.Down.RoundTo(p.plan.Reach, 4))
	fmt.Fprintf(w, "Runs     each draws one of %s at random, and must be eps-DP with the eps of its column\n\n",
		report.Plural(p.candidates, "candidate"))
	average, _ := p.plan.Runs.Int(nil)
	average.Add(average, big.NewInt(1)) // rounded up
	t := report.NewTable("method", "needs", "eps of a run", "runs on average", "at most", "by theorem", "fails with").
		Right(3, 4, 5, 6, 7)
	t.Row(pipelineMethod, pipelineNeeds, report.Down.RoundTo(p.plan.Eps, 5),
		wholeNumber(average), wholeNumber(p.plan.MostRuns()),
		report.RoundTo(p.plan.Printed, 4, true), report.Typed(g.Fail))
	t.Write(w)
}

const pipelineNeeds = "scores from 0 to 1"

// wholeNumber writes a number of runs, rounded up if it is long.
func wholeNumber(n *big.Int) string {
	if n.IsInt64() && n.Int64() < 1e12 {
		return n.String()
	}
	return report.RoundTo(new(big.Float).SetPrec(128).SetMode(big.ToPositiveInf).SetInt(n), 4, true).String()
}

// toJSON is the plan in JSON: as others, but for what is of the search.
func (p pipelinePlan) toJSON() report.Object {
	g, s, n := p.goal, p.plan.Search, interval.Precision(128)
	least := n.Rat(new(big.Rat).SetInt(p.plan.Samples)).Lower // by the search alone
	return p.selectionPlans.plansJSON([]report.Object{{
		"method", pipelineMethod,
		"needs", pipelineNeeds,
		"gamma", report.Near.Rat(p.plan.Gamma),
		"limit", report.Up.Whole(p.plan.Limit), // of the runs after the search
		"eps", report.Down.Rat(p.plan.Eps), // of a run, rounded down
		"delta", report.Down.Rat(new(big.Rat)), // of a run
		"loss", atMost(g.Eps), // of the output: at most the budget
		"runs", report.ToJSON(interval.New(least, p.plan.Runs)), // on average, at most
		"failing", atMost(g.Fail),
		"search", report.Object{
			"eps", report.Typed(s.Eps3),
			"eps_0", report.Typed(s.Eps0),
			"beta", report.Typed(s.Beta), // of its Λ
			"thresholds", s.R,
			"runs", report.Up.Whole(p.plan.Samples),
			// the least probability that a run reaches the threshold that is found
			"reach", report.Down.Rat(p.plan.Reach),
		},
		"theorem", report.Object{"id", "PSC-T4.6", "runs", report.Up.Float(p.plan.Printed)}, // at most
	}})
}

// atMost is the interval from 0.
func atMost(x *big.Rat) report.IntervalJSON {
	return report.IntervalJSON{Lower: report.Down.Rat(new(big.Rat)), Upper: report.Up.Rat(x)}
}
