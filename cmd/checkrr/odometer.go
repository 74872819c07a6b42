package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
)

// odometerOptions are the flags of the command.
type odometerOptions struct {
	delta, leak             string
	rule                    string
	target, gamma, v0, size float64
	json                    bool
	plot                    string
	output                  string
}

const odometerLong = `How much ε has been spent so far, event by event, if mechanisms are chosen as one goes: a bound
that is valid at all times at once. With probability 1 − delta the privacy loss never exceeds it,
whoever chooses the next mechanism, and on whatever that is based. An odometer does not say stop:
use it to look, and checkrr account to stay within a budget.

The ledger is that of checkrr account. Of each event the guarantee as a whole counts: its "dp", or
its worst part with its delta.

Rules (V is the sum of the squares of all ε so far):
  filter    a line in V, the tightest where advanced composition charges --target-eps
  mixture   good at all V, the tightest around --gamma
  stitched  from V = --v0 on; the best for very long ledgers
  rogers    the first of them, of 2016, for a database of --size records
  best      the smallest of filter, mixture and stitched, each at a third of delta

Without its flag, a rule is tuned before the first event: --target-eps 1, --gamma 0.1, --v0 0.01.

delta is split: half of it (or --leak) is for what the mechanisms' own deltas add up to, the rest for
the bound. While these exceed their share there is no bound: ε is infinite, null in JSON.
A mechanism with a delta of its own must be probabilistically DP, which is more than (ε, δ)-DP:
its loss exceeds ε with probability at most δ. Mechanisms with delta 0 always are.

In the output of --json, eps is rounded up: {"points": [{"event": 1, "v": 0.01, "eps": 0.62}, …]}.

Exit codes: 0 done, 2 usage or input error.`

const odometerExample = `  checkrr odometer examples/ledger.jsonl --delta 1e-5 --rule mixture
  checkrr odometer examples/ledger.jsonl --delta 1e-5 --rule filter --target-eps 3 --leak 1e-6
  checkrr odometer - --delta 1e-6 --rule best --json < ledger.jsonl`

func (a app) odometerCommand() *cobra.Command {
	var o odometerOptions
	cmd := &cobra.Command{
		Use:               "odometer LEDGER | -",
		Short:             "A running ε of adaptively chosen mechanisms, valid at all times",
		Long:              odometerLong,
		Example:           odometerExample,
		Args:              oneLedger,
		RunE:              func(_ *cobra.Command, args []string) error { return a.odometer(o, args[0]) },
		ValidArgsFunction: cobra.FixedCompletions([]string{"jsonl", "ndjson", "json"}, cobra.ShellCompDirectiveFilterFileExt),
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&o.delta, "delta", "", "the probability with which the loss may exceed the bound, a `number`")
	f.StringVar(&o.leak, "leak", "", "how much of delta is for the deltas of the mechanisms, a `number` (default half of it)")
	f.StringVar(&o.rule, "rule", "best", "the `rule`: filter, mixture, stitched, rogers or best")
	f.Float64Var(&o.target, "target-eps", 1, "where filter is the tightest, an `ε`")
	f.Float64Var(&o.gamma, "gamma", 0.1, "where mixture is the tightest, a `V`")
	f.Float64Var(&o.v0, "v0", 0.01, "where stitched begins, a `V`")
	f.Float64Var(&o.size, "size", 0, "the `number` of records for rogers")
	f.StringVarP(&o.output, "output", "o", "", "write the result to `FILE` instead of standard output")
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	addPlotTo(cmd, &o.plot, "draw ε over V into")
	return cmd
}

// curve returns the rule that was asked for.
func (o odometerOptions) curve() (impl.Curve, error) {
	switch o.rule {
	case "filter":
		return impl.FilterCurve{Target: o.target}, nil
	case "mixture":
		return impl.MixtureCurve{Gamma: o.gamma}, nil
	case "stitched":
		return impl.StitchedCurve{V0: o.v0}, nil
	case "rogers":
		return impl.RogersCurve{Size: o.size}, nil
	case "best":
		return impl.BestCurve{impl.FilterCurve{Target: o.target}, impl.MixtureCurve{Gamma: o.gamma}, impl.StitchedCurve{V0: o.v0}}, nil
	}
	return nil, fmt.Errorf("--rule is %s, must be filter, mixture, stitched, rogers or best", report.Quote(o.rule))
}

// levels returns δ′ and δ″.
func (o odometerOptions) levels() (bound, leak *big.Rat, err error) {
	delta, err := probabilityFlag("--delta", o.delta, "more than")
	if err != nil {
		return nil, nil, err
	}
	leak = new(big.Rat).Quo(delta, big.NewRat(2, 1))
	if o.leak != "" {
		if leak, err = probabilityFlag("--leak", o.leak, "at least"); err != nil {
			return nil, nil, err
		}
	}
	bound = new(big.Rat).Sub(delta, leak)
	if bound.Sign() <= 0 {
		return nil, nil, fmt.Errorf("--leak is %s, must be less than --delta", o.leak)
	}
	return bound, leak, nil
}

// probabilityFlag reads a number that is more than 0, or at least 0, and less than 1.
func probabilityFlag(flag, text string, least string) (*big.Rat, error) {
	if text == "" {
		return nil, fmt.Errorf("%s is missing, for example\n  checkrr odometer examples/ledger.jsonl %s 1e-5", flag, flag)
	}
	x, err := input.ParseNumber(text)
	if err != nil {
		return nil, fmt.Errorf("%s %w", flag, err)
	}
	if x.Sign() < 0 || x.Sign() == 0 && least == "more than" || x.Cmp(big.NewRat(1, 1)) >= 0 {
		return nil, fmt.Errorf("%s is %s, must be %s 0 and less than 1", flag, text, least)
	}
	return x, nil
}

