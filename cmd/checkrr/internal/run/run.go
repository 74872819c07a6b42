package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
	"checkrr/impl/certificate"
)

// SolverFlags are the flags that optdel, compose, schedule and noise share. What one of them does not have stays empty.
type SolverFlags struct {
	PipelineFlags
	Gate
	Ledger      ledgerLine
	Timeout     time.Duration
	JSON        bool
	AllStops    bool
	Plot        Plot
	Output      string
	Certificate string
	At          string
}

// check refuses values of these flags, and flags that exclude each other.
func (o *SolverFlags) check(in *input.Inputs, args []string) error {
	if o.JSON && o.AllStops {
		return errors.New("--all-stops is for the table: --json always has every stop")
	}
	return cmp.Or(CheckTimeout(o.Timeout), o.Plot.Check(), o.Ledger.check(o.JSON),
		CheckTargets(in, args, "the problem file", To("--output", o.Output), To("--plot", o.Plot.File),
			To("--certificate", o.Certificate)))
}

// answer is what one of these commands finds for a problem.
type answer interface {
	find(ctx context.Context) error                           // and judge it
	print(ctx context.Context) error                          // and draw it
	claims(ctx context.Context) ([]*certificate.Claim, error) // what its certificate states
	conclude() error                                          // whether it is what was asked for
}

// solved is what answers have in common.
type solved struct {
	app       App
	o         SolverFlags
	limitsEps bool   // whether ε must be at most something
	name      string // of the pipeline
	problem   *input.Problem
	progress  func(float64)
	elapsed   time.Duration
	verdict   Verdict
	isLeak    bool // the verdict is not from an interval: see settle
	at        int  // the index of the stop that --at names, or of the last one
}

// solve reads a problem, and lets an answer, which has all that in common, be found, printed and proved.
func (s *solved) solve(whole context.Context, args []string, wanted input.Demand, found answer) (err error) {
	ctx, stop := Limited(whole, s.o.Timeout)
	defer stop()
	s.name = nameOf(args)
	if s.problem, err = s.o.problem(ctx, s.o.Timeout, args, s.app.Inputs, wanted); err != nil {
		return err
	}
	if s.at, err = stopOrLast(s.o.At, s.problem); err != nil {
		return err
	}
	if err := s.o.Ledger.find(s.problem); err != nil {
		return err
	}
	if s.problem.HasUnusedCharges && (s.o.Plot.File != "" || s.o.Ledger.isWanted()) {
		fmt.Fprintln(s.app.Stderr, "checkrr: warning: charges that are given are not used; checkrr optdel draws or "+
			"logs them (--plot, --ledger)")
	}
	var clear func()
	s.progress, clear = report.ProgressOn(s.app.Stderr)
	start := time.Now()
	err = found.find(ctx)
	s.elapsed = time.Since(start)
	clear()
	if err != nil {
		small, isAboutDelta := errors.AsType[*impl.DeltaError](err)
		err = failed(ctx, s.problem, err, s.o.Timeout)
		if s.limitsEps && isAboutDelta && small.IsTooSmall {
			err = fmt.Errorf("%w: the smallest ε is infinite: %w", ErrRefuted, err)
		}
		return err
	}
	if err := found.print(ctx); err != nil {
		return err
	}
	prove := func(ctx context.Context) error {
		claims, err := found.claims(ctx)
		if err != nil {
			return err
		}
		return report.Wrote(s.app.Stderr, writeProof(s.o.Certificate, claims...), s.o.Certificate)
	}
	if err := proving(whole, ctx, s.o.Timeout, s.o.Certificate, prove); err != nil {
		return err
	}
	return found.conclude()
}

// conclude is the error that goes with the verdict on what is called answer or, without a gate, with a shortfall.
func (s *solved) conclude(called, shortfall string) error {
	switch {
	case s.verdict != "":
		return s.o.Gate.conclude(s.verdict, called)
	case shortfall != "":
		return fmt.Errorf("%w: %s", ErrInconclusive, shortfall)
	}
	return nil
}

// writePipeline says how large a pipeline is.
func writePipeline(w io.Writer, stops []impl.Stop) {
	last := stops[len(stops)-1].After
	fmt.Fprintf(w, "Pipeline  %s, %s\n", report.Plural(last, "mechanism"), report.Plural(len(stops), "stop"))
}

// maxRows is how many stops a table shows unless asked for all.
const maxRows = 40

// writeStops prints a row of numbers a stop, but for those in between if there are many.
func (s *solved) writeStops(w io.Writer, stops int, header []any, row func(i int) []any) {
	rows := report.Evenly(stops, maxRows)
	if s.o.AllStops {
		rows = report.Evenly(stops, stops)
	}
	t := report.NewTable(header...).Right(1, 2, 3, 4, 5)
	for _, i := range rows {
		t.Row(row(i)...)
	}
	t.Write(w)
	report.LeftOut(w, len(rows), stops, "stop", "--all-stops or --json shows")
}
