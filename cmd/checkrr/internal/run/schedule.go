package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
	"checkrr/impl/certificate"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// ScheduleOptions are the flags of the command.
type ScheduleOptions struct {
	SolverFlags
	Delta      Number
	Shape      string
	Slack      Width
	MeanAtMost Number
	EpsAtMost  Number
}

// ShapeNames are those of schedules.
func ShapeNames() []string {
	return report.Names(impl.Shapes, func(s impl.Shape) string { return string(s) })
}

// plan is a schedule with what was asked for.
type plan struct {
	*impl.Schedule
	*solved
	slack  Width
	shape  impl.Shape // that was asked for
	delta  *big.Rat
	mean   chargeGate   // of the charges
	charge chargeGate   // of the stop of --at
	first  *impl.Result // before a closer look for the verdict
}

// chargeGate is what the mean of the charges, or one of them, must not exceed, and whether it does.
type chargeGate struct {
	Gate
	verdict Verdict
	found   *big.Rat
	isOther bool // whether the charges are of another shape than was asked for
}

// decideCharge judges what was found. What is above the limit is judged by what is known of that itself: there may be
// better charges, and rounding does not refute. What is not may be so only in the shape that was found.
func (g *chargeGate) decideCharge(found *big.Rat, limit func() Verdict) {
	if g.found, g.verdict = found, g.judge(found, found); g.verdict == Refuted {
		g.verdict = limit()
	}
	if g.verdict == Holds && g.isOther {
		g.verdict = Inconclusive
	}
}

// line says the verdict in a table, whose figures are rounded up: one of them may be above a limit that holds.
func (g *chargeGate) line(answer string) string {
	switch {
	case g.verdict == Inconclusive && g.isOther:
		return fmt.Sprintf("Verdict   inconclusive: %s is of a shape that was not asked for\n", answer)
	case g.verdict == Inconclusive:
		return fmt.Sprintf("Verdict   inconclusive: %s is more than %s, but there may be better charges\n", answer,
			g.most.Text)
	}
	if g.verdict == Holds {
		if shown, _ := new(big.Rat).SetString(chargeCell(g.found)); shown.Cmp(g.most.Value) > 0 {
			answer += ", which is shown rounded up,"
		}
	}
	return g.Gate.line(g.verdict, answer)
}

// conclude is the error that goes with the verdict; shortfall says why there may be better charges.
func (g *chargeGate) conclude(answer, shortfall string) error {
	err := g.Gate.conclude(g.verdict, answer)
	if g.verdict == Inconclusive {
		err = fmt.Errorf("%w: %s", err, shortfall)
	}
	return err
}

// Schedule finds what may be charged at the stops for a δ.
func (a App) Schedule(ctx context.Context, o ScheduleOptions, args []string) error {
	if o.Delta.Value == nil {
		return errors.New("--delta is missing, for example\n  checkrr schedule " +
			fileOr(args, "examples/steps.yaml") + " --delta 1e-6")
	}
	if err := cmp.Or(o.SolverFlags.check(a.Inputs, args), o.Gate.check(true)); err != nil {
		return err
	}
	common := &solved{app: a, o: o.SolverFlags, limitsEps: o.MeanAtMost.Value != nil || o.EpsAtMost.Value != nil}
	s := &plan{solved: common, slack: o.Slack, shape: impl.Shape(o.Shape), delta: o.Delta.Value,
		mean: chargeGate{Gate: Gate{o.MeanAtMost}}, charge: chargeGate{Gate: Gate{o.EpsAtMost}}}
	return s.solve(ctx, args, input.WeightedStops, s)
}

// find finds the schedule, and judges it. While the interval does not tell, a narrower one is sought.
func (s *plan) find(ctx context.Context) (err error) {
	options := impl.ScheduleOptions{Shape: s.shape, Slack: s.slack.value, Progress: s.progress}
	for _, w := range s.problem.Weights {
		x, _ := w.Float64()
		options.Weights = append(options.Weights, x)
	}
	if !s.slack.isGiven {
		options.Slack = 0
	}
	if s.Schedule, err = impl.DesignSchedule(ctx, s.problem.Pipeline, s.delta, options); err != nil {
		return err
	}
	s.first = s.Result
	isGrid := s.Result.Method == impl.Bracket
	s.verdict = s.o.decide(s.Schedule.OptDel, s.Result.OptDel, s.Result.OptDel.RelWidth(), isGrid,
		func(width float64) (interval.Interval, error) {
			r, err := impl.OptDel(ctx, s.Pipeline, impl.Options{RelWidth: width})
			if err == nil && r.OptDel.RelWidth() < s.Result.OptDel.RelWidth() {
				s.Result = r
			}
			return s.Result.OptDel, err
		}, nil)
	s.judgeCharges(ctx)
	return nil
}

