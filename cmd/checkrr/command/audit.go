package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/cmd/checkrr/internal/run"
	"checkrr/verify/audit"
)

// auditOptions are the flags of the command.
type auditOptions struct {
	builtinFlags
	list    bool
	all     bool
	method  string
	samples string
	timeout time.Duration
	alpha   run.Number
	memory  string
	seed    uint64
	bits    bool
	full    bool
	seeEps  run.Number
	noRun   bool
	json    bool
	plot    run.Plot

	allowOutside bool
}

// moreThan0 is the rule of --see-eps.
func moreThan0(x *big.Rat) string { return map[bool]string{true: "more than 0"}[x.Sign() <= 0] }

func (a app) auditCommand() *cobra.Command {
	var o auditOptions
	cmd := &cobra.Command{
		Use:               "audit (FILE | - | --builtin NAME | --all | --list)",
		Args:              atMostOneFile,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.audit(cmd, o, args) },
		ValidArgsFunction: problemFiles,
	}
	f := cmd.Flags()
	o.addTo(f)
	f.BoolVar(&o.list, "list", false, "list the built-in mechanisms, right and wrong ones")
	f.BoolVar(&o.all, "all", false, "audit all built-in mechanisms, by their laws and by samples")
	f.StringVar(&o.method, "method", "auto", "`M` is exact, sampled, or auto: exact first")
	f.StringVar(&o.samples, "samples", "1e6", "draw at most `N` outputs for each input of a pair")
	f.DurationVar(&o.timeout, "timeout", time.Minute,
		"draw, learn and work out what is reported for about this `TIME` in all, such as 30s, or 0 for no limit")
	o.alpha.AddTo(f, "alpha", "1e-3", "refute a true claim with probability at most `P`", input.Alpha)
	f.StringVar(&o.memory, "memory", "1 GiB",
		"take about `SIZE` at most: of more outputs a fair choice is kept to learn from")
	seed(&o.seed).addTo(f, "seed", 1, "`S` of all draws")
	f.BoolVar(&o.bits, "bits", false, "take numbers as float64 with all their bits, not as reals")
	o.seeEps.AddTo(f, "see-eps", "",
		"exit with 3, not 0, if ε as large as `E` would not have been found with probability 0.9", moreThan0)
	f.BoolVar(&o.full, "full", false, "use all samples for better bounds, even if the claim is refuted earlier")
	run.AddOutsideTo(f, &o.allowOutside)
	f.BoolVar(&o.noRun, "no-run", false, "check FILE and show what would be run, but run nothing")
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	o.plot.AddTo(cmd, "draw δ over ε, claimed and excluded, part by part,")
	run.CompleteWith(cmd, "builtin", builtinNames())
	return cmd
}

// audited is what came of it.
type audited struct {
	*subject
	auditOptions
	exact   *audit.Examination // nil if there was none
	sampled *audit.Report      // nil if there was none
	limits  audit.Options
	stopped string // why fewer outputs were drawn than the limit, if the claim is not refuted
	elapsed time.Duration

	isInterrupted bool // before all was drawn, by the user
}

func (a app) audit(cmd *cobra.Command, o auditOptions, args []string) error {
	if err := o.check(cmd.Flags(), a.Inputs, args); err != nil {
		return err
	}
	if o.list {
		return a.listMechanisms(o.json)
	}
	limits, err := o.limits()
	if err != nil {
		return err
	}
	if o.all {
		return a.auditAll(cmd.Context(), o, limits)
	}
	if o.noRun {
		return a.showFile(cmd.Context(), cmd.Flags(), o, args[0], limits)
	}
	var s *subject
	if len(args) == 1 {
		s, err = a.subjectOf(cmd.Context(), cmd.Flags(), &o, args[0], &limits)
	} else {
		if s, err = o.subject(); err == nil {
			err = o.checkSeen(s.claim)
		}
	}
	if err != nil {
		return err
	}
	defer s.close()
	ctx, stop := run.Limited(cmd.Context(), o.timeout)
	defer stop()
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(limits.Memory / 8 * 7)) // what is not yet collected counts, too
	context.AfterFunc(ctx, s.kill)                                          // nothing is asked any more
	r, err := a.examine(ctx, s, o, limits)
	if err == nil {
		err = s.close()
	}
	if err != nil {
		return err
	}
	if err := a.Write("", o.json, r.toJSON, r.write); err != nil {
		return err
	}
	if o.plot.File != "" {
		if err := plotAudit(r, o.plot, a.Stderr); err != nil {
			return err
		}
	}
	return r.verdictError()
}

