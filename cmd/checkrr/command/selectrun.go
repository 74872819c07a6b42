package command

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"math/rand/v2"
	"strconv"

	"github.com/spf13/pflag"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/cmd/checkrr/internal/run"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/impl/noise"
	"checkrr/impl/selection"
	"checkrr/verify/audit/program"
)

// candidateRuns is a selection among the runs of an outside program.
type candidateRuns struct {
	name      string
	showsRuns bool
	file      *input.TuneFile
	method    selectMethod
	plan      selection.Plan
	spentEps  interval.Interval // for the output
	spentMore *big.Rat          // the δ of it
	seed      *uint64           // nil if the coins are not to be had again

	selected selection.Scored[selection.Chosen[json.RawMessage]]
	isFound  bool
	runs     int
}

// runFile runs a selection that a file describes.
func (a app) runFile(ctx context.Context, flags *pflag.FlagSet, o selectOptions, name string) error {
	var wrong error
	flags.Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "seed", "json", "show-runs":
		case "all-runs":
			wrong = errors.New("--all-runs is given, must not be with a FILE: it is for plans")
		default:
			wrong = fmt.Errorf("--%s is given, must be in the file of candidates", f.Name)
		}
	})
	if wrong != nil {
		return wrong
	}
	c := &candidateRuns{name: input.ShownName(name), showsRuns: o.showRuns}
	if flags.Changed("seed") {
		c.seed = &o.seed
	}
	var err error
	if err = run.CheckNoPipe(name); err != nil {
		return err
	}
	if c.file, err = input.ReadTune(name, a.Inputs, selectNames()[:len(selectMethods)]); err != nil {
		return err
	}
	if err := c.makePlan(); err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	after, err := a.runAll(ctx, c)
	if err != nil {
		return err
	}
	if c.showsRuns {
		fmt.Fprintf(a.Stderr, "checkrr: there were %s: that is not to be published, nor are their scores\n",
			report.Plural(c.runs, "run"))
	}
	if c.seed != nil {
		fmt.Fprintf(a.Stderr, "checkrr: --seed is given: who knows it can draw all coins again, and nothing is "+
			"private\n")
	}
	return cmp.Or(a.Write("", o.json, c.toJSON, c.write), after)
}

// makePlan plans the selection, and finds what it costs with what its runs spend.
func (c *candidateRuns) makePlan() error {
	f := c.file
	for _, m := range selectMethods {
		if m.name == f.Method {
			c.method = m
		}
	}
	goal := newGoal(f.Budget.Eps, f.Budget.Delta, len(f.Candidates), f.Target, f.Fail, f.Slack)
	var err error
	if c.plan, err = c.method.plan(goal); err != nil {
		return unprefixed(err)
	}
	isTooMuch := f.Run.Eps.Cmp(f.Budget.Eps) > 0 // and the loss may be too large a number
	if !isTooMuch {
		c.spentEps = c.method.loss(loss.Nats(f.Run.Eps), c.plan.Gamma, c.plan.Limit)
		_, spent := c.spentEps.Rats()
		isTooMuch = spent.Cmp(f.Budget.Eps) > 0
	}
	c.spentMore = selection.SelectionDelta(f.Run.Delta, c.plan.Gamma, selection.Unlimited)
	switch {
	case isTooMuch:
		return fmt.Errorf("run: eps is %s, must be at most %s for a selection with eps %s: see checkrr select --budget",
			report.Typed(f.Run.Eps), report.RoundTo(big.NewFloat(c.plan.Eps), 9, false), report.Typed(f.Budget.Eps))
	case c.spentMore.Cmp(f.Budget.Delta) > 0:
		return fmt.Errorf("run: delta is %s, must be at most %s for a selection with delta %s",
			report.Typed(f.Run.Delta), report.Typed(c.plan.Delta), report.Typed(f.Budget.Delta))
	}
	return nil
}