// running is the ledger by an odometer.
type running struct {
	o           odometerOptions
	bound, leak *big.Rat
	odometer    *impl.Odometer
	points      []impl.Reading
	end         error
}

func (a app) odometer(o odometerOptions, name string) error {
	if err := errors.Join(checkPlot(o.plot), checkFiles([]string{name}, target{"--plot", o.plot}, target{"--output", o.output})); err != nil {
		return err
	}
	r, err := newRunning(o)
	if err != nil {
		return err
	}
	in, name, err := input.OpenInput(name, a.stdin)
	if err != nil {
		return err
	}
	defer in.Close()
	l := input.NewLedger(name, in)
	if err := l.Check(); err != nil {
		return err
	}
	r.end = r.run(l)
	if err := a.write(o.output, o.json, func() any { return r.toJSON() }, r.writeTable); err != nil {
		return err
	}
	if o.plot != "" {
		return errors.Join(r.draw(o.plot), r.end)
	}
	return r.end
}

func newRunning(o odometerOptions) (*running, error) {
	curve, err := o.curve()
	if err != nil {
		return nil, err
	}
	r := &running{o: o}
	if r.bound, r.leak, err = o.levels(); err != nil {
		return nil, err
	}
	r.odometer, err = impl.NewOdometer(curve, r.bound, r.leak)
	return r, err
}

// run counts the events of the ledger, up to the first that cannot be.
func (r *running) run(l *input.Ledger) error {
	for {
		e, err := l.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := e.Guarantee.Validate(); err != nil {
			if broken, ok := errors.AsType[*impl.GuaranteeError](err); ok {
				return brokenRule(l, broken)
			}
			return err
		}
		eps, delta := e.Guarantee.Plain()
		if err := r.odometer.Spend(eps, delta); err != nil {
			return l.Fault(e.Start, "%v", err)
		}
		r.points = append(r.points, r.odometer.Read())
	}
}

// odometerJSON is the output of checkrr odometer --json.
type odometerJSON struct {
	SchemaVersion int                `json:"schema_version"`
	Rule          string             `json:"rule"`
	Delta         string             `json:"delta"`
	Parameters    map[string]float64 `json:"parameters"`
	Points        []odometerPoint    `json:"points"`
	Error         *string            `json:"error"`
}

type odometerPoint struct {
	Event int      `json:"event"`
	V     float64  `json:"v"`
	Eps   *float64 `json:"eps"` // null: infinite
}

func (r *running) toJSON() odometerJSON {
	out := odometerJSON{SchemaVersion: report.SchemaVersion, Rule: r.o.rule, Delta: r.o.delta, Parameters: r.parameters(), Points: []odometerPoint{}}
	for _, p := range r.points {
		point := odometerPoint{Event: p.Events, V: p.V.Hi}
		if !math.IsInf(p.Eps, 1) {
			point.Eps = new(p.Eps)
		}
		out.Points = append(out.Points, point)
	}
	if r.end != nil {
		out.Error = new(r.end.Error())
	}
	return out
}

// parameters returns those of the rule, and the shares of δ, as numbers near them.
func (r *running) parameters() map[string]float64 {
	bound, _ := r.bound.Float64()
	leak, _ := r.leak.Float64()
	all := map[string]float64{"delta_bound": bound, "delta_leak": leak}
	for _, p := range []struct {
		rule, name string
		value      float64
	}{{"filter", "target_eps", r.o.target}, {"mixture", "gamma", r.o.gamma}, {"stitched", "v0", r.o.v0}, {"rogers", "size", r.o.size}} {
		if p.rule == r.o.rule || r.o.rule == "best" && p.rule != "rogers" {
			all[p.name] = p.value
		}
	}
	return all
}

// maxPoints is how many events the table shows.
const maxPoints = 20

func (r *running) writeTable(w io.Writer) {
	fmt.Fprintf(w, "Ledger  %s, rule %s, δ = %s\n\n", report.Plural(len(r.points), "event"), r.o.rule, r.o.delta)
	t := report.NewTable("event", "V", "ε up to here")
	report.AlignRight(t, 1, 2, 3)
	for _, i := range report.Evenly(len(r.points), maxPoints) {
		p := r.points[i]
		eps := "∞"
		if !math.IsInf(p.Eps, 1) {
			eps = shortAbove(p.Eps)
		}
		t.AppendRow(table.Row{p.Events, shortAbove(p.V.Hi), eps})
	}
	report.Must(report.WriteRendered(w, t))
}

// draw draws ε over V.
func (r *running) draw(file string) error {
	var curve plotter.XYs
	for _, p := range r.points {
		curve = append(curve, plotter.XY{X: p.V.Hi, Y: p.Eps})
	}
	figure := report.NewFigure(fmt.Sprintf("Odometer over %s, δ = %s", report.Plural(len(r.points), "event"), r.o.delta), "V, the sum of ε² so far", "ε spent so far")
	if err := report.AddSeries(figure, r.o.rule, curve, false, report.RuleColor, draw.CircleGlyph{}, nil); err != nil {
		return err
	}
	figure.X.Min, figure.Y.Min = 0, 0
	report.PlaceLegend(figure, false, false, 0)
	return report.WritePicture(file, figure)
}

// shortAbove shows the decimal that stands for a float64, rounded up to six digits.
func shortAbove(x float64) string {
	decimal, _, err := big.ParseFloat(report.Short(x, -1), 10, 200, big.ToNegativeInf)
	if err != nil || x == 0 {
		return "0"
	}
	return report.RoundTo(decimal, 6, true).String()
}
