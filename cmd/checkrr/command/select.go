package command

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/cmd/checkrr/internal/run"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/impl/selection"
)

// selectOptions are the flags of the command.
type selectOptions struct {
	budget, method               string
	target, fail, slack, allRuns run.Number
	candidates                   int
	seed                         uint64
	showRuns                     bool
	json                         bool
}

// selectMethod is a way to select.
type selectMethod struct {
	name           string
	needsThreshold bool
	plan           func(selection.Goal) (selection.Plan, error)
	loss           func(eps loss.Epsilon, gamma *big.Rat, t int) interval.Interval
}

// selectMethods begins with the one that needs a threshold, and then the usual one.
var selectMethods = []selectMethod{
	{"threshold", true, selection.PlanThresholding, selection.ThresholdingLoss},
	{"random-stop", false, selection.PlanRandomStopping,
		func(eps loss.Epsilon, gamma *big.Rat, _ int) interval.Interval {
			return selection.RandomStoppingLoss(eps, gamma)
		}},
	{"hard-stop", false, selection.PlanHardStopping, selection.HardStoppingLoss},
}

// needs says what the method must know.
func (m selectMethod) needs() string {
	if m.needsThreshold {
		return "the threshold"
	}
	return "nothing"
}

// bestMethod is the one with the largest ε of a run, of those that need no threshold.
const bestMethod = "best"

func selectNames() []string {
	names := report.Names(selectMethods, func(m selectMethod) string { return m.name })
	return append(names, bestMethod)
}

func (a app) selectCommand() *cobra.Command {
	var o selectOptions
	cmd := &cobra.Command{
		Use:  "select --budget eps=E --candidates K | FILE",
		Args: atMostOneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return a.runFile(cmd.Context(), cmd.Flags(), o, args[0])
			}
			return a.selects(cmd.Context(), cmd.Flags(), o)
		},
		ValidArgsFunction: problemFiles,
	}
	f := cmd.Flags()
	f.StringVar(&o.budget, "budget", "", "what the selection may spend, such as `eps=1` or eps=1,delta=1e-6")
	whole(&o.candidates).addTo(f, "candidates", 0, "how many candidates there are")
	o.target.AddTo(f, "target", "",
		"the quantile of the scores of all runs to reach, such as 0.9 (default 1 − 1/(2·candidates))",
		input.Between0And1)
	o.fail.AddTo(f, "fail", defaultFail, "the largest probability not to reach it", input.Between0And1)
	o.slack.AddTo(f, "slack", defaultSlack, "the share of the budget that a limit of the runs may cost",
		input.Between0And1)
	f.StringVar(&o.method, "method", "", "only this `METHOD`: "+strings.Join(selectNames(),
		", ")+": random-stop or hard-stop, whichever leaves a run more")
	o.allRuns.AddTo(f, "all-runs", "", "also what is charged if all runs are published, for this `DELTA`",
		input.Between0And1)
	f.BoolVar(&o.showRuns, "show-runs", false,
		"say on standard error how many runs of FILE there were, which must not be published")
	seed(&o.seed).addTo(f, "seed", 0,
		"seed `S` for all coins, and for runs that use the seed they are sent, to repeat FILE; nothing is private then "+
			"(default: nobody knows it)")
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	run.CompleteWith(cmd, "method", selectNames())
	return cmd
}

// selectionPlans are the plans for one goal.
type selectionPlans struct {
	goal       selection.Goal
	candidates int
	target     *big.Rat
	methods    []selectMethod
	plans      []selection.Plan
	allRuns    *big.Rat     // the δ for all runs; nil if they are not asked for
	charges    []runCharges // by plan
}

func (a app) selects(ctx context.Context, flags *pflag.FlagSet, o selectOptions) error {
	if flags.Changed("seed") {
		return errors.New("--seed is given, must be with a FILE only: a plan draws nothing")
	}
	if flags.Changed("show-runs") {
		return errors.New("--show-runs is given, must be with a FILE only: a plan runs nothing")
	}
	s, err := o.read()
	if err != nil {
		return err
	}
	for _, m := range s.methods {
		p, err := m.plan(s.goal)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, unprefixed(err))
		}
		s.plans = append(s.plans, p)
	}
	if o.method == bestMethod {
		s.keepBest()
	}
	if err := s.findCharges(ctx); err != nil {
		return err
	}
	return a.Write("", o.json, s.toJSON, s.writeTable)
}

// keepBest keeps the plan with the largest ε of a run.
func (s *selectionPlans) keepBest() {
	best := 0
	for i, p := range s.plans {
		if p.Eps > s.plans[best].Eps {
			best = i
		}
	}
	s.methods, s.plans = s.methods[best:best+1], s.plans[best:best+1]
}

// read reads the flags.
func (o selectOptions) read() (*selectionPlans, error) {
	s := &selectionPlans{candidates: o.candidates, allRuns: o.allRuns.Value}
	eps, delta, err := o.spend()
	if err != nil {
		return nil, err
	}
	if o.candidates == 0 {
		return nil, errors.New("--candidates is missing or 0, must be at least 1, such as --candidates 50")
	}
	if o.candidates < 1 {
		return nil, fmt.Errorf("--candidates is %d, must be at least 1", o.candidates)
	}
	if s.methods, err = o.methods(); err != nil {
		return nil, err
	}
	s.goal = newGoal(eps, delta, o.candidates, o.target.Value, o.fail.Value, o.slack.Value)
	s.target = new(big.Rat).Sub(big.NewRat(1, 1), s.goal.Reach)
	return s, nil
}

// The defaults of what a selection is to reach.
const (
	defaultFail  = "0.05"
	defaultSlack = "0.01"
)

// newGoal returns what a selection is to reach, with defaults for what is nil.
func newGoal(eps, delta *big.Rat, candidates int, target, fail, slack *big.Rat) selection.Goal {
	g := selection.Goal{Eps: eps, Delta: delta, Reach: big.NewRat(1, 2*int64(candidates)), Fail: fail, Slack: slack}
	if target != nil {
		g.Reach = new(big.Rat).Sub(big.NewRat(1, 1), target)
	}
	if fail == nil {
		g.Fail, _ = new(big.Rat).SetString(defaultFail)
	}
	if slack == nil {
		slack, _ = new(big.Rat).SetString(defaultSlack)
	}
	g.Slack = new(big.Rat).Mul(slack, eps)
	return g
}

// spend reads the budget.
func (o selectOptions) spend() (eps, delta *big.Rat, err error) {
	if o.budget == "" {
		return nil, nil, errors.New("--budget is missing, such as --budget eps=1")
	}
	e, delta, err := budgetOf(o.budget)
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("--budget: %w", err)
	case e.Log:
		return nil, nil, errors.New("--budget: exp_eps is given, must be eps here")
	case e.IsZero():
		return nil, nil, errors.New("--budget: eps is 0, must be greater than 0")
	}
	return e.Rat(), delta, nil
}

func (o selectOptions) methods() ([]selectMethod, error) {
	i := slices.IndexFunc(selectMethods, func(m selectMethod) bool { return m.name == o.method })
	switch {
	case o.method == "":
		return selectMethods, nil
	case o.method == bestMethod:
		return slices.DeleteFunc(slices.Clone(selectMethods),
			func(m selectMethod) bool { return m.needsThreshold }), nil
	case i < 0:
		err := fmt.Errorf("--method is %s, must be one of %s", report.Quote(o.method),
			strings.Join(selectNames(), ", "))
		return nil, didYouMean(err, o.method, selectNames())
	}
	return selectMethods[i : i+1], nil
}
