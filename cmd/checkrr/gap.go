package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/verify/gap"
)

// gapOptions are the flags of the command.
type gapOptions struct {
	eps          string
	mechanisms   int
	delta        string
	over         string
	values       []string
	timeout      time.Duration
	json         bool
	plot         string
	isTyped      func(flag string) bool
	allowOutside bool
}

const gapLong = `Measure how much Theorem 15 (OptDel) gains over Lemma 11 for pipelines of equal mechanisms, over
one of their parameters. The mechanisms are (ε, 0)-differentially private with the ε of --eps or,
with FILE (YAML or JSON; - is standard input), what a problem file has as its only entry of mechanisms:

  mechanisms: [{gaussian: {noise: 1, sampling: 0.01}, count: 2000}]  # or of another kind, as for optdel

` + ownSample + `
Its count is the default of --mechanisms. Its stops, if there are any, are not used: where stops are is
what is compared. The parameters:

  stops       how many there are; one curve for stops at even distances, one for more of
              them early, one for more of them late
  mechanisms  how many there are
  eps         of each mechanism, without a file
  delta       the δ that is asked for
  spread      of the ε: from ε·(1 − spread) to ε·(1 + spread), rising or falling, without a file

Two questions are answered for every value:

  For the same charges: every stop alone is charged such that it needs δ, so that Lemma 11 needs
  n·δ for n stops. How much does OptDel need, and how many times less is that?
  For the same δ: how much less may be charged than with Lemma 11, at the last stop and in the
  plain mean over all stops?

With noise, losses or a law no more than 100 stops are taken by default, also where there is one after
every mechanism; with noise all values take some minutes. For other numbers use --values.

All δ and ratios are certified intervals, and all charges certified to be enough. What is gained is rounded down: the ratio
to four digits, or both its ends where they differ in these, and parts to a hundredth of a percent. With noise or losses
a charge may leave a thousandth part of δ, and the last digit of a part may be one off or two.
Stops at even distances are after k·i/n of k mechanisms, early ones after k·(i/n)², late ones
after k·(1 − (1 − i/n)²), i = 1, …, n. With 10 and 100 stops they are at even distances.

--plot FILE draws both answers and writes the numbers into a CSV file of the same name; files
that are there are replaced. A δ of 1 or more, which Lemma 11 can come to, says nothing.

Exit codes: 0 computed, 2 usage or input error, 3 no result within --timeout.`

const gapExample = `  checkrr gap --eps 0.05 --mechanisms 1000 --delta 1e-6
  checkrr gap --eps 0.05 --mechanisms 1000 --delta 1e-6 --plot gap.svg
  checkrr gap --eps 0.1 --mechanisms 200 --delta 1e-8 --over delta
  checkrr gap --over stops --values 1,10,100 --json
  checkrr gap examples/dpsgd.yaml --values 1,10,100`

