package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/big"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/verify/audit"
	"checkrr/verify/audit/calibrate"
)

// calibrateOptions are the flags of the command.
type calibrateOptions struct {
	power   bool
	kinds   bool
	audits  int
	samples string
	alpha   string
	seed    uint64
	timeout time.Duration
	json    bool
	plot    string

	exactAlpha *big.Rat // α as typed
}

const calibrateLong = `Measure how often audits (checkrr audit) are right, on built-in mechanisms.

False alarms: audits of mechanisms that are exactly as private as it is claimed, and no more:
the Laplace mechanism, randomized response, and a pipeline with stops whose claim is its
OptDel. Each is audited many times, with seeds of its own. The claims are true, so at
most alpha of the audits may refute them. With --kinds: mechanisms with outputs of every kind,
vectors, lists, words, texts, bits and parts.

Power (--power): how often too little noise is found, and an output that reveals the input, by
the number of samples. The last two rows are violations of the size that an audit reports as
seen; about 0.9 of them should be found. Noise is measured for up to 1e6 samples. With --kinds:
how many samples show what six mechanisms hide in outputs with many places; one audit
tells for all numbers of samples, as it ends when it has refuted.

Rates have confidence bounds (Clopper and Pearson), each wrong with probability 0.005.

Exit codes: 0 measured, 1 false alarms are more frequent than alpha, by their lower bound,
2 usage error, 3 no result within --timeout.`

const calibrateExample = `  checkrr calibrate --audits 2000 --alpha 0.01
  checkrr calibrate --power --audits 20 --samples 1e3,1e4,1e5 --plot power.svg
  checkrr calibrate --kinds --audits 200
  checkrr calibrate --kinds --power --plot detection.svg
  checkrr calibrate --audits 100 --json`

