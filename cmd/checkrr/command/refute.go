package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/cmd/checkrr/internal/run"
	"checkrr/impl"
	"checkrr/verify/conjecture"
)

// refuteOptions are the flags of the command.
type refuteOptions struct {
	mechanisms, stops, eps, delta, charges string
	pipelines                              int
	seed                                   uint64
	timeout                                time.Duration
	json                                   bool
	output                                 string
}

func (a app) refuteCommand() *cobra.Command {
	var o refuteOptions
	cmd := &cobra.Command{
		Use: "refute INEQUALITY",
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 1:
				return nil
			case hasRelation(o.output): // -optdel <= 0
				return errors.New("what begins with a minus is taken for flags, " + behindDashes)
			}
			return errors.New("name one inequality, in quotes, for example\n" + exampleOf("refute"))
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.refute(cmd.Context(), o, args[0]) },
	}
	charges := report.Names(conjecture.AllCharges, func(c conjecture.Charges) string { return string(c) })
	f := cmd.Flags()
	f.StringVar(&o.mechanisms, "mechanisms", "1:500", "how many mechanisms pipelines have, `LEAST:MOST`")
	f.StringVar(&o.stops, "stops", "1:200", "how many stops they have, `LEAST:MOST`")
	f.StringVar(&o.eps, "eps", "0.01:1", "the ε of each mechanism, `LEAST:MOST`")
	f.StringVar(&o.delta, "delta", "0:0", "the δ of each mechanism, `LEAST:MOST`")
	addChoiceTo(cmd, &o.charges, "charges", charges[0],
		"the charges, from stop to stop, are `KIND`: "+strings.Join(charges, ", "), charges)
	whole(&o.pipelines).addTo(f, "pipelines", 5000, "try at most `N` pipelines")
	seed(&o.seed).addTo(f, "seed", 1, "`S` of the search: the same finds the same")
	f.StringVarP(&o.output, "output", "o", "", "write the pipeline that refutes it to `FILE`, for optdel")
	run.AddRunTo(f, &o.timeout, &o.json)
	return cmd
}

// behindDashes is what to do with an inequality that is taken for flags.
const behindDashes = "must stand behind --, for example\n  checkrr refute -- '-optdel <= 0'"

// hasRelation reports whether a text may be an inequality.
func hasRelation(text string) bool { return strings.ContainsAny(text, "<>≤≥") }

// search reads the flags.
func (o refuteOptions) search() (s conjecture.Search, err error) {
	s = conjecture.Search{Seed: o.seed, Pipelines: o.pipelines}
	s.Charges = conjecture.Charges(o.charges)
	whole := func(name, text string, to *[2]int) error {
		ends, err := rangeOf(text, "2:200")
		for i, r := range ends {
			if err == nil && (!r.IsInt() || !r.Num().IsInt64()) {
				err = fmt.Errorf("is %s, must be whole numbers of at most 18 digits", report.Quote(text))
			}
			if err == nil {
				to[i] = int(r.Num().Int64())
			}
		}
		return named(name, err)
	}
	number := func(name, text string, to *[2]*big.Rat) (err error) {
		*to, err = rangeOf(text, "0.01:1")
		return named(name, err)
	}
	if o.pipelines < 1 {
		return s, fmt.Errorf("--pipelines is %d, must be at least 1", o.pipelines)
	}
	return s, cmp.Or(whole("mechanisms", o.mechanisms, &s.Mechanisms), whole("stops", o.stops, &s.Stops),
		number("eps", o.eps, &s.Eps), number("delta", o.delta, &s.Delta), run.CheckTimeout(o.timeout))
}

// named puts the name of a flag before an error.
func named(flag string, err error) error {
	if err != nil {
		err = fmt.Errorf("--%s %w", flag, err)
	}
	return err
}

// rangeOf reads LEAST:MOST, or one number that is both.
func rangeOf(text, example string) (ends [2]*big.Rat, err error) {
	least, most, isRange := strings.Cut(text, ":")
	if !isRange {
		most = least
	}
	for i, part := range []string{least, most} {
		if ends[i], err = input.ParseNumber(part); err != nil {
			return ends, fmt.Errorf("is %s, must be LEAST:MOST, such as %s: %w", report.Quote(text), example, err)
		}
	}
	if ends[1].Cmp(ends[0]) < 0 {
		err = fmt.Errorf("is %s, must be from the least to the largest", report.Quote(text))
	}
	return ends, err
}