// judgeCharges judges their mean, and the charge of one stop.
func (s *plan) judgeCharges(ctx context.Context) {
	s.mean.isOther = s.Shape != s.shape
	s.charge.isOther = s.mean.isOther
	byFound := func() Verdict {
		if s.Shortfall != "" {
			return Inconclusive
		}
		return Refuted
	}
	s.mean.decideCharge(s.exactMean(), func() Verdict {
		const rounding = 1e-12 // of the weights
		least := new(big.Rat).SetFloat64(s.MeanAtLeast * (1 - rounding))
		if least.Cmp(s.mean.most.Value) > 0 {
			return Refuted
		}
		return byFound()
	})
	s.charge.decideCharge(s.Pipeline.Stops[s.at].Eps.Rat(), func() Verdict {
		p := impl.Pipeline{Mechanisms: s.Pipeline.Mechanisms, Stops: slices.Clone(s.Pipeline.Stops)}
		p.Stops[s.at].Eps = loss.Nats(s.charge.most.Value)
		if isAtMost, isKnown := p.LeaksAtMost(s.delta); isKnown && isAtMost {
			return Holds
		}
		r, err := impl.OptDel(ctx, p, impl.Options{})
		if err != nil {
			s.Shortfall = cmp.Or(s.Shortfall, "whether the limit itself is enough was not found: "+err.Error())
			return Inconclusive
		}
		lower, _ := r.SingleStop[s.at].Rats()
		_, upper := r.OptDel.Rats()
		switch {
		case upper.Cmp(s.delta) <= 0:
			return Holds
		case lower.Cmp(s.delta) > 0:
			return Refuted
		}
		return byFound()
	})
}

// claims are those of the certificate: OptDel of the charges is at most δ.
func (s *plan) claims(ctx context.Context) ([]*certificate.Claim, error) {
	l := s.o.limits(s.verdict)
	if l.AtMost == nil || l.AtMost.Cmp(s.delta) > 0 {
		l.AtMost = s.delta
	}
	return s.limitedClaims(ctx, s.Result, s.Schedule.OptDel, l)
}

// print prints the schedule, and writes the files that were asked for.
func (s *plan) print(context.Context) error {
	err := errors.Join(s.app.Write("", s.o.JSON, s.toJSON, s.write), s.writeProblem())
	if s.o.Plot.File != "" {
		err = errors.Join(err, s.draw())
	}
	return err
}

// write prints the schedule, or the line of a ledger if that is asked for: not if something is more than it may be.
func (s *plan) write(w io.Writer) {
	verdicts := []Verdict{s.verdict, s.mean.verdict, s.charge.verdict}
	switch {
	case !s.o.Ledger.isWanted():
		s.writeTable(w)
	case !slices.Contains(verdicts, Refuted) && !slices.Contains(verdicts, Inconclusive):
		s.writeLedgerLine(w, s.Pipeline.Stops, report.Typed(s.delta), s.betterDP(),
			"charges of checkrr schedule, shape "+string(s.Shape))
	}
}

// betterDP returns the ε of plain DP at δ if it is less than the largest charge, which says as much otherwise. It holds
// for neighbours in both orders, as the charges do, and wherever the pipeline stops: what is released is a function of
// what would be if it ran to its end.
func (s *plan) betterDP() *big.Rat {
	plain := s.PlainDP()
	if plain == nil || plain.Cmp(slices.MaxFunc(s.Charges(), (*big.Rat).Cmp)) >= 0 {
		return nil
	}
	return plain
}

// writeProblem writes the pipeline with its charges as a problem file, if there is a name for it.
func (s *plan) writeProblem() error {
	if s.o.Output == "" {
		return nil
	}
	err := report.WriteText(s.o.Output, problemYAML(s, placeOf(s.o.Output)))
	return report.Wrote(s.app.Stderr, err, s.o.Output)
}

func (s *plan) conclude() error {
	err := cmp.Or(s.mean.conclude("the mean of the charges", s.Shortfall),
		s.charge.conclude(s.gatedCharge(), s.Shortfall))
	if err != nil || s.mean.most.Value != nil || s.charge.most.Value != nil { // which is what was asked
		return err
	}
	return s.solved.conclude("OptDel", s.Shortfall)
}
