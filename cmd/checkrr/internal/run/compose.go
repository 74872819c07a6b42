package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// ComposeOptions are the flags of the command.
type ComposeOptions struct {
	SolverFlags
	Delta, Eps, ExpEps Number
	RelWidth           Width
	Compare            bool
}

// question is what a composition is asked: the smallest ε for delta or, if that is nil, the
// smallest δ for eps.
type question struct {
	delta *big.Rat
	eps   loss.Epsilon
	typed string // ε in the author's words
}

// composed is the answer.
type composed struct {
	question
	*solved
	asked      ComposeOptions
	answer     interval.Interval
	exact      *big.Rat // the answer where it is known as a ratio
	method     impl.Method
	arithmetic string
	requested  float64
	shortfall  string
	result     *impl.Result // of OptDel, if the answer is δ
	first      *composed    // before a closer look for the verdict
	comparison *comparison  // nil if it is not asked for
}

// mechanisms is how many there are.
func (c *composed) mechanisms() int { return c.problem.Stops[0].After }

// Compose finds the ε, or the δ, of mechanisms that are all run.
func (a App) Compose(ctx context.Context, o ComposeOptions, args []string) error {
	q, err := o.question(args)
	if err != nil {
		return err
	}
	if err := cmp.Or(o.SolverFlags.check(a.Inputs, args), o.Gate.check(q.delta == nil)); err != nil {
		return err
	}
	common := &solved{app: a, o: o.SolverFlags, limitsEps: q.delta != nil && o.most.Value != nil}
	c := &composed{question: q, solved: common, asked: o, requested: o.RelWidth.value}
	return c.solve(ctx, args, input.NoStops, c)
}

// find answers the question, judges the answer, and compares it if that is asked for.
func (c *composed) find(ctx context.Context) error {
	if c.problem.IsOnGrid() && !c.asked.RelWidth.isGiven {
		c.requested = c.problem.ComposedWidth()
	}
	if c.asked.Compare {
		if err := checkCompared(ctx, c.problem, c.delta); err != nil {
			return err
		}
	}
	if err := c.answerTo(ctx, impl.Options{RelWidth: c.requested, Progress: c.progress}); err != nil {
		if broken, ok := errors.AsType[*impl.InputError](err); ok {
			err = c.fault(c.problem, broken)
		}
		return err
	}
	c.judge(ctx)
	if !c.asked.Compare {
		return nil
	}
	var err error
	c.comparison, err = compare(ctx, c.problem, c)
	return err
}

func (c *composed) print(ctx context.Context) error {
	if err := c.app.Write("", c.o.JSON, c.toJSON, c.writeTable); err != nil || c.o.Plot.File == "" {
		return err
	}
	return EndedBy(ctx, c.draw(ctx), c.o.Timeout)
}

func (c *composed) conclude() error {
	shortfall := c.shortfall
	switch {
	case c.comparison != nil && c.comparison.timedOut:
		shortfall = "time ran out before the comparison was complete"
	case shortfall != "":
		shortfall = "the interval holds, but is wider than asked for: " + shortfall
	}
	return c.solved.conclude("the smallest "+c.sought(), shortfall)
}

// question reads the one of --delta, --eps and --exp-eps that is given.
func (o ComposeOptions) question(args []string) (q question, err error) {
	given := 0
	if q.delta = o.Delta.Value; q.delta != nil {
		given++
	}
	if x := o.Eps.Value; x != nil {
		given, q.eps, q.typed = given+1, loss.Nats(x), o.Eps.Text
	}
	if x := o.ExpEps.Value; x != nil {
		given, q.eps, q.typed = given+1, loss.Exp(x), input.Field{Key: "exp_eps", Value: o.ExpEps.Text}.Charge()
	}
	switch given {
	case 0:
		return q, errors.New("--delta, --eps or --exp-eps is missing, for example\n  checkrr compose " +
			fileOr(args, "examples/steps.yaml") + " --delta 1e-6")
	case 1:
		if o.Compare && q.delta == nil {
			return q, errors.New("--compare is given, needs --delta")
		}
		return q, nil
	}
	return q, fmt.Errorf("%d of --delta, --eps and --exp-eps are given, must be only one", given)
}

// answerTo sets the answer and how it was found.
func (c *composed) answerTo(ctx context.Context, o impl.Options) error {
	p := c.problem
	if c.delta != nil {
		r, err := impl.OptComp(ctx, p.Mechanisms, c.delta, o)
		if err != nil {
			return err
		}
		c.answer, c.exact = r.Eps, r.Exact
		c.method, c.arithmetic, c.shortfall = r.Method, r.Arithmetic, r.Shortfall
		return nil
	}
	p.Stops[0].Eps = c.eps
	r, err := impl.OptDel(ctx, p.Pipeline, o)
	if err != nil {
		return err
	}
	c.answer, c.method, c.arithmetic, c.shortfall, c.result = r.OptDel, r.Method, r.Arithmetic, r.Shortfall, r
	return nil
}

// judge sets the verdict. While the interval does not tell, a narrower one is sought, and then a ratio.
func (c *composed) judge(ctx context.Context) {
	if c.delta == nil && c.o.most.Value != nil {
		c.exact, _, _ = impl.ExactIfQuick(ctx, c.problem.Pipeline)
	}
	c.first = new(*c)
	again := func(width float64) (interval.Interval, error) {
		finer := *c
		err := finer.answerTo(ctx, impl.Options{RelWidth: width})
		if err == nil && finer.answer.RelWidth() < c.answer.RelWidth() {
			finer.shortfall = c.shortfall
			*c = finer
		}
		return c.answer, err
	}
	c.verdict = c.o.decide(c.exact, c.answer, c.requested, c.method == impl.Bracket, again, func() *big.Rat {
		if c.delta == nil { // of what is too large, or has no ratio, nothing more is known
			c.exact, _, _, _ = impl.Exact(ctx, c.problem.Pipeline)
		}
		return c.exact
	})
	switch {
	case c.verdict == Inconclusive && c.delta != nil:
		c.judgeLimit(ctx)
	case c.delta == nil:
		c.settle(c.problem.Pipeline, c.o.most.Value)
	}
}

// judgeLimit sets the verdict on ε by the δ that the limit itself has.
func (c *composed) judgeLimit(ctx context.Context) {
	at, common := *c, *c.solved
	at.solved, at.exact, at.question = &common, nil, question{eps: loss.Nats(c.o.most.Value)}
	common.o.most = Number{Value: c.delta}
	if at.answerTo(ctx, impl.Options{RelWidth: c.firstWidth()}) == nil {
		at.judge(ctx)
		c.verdict = common.verdict
	}
}

// sought is what is computed.
func (q question) sought() string {
	if q.delta != nil {
		return "ε"
	}
	return "δ"
}

// fault names what breaks a rule: the ε of the only stop is that of a flag.
func (q question) fault(p *input.Problem, e *impl.InputError) error {
	if e.List == "stops" && e.Field != "after" {
		return fmt.Errorf("--%s %s", map[bool]string{true: "exp-eps", false: "eps"}[q.eps.Log], e.Rule)
	}
	return p.Fault(e)
}
