package main

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
	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

const selectLong = `Plan a private selection: of many private runs, with different candidates, the best is released, such as the
best model of a search for hyperparameters. A run draws one of --candidates at random, and has an output and a score;
both are private, and cost ε each time. What is planned is what each run may spend, so that the output of the selection
keeps to the budget, and how many runs it takes to reach a target.

  threshold    draw until a score is at least a threshold that is known beforehand; give up after a run below it
               with probability gamma, and after a number of runs
  random-stop  stop after each run with probability gamma, and release the best so far
  hard-stop    the same, with a largest number of runs
  pipeline     find a threshold with a part of the budget, by the scores of very many runs, and then as threshold; scores are
               from 0 to 1, and the output's may be 1/R below the target's, for R thresholds; runs have no δ; a plan
               only, and only if it is asked for

The target is the quantile of the scores of all runs that --target says: above 0.9 is one run in ten. Without it, it is what
the best of the candidates reaches in half of its runs, 1 − 1/(2K) of K candidates. A selection fails to reach it with
probability --fail at most.

The loss of the selection is computed exactly, for the worst candidates (with a limit of the runs: bounded closely); beside it
is what the theorems of Liu and Talwar, Private Selection from Private Candidates (2019), allow with the same gamma.
With a delta in the budget, runs may be (ε, δ)-DP with the δ that is printed. The number of runs follows from --target and --fail: a
lower target or a larger --fail needs fewer.

Only the output may be published: not how many runs there were, nor their scores. What is spent is for the output alone: with
a threshold the data say how soon it is reached, and of a known number of runs the best costs more. With --all-runs DELTA the result also says what is
charged if all of them are published, by how many there were: private selection is early stopping, and a run that ends soon pays
less (output DP). DELTA is then spent on the δ of all runs, too: it must be several times that of the budget. Where the number of runs is drawn whatever the data are, each charge is that of so many runs; with a threshold it
is as for checkrr schedule.

With a FILE the selection is run: an outside program is asked for one run after the other (docs/audit-protocol.md), and the
selected candidate, its output and its score are printed, with what they cost; how many runs there were is said with
--show-runs only. The file is YAML or JSON (- is standard input):

  command: [python3, tune.py]        # runs in the folder of the file; answers {"id": 1, "outputs": [{"output": …, "score": …}]}
  candidates:                        # an input of the program for each
    - {strength: 0.01}
    - {strength: 0.1}
  budget: {eps: 1, delta: 1e-6}      # for what is printed; delta may be left out, here and below
  run: {eps: 0.3, delta: 1e-10}      # what the program promises of each run: at most what the plan allows
  method: random-stop                # the default; or hard-stop, or threshold with its threshold: 0.9; target, fail, slack as the flags
  patience: 60                       # seconds that a run may take; 30 if it is left out

Scores are to be maximized. Of equal ones the candidate that is listed first is selected, and then the output that is last in
the order of texts. A run that fails ends the selection, without a result: to try again would cost privacy.

Exit codes: 0 done, 2 usage or input error, or a run that failed.`

const selectExample = `  checkrr select --budget eps=1 --candidates 50 --target 0.9
  checkrr select --budget eps=3 --candidates 20 --fail 0.01 --method best
  checkrr select --budget eps=1,delta=1e-6 --candidates 50 --method threshold --json
  checkrr select --budget eps=1 --candidates 5 --method random-stop --all-runs 1e-6
  checkrr select --budget eps=1,delta=1e-6 --candidates 5 --method pipeline --thresholds 10 --search 0.5
  checkrr select examples/tune.yaml`

// selectOptions are the flags of the command.
type selectOptions struct {
	budget, target, fail, slack, method, allRuns, search string
	candidates, thresholds                               int
	seed                                                 uint64
	showRuns                                             bool
	json                                                 bool
}

// selectMethod is a way to select.
type selectMethod struct {
	name           string
	needsThreshold bool
	plan           func(impl.SelectionGoal) (impl.SelectionPlan, error)
	loss           func(eps loss.Epsilon, gamma *big.Rat, t int) interval.Interval
}

// selectMethods begins with the one that needs a threshold, and then the usual one.
var selectMethods = []selectMethod{
	{"threshold", true, impl.PlanThresholding, impl.ThresholdingLoss},
	{"random-stop", false, impl.PlanRandomStopping, func(eps loss.Epsilon, gamma *big.Rat, _ int) interval.Interval {
		return impl.RandomStoppingLoss(eps, gamma)
	}},
	{"hard-stop", false, impl.PlanHardStopping, impl.HardStoppingLoss},
}

// needs says what the method must know.
func (m selectMethod) needs() string {
	if m.needsThreshold {
		return "the threshold"
	}
	return "nothing"
}

// bestMethod is the one with the largest ε of a run, of those that need no threshold; pipelineMethod is for those who ask for it.
const (
	bestMethod     = "best"
	pipelineMethod = "pipeline"
)