// check refuses values of flags, and flags that do not go together.
func (o auditOptions) check(flags *pflag.FlagSet, in *input.Inputs, args []string) error {
	subjects := len(args)
	for _, given := range []bool{flags.Changed("builtin"), o.all, o.list} {
		if given {
			subjects++
		}
	}
	var wrong error
	switch {
	case subjects == 0:
		wrong = errors.New("nothing to audit: give a FILE, --builtin NAME, --all or --list")
	case subjects != 1:
		wrong = fmt.Errorf("%d of FILE, --builtin, --all and --list are given, must be one", subjects)
	case flags.Changed("see-eps") && (o.all || o.list):
		wrong = errors.New("--see-eps is given, must be used with one audit")
	case o.noRun && len(args) == 0:
		wrong = errors.New("--no-run is given, must be used with a FILE: nothing else names a program")
	case o.method != "auto" && o.method != "exact" && o.method != "sampled":
		wrong = fmt.Errorf("--method is %s, must be auto, exact or sampled", report.Quote(o.method))
	}
	return cmp.Or(wrong, o.checkGiven(flags), run.CheckTimeout(o.timeout), o.plot.Check(),
		run.CheckTargets(in, args, "the audit file", run.To("--plot", o.plot.File)))
}

// builtinParameters are the flags that only built-in mechanisms have.
var builtinParameters = []string{"claim", "eps", "delta", "c", "queries", "noise"}

// checkGiven refuses flags that would be ignored, and values that stand for none.
func (o auditOptions) checkGiven(flags *pflag.FlagSet) (wrong error) {
	flags.Visit(func(f *pflag.Flag) {
		parameter := slices.Contains(builtinParameters, f.Name)
		_, isWhole := f.Value.(value[int])
		switch {
		case wrong != nil:
		case o.list && f.Name != "list" && f.Name != "json":
			wrong = fmt.Errorf("--%s is given, must not be with --list", f.Name)
		case o.all && f.Name == "plot":
			wrong = errors.New("--plot is given, must be with one audit only")
		case o.all && f.Name == "method":
			wrong = errors.New("--method is given, must not be with --all, which audits by laws and by samples")
		case parameter && !flags.Changed("builtin"):
			wrong = fmt.Errorf("--%s is given, must be used with --builtin only", f.Name)
		case parameter && isWhole && f.Value.String() == "0":
			wrong = fmt.Errorf("--%s is 0, must be at least 1", f.Name)
		}
	})
	return wrong
}

// limits returns the limits that the flags set.
func (o *auditOptions) limits() (limits audit.Options, err error) {
	limits = audit.Options{Seed: o.seed, Bits: o.bits, Full: o.full, Alpha: below(o.alpha.Value)}
	if limits.Samples, err = input.ParseWhole(o.samples, 1, input.MaxSamples); err != nil {
		return limits, fmt.Errorf("--samples %w", err)
	}
	if limits.Memory, err = input.ParseMemory(o.memory); err != nil {
		return limits, fmt.Errorf("--memory %w", err)
	}
	return limits, nil
}

// below returns a float64 that is at most r, and the closest to it but one at worst.
func below(r *big.Rat) float64 {
	x, _ := new(big.Float).SetMode(big.ToNegativeInf).SetPrec(53).SetRat(r).Float64()
	return x
}

// examine audits by laws and by samples, whichever are asked for and needed.
func (a app) examine(ctx context.Context, s *subject, o auditOptions, limits audit.Options) (*audited, error) {
	limits.Bits = limits.Bits || s.bits
	r := &audited{subject: s, auditOptions: o, limits: limits}
	start := time.Now()
	defer func() { r.elapsed = time.Since(start) }()
	if o.method == "exact" && s.laws == nil {
		return nil, fmt.Errorf("--method is exact, must be sampled for %s: the law of its outputs is not known",
			report.Name(s.name))
	}
	if s.laws != nil && o.method != "sampled" {
		laws, err := s.laws(ctx)
		if err == nil {
			r.exact, err = audit.Examine(laws, s.claim)
		}
		if err != nil {
			return nil, run.EndedBy(ctx, err, o.timeout)
		}
		if r.certain() || o.method == "exact" || s.onlyLaws {
			return r, nil
		}
	}
	progress, clear := report.ProgressOn(a.Stderr)
	defer clear()
	limits.Progress = progress
	var err error
	if s.search != nil {
		r.sampled, err = s.search.Run(ctx, s.claim, limits)
	} else {
		r.sampled, err = audit.Run(ctx, s.claim, s.pairs, limits)
	}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		r.stopped = fmt.Sprintf(" (stopped after %v)", o.timeout)
	case ctx.Err() != nil:
		r.stopped, r.isInterrupted = " (interrupted)", true
	}
	return r, err
}

