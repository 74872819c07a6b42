package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/cmd/checkrr/internal/run"
	"checkrr/impl"
	"checkrr/impl/ledger"
	"checkrr/impl/loss"
)

// challengeOptions are the flags of the command.
type challengeOptions struct {
	rule, budget, menu string
	leak, lambda       run.Number
	curveFlags
	rounds  int
	timeout time.Duration
	json    bool
	output  string
	flags   *pflag.FlagSet // as they were typed
}

func (a app) challengeCommand() *cobra.Command {
	var o challengeOptions
	cmd := &cobra.Command{
		Use: "challenge --rule RULE --budget BUDGET --menu MENU",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("challenge takes no file, but %s: the mechanisms come from --menu",
					report.Quote(args[0]))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.flags = cmd.Flags()
			return a.challenge(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	addChoiceTo(cmd, &o.rule, "rule", "", "the `RULE`: "+strings.Join(challengeRules, ", "), challengeRules)
	f.StringVar(&o.budget, "budget", "",
		"what it claims, such as `eps=1,delta=1e-5` (delta defaults to 0); of an odometer, delta, and eps only in "+
			"place of --target-eps")
	f.StringVar(&o.menu, "menu", "", "what may be played, such as `'eps=0.1;eps=0.2,delta=1e-6'`")
	whole(&o.rounds).addTo(f, "rounds", 30, "how many `ROUNDS` may be played")
	o.leak.AddTo(f, "leak", "",
		"the part of delta that is for the δ of the mechanisms (default half of it)", run.Delta(run.From0))
	o.lambda.AddTo(f, "lambda", "", "what odp-advanced is tuned by (default by the budget)", nil)
	o.curveFlags.addTo(f)
	target := f.Lookup("target-eps")
	target.Usage += " (default that of the budget, or 1)"
	target.DefValue = "0" // which is not shown: it is said above
	f.StringVarP(&o.output, "output", "o", "", "write the result to `FILE` instead of standard output")
	run.AddRunTo(f, &o.timeout, &o.json)
	return cmd
}

// contest is a rule against a menu, and what came of it.
type contest struct {
	o          challengeOptions
	isOdometer bool
	eps        loss.Epsilon // the claim; of a filter
	delta      *big.Rat     // the claim
	leak       *big.Rat     // δ″
	menu       []impl.Mechanism
	parts      []ledger.Guarantee // the menu again, if some of it has parts
	names      []string           // of the mechanisms, as typed
	filter     ledger.Filter
	odometer   ledger.OdometerRule
	result     *ledger.Challenge
	verdict    run.Verdict
	elapsed    time.Duration
}

func (a app) challenge(ctx context.Context, o challengeOptions) error {
	c, err := newContest(o)
	if err != nil {
		return err
	}
	ctx, stop := run.Limited(ctx, o.timeout)
	defer stop()
	progress, clear := report.ProgressOn(a.Stderr)
	defer clear()
	start := time.Now()
	options := ledger.ChallengeOptions{Progress: progress, Claim: c.delta}
	switch filter, knowsParts := c.filter.(ledger.PartFilter); {
	case c.isOdometer && c.parts != nil:
		c.result, err = ledger.ChallengeODPOdometer(ctx, c.parts, o.rounds, c.odometer, options)
	case c.isOdometer:
		c.result, err = ledger.ChallengeOdometer(ctx, c.menu, o.rounds, c.odometer, options)
	case knowsParts && c.parts != nil:
		c.result, err = ledger.ChallengeODPFilter(ctx, c.parts, o.rounds, filter, c.eps, options)
	default:
		c.result, err = ledger.ChallengeFilter(ctx, c.menu, o.rounds, c.filter, c.eps, options)
	}
	c.elapsed = time.Since(start)
	clear()
	if err != nil {
		return c.failed(ctx, err)
	}
	c.judge()
	return errors.Join(a.Write(o.output, o.json, c.toJSON, c.writeTable), c.conclude())
}

// newContest reads the flags.
func newContest(o challengeOptions) (*contest, error) {
	c := &contest{o: o, isOdometer: slices.Contains(odometerRules, o.rule)}
	if o.rule == "" {
		return nil, errors.New("--rule is missing, for example\n" + exampleOf("challenge"))
	}
	if err := checkRule(o.flags, o.rule, challengeRules); err != nil {
		return nil, err
	}
	if o.rounds < 0 {
		return nil, fmt.Errorf("--rounds is %d, must be at least 0", o.rounds)
	}
	if err := cmp.Or(run.CheckTimeout(o.timeout), run.CheckTargets(nil, nil, "", run.To("--output", o.output)),
		c.readBudget(), c.readMenu()); err != nil {
		return nil, err
	}
	return c, c.makeRule()
}

// readBudget reads the claim, and the shares of δ.
func (c *contest) readBudget() error {
	if c.o.budget == "" {
		return errors.New("--budget is missing, such as eps=1,delta=1e-5")
	}
	fields, err := input.SplitFields(c.o.budget)
	if err != nil {
		return fmt.Errorf("--budget: %w", err)
	}
	onlyDelta := c.isOdometer && len(fields) == 1 && fields[0].Key == "delta"
	if onlyDelta {
		c.delta, err = fields[0].Number()
	} else {
		c.eps, c.delta, err = budgetOf(c.o.budget)
	}
	if err != nil {
		return fmt.Errorf("--budget: %w", err)
	}
	if c.isOdometer && c.eps.Rat() != nil { // it stands for --target-eps
		if !slices.Contains(ruleFlags["target-eps"], c.o.rule) {
			return unused("the eps of --budget", "target-eps", c.o.rule, odometerRules)
		}
		if c.o.flags.Changed("target-eps") {
			return errors.New("--target-eps and the eps of --budget are both given, must be one of them")
		}
	}
	if c.delta.Sign() < 0 || c.delta.Cmp(big.NewRat(1, 1)) >= 0 {
		return fmt.Errorf("--budget: delta is %s, must be at least 0 and less than 1", report.Typed(c.delta))
	}
	if c.o.rule == "sum" {
		return nil
	}
	c.leak, err = leakOf(c.o.leak, c.delta, "delta")
	return err
}

// readMenu reads the mechanisms.
func (c *contest) readMenu() error {
	if c.o.menu == "" {
		return errors.New("--menu is missing, such as 'eps=0.1;eps=0.2,delta=1e-6'")
	}
	var parts []ledger.Guarantee
	hasParts := false
	for i, text := range strings.Split(c.o.menu, ";") {
		g, err := partsOf(text)
		if err != nil {
			return fmt.Errorf("--menu, mechanism %d: %w", i+1, err)
		}
		if len(g.Parts) > 1 {
			if hasParts = true; c.o.rule == "adaptive" || c.o.rule == "zcdp" {
				return fmt.Errorf("--menu, mechanism %d: it has parts, which the rule %s does not know: must have "+
					"one ε", i+1,
					c.o.rule)
			}
		}
		parts = append(parts, g)
		c.menu = append(c.menu, impl.Mechanism{Eps: g.Parts[0].Eps, Delta: g.Delta, Count: 1})
		c.names = append(c.names, strings.TrimSpace(text))
	}
	if hasParts {
		c.parts = parts
	}
	return nil
}

// partsOf reads a mechanism, {eps or exp_eps, delta}, where the ε of several parts are separated by "|".
func partsOf(text string) (g ledger.Guarantee, err error) {
	before, after, found := strings.Cut(text, "eps=")
	list, rest, hasRest := strings.Cut(after, ",")
	if hasRest {
		rest = "," + rest
	}
	if !found {
		_, g.Delta, err = budgetOf(text) // which says what is wrong
		return g, err
	}
	for part := range strings.SplitSeq(list, "|") {
		eps, delta, err := budgetOf(before + "eps=" + part + rest)
		if err != nil {
			return g, err
		}
		g.Delta = delta
		g.Parts = append(g.Parts, ledger.Part{Name: fmt.Sprint(len(g.Parts) + 1), Eps: eps})
	}
	return g, nil
}

// makeRule makes the filter or the odometer.
func (c *contest) makeRule() (err error) {
	switch c.o.rule {
	case "sum", "adaptive", "zcdp", odpAdvanced:
		c.filter, err = newFilter(c.o.rule, c.eps, c.delta, c.leak, c.o.lambda.Value)
	default:
		if c.eps.Rat() != nil && !c.o.flags.Changed("target-eps") {
			c.o.target = loss.Float64(c.eps)
		}
		c.odometer, err = ledger.NewCurveRule(c.o.curve(c.o.rule), new(big.Rat).Sub(c.delta, c.leak), c.leak)
	}
	if err != nil {
		return fmt.Errorf("--rule %s with --budget %s: %w", c.o.rule, c.o.budget, unprefixed(err))
	}
	return nil
}

// unprefixed takes the name of a function off an error.
func unprefixed(err error) error {
	if inner := errors.Unwrap(err); inner != nil {
		return inner
	}
	if _, rest, found := strings.Cut(err.Error(), ": "); found {
		return errors.New(rest)
	}
	return err
}

// failed says in the author's words why there is no result.
func (c *contest) failed(ctx context.Context, err error) error {
	if ended := run.EndedBy(ctx, err, c.o.timeout); ended != err {
		return ended
	}
	if unit, ok := errors.AsType[*ledger.UnitError](err); ok {
		return fmt.Errorf("--menu, mechanism %d: %s has no common unit with those before it: all must have eps, or "+
			"all exp_eps that are powers of one number, and not be too far apart",
			unit.Index+1, c.names[unit.Index])
	}
	if many, ok := errors.AsType[*ledger.SituationsError](err); ok {
		return fmt.Errorf("%w: too many situations: %v", run.ErrInconclusive, many)
	}
	return fmt.Errorf("--%w", unprefixed(err)) // menu or rounds
}

// judge sets the verdict.
func (c *contest) judge() {
	switch {
	case c.result.Holds:
		c.verdict = run.Holds
	case c.result.Refuted:
		c.verdict = run.Refuted
	default:
		c.verdict = run.Inconclusive
	}
}

// conclude is the error that goes with the verdict.
func (c *contest) conclude() error {
	switch c.verdict {
	case run.Refuted:
		return fmt.Errorf("%w: %s is at least %s, more than %s", run.ErrRefuted, c.sought(),
			report.RoundTo(c.result.Worst.Lower, 6, false), report.Typed(c.delta))
	case run.Inconclusive:
		return fmt.Errorf("%w: the interval does not tell whether %s is at most %s", run.ErrInconclusive, c.sought(),
			report.Typed(c.delta))
	}
	return nil
}

// sought is what the worst adversary attains.
func (c *contest) sought() string {
	if c.isOdometer {
		return "the probability that the loss ever exceeds the reading"
	}
	return "the worst δ"
}
