package main

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

// solverFlags are the flags that optdel, compose, schedule and noise share. What one of them does not have stays empty.
type solverFlags struct {
	pipelineFlags
	gate
	ledger      ledgerLine
	timeout     time.Duration
	json        bool
	allStops    bool
	plot        string
	output      string
	certificate string
}

// check refuses values of these flags, and flags that exclude each other.
func (o *solverFlags) check(in *input.Inputs, args []string) error {
	if o.json && o.allStops {
		return errors.New("--all-stops is for the table: --json always has every stop")
	}
	return cmp.Or(checkTimeout(o.timeout), checkPlot(o.plot), o.ledger.read(o.json),
		checkFiles(in, args, target{"--output", o.output}, target{"--plot", o.plot}, target{"--certificate", o.certificate}))
}

// answer is what one of these commands finds for a problem.
type answer interface {
	took(time.Duration)
	print(ctx context.Context, a app) error
	claims(ctx context.Context, a app) ([]*certificate.Claim, error) // what its certificate states
	conclude() error                                                 // whether it is what was asked for
}

// solved is what answers have in common.
type solved struct {
	o       solverFlags
	name    string // of the pipeline
	problem *input.Problem
	elapsed time.Duration
	verdict verdict
}

func (s *solved) took(elapsed time.Duration) { s.elapsed = elapsed }

// solve reads a problem, lets find answer what is asked of it, judge that, and prints and proves the answer.
func (a app) solve(whole context.Context, o solverFlags, args []string, wanted input.Demand,
	find func(ctx context.Context, s solved, progress func(float64)) (answer, error)) error {
	ctx, stop := limited(whole, o.timeout)
	defer stop()
	p, err := o.problem(ctx, o.timeout, args, a.inputs, wanted)
	if err != nil {
		return err
	}
	if err := o.ledger.check(p.Stops); err != nil {
		return err
	}
	progress, clear := report.ProgressOn(a.stderr)
	start := time.Now()
	s, err := find(ctx, solved{o: o, name: nameOf(args), problem: p}, progress)
	clear()
	if err != nil {
		return failed(ctx, p, err, o.timeout)
	}
	s.took(time.Since(start))
	if err := s.print(ctx, a); err != nil {
		return err
	}
	prove := func(ctx context.Context) error {
		claims, err := s.claims(ctx, a)
		if err != nil {
			return err
		}
		return writeProof(o.certificate, claims...)
	}
	if err := proving(whole, ctx, o.timeout, o.certificate, prove); err != nil {
		return err
	}
	return s.conclude()
}

// conclude is the error that goes with the verdict on what is called answer or, without a gate, with a shortfall.
func (s *solved) conclude(called, shortfall string) error {
	switch {
	case s.verdict != "":
		return s.o.gate.conclude(s.verdict, called)
	case shortfall != "":
		return fmt.Errorf("%w: %s", errInconclusive, shortfall)
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
	if s.o.allStops {
		rows = report.Evenly(stops, stops)
	}
	t := report.NewTable(header...).Right(1, 2, 3, 4, 5)
	for _, i := range rows {
		t.Row(row(i)...)
	}
	t.Write(w)
	if left := stops - len(rows); left > 0 {
		fmt.Fprintf(w, "\n%s left out: --all-stops or --json shows all.\n", report.SomeOf(left, stops, "stop"))
	}
}