func (a app) refute(ctx context.Context, o refuteOptions, text string) error {
	q, err := conjecture.Parse(text)
	if err != nil {
		return fmt.Errorf("the inequality %s: %w", report.Quote(text), err)
	}
	s, err := o.search()
	if err != nil {
		return err
	}
	if err := run.CheckTargets(a.Inputs, nil, "", run.To("--output", o.output)); err != nil {
		return err
	}
	ctx, stop := run.Limited(ctx, o.timeout)
	defer stop()
	progress, clear := report.ProgressOn(a.Stderr)
	s.Progress = progress
	start := time.Now()
	f, err := s.Refute(ctx, q)
	elapsed := time.Since(start)
	clear()
	if wrong, ok := errors.AsType[*conjecture.DomainError](err); ok {
		typed := map[string]string{"mechanisms": o.mechanisms, "stops": o.stops, "eps": o.eps, "delta": o.delta}
		return fmt.Errorf("--%s is %s, must be %s", wrong.Of, report.Quote(typed[wrong.Of]), wrong.Must)
	}
	if err != nil && !f.Refuted {
		return run.EndedBy(ctx, err, o.timeout)
	}
	verdict := run.Refuted
	switch {
	case f.Refuted:
	case f.Undefined == f.Tried, q.IsOpen(f.Sides):
		verdict = run.Inconclusive
	default:
		verdict = noCounterexample
	}
	object := func() report.Object { return refutedJSON(q, f, o, verdict, elapsed) }
	table := func(w io.Writer) { writeRefuted(w, q, f, o, verdict, elapsed) }
	if err := a.Write("", o.json, object, table); err != nil {
		return err
	}
	if o.output != "" && !f.Refuted {
		fmt.Fprintf(a.Stderr, "checkrr: %s is not written: no pipeline was found that refutes the claim\n",
			report.Name(o.output))
	}
	switch {
	case f.Refuted && o.output != "":
		err := report.WriteText(o.output, []byte(problemOf(f.Pipeline)))
		if err := report.Wrote(a.Stderr, err, o.output); err != nil {
			return err
		}
		fallthrough
	case f.Refuted:
		says := f.Known()
		if says == "" {
			says = toldApart(q, f.Sides)
		}
		if err != nil { // when there was something, which is as certain as all
			says += "; there may be a smaller one, as the search ended early"
		}
		return fmt.Errorf("%w: %s: for the pipeline found, %s", run.ErrRefuted, q.Text, says)
	case verdict == run.Inconclusive:
		if f.Undefined < f.Tried {
			return fmt.Errorf("%w: both sides of %s may be equal for the pipeline shown", run.ErrInconclusive, q.Text)
		}
		return fmt.Errorf("%w: %s is not defined for any of %s", run.ErrInconclusive, q.Text,
			report.Plural(f.Tried, "pipeline"))
	}
	return nil
}

// noCounterexample is said of an inequality that was not refuted.
const noCounterexample run.Verdict = "no counterexample found"

// writeRefuted prints what was found.
func writeRefuted(w io.Writer, q *conjecture.Inequality, f conjecture.Finding, o refuteOptions, verdict run.Verdict,
	elapsed time.Duration) {
	fmt.Fprintf(w, "Verdict   %s\n", verdict)
	fmt.Fprintf(w, "Claim     %s\n", report.OneLine(q.Text))
	undefined := ""
	if f.Undefined > 0 {
		undefined = fmt.Sprintf("; for %d of them a side is not defined", f.Undefined)
	}
	fmt.Fprintf(w, "Tried     %s, seed %d, %s%s\n", report.Plural(f.Tried, "pipeline"), o.seed, report.Duration(elapsed),
		undefined)
	fmt.Fprintf(w, "Among     --mechanisms %s --stops %s --eps %s --delta %s --charges %s\n", o.mechanisms, o.stops,
		o.eps, o.delta, o.charges)
	if f.Values == nil {
		return
	}
	says, known := "Closest   of those whose sides differ, the pipeline below", ""
	switch {
	case f.Refuted && f.Known() != "":
		known = ": " + f.Known()
		fallthrough
	case f.Refuted:
		says = "Fails     for the pipeline below"
	case f.MayBeEqual():
		says = "Closest   the sides may be equal for the pipeline below"
	}
	fmt.Fprintf(w, "%s: %s is %s, and %s is %s%s\n", says, report.OneLine(q.Smaller), endsOf(f.Left),
		report.OneLine(q.Larger), endsOf(f.Right), known)
	for _, name := range slices.Sorted(maps.Keys(f.Values)) {
		fmt.Fprintf(w, "          %s is %s, %s\n", name, endsOf(f.Values[name]), conjecture.Names[name])
	}
	fmt.Fprintln(w)
	const most = 10
	mechanisms, list, _ := strings.Cut(problemOf(f.Pipeline), "stops:\n")
	fmt.Fprintf(w, "%sstops:\n", mechanisms)
	stops := strings.Split(strings.TrimSuffix(list, "\n"), "\n")
	rows := report.Evenly(len(stops), most)
	for _, i := range rows {
		if len(f.Single) > 0 {
			stops[i] += " # its δ: " + report.FourDigits(f.Single[i])
		}
		fmt.Fprintln(w, stops[i])
	}
	report.LeftOut(w, len(rows), len(stops), "stop", "--json shows")
}

