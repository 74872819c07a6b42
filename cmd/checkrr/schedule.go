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
	"time"

	"github.com/spf13/cobra"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
	"checkrr/impl/interval"
)

// scheduleOptions are the flags of the command.
type scheduleOptions struct {
	pipelineFlags
	delta    string
	shape    string
	slack    typedWidth
	timeout  time.Duration
	json     bool
	allStops bool
	plot     string
	output   string
	ledger   ledgerLine

	certificate string
	gate
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
	shape   impl.Shape
	delta   *big.Rat
	elapsed time.Duration
	gate    gate
	verdict verdict

	problem *input.Problem
}

func (a app) schedule(ctx context.Context, o scheduleOptions, args []string) error {
	if err := cmp.Or(o.check(a.inputs, args), o.gate.readDelta(), o.ledger.read(o.json)); err != nil {
		return err
	}
	delta, err := readDelta("--delta", o.delta, from0)
	if err != nil {
		return err
	}
	whole := ctx
	ctx, stop := limited(ctx, o.timeout)
	defer stop()
	p, err := o.problem(ctx, o.timeout, args, a.inputs, input.WeightedStops)
	if err != nil {
		return err
	}
	if err := o.ledger.check(p.Stops); err != nil {
		return err
	}
	s, err := a.plan(ctx, p, delta, o)
	if err != nil {
		return err
	}
	a.judgePlan(ctx, s, o)
	if err := a.writePlan(p, s, nameOf(args), o); err != nil {
		return err
	}
	if err := proving(whole, ctx, o.timeout, o.certificate, func(ctx context.Context) error { return s.prove(ctx, o) }); err != nil {
		return err
	}
	if s.verdict != "" {
		return o.gate.conclude(s.verdict, "OptDel")
	}
	if s.Shortfall != "" {
		return fmt.Errorf("%w: %s", errInconclusive, s.Shortfall)
	}
	return nil
}

// check refuses values of flags, and flags that exclude each other.
func (o scheduleOptions) check(in *input.Inputs, args []string) error {
	switch {
	case o.delta == "":
		return errors.New("--delta is missing, for example\n  checkrr schedule examples/steps.yaml --delta 1e-6")
	case !slices.Contains(shapeNames(), o.shape):
		return fmt.Errorf("--shape is %s, must be one of %s", report.Quote(o.shape), strings.Join(shapeNames(), ", "))
	case o.json && o.allStops:
		return errors.New("--all-stops is for the table: --json always has every stop")
	}
	return cmp.Or(o.slack.check("--slack"), checkTimeout(o.timeout), checkPlot(o.plot),
		checkFiles(in, args, target{"--output", o.output}, target{"--plot", o.plot}, target{"--certificate", o.certificate}))
}

// plan finds the schedule.
func (a app) plan(ctx context.Context, p *input.Problem, delta *big.Rat, o scheduleOptions) (*plan, error) {
	progress, clear := report.ProgressOn(a.stderr)
	defer clear()
	options := impl.ScheduleOptions{Shape: impl.Shape(o.shape), Slack: o.slack.value, Progress: progress}
	for _, w := range p.Weights {
		x, _ := w.Float64()
		options.Weights = append(options.Weights, x)
	}
	if !o.slack.isGiven {
		options.Slack = 0
	}
	start := time.Now()
	s, err := a.design(ctx, p.Pipeline, delta, options)
	if err == nil {
		return &plan{Schedule: s, shape: options.Shape, delta: delta, elapsed: time.Since(start), problem: p}, nil
	}
	return nil, failed(ctx, p, err, o.timeout)
}

// judgePlan sets the verdict. While the interval does not tell, a narrower one is sought.
func (a app) judgePlan(ctx context.Context, s *plan, o scheduleOptions) {
	s.gate = o.gate
	s.verdict = o.gate.decide(s.Result.OptDel, s.Result.OptDel.RelWidth(), s.Result.Method == impl.Bracket, func(width float64) (interval.Interval, error) {
		r, err := a.optDel(ctx, s.Pipeline, impl.Options{RelWidth: width})
		if err == nil && r.OptDel.RelWidth() < s.Result.OptDel.RelWidth() {
			s.Result = r
		}
		return s.Result.OptDel, err
	})
}

// prove writes the certificate: OptDel of the charges is at most δ.
func (s *plan) prove(ctx context.Context, o scheduleOptions) error {
	l := o.gate.limits(s.verdict)
	if l.AtMost == nil || l.AtMost.Cmp(s.delta) > 0 {
		l.AtMost = s.delta
	}
	claims, err := claimsOf(ctx, s.Result, l)
	if err != nil {
		return err
	}
	return writeProof(o.certificate, claims...)
}

// writePlan prints the schedule, and writes the files that were asked for.
func (a app) writePlan(p *input.Problem, s *plan, name string, o scheduleOptions) error {
	err := a.write("", o.json, func() any { return s.toJSON(p) }, func(w io.Writer) {
		if o.ledger.isWanted() {
			if s.verdict == refuted || s.verdict == undecided {
				return
			}
			o.ledger.write(w, name, s.Pipeline.Stops, report.Typed(s.delta), "charges of checkrr schedule, shape "+string(s.shape), p.Neighbours)
			return
		}
		writePlanTable(w, s, o.allStops)
	})
	if o.output != "" {
		err = errors.Join(err, report.WriteText(o.output, problemYAML(p, s, folderOf(o.output))))
	}
	if o.plot != "" {
		err = errors.Join(err, plotPlan(s, o.plot))
	}
	return err
}