func (a app) gapCommand() *cobra.Command {
	var o gapOptions
	cmd := &cobra.Command{
		Use:     "gap [FILE | -]",
		Short:   "Measure how much OptDel gains over Lemma 11",
		Long:    gapLong,
		Example: gapExample,
		Args:    atMostOneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.isTyped = cmd.Flags().Changed
			return a.gap(cmd.Context(), o, args)
		},
		ValidArgsFunction: problemFiles,
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&o.eps, "eps", "0.05", "the ε `E` of every mechanism, without a file")
	addWholeTo(f, &o.mechanisms, "mechanisms", 1000, "their number `K`, instead of the count in a file")
	f.StringVar(&o.delta, "delta", "1e-6", "the δ `D` that single stops need, or that is asked for")
	f.StringVar(&o.over, "over", gap.Sweeps[0].Name, "the `PARAMETER` that is varied: "+strings.Join(sweepNames(), ", "))
	f.StringSliceVar(&o.values, "values", nil, "its values, such as `1,10,100` (default a scale that suits it)")
	addOutsideTo(f, &o.allowOutside)
	addRunTo(f, &o.timeout, &o.json)
	addPlotTo(cmd, &o.plot, "draw the answers, beside a CSV file of them,")
	report.Must(cmd.RegisterFlagCompletionFunc("over", cobra.FixedCompletions(sweepNames(), cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

func sweepNames() []string {
	var names []string
	for _, s := range gap.Sweeps {
		names = append(names, s.Name)
	}
	return names
}

// study is what was measured.
type study struct {
	base    gap.Setting
	kind    *kind // of the mechanisms; nil without a file
	sweep   gap.Sweep
	series  []gap.Series
	elapsed time.Duration
}

func (a app) gap(ctx context.Context, o gapOptions, args []string) error {
	ctx, stop := limited(ctx, o.timeout)
	defer stop()
	st, values, err := o.study(ctx, args, a.inputs)
	if err != nil {
		return err
	}
	progress, clear := report.ProgressOn(a.stderr)
	start := time.Now()
	st.series, err = st.sweep.Run(ctx, st.base, values, progress)
	clear()
	st.elapsed = time.Since(start)
	if err != nil && (st.series == nil || ctx.Err() == nil) {
		return endedBy(ctx, flagged(err, ""), o.timeout)
	}
	if err != nil {
		err = fmt.Errorf("%w: not all was measured within %v", errInconclusive, o.timeout)
	}
	return errors.Join(a.writeGap(st, o), err)
}

// writeGap writes the files that were asked for, and prints the measurements.
func (a app) writeGap(st *study, o gapOptions) error {
	err := a.write("", o.json, func() any { return st.toJSON() }, func(w io.Writer) { writeGapTable(w, st) })
	if o.plot == "" {
		return err
	}
	err = errors.Join(err, report.WriteText(besides(o.plot), gapCSV(st)), plotGap(st, o.plot))
	if err == nil {
		_, err = fmt.Fprintf(a.stderr, "written: %s and %s\n", report.Name(o.plot), report.Name(besides(o.plot)))
	}
	return err
}

// besides returns the name of the CSV file beside a picture.
func besides(plot string) string { return strings.TrimSuffix(plot, filepath.Ext(plot)) + ".csv" }

// targets are the files that are written.
func (o gapOptions) targets() []target {
	if o.plot == "" {
		return nil
	}
	return []target{{"--plot", o.plot}, {"the CSV file of --plot", besides(o.plot)}}
}

// study checks the flags, and reads the file.
func (o gapOptions) study(ctx context.Context, args []string, in *input.Inputs) (*study, []*big.Rat, error) {
	st := &study{}
	var ok bool
	if st.sweep, ok = gap.Find(o.over); !ok {
		names := sweepNames()
		if len(args) > 0 {
			names = slices.DeleteFunc(names, func(name string) bool { return name == "eps" || name == "spread" })
		}
		return nil, nil, fmt.Errorf("--over is %s, must be one of %s", report.Quote(o.over), strings.Join(names, ", "))
	}
	switch {
	case st.sweep.Name != "stops" && o.isTyped(st.sweep.Name) && st.sweep.Name != "mechanisms":
		return nil, nil, fmt.Errorf("--%s is given, but is what --over varies: use --values", st.sweep.Name)
	case o.isTyped("values") && len(o.values) == 0:
		return nil, nil, errors.New("--values is empty, must be numbers such as 1,10,100")
	}
	if err := cmp.Or(checkTimeout(o.timeout), checkPlot(o.plot), checkFiles(in, args, o.targets()...)); err != nil {
		return nil, nil, err
	}
	if err := o.setBase(ctx, st, args, in); err != nil {
		return nil, nil, err
	}
	values, err := o.valuesOf(st)
	return st, values, err
}

// setBase sets the pipeline of which one parameter is varied, and the kind of its mechanisms.
func (o gapOptions) setBase(ctx context.Context, st *study, args []string, in *input.Inputs) (err error) {
	st.base = gap.Setting{Mechanisms: o.mechanisms, Stops: 1, Positions: gap.Even, Spread: new(big.Rat), Order: gap.Rising}
	if st.base.Eps, err = input.ParseNumber(o.eps); err != nil {
		return fmt.Errorf("--eps %w", err)
	}
	if st.base.Delta, err = readDelta("--delta", o.delta, from0); err != nil {
		return err
	}
	if len(args) == 0 {
		return nil
	}
	if st.kind, err = o.kind(ctx, args, in); err != nil {
		return err
	}
	st.base, err = st.kind.setting(st.base, o)
	return err
}

// valuesOf returns the values of the parameter.
func (o gapOptions) valuesOf(st *study) ([]*big.Rat, error) {
	if err := flagged(st.base.Check(), ""); err != nil {
		return nil, err
	}
	if o.values == nil {
		return st.sweep.Values(st.base), nil
	}
	var values []*big.Rat
	for _, text := range o.values {
		v, err := input.ParseNumber(strings.TrimSpace(text))
		if err != nil {
			return nil, fmt.Errorf("--values: one %w", err)
		}
		if err := flagged(st.sweep.Check(st.base, v), "--values: "); err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	slices.SortFunc(values, (*big.Rat).Cmp)
	return slices.CompactFunc(values, func(x, y *big.Rat) bool { return x.Cmp(y) == 0 }), nil
}

// flagged returns the error of a setting in the words of the flags.
func flagged(err error, flag string) error {
	if broken, ok := errors.AsType[*gap.SettingError](err); ok {
		if flag == "" {
			flag = "--"
		}
		return fmt.Errorf("%s%s %s", flag, broken.Field, broken.Rule)
	}
	return err
}
