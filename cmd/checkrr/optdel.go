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
	"checkrr/impl/certificate"
	"checkrr/impl/interval"
)

// enumeration is the method that goes through every sequence of outputs.
const enumeration impl.Method = "exhaustive"

var methods = []string{string(impl.Auto), string(enumeration), string(impl.Lattice), string(impl.Bracket)}

// optdelOptions are the flags of the command.
type optdelOptions struct {
	pipelineFlags
	method   string
	relWidth typedWidth
	exact    bool
	theorem  string
	timeout  time.Duration
	json     bool
	allStops bool
	plot     string
	output   string
	ledger   ledgerLine

	certificate string
	gate
}

// solution is what a solver found, and at what cost.
type solution struct {
	*impl.Result
	exact        *big.Rat // OptDel itself; nil unless asked for
	lemma11Exact *big.Rat
	with         *lemma11With // nil unless asked for
	requested    float64      // width
	elapsed      time.Duration
	gate         gate
	verdict      verdict
}

// ownSample is said wherever sampling is shown.
const ownSample = `Each entry, as often as it counts, draws a Poisson sample of its own; k Gaussian releases of the same
sample with noise σ are one mechanism with noise σ/√k.`

const optdelLong = `Compute OptDel: the smallest valid δ of a pipeline of (ε, δ)-differentially
private mechanisms that may stop early, and that is charged a loss E for the
point at which it stops.

The pipeline comes from FILE (YAML or JSON; - is standard input):

  mechanisms:                                # in the order of invocation
    - {eps: 0.1, delta: 1e-6, count: 100}    # delta defaults to 0, count to 1
    - {exp_eps: 3/2, delta: 1/100}           # e^eps instead of eps
    - {law: [[0.7, 0.4], [0.3, 0.6]]}        # or [P, Q] of each of its outputs on neighbours
    - {gaussian: {noise: 1, sampling: 0.01}} # or noise: σ over what a record adds, Poisson sampling
    - {laplace: {scale: 20}}                 # b over that; discrete_gaussian, too
    - {losses: pld.csv}                      # or lines "ln P/Q,mass under P", "inf,mass"
  neighbours: add-or-remove                  # default; replace: half of the noise counts
  stops:                                     # the last stop is the end
    - {after: 50, eps: 2.5}                  # after 50 mechanisms, charge 2.5
    - {every: 25, from: 75, eps: 4}          # after 75, 100, and at the end, 104

or from the flags --mech and --stop, with the same keys (noise as --mech gaussian,noise=1,sampling=0.01,count=2000). Numbers are decimals
or ratios, and are taken exactly as typed. A block, {repeat: 20, mechanisms: [...]}, is these mechanisms in turn, so many times.

The result is an interval that contains OptDel, next to the δ that Lemma 11
gives (the sum over all stops), and the worst stopping rule: stop as soon as
the privacy loss ln(P₀/P₁) reaches the threshold of the stop. There, "never" says
that stopping does not pay; at the last stop, "ends here", that all that is left ends.
With laws, P₀ has the P, or the Q if neighbours in that order need a larger δ; with noise, P is with the record.

Noise is in units of what one record adds to the sum at most (in DP-SGD the clipping norm). Neighbours have one
record more or less; with neighbours: replace, another one, and the sum may change by twice that: for
gaussian and laplace without sampling. ` + ownSample + `
eps, law and losses are for whatever neighbours you mean. Masses of losses
that sum to less than 1 count as lost; their file is in FILE's folder, or below it.

With noise or losses --method is auto or bracket; lattice takes eps and laws, and exhaustive few of them.

With --lemma11-with the δ of Lemma 11 is also computed with another composition theorem
than the optimal one: basic (sums), advanced (Kairouz, Oh and Viswanath), zcdp or rdp
(Rényi divergences). It is never smaller.

With --at-most the answer is a verdict: whether OptDel is at most a number. With
--certificate a file is written from which the answer can be checked again, by
checkrr certify or another program. With --ledger after=50 the line is printed that
checkrr account reads of a run that stopped there: its delta is the number of --at-most,
or without that the upper end of OptDel. If OptDel is not at most that number, there is no line.

Exit codes: 0 computed, 2 usage or input error, 3 less precise than asked for,
or no result. With --at-most: 0 it is, 1 it is not, 3 undecided.`

const optdelExample = `  checkrr optdel examples/dpsgd.yaml
  checkrr optdel --json - < problem.yaml
  checkrr optdel --mech eps=0.1,delta=1e-6,count=100 --stop after=50,eps=2.5 --stop after=100,eps=4
  checkrr optdel --exact examples/tiny.yaml
  checkrr optdel examples/steps.yaml --lemma11-with zcdp
  checkrr optdel examples/steps.yaml --at-most 1e-5
  checkrr optdel examples/steps.yaml --certificate proof.json && checkrr certify proof.json
  checkrr optdel examples/steps.yaml --at-most 1e-3 --ledger after=150 >> ledger.jsonl
  checkrr optdel examples/steps.yaml --plot rule.svg`

