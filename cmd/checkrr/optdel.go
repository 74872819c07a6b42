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

// enumeration is the method that goes through every sequence of outputs.
const enumeration impl.Method = "exhaustive"

var methods = []string{string(impl.Auto), string(enumeration), string(impl.Lattice), string(impl.Bracket)}

// optdelOptions are the flags of the command.
type optdelOptions struct {
	solverFlags
	method   string
	relWidth typedWidth
	exact    bool
	theorem  string
}

// found is what a solver finds.
type found struct {
	*impl.Result
	exact        *big.Rat // OptDel itself; nil unless asked for
	lemma11Exact *big.Rat
}

// solution is what was found, and what else was asked for.
type solution struct {
	found
	solved
	with      *lemma11With // nil unless asked for
	requested float64      // width
}

func (a app) optdelCommand() *cobra.Command {
	var o optdelOptions
	cmd := &cobra.Command{
		Use:               "optdel [FILE | -]",
		Args:              atMostOneFile,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.optdel(cmd.Context(), o, args) },
		ValidArgsFunction: problemFiles,
	}
	f := cmd.Flags()
	o.pipelineFlags.addTo(f, "optdel", "after=50,eps=2.5", "after=100,eps=4")
	addChoiceTo(cmd, &o.method, "method", methods[0], "`METHOD`: "+strings.Join(methods, ", "), methods)
	o.relWidth = typedWidth{value: impl.DefaultRelWidth, text: "1e-09"}
	f.Var(&o.relWidth, "rel-width",
		"largest width `W` of the interval, relative to its upper end; with noise or losses 1e-4, or what is printed, if "+
			"none is given")
	f.BoolVar(&o.exact, "exact", false, "also print the exact ratios (every eps given as exp_eps, small problems)")
	addChoiceTo(cmd, &o.theorem, "lemma11-with", "",
		"also print Lemma 11 with another composition `THEOREM`: "+strings.Join(theorems(), ", "), theorems())
	o.gate.addTo(f, "OptDel")
	addRunTo(f, &o.timeout, &o.json)
	f.BoolVar(&o.allStops, "all-stops", false, "print every stop, however many there are")
	addPlotTo(cmd, &o.plot, "draw the worst stopping rule")
	f.StringVarP(&o.output, "output", "o", "", "write the result to `FILE` instead of standard output")
	o.ledger.addTo(f)
	addProofTo(cmd, &o.certificate)
	return cmd
}

func (a app) optdel(ctx context.Context, o optdelOptions, args []string) error {
	if err := cmp.Or(o.check(), o.gate.readDelta(), o.solverFlags.check(a.inputs, args)); err != nil {
		return err
	}
	return a.solve(ctx, o.solverFlags, args, input.ChargedStops,
		func(ctx context.Context, c solved, progress func(float64)) (answer, error) {
			s := &solution{solved: c}
			return s, a.findOptDel(ctx, s, o, progress)
		})
}

// findOptDel finds OptDel, and judges it.
func (a app) findOptDel(ctx context.Context, s *solution, o optdelOptions, progress func(float64)) (err error) {
	if o.exact {
		if err := s.problem.ValidateExact(); err != nil {
			return err
		}
	}
	if s.with, err = withTheorem(ctx, s.problem, o.theorem); err != nil {
		return err
	}
	if s.found, err = a.dispatch(ctx, s.problem.Pipeline, o, progress); err != nil {
		return err
	}
	if !s.isConsistent() {
		return errors.New("internal error: the exact value is not in the interval, please report this problem")
	}
	s.requested = cmp.Or(s.RelWidth, o.relWidth.value)
	a.judge(ctx, s, o, progress)
	return nil
}

// print writes the result, or the line of a ledger if that is asked for: not if OptDel is not at most what it has to
// be.
func (s *solution) print(_ context.Context, a app) error {
	err := s.write(a)
	if err == nil && s.o.plot != "" {
		err = s.draw()
	}
	return err
}

func (s *solution) write(a app) error {
	if !s.o.ledger.isWanted() {
		return a.write(s.o.output, s.o.json, func() any { return s.toJSON() }, s.writeTable)
	}
	_, delta := report.Agreement(s.OptDel)
	note := "delta of checkrr optdel"
	switch s.verdict {
	case holds:
		delta, note = report.Typed(s.o.most), "delta of --at-most, no less than that of checkrr optdel"
	case refuted, undecided:
		return nil
	}
	return a.write(s.o.output, false, nil, func(w io.Writer) { s.writeLedgerLine(w, s.problem.Stops, delta, note) })
}