func (a app) calibrateCommand() *cobra.Command {
	var o calibrateOptions
	cmd := &cobra.Command{
		Use:     "calibrate",
		Short:   "Measure false alarms and power of audits",
		Long:    calibrateLong,
		Example: calibrateExample,
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.calibrate(cmd, o) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.BoolVar(&o.power, "power", false, "measure power instead of false alarms")
	f.BoolVar(&o.kinds, "kinds", false, "of mechanisms with outputs of many kinds")
	addWholeTo(f, &o.audits, "audits", 0, "repeat every audit `N` times (default 2000, with --power 100, with both 20)")
	f.StringVar(&o.samples, "samples", "", "outputs for each input, at most: `N`, with --power several that rise\n(default 1e4, with --power 1e3,3e3,1e4,3e4,1e5,3e5,1e6,3e6,1e7;\nwith --kinds 1e3, with both 100,200,500 and so on to 1e6)")
	f.StringVar(&o.alpha, "alpha", "0.01", "every audit may refute a true claim with probability `P`")
	f.Uint64Var(&o.seed, "seed", 1, "`S` of all draws")
	f.DurationVar(&o.timeout, "timeout", 0, "give up after this `TIME`, such as 10m (default never)")
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	addPlotTo(cmd, &o.plot, "with --power: draw the rates")
	return cmd
}

// measured is what came of a calibration.
type measured struct {
	calibrateOptions
	limits  audit.Options
	curves  []calibrate.Curve // by label: of several mechanisms, or violations
	elapsed time.Duration
}

func (a app) calibrate(cmd *cobra.Command, o calibrateOptions) error {
	o.setDefaults(cmd.Flags())
	limits, sizes, err := o.limits()
	if err != nil {
		return err
	}
	ctx, stop := limited(cmd.Context(), o.timeout)
	defer stop()
	m := &measured{calibrateOptions: o, limits: limits}
	if err := a.measure(ctx, m, sizes); err != nil {
		return endedBy(ctx, err, o.timeout)
	}
	if err := a.write("", o.json, func() any { return m.toJSON() }, m.write); err != nil {
		return err
	}
	if o.plot != "" {
		if err := plotPower(m, o.plot); err != nil {
			return err
		}
	}
	return m.verdictError()
}

// setDefaults sets what is not given.
func (o *calibrateOptions) setDefaults(flags *pflag.FlagSet) {
	audits, samples := 2000, "1e4"
	switch {
	case o.power && o.kinds:
		audits, samples = 20, "100,200,500,1e3,2e3,5e3,1e4,2e4,5e4,1e5,2e5,5e5,1e6"
	case o.power:
		audits, samples = 100, "1e3,3e3,1e4,3e4,1e5,3e5,1e6,3e6,1e7"
	case o.kinds:
		samples = "1e3"
	}
	if !flags.Changed("audits") {
		o.audits = audits
	}
	if !flags.Changed("samples") {
		o.samples = samples
	}
}

// limits checks the flags, and returns those of every audit and the sizes that are measured.
func (o *calibrateOptions) limits() (audit.Options, []int, error) {
	limits := audit.Options{Seed: o.seed}
	var sizes []int
	for text := range strings.SplitSeq(o.samples, ",") {
		n, err := input.ParseWhole(text, 2, input.MaxSamples)
		if err != nil {
			return limits, nil, fmt.Errorf("--samples %w", err)
		}
		sizes = append(sizes, n)
	}
	var err error
	if o.exactAlpha, err = parseAlpha(o.alpha); err != nil {
		return limits, nil, err
	}
	limits.Alpha = below(o.exactAlpha)
	switch {
	case o.audits < 1 || o.audits > maxAudits:
		err = fmt.Errorf("--audits is %d, must be at least 1 and at most %d", o.audits, maxAudits)
	case !o.power && len(sizes) > 1:
		err = fmt.Errorf("--samples is %s, must be one number without --power", report.Quote(o.samples))
	case !rising(sizes):
		err = fmt.Errorf("--samples is %s, must rise", report.Quote(o.samples))
	case !o.power && o.plot != "":
		err = fmt.Errorf("--plot is %s, must be used with --power: false alarms have no picture", report.Quote(o.plot))
	}
	return limits, sizes, cmp.Or(err, checkTimeout(o.timeout), checkPlot(o.plot),
		checkFiles(nil, nil, target{"--plot", o.plot}))
}

const maxAudits = 1_000_000

// rising reports whether each number is larger than the one before.
func rising(numbers []int) bool {
	for i := range numbers[1:] {
		if numbers[i] >= numbers[i+1] {
			return false
		}
	}
	return true
}

// parseAlpha reads --alpha.
func parseAlpha(text string) (*big.Rat, error) {
	alpha, err := input.ParseNumber(text)
	if err == nil && (alpha.Cmp(input.MinAlpha) < 0 || alpha.Cmp(input.MaxAlpha) > 0) {
		err = fmt.Errorf("is %s, must be between 1e-100 and 0.5", report.Quote(text))
	}
	if err != nil {
		return nil, fmt.Errorf("--alpha %w", err)
	}
	return alpha, nil
}

// measure sets the curves.
func (a app) measure(ctx context.Context, m *measured, sizes []int) (err error) {
	progress, clear := report.ProgressOn(a.stderr)
	defer clear()
	if progress == nil {
		progress = func(float64) {}
	}
	start := time.Now()
	defer func() { m.elapsed = time.Since(start) }()
	if m.power {
		power := calibrate.Power
		if m.kinds {
			power = calibrate.Detection
		}
		m.curves, err = power(ctx, sizes, m.limits, m.audits, progress)
		return err
	}
	m.limits.Samples = sizes[0]
	alarms := calibrate.FalseAlarms
	if m.kinds {
		alarms = calibrate.KindAlarms
	}
	rates, err := alarms(ctx, m.limits, m.audits, progress)
	for _, r := range rates {
		m.curves = append(m.curves, calibrate.Curve{Label: r.Mechanism, Rates: []calibrate.Rate{r}})
	}
	return err
}

// verdictError returns an error if there are too many false alarms.
func (m *measured) verdictError() error {
	if m.power {
		return nil
	}
	for _, c := range m.curves {
		if r := c.Rates[0]; r.Lower > m.limits.Alpha {
			return fmt.Errorf("%w: %d of %d audits of %s are false alarms, must be at most %s of them",
				errRefuted, r.Refuted, r.Audits, r.Mechanism, m.alpha)
		}
	}
	return nil
}

// write prints the rates for a person.
func (m *measured) write(w io.Writer) {
	what := "true claim about"
	if m.power {
		what = "violation"
	}
	t := report.NewTable(what, "samples", "audits", "refuted", "rate", "at least", "at most")
	report.AlignRight(t, 2, 3, 4, 5, 6, 7)
	for _, c := range m.curves {
		for _, r := range c.Rates {
			rate := float64(r.Refuted) / float64(r.Audits)
			t.AppendRow(table.Row{c.Label, r.Samples, r.Audits, r.Refuted, report.Short(rate, 3), report.Short(floor(r.Lower), 3), ceiling(r.Upper)})
		}
	}
	report.Must(report.WriteRendered(w, t))
	fmt.Fprintf(w, "\nalpha %s, seed %d, %s\n", m.alpha, m.limits.Seed, report.Duration(m.elapsed))
}

// ceiling shows three digits, rounded up.
func ceiling(x float64) string { return report.RoundTo(big.NewFloat(x), 3, true).String() }

// calibrationJSON is the output of checkrr calibrate --json.
type calibrationJSON struct {
	SchemaVersion int           `json:"schema_version"`
	Measured      string        `json:"measured"`
	Alpha         report.Number `json:"alpha"`
	Seed          uint64        `json:"seed"`
	Rates         []rateJSON    `json:"rates"`
	Seconds       float64       `json:"seconds"`
}

type rateJSON struct {
	Label     string            `json:"label"`
	Mechanism string            `json:"mechanism"`
	Samples   int               `json:"samples"`
	Audits    int               `json:"audits"`
	Refuted   int               `json:"refuted"`
	Lower     report.LowerBound `json:"lower"`
	Upper     report.UpperBound `json:"upper"`
}

func (m *measured) toJSON() calibrationJSON {
	out := calibrationJSON{
		SchemaVersion: report.SchemaVersion, Measured: map[bool]string{false: "false alarms", true: "power"}[m.power],
		Alpha: report.Up.Rat(m.exactAlpha), Seed: m.limits.Seed, Seconds: report.Microseconds(m.elapsed),
	}
	for _, c := range m.curves {
		for _, r := range c.Rates {
			out.Rates = append(out.Rates, rateJSON{c.Label, r.Mechanism, r.Samples, r.Audits, r.Refuted, report.LowerBound(r.Lower), report.UpperBound(r.Upper)})
		}
	}
	return out
}