func (a app) optdelCommand() *cobra.Command {
	var o optdelOptions
	cmd := &cobra.Command{
		Use:               "optdel [FILE | -]",
		Short:             "Compute the smallest valid δ of a pipeline that may stop early",
		Long:              optdelLong,
		Example:           optdelExample,
		Args:              atMostOneFile,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.optdel(cmd.Context(), o, args) },
		ValidArgsFunction: problemFiles,
	}
	f := cmd.Flags()
	f.SortFlags = false
	o.pipelineFlags.addTo(f, "optdel", "after=50,eps=2.5", "after=100,eps=4")
	f.StringVar(&o.method, "method", methods[0], "`METHOD`: "+strings.Join(methods, ", "))
	o.relWidth = typedWidth{value: impl.DefaultRelWidth, text: "1e-09"}
	f.Var(&o.relWidth, "rel-width", "largest width `W` of the interval, relative to its upper end; with noise or losses 1e-4, or what is printed, if none is given")
	f.BoolVar(&o.exact, "exact", false, "also print the exact ratios (every eps given as exp_eps, small problems)")
	f.StringVar(&o.theorem, "lemma11-with", "", "also print Lemma 11 with another composition `THEOREM`: "+strings.Join(theorems(), ", "))
	report.Must(cmd.RegisterFlagCompletionFunc("lemma11-with", cobra.FixedCompletions(theorems(), cobra.ShellCompDirectiveNoFileComp)))
	o.gate.addTo(f, "OptDel")
	addRunTo(f, &o.timeout, &o.json)
	f.BoolVar(&o.allStops, "all-stops", false, "print every stop, however many there are")
	addPlotTo(cmd, &o.plot, "draw the worst stopping rule")
	f.StringVarP(&o.output, "output", "o", "", "write the result to `FILE` instead of standard output")
	o.ledger.addTo(f)
	addProofTo(cmd, &o.certificate)
	report.Must(cmd.RegisterFlagCompletionFunc("method", cobra.FixedCompletions(methods, cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

func (a app) optdel(ctx context.Context, o optdelOptions, args []string) error {
	if err := cmp.Or(o.check(), o.gate.readDelta(), o.ledger.read(o.json)); err != nil {
		return err
	}
	err := checkFiles(a.inputs, args, target{"--output", o.output}, target{"--plot", o.plot},
		target{"--certificate", o.certificate})
	if err != nil {
		return err
	}
	whole := ctx
	ctx, stop := limited(ctx, o.timeout)
	defer stop()
	p, err := o.problem(ctx, o.timeout, args, a.inputs, input.ChargedStops)
	if err != nil {
		return err
	}
	if err := o.ledger.check(p.Stops); err != nil {
		return err
	}
	if o.exact {
		if broken, ok := errors.AsType[*impl.InputError](p.ValidateExact()); ok {
			return p.Broken(broken)
		}
	}
	with, err := withTheorem(ctx, p, o.theorem)
	if err != nil {
		return endedBy(ctx, err, o.timeout)
	}
	s, err := a.solve(ctx, p, o)
	if err != nil {
		return err
	}
	s.with = with
	a.judge(ctx, p, s, o)
	if err := a.writeSolution(p, s, nameOf(args), o); err != nil {
		return err
	}
	if o.plot != "" {
		if err := plotRule(p, s, o.plot); err != nil {
			return err
		}
	}
	if err := proving(whole, ctx, o.timeout, o.certificate, func(ctx context.Context) error { return a.prove(ctx, s, o.certificate) }); err != nil {
		return err
	}
	if s.verdict != "" {
		err := o.gate.conclude(s.verdict, "OptDel")
		if s.verdict == undecided && s.exact == nil {
			err = fmt.Errorf("%w; for small problems with every eps given as exp_eps, --exact tells", err)
		}
		return err
	}
	if s.Shortfall != "" {
		return fmt.Errorf("%w: the intervals hold, but are wider than asked for: %s", errInconclusive, s.Shortfall)
	}
	return nil
}

// writeSolution writes the result, or the line of a ledger if that is asked for: not if OptDel is not at most what it has to be.
func (a app) writeSolution(p *input.Problem, s *solution, name string, o optdelOptions) error {
	if !o.ledger.isWanted() {
		return a.write(o.output, o.json, func() any { return s.toJSON(p) }, func(w io.Writer) { writeTable(w, p, s, o.allStops) })
	}
	_, delta := report.Agreement(s.OptDel)
	note := "delta of checkrr optdel"
	switch s.verdict {
	case holds:
		delta, note = report.Typed(o.gate.most), "delta of --at-most, no less than that of checkrr optdel"
	case refuted, undecided:
		return nil
	}
	return a.write(o.output, false, nil, func(w io.Writer) { o.ledger.write(w, name, p.Stops, delta, note, p.Neighbours) })
}

// prove writes the certificate. A limit that only the exact value keeps is not in it.
func (a app) prove(ctx context.Context, s *solution, name string) error {
	claims, err := claimsOf(ctx, s.Result, s.gate.limits(s.verdict))
	if _, isTooWide := errors.AsType[*certificate.Failure](err); isTooWide && s.exact != nil {
		fmt.Fprintf(a.stderr, "checkrr: %s states the interval alone: only --exact tells on which side of %s OptDel is\n", report.Quote(name), s.gate.typed)
		claims, err = claimsOf(ctx, s.Result, certificate.Limits{})
	}
	if err != nil {
		return err
	}
	return writeProof(name, claims...)
}

// check refuses values of flags, and flags that exclude each other.
func (o optdelOptions) check() error {
	switch {
	case !slices.Contains(methods, o.method):
		return fmt.Errorf("--method is %s, must be one of %s", report.Quote(o.method), strings.Join(methods, ", "))
	case o.theorem != "" && !slices.Contains(theorems(), o.theorem):
		return fmt.Errorf("--lemma11-with is %s, must be one of %s", report.Quote(o.theorem), strings.Join(theorems(), ", "))
	case o.json && o.allStops:
		return errors.New("--all-stops is for the table: --json always has every stop")
	case o.certificate != "" && impl.Method(o.method) == enumeration:
		return errors.New("--certificate is for the other methods: exhaustive proves by trying everything")
	}
	return cmp.Or(o.relWidth.check("--rel-width"), checkTimeout(o.timeout), checkPlot(o.plot))
}

// solve runs the solver that o asks for.
func (a app) solve(ctx context.Context, p *input.Problem, o optdelOptions) (*solution, error) {
	start := time.Now()
	s, err := a.dispatch(ctx, p, o)
	switch {
	case err == nil && !s.isConsistent():
		return nil, errors.New("internal error: the exact value is not in the interval, please report this problem")
	case err == nil:
		s.requested = cmp.Or(s.RelWidth, o.relWidth.value)
		s.elapsed = time.Since(start)
		return s, nil
	}
	return nil, failed(ctx, p, err, o.timeout)
}

// judge sets the verdict. While the interval does not tell, a narrower one is sought.
func (a app) judge(ctx context.Context, p *input.Problem, s *solution, o optdelOptions) {
	start := time.Now()
	s.gate = o.gate
	if s.exact != nil {
		s.verdict = o.gate.judge(s.exact, s.exact)
		return
	}
	s.verdict = o.gate.decide(s.OptDel, s.requested, s.Method == impl.Bracket, func(width float64) (interval.Interval, error) {
		o.relWidth = typedWidth{value: width, isGiven: true}
		finer, err := a.dispatch(ctx, p, o)
		if err == nil && finer.relWidth().Cmp(s.relWidth()) < 0 {
			if s.Result = finer.Result; s.relWidth().Cmp(big.NewFloat(s.requested)) <= 0 { // it fell short of width only
				s.Shortfall = ""
			}
		}
		return s.OptDel, err
	})
	s.elapsed += time.Since(start)
}

func (a app) dispatch(ctx context.Context, p *input.Problem, o optdelOptions) (*solution, error) {
	progress, clear := report.ProgressOn(a.stderr)
	defer clear()
	options := impl.Options{Method: impl.Method(o.method), RelWidth: o.relWidth.value, Progress: progress}
	if options.Method == enumeration {
		s, err := a.enumerate(ctx, p.Pipeline, options, o.exact)
		if err == nil {
			s.RelWidth = options.RelWidth
		}
		return s, err
	}
	if !o.relWidth.isGiven {
		options.RelWidth = 0
	}
	var s solution
	var err error
	if o.exact {
		if s.exact, s.lemma11Exact, err = a.exactly(ctx, p.Pipeline); err != nil {
			return nil, fmt.Errorf("--exact: %w", err)
		}
	}
	s.Result, err = a.optDel(ctx, p.Pipeline, options)
	return &s, err
}

// isConsistent reports whether the exact values, if there are any, lie in the
// intervals.
func (s *solution) isConsistent() bool {
	return isIn(s.exact, s.OptDel) && isIn(s.lemma11Exact, s.Lemma11)
}

func isIn(r *big.Rat, i interval.Interval) bool {
	if r == nil {
		return true
	}
	lower, upper := i.Rats()
	return lower.Cmp(r) <= 0 && r.Cmp(upper) <= 0
}

// relWidth returns the relative width of OptDel, rounded up, or that of Lemma 11 if this is larger beside what it may be. It may
// be below every float64.
func (s *solution) relWidth() *big.Float {
	x, y := widthOf(s.OptDel), widthOf(s.Lemma11)
	y.Quo(y, big.NewFloat(max(1, s.Looser)))
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
