package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strings"

	"github.com/spf13/cobra"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
	"checkrr/impl/certificate"
	"checkrr/impl/interval"
)

// scheduleOptions are the flags of the command.
type scheduleOptions struct {
	solverFlags
	delta string
	shape string
	slack typedWidth
}

func (a app) scheduleCommand() *cobra.Command {
	var o scheduleOptions
	cmd := &cobra.Command{
		Use:               "schedule [FILE | -] --delta D",
		Args:              atMostOneFile,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.schedule(cmd.Context(), o, args) },
		ValidArgsFunction: problemFiles,
	}
	f := cmd.Flags()
	f.StringVar(&o.delta, "delta", "", "the `D` that OptDel must not exceed, such as 1e-6")
	addChoiceTo(cmd, &o.shape, "shape", string(impl.Uniform),
		"`SHAPE`: "+strings.Join(shapeNames(), ", "), shapeNames())
	o.pipelineFlags.addTo(f, "schedule", "after=50,weight=2", "after=100")
	o.slack = typedWidth{value: impl.DefaultSlack, text: fmt.Sprint(impl.DefaultSlack)}
	f.Var(&o.slack, "slack",
		"largest part `S` of δ that may be left over; with noise or losses 1e-3, or more for many stops, if none is given")
	o.gate.addTo(f, "OptDel of the schedule")
	addRunTo(f, &o.timeout, &o.json)
	f.BoolVar(&o.allStops, "all-stops", false, "print every stop, however many there are")
	addPlotTo(cmd, &o.plot, "draw the charges")
	f.StringVarP(&o.output, "output", "o", "", "write the pipeline with its charges to `FILE`, for optdel")
	o.ledger.addTo(f)
	addProofTo(cmd, &o.certificate)
	return cmd
}

func shapeNames() []string {
	var names []string
	for _, s := range impl.Shapes {
		names = append(names, string(s))
	}
	return names
}

// plan is a schedule with what was asked for.
type plan struct {
	*impl.Schedule
	solved
	shape impl.Shape
	delta *big.Rat
}

func (a app) schedule(ctx context.Context, o scheduleOptions, args []string) error {
	if err := cmp.Or(o.check(), o.solverFlags.check(a.inputs, args), o.gate.readDelta()); err != nil {
		return err
	}
	delta, err := readDelta("--delta", o.delta, from0)
	if err != nil {
		return err
	}
	return a.solve(ctx, o.solverFlags, args, input.WeightedStops,
		func(ctx context.Context, s solved, progress func(float64)) (answer, error) {
			p := &plan{solved: s, shape: impl.Shape(o.shape), delta: delta}
			return p, a.plan(ctx, p, o.slack, progress)
		})
}

// check refuses values of flags.
func (o scheduleOptions) check() error {
	switch {
	case o.delta == "":
		return errors.New("--delta is missing, for example\n  checkrr schedule examples/steps.yaml --delta 1e-6")
	}
	return o.slack.check("--slack")
}

// plan finds the schedule, and judges it. While the interval does not tell, a narrower one is sought.
func (a app) plan(ctx context.Context, s *plan, slack typedWidth, progress func(float64)) (err error) {
	options := impl.ScheduleOptions{Shape: s.shape, Slack: slack.value, Progress: progress}
	for _, w := range s.problem.Weights {
		x, _ := w.Float64()
		options.Weights = append(options.Weights, x)
	}
	if !slack.isGiven {
		options.Slack = 0
	}
	if s.Schedule, err = a.design(ctx, s.problem.Pipeline, s.delta, options); err != nil {
		return err
	}
	isGrid := s.Result.Method == impl.Bracket
	s.verdict = s.o.decide(s.Result.OptDel, s.Result.OptDel.RelWidth(), isGrid,
		func(width float64) (interval.Interval, error) {
			r, err := a.optDel(ctx, s.Pipeline, impl.Options{RelWidth: width})
			if err == nil && r.OptDel.RelWidth() < s.Result.OptDel.RelWidth() {
				s.Result = r
			}
			return s.Result.OptDel, err
		})
	return nil
}

// claims are those of the certificate: OptDel of the charges is at most δ.
func (s *plan) claims(ctx context.Context, _ app) ([]*certificate.Claim, error) {
	l := s.o.limits(s.verdict)
	if l.AtMost == nil || l.AtMost.Cmp(s.delta) > 0 {
		l.AtMost = s.delta
	}
	return claimsOf(ctx, s.Result, l)
}

// print prints the schedule, and writes the files that were asked for.
func (s *plan) print(_ context.Context, a app) error {
	err := errors.Join(a.write("", s.o.json, func() any { return s.toJSON() }, s.write), s.writeProblem())
	if s.o.plot != "" {
		err = errors.Join(err, s.draw())
	}
	return err
}

// write prints the schedule, or the line of a ledger if that is asked for: not if OptDel is not at most what it has to
// be.
func (s *plan) write(w io.Writer) {
	switch {
	case !s.o.ledger.isWanted():
		s.writeTable(w)
	case s.verdict != refuted && s.verdict != undecided:
		s.writeLedgerLine(w, s.Pipeline.Stops, report.Typed(s.delta), "charges of checkrr schedule, shape "+string(s.shape))
	}
}

// writeProblem writes the pipeline with its charges as a problem file, if there is a name for it.
func (s *plan) writeProblem() error {
	if s.o.output == "" {
		return nil
	}
	return report.WriteText(s.o.output, problemYAML(s, placeOf(s.o.output)))
}

func (s *plan) conclude() error { return s.solved.conclude("OptDel", s.Shortfall) }