func selectNames() (names []string) {
	for _, m := range selectMethods {
		names = append(names, m.name)
	}
	return append(names, pipelineMethod, bestMethod)
}

func (a app) selectCommand() *cobra.Command {
	var o selectOptions
	cmd := &cobra.Command{
		Use:     "select --budget eps=E --candidates K | FILE",
		Short:   "Plan a private selection among private candidates, or run it",
		Long:    selectLong,
		Example: selectExample,
		Args:    atMostOneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return a.runFile(cmd.Context(), cmd.Flags(), o, args[0])
			}
			if o.method == pipelineMethod {
				return a.selectsByPipeline(cmd.Flags(), o)
			}
			return a.selects(cmd.Context(), cmd.Flags(), o)
		},
		ValidArgsFunction: problemFiles,
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&o.budget, "budget", "", "what the selection may spend, such as `eps=1` or eps=1,delta=1e-6")
	addWholeTo(f, &o.candidates, "candidates", 0, "how many candidates there are, a `number`")
	f.StringVar(&o.target, "target", "", "the quantile of the scores of all runs to reach, a `number` such as 0.9 (default 1 − 1/(2·candidates))")
	f.StringVar(&o.fail, "fail", defaultFail, "the largest probability not to reach it, a `number`")
	f.StringVar(&o.slack, "slack", defaultSlack, "the share of the budget that a limit of the runs may cost, a `number`")
	f.StringVar(&o.method, "method", "", "only this `METHOD`: "+strings.Join(selectNames(), ", ")+", which is the largest ε of a run without a threshold, of the first three")
	addWholeTo(f, &o.thresholds, "thresholds", 10, "how many thresholds pipeline has, a `number`")
	f.StringVar(&o.search, "search", "0.2", "the share of the budget that pipeline spends on finding one, a `number`")
	f.StringVar(&o.allRuns, "all-runs", "", "also what is charged if all runs are published, for this `DELTA`")
	f.BoolVar(&o.showRuns, "show-runs", false, "say on standard error how many runs of FILE there were, which must not be published")
	f.Uint64Var(&o.seed, "seed", 0, "`S` of all coins, and of runs that use the seed they are sent, to repeat FILE; nothing is private then (default: nobody knows it)")
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	report.Must(cmd.RegisterFlagCompletionFunc("method", cobra.FixedCompletions(selectNames(), cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

// selectionPlans are the plans for one goal.
type selectionPlans struct {
	goal       impl.SelectionGoal
	candidates int
	target     *big.Rat
	methods    []selectMethod
	plans      []impl.SelectionPlan
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
	for _, flag := range []string{"thresholds", "search"} {
		if flags.Changed(flag) {
			return fmt.Errorf("--%s is given, must be with --method pipeline only", flag)
		}
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
	return a.write("", o.json, func() any { return s.toJSON() }, s.writeTable)
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
	s := &selectionPlans{candidates: o.candidates}
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
	var target, fail, slack *big.Rat
	for _, x := range []struct {
		flag, text string
		into       **big.Rat
	}{{"target", o.target, &target}, {"fail", o.fail, &fail}, {"slack", o.slack, &slack}, {"all-runs", o.allRuns, &s.allRuns}} {
		if x.text == "" {
			continue
		}
		if *x.into, err = share(x.flag, x.text); err != nil {
			return nil, err
		}
	}
	s.goal = newGoal(eps, delta, o.candidates, target, fail, slack)
	s.target = new(big.Rat).Sub(big.NewRat(1, 1), s.goal.Reach)
	return s, nil
}

// The defaults of what a selection is to reach.
const (
	defaultFail  = "0.05"
	defaultSlack = "0.01"
)

// newGoal returns what a selection is to reach, with defaults for what is nil.
func newGoal(eps, delta *big.Rat, candidates int, target, fail, slack *big.Rat) impl.SelectionGoal {
	g := impl.SelectionGoal{Eps: eps, Delta: delta, Reach: big.NewRat(1, 2*int64(candidates)), Fail: fail, Slack: slack}
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
	case e.IsExp():
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
	case o.method == pipelineMethod:
		return nil, nil
	case o.method == bestMethod:
		return slices.DeleteFunc(slices.Clone(selectMethods), func(m selectMethod) bool { return m.needsThreshold }), nil
	case i < 0:
		err := fmt.Errorf("--method is %s, must be one of %s", report.Quote(o.method), strings.Join(selectNames(), ", "))
		return nil, didYouMean(err, o.method, selectNames())
	}
	return selectMethods[i : i+1], nil
}

// share reads a flag that is greater than 0 and less than 1.
func share(flag, text string) (*big.Rat, error) {
	x, err := input.ParseNumber(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("--%s %w", flag, err)
	case x.Sign() <= 0 || x.Cmp(big.NewRat(1, 1)) >= 0:
		return nil, fmt.Errorf("--%s is %s, must be greater than 0 and less than 1", flag, report.Quote(text))
	}
	return x, nil
}