// certain reports whether laws have decided about all inputs that would be sampled.
func (r *audited) certain() bool {
	return r.exact != nil && (r.exact.Refuted || r.exact.Covers(r.pairs))
}

// verdict is that of the samples, unless there is a certain one.
func (r *audited) verdict() audit.Verdict {
	switch {
	case r.exact != nil && r.exact.Refuted:
		return audit.Refuted
	case r.sampled != nil:
		return r.sampled.Verdict
	}
	return audit.NoViolation
}

// verdictError returns the error that has the exit code of the verdict.
func (r *audited) verdictError() error {
	switch verdict := r.verdict(); {
	case verdict == audit.Refuted:
		return fmt.Errorf("%w: the claim about %s: %s", run.ErrRefuted, report.Name(r.name), r.refutation())
	case r.isInterrupted:
		return fmt.Errorf("%w: interrupted after %s for each input, of at most %d", run.ErrInconclusive,
			report.Plural(r.sampled.Samples, "output"), r.limits.Samples)
	case verdict == audit.TooSmall:
		if r.sampled.Samples == 0 {
			return fmt.Errorf("%w: nothing was drawn%s", run.ErrInconclusive, r.stopped)
		}
		return fmt.Errorf("%w: with %s for each input, not even the release of the input would have been seen",
			run.ErrInconclusive, report.Plural(r.sampled.Samples, "output"))
	case verdict == audit.Shapeless:
		return fmt.Errorf("%w: most outputs never repeat, have no numbers, and are alike in the words that others have",
			run.ErrInconclusive)
	}
	return r.blindness()
}

// refutation says what is refuted, and by which event, in one line.
func (r *audited) refutation() string {
	is := "it is not " + strings.TrimSuffix(r.claimed(), " below")
	event := func(all []string) string { return "the event “" + report.Clip(strings.Join(all, "; "), 120) + "”" }
	if e := r.exact; e != nil && e.Refuted {
		law, f := e.Laws[e.Worst], e.Findings[e.Worst]
		return fmt.Sprintf("%s: %s has probability %s on one input, and %s on the other; δ must be %s, and %s is claimed",
			is, event(cellNames(law, f.Event)), probability(law, f.Event, f.Direction),
			probability(law, f.Event, 1-f.Direction), smallest(f, r.delta), report.Clip(r.delta, 24))
	}
	w := r.sampled.Witness
	return fmt.Sprintf("%s, by the inputs “%s” and “%s”, and %s: %d of %d outputs against %d of %d", is,
		report.Clip(w.Inputs[0], 60), report.Clip(w.Inputs[1], 60), event(w.Event), w.Hits[0], w.Size, w.Hits[1], w.Size)
}

// blindness returns an error if a part may have an ε that is to be seen, and would not have been.
func (r *audited) blindness() error {
	if r.seeEps.Value == nil || r.sampled == nil || r.sampled.Seen == nil {
		return nil
	}
	advice := "draw more with --samples"
	if r.sampled.Cut || r.stopped != "" { // more samples would not have been drawn, or not been made use of
		advice = "time was up before more was known, allow more with --timeout"
	}
	for i, from := range r.sampled.Seen.Eps {
		part := ""
		if name := r.claim.Parts[i].Name; name != "" {
			part = " of part " + report.Quote(name)
		}
		switch must, _ := r.seeEps.Value.Float64(); {
		case math.IsInf(from, 1):
			return fmt.Errorf("%w: it is not known which ε%s would have been seen (the outputs on the inputs "+
				"given may hardly differ): %s", run.ErrInconclusive, part, advice)
		case from > must:
			return fmt.Errorf("%w: an ε%s of %s would not have been seen, but one from %s on: %s", run.ErrInconclusive,
				part, r.seeEps.Text, ceil(from, 4), advice)
		}
	}
	return nil
}