// runAll starts the program, and asks it until the selection stops. What the program did wrong after that is another
// error: what was selected has been paid for.
func (a app) runAll(ctx context.Context, c *candidateRuns) (after, err error) {
	p, err := program.Start(c.file.Command, c.file.Dir, program.Patience(c.file.Patience))
	if err != nil {
		return nil, err
	}
	coins := noise.Coins{Source: source(c.seed)}
	var candidates []selection.Candidate[json.RawMessage]
	for _, one := range c.file.Candidates {
		candidates = append(candidates, func(ctx context.Context) (selection.Scored[json.RawMessage], error) {
			s, err := p.Run(ctx, one, coins.Uint64()>>11)
			return selection.Scored[json.RawMessage]{Output: s.Output, Score: s.Score}, err
		})
	}
	to := io.Discard
	if c.showsRuns { // the bar tells their number
		to = a.Stderr
	}
	progress, clear := report.ProgressOn(to)
	made := 0
	oracle := func(ctx context.Context) (selection.Scored[selection.Chosen[json.RawMessage]], error) {
		s, err := selection.Oracle(ctx, candidates, coins)
		made++
		mean, _ := c.plan.Runs.Upper.Float64()
		progress(float64(made) / (float64(made) + mean))
		return s, err
	}
	c.isFound = true
	if c.method.needsThreshold {
		c.selected, c.isFound, c.runs, err = selection.Thresholding(ctx, oracle, *c.file.Threshold, c.plan.Gamma,
			c.plan.Limit, coins)
	} else {
		c.selected, c.runs, err = selection.HardStopping(ctx, oracle, higherOutput, c.plan.Gamma, c.plan.Limit, coins)
	}
	clear()
	if after = p.Close(); after != nil && !c.showsRuns {
		after = errors.New("the program did what it must not after its last reply: --show-runs says what; that must " +
			"not be published")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.name, c.failure(err))
	}
	return after, nil
}

// failure says what was wrong with a run, if that may be seen: it tells how many there were.
func (c *candidateRuns) failure(err error) error {
	if c.showsRuns {
		return err
	}
	if _, isProgram := errors.AsType[*program.Error](err); isProgram {
		return errors.New("a run of the program failed: --show-runs says which, and how; that must not be published")
	}
	return cmp.Or(errors.Unwrap(err), err) // "run 4: " stands before it
}

// higherOutput breaks ties: the candidate that is named first, and then the text of the output.
func higherOutput(x, y selection.Chosen[json.RawMessage]) bool {
	return cmp.Or(cmp.Compare(y.Candidate, x.Candidate), cmp.Compare(string(x.Output), string(y.Output))) > 0
}

// source returns what a seed gives, or what nobody can foresee.
func source(seed *uint64) rand.Source {
	if seed != nil {
		return rand.NewPCG(*seed, 0)
	}
	return noise.SecureSource()
}

func (c *candidateRuns) write(w io.Writer) {
	budget := func(s input.Spending) string {
		text := "eps " + report.Typed(s.Eps)
		if s.Delta.Sign() > 0 {
			text += ", delta " + report.Typed(s.Delta)
		}
		return text
	}
	line := func(label, text string) { fmt.Fprintf(w, "%-9s %s\n", label, text) }
	if c.isFound {
		line("Selected", fmt.Sprintf("candidate %d: %s", c.selected.Output.Candidate+1,
			c.file.Candidates[c.selected.Output.Candidate]))
		line("Output", string(c.selected.Output.Output))
		line("Score", strconv.FormatFloat(c.selected.Score, 'g', -1, 64))
	} else {
		line("Selected", "none: no run reached the threshold before the selection gave up")
	}
	spent := "eps " + report.RoundTo(c.spentEps.Upper, 6, true).String()
	if c.spentMore.Sign() > 0 {
		spent += ", delta " + report.Up.RoundTo(c.spentMore, 6).String()
	}
	line("Spent", spent+", for what is above, if each run is private with "+budget(c.file.Run))
	line("Budget", budget(c.file.Budget))
	limit := "no limit"
	if c.plan.Limit != selection.Unlimited {
		limit = fmt.Sprintf("at most %d", c.plan.Limit)
	}
	line("Method", fmt.Sprintf("%s, gamma %s, %s runs on average, %s", c.method.name, report.Typed(c.plan.Gamma),
		report.RoundTo(c.plan.Runs.Upper, 4, true), limit))
	if c.seed != nil {
		line("Seed", fmt.Sprint(*c.seed))
	}
}

// toJSON is the output of --json.
func (c *candidateRuns) toJSON() report.Object {
	typed := func(s input.Spending) report.Object {
		return report.Object{"eps", report.Typed(s.Eps), "delta", report.Typed(s.Delta)}
	}
	var selected report.Object // null if no run reached the threshold
	if c.isFound {
		i := c.selected.Output.Candidate
		selected = report.Object{"candidate", i + 1, "input", c.file.Candidates[i], "output", c.selected.Output.Output,
			"score", c.selected.Score}
	}
	return report.Output(
		"selected", selected,
		"spent", report.Object{"eps", report.Up.Float(c.spentEps.Upper), "delta", report.Up.Rat(c.spentMore)},
		"budget", typed(c.file.Budget),
		"run", typed(c.file.Run),
		"method", c.method.name,
		"gamma", report.Near.Rat(c.plan.Gamma),
		"limit", limitJSON(c.plan.Limit),
		"seed", c.seed, // null if the coins are not to be had again
	)
}