// claims are those of the certificate. A limit that only the exact value keeps is not in it.
func (s *solution) claims(ctx context.Context, a app) ([]*certificate.Claim, error) {
	claims, err := claimsOf(ctx, s.Result, s.o.limits(s.verdict))
	if _, isTooWide := errors.AsType[*certificate.Failure](err); isTooWide && s.exact != nil {
		fmt.Fprintf(a.stderr, "checkrr: %s states the interval alone: only --exact tells on which side of %s OptDel is\n",
			report.Quote(s.o.certificate), s.o.typed)
		return claimsOf(ctx, s.Result, certificate.Limits{})
	}
	return claims, err
}

func (s *solution) conclude() error {
	shortfall := s.Shortfall
	if shortfall != "" {
		shortfall = "the intervals hold, but are wider than asked for: " + shortfall
	}
	err := s.solved.conclude("OptDel", shortfall)
	if s.verdict == undecided && s.exact == nil {
		err = fmt.Errorf("%w; for small problems with every eps given as exp_eps, --exact tells", err)
	}
	return err
}

// check refuses values of flags, and flags that exclude each other.
func (o optdelOptions) check() error {
	if o.certificate != "" && impl.Method(o.method) == enumeration {
		return errors.New("--certificate is for the other methods: exhaustive proves by trying everything")
	}
	return o.relWidth.check("--rel-width")
}

// judge sets the verdict. While the interval does not tell, a narrower one is sought.
func (a app) judge(ctx context.Context, s *solution, o optdelOptions, progress func(float64)) {
	if s.exact != nil {
		s.verdict = o.gate.judge(s.exact, s.exact)
		return
	}
	s.verdict = o.decide(s.OptDel, s.requested, s.Method == impl.Bracket, func(width float64) (interval.Interval, error) {
		o.relWidth = typedWidth{value: width, isGiven: true}
		finer, err := a.dispatch(ctx, s.problem.Pipeline, o, progress)
		if err == nil && finer.relWidth().Cmp(s.relWidth()) < 0 {
			if s.found.Result = finer.Result; s.relWidth().Cmp(big.NewFloat(s.requested)) <= 0 { // it fell short of width only
				s.Shortfall = ""
			}
		}
		return s.OptDel, err
	})
}

// dispatch runs the solver that o asks for.
func (a app) dispatch(ctx context.Context, p impl.Pipeline, o optdelOptions, progress func(float64)) (f found,
	err error) {
	options := impl.Options{Method: impl.Method(o.method), RelWidth: o.relWidth.value, Progress: progress}
	if options.Method == enumeration {
		if f, err = a.enumerate(ctx, p, options, o.exact); err == nil {
			f.RelWidth = options.RelWidth
		}
		return f, err
	}
	if !o.relWidth.isGiven {
		options.RelWidth = 0
	}
	if o.exact {
		if f.exact, f.lemma11Exact, err = a.exactly(ctx, p); err != nil {
			return f, fmt.Errorf("--exact: %w", err)
		}
	}
	f.Result, err = a.optDel(ctx, p, options)
	return f, err
}

// isConsistent reports whether the exact values, if there are any, lie in the
// intervals.
func (f found) isConsistent() bool {
	return isIn(f.exact, f.OptDel) && isIn(f.lemma11Exact, f.Lemma11)
}

func isIn(r *big.Rat, i interval.Interval) bool {
	if r == nil {
		return true
	}
	lower, upper := i.Rats()
	return lower.Cmp(r) <= 0 && r.Cmp(upper) <= 0
}

// relWidth returns the relative width of OptDel, rounded up, or that of Lemma 11 if this is larger beside what it may
// be. It may be below every float64.
func (f found) relWidth() *big.Float {
	x, y := widthOf(f.OptDel), widthOf(f.Lemma11)
	y.Quo(y, big.NewFloat(max(1, f.Lemma11Slack)))
	if x.Cmp(y) < 0 {
		return y
	}
	return x
}

func widthOf(x interval.Interval) *big.Float {
	w := new(big.Float).SetPrec(64).SetMode(big.AwayFromZero)
	if x.Upper.Sign() == 0 {
		return w
	}
	w.Sub(x.Upper, x.Lower)
	return w.Quo(w, x.Upper)
}