// endsOf shows the ends of an interval in ten digits, rounded outward, or a number that is both.
func endsOf(x conjecture.Value) string {
	const digits = 10
	lower, upper := endOf(x, digits, false), endOf(x, digits, true)
	if lower == upper {
		return lower
	}
	return fmt.Sprintf("in [%s, %s]", lower, upper)
}

// endOf shows an end of what a number is in so many digits, or the number if it is a decimal.
func endOf(x conjecture.Value, digits int, up bool) string {
	const most = 40 // digits of a decimal
	if r := x.Exact(); r != nil {
		if text, isDecimal := report.Finite(r, most); isDecimal {
			return text
		}
	}
	if up {
		return rounded(x.Upper, digits, up)
	}
	return rounded(x.Lower, digits, up)
}

// rounded shows a number of either sign in so many digits, rounded up or down.
func rounded(x *big.Float, digits int, up bool) string {
	if x.Sign() < 0 {
		return report.RoundTo(new(big.Float).Neg(x), digits, !up).Negative()
	}
	return report.RoundTo(x, digits, up).String()
}

// toldApart says what two sides are, of which the first is larger, in four digits or as many as tell them apart.
func toldApart(q *conjecture.Inequality, s conjecture.Sides) string {
	const most = 400 // enough for all but what is too small to be written
	for digits := 4; digits <= most; digits++ {
		left, right := endOf(s.Left, digits, false), endOf(s.Right, digits, true)
		low, _ := new(big.Rat).SetString(left)
		if high, _ := new(big.Rat).SetString(right); low.Cmp(high) > 0 {
			return fmt.Sprintf("%s is %s, and %s is %s", q.Smaller, left, q.Larger, right)
		}
	}
	return q.Smaller + " is certainly larger than " + q.Larger
}

// problemOf is a pipeline of (ε, δ)-DP mechanisms as a problem file.
func problemOf(p impl.Pipeline) string { return run.ProblemText(&input.Problem{}, p, "") }

func endsJSON(x conjecture.Value) report.IntervalJSON { return report.Exactly(x.Exact(), x.Interval) }

// refutedJSON is the output of --json.
func refutedJSON(q *conjecture.Inequality, f conjecture.Finding, o refuteOptions, verdict run.Verdict,
	elapsed time.Duration) report.Object {
	out := report.Output("claim", q.Text, "verdict", verdict, "seed", o.seed, "pipelines", f.Tried,
		"undefined", f.Undefined, "over", report.Object{"mechanisms", o.mechanisms, "stops", o.stops, "eps", o.eps,
			"delta", o.delta, "charges", o.charges})
	if f.Values != nil {
		var mechanisms, stops []report.Object
		for _, m := range f.Pipeline.Mechanisms {
			mechanisms = append(mechanisms, report.Object{"eps", report.Up.Rat(m.Eps.Value),
				"delta", report.Up.Rat(m.Delta), "count", m.Count})
		}
		for _, stop := range f.Pipeline.Stops {
			stops = append(stops, report.Object{"after", stop.After, "eps", report.Up.Rat(stop.Eps.Value)})
		}
		values := report.Object{}
		for _, name := range slices.Sorted(maps.Keys(f.Values)) {
			values = append(values, name, endsJSON(f.Values[name]))
		}
		out = append(out, "smaller", endsJSON(f.Left), "larger", endsJSON(f.Right), "values", values,
			"pipeline", report.Object{"mechanisms", mechanisms, "stops", stops})
	}
	return append(out, "seconds", report.Microseconds(elapsed))
}
