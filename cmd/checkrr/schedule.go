package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
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

const scheduleLong = `Find what may be charged at every stop of a pipeline for a given δ: losses E such that
the pipeline is output differentially private with them and this δ.

The pipeline comes from FILE (YAML or JSON; - is standard input), as for optdel; its stops
need only after, and charges that are there are not used:

  mechanisms:
    - {eps: 0.1, delta: 1e-9, count: 100}    # or gaussian: {noise: 1, sampling: 0.01}
  stops:
    - {after: 50, weight: 2}       # weight, for --shape optimal, defaults to 1
    - {after: 100}

` + ownSample + `

The shape says how the δ that every stop would need alone compare: the same for all
(uniform), growing with the number of the stop (linear) or with its root (sqrt), or such that
the mean of the charges is smallest (optimal: next to it stands a mean that no charges are below; a
weight says how likely a stop is thought to be). For all of them the charges are as small as δ allows: OptDel of the result is
certified, and not above δ. Nothing is charged above the largest losses together, where all mechanisms have
one (as with Laplace noise).

Next to them stand the charges of Lemma 11 for the same δ (and the same shape; uniform for optimal),
the charge of plain differential privacy, which pays for the whole pipeline wherever it stops (an upper end,
which may leave --slack of δ, too, or a twentieth with Laplace or discrete noise: checkrr compose finds it more narrowly),
and the charge that would do if the pipeline could end at this stop only: what an accountant prints for the steps so far, and
nothing to report where the choice to stop depended on results.

With --timeout, and noise or losses, coarse charges are sought first (they leave a fifth of δ): these are printed if time
runs out before there are better ones.

With --certificate a file is written from which OptDel of the charges can be checked again, by
checkrr certify or another program; with --at-most the answer is a verdict besides.

With --ledger after=700 the line is printed that checkrr account reads of a run that stopped there, if --at-most holds. Charges are to be chosen before the
run: keep those of -o FILE, and print the line from there, by checkrr optdel FILE --ledger after=700.

Exit codes: 0 computed, 2 usage or input error, 3 less precise than asked for,
or no result. With --at-most: 0 it is, 1 it is not, 3 undecided.`

const scheduleExample = `  checkrr schedule examples/dpsgd.yaml --delta 1e-6
  checkrr schedule examples/steps.yaml --delta 1e-6 --shape optimal --plot schedule.svg
  checkrr schedule examples/steps.yaml --delta 1e-6 -o charged.yaml && checkrr optdel charged.yaml
  checkrr schedule examples/steps.yaml --delta 1e-6 --certificate proof.json && checkrr certify proof.json
  checkrr schedule --mech eps=0.1,count=100 --stop after=50 --stop after=100 --delta 1e-6 --json --at-most 2e-6`

func (a app) scheduleCommand() *cobra.Command {
	var o scheduleOptions
	cmd := &cobra.Command{
		Use:               "schedule [FILE | -] --delta D",
		Short:             "Find what may be charged at every stop for a given δ",
		Long:              scheduleLong,
		Example:           scheduleExample,
		Args:              atMostOneFile,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.schedule(cmd.Context(), o, args) },
		ValidArgsFunction: problemFiles,
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&o.delta, "delta", "", "the `D` that OptDel must not exceed, such as 1e-6")
	f.StringVar(&o.shape, "shape", string(impl.Uniform), "`SHAPE`: "+strings.Join(shapeNames(), ", "))
	o.pipelineFlags.addTo(f, "schedule", "after=50,weight=2", "after=100")
	o.slack = typedWidth{value: impl.DefaultSlack, text: fmt.Sprint(impl.DefaultSlack)}
	f.Var(&o.slack, "slack", "largest part `S` of δ that may be left over; with noise or losses 1e-3, or more for many stops, if none is given")
	o.gate.addTo(f, "OptDel of the schedule")
	addRunTo(f, &o.timeout, &o.json)
	f.BoolVar(&o.allStops, "all-stops", false, "print every stop, however many there are")
	addPlotTo(cmd, &o.plot, "draw the charges")
	f.StringVarP(&o.output, "output", "o", "", "write the pipeline with its charges to `FILE`, for optdel")
	o.ledger.addTo(f)
	addProofTo(cmd, &o.certificate)
	report.Must(cmd.RegisterFlagCompletionFunc("shape", cobra.FixedCompletions(shapeNames(), cobra.ShellCompDirectiveNoFileComp)))
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
	return a.solve(ctx, o.solverFlags, args, input.WeightedStops, func(ctx context.Context, s solved, progress func(float64)) (answer, error) {
		p := &plan{solved: s, shape: impl.Shape(o.shape), delta: delta}
		return p, a.plan(ctx, p, o.slack, progress)
	})
}

// check refuses values of flags.
func (o scheduleOptions) check() error {
	switch {
	case o.delta == "":
		return errors.New("--delta is missing, for example\n  checkrr schedule examples/steps.yaml --delta 1e-6")
	case !slices.Contains(shapeNames(), o.shape):
		return fmt.Errorf("--shape is %s, must be one of %s", report.Quote(o.shape), strings.Join(shapeNames(), ", "))
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
	s.verdict = s.o.decide(s.Result.OptDel, s.Result.OptDel.RelWidth(), isGrid, func(width float64) (interval.Interval, error) {
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

// write prints the schedule, or the line of a ledger if that is asked for: not if OptDel is not at most what it has to be.
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
	return report.WriteText(s.o.output, problemYAML(s, folderOf(s.o.output)))
}

func (s *plan) conclude() error { return s.solved.conclude("OptDel", s.Shortfall) }
