package run

import (
	"errors"
	"fmt"
	"io"
	"math/big"
	"strings"
	"time"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl/certificate"
	"checkrr/impl/certify"
	"checkrr/impl/interval"
)

// writeChecked prints claims, and why they are not about the problem that they should be about.
func (a App) writeChecked(results []checked, outcome error, failure string, asJSON bool, elapsed time.Duration) error {
	object := func() report.Object {
		var all []report.Object
		for _, c := range results {
			all = append(all, c.toJSON())
		}
		return report.Output("verdict", verdictOf(outcome), "failure?", failure, "claims", all,
			"seconds", report.Microseconds(elapsed))
	}
	return a.Write("", asJSON, object, func(w io.Writer) { printChecked(w, results, elapsed) })
}

// verdictOf returns the verdict that goes with an error, as the exit code does.
func verdictOf(outcome error) Verdict {
	switch {
	case outcome == nil:
		return Holds
	case errors.Is(outcome, ErrRefuted):
		return Refuted
	case errors.Is(outcome, ErrNotProved):
		return notProved
	}
	return Inconclusive
}

// toJSON is a claim in the output of --json. What is not computed, as at_most, is a ratio in quotes.
func (c checked) toJSON() report.Object {
	other, failure := 0, ""
	if c.side.differs {
		other = c.side.other + 1
	}
	if c.failure != nil {
		failure = c.failure.Error()
	}
	return report.Object{
		"verdict", c.verdict,
		"optdel", report.Object{"lower", report.Down.Rat(c.OptDel.Lower), "upper", report.Up.Rat(c.OptDel.Upper)},
		"at_most?", report.Ratio(c.AtMost),
		"more_than?", report.Ratio(c.MoreThan),
		"pipeline", c.pipeline(),
		"mechanisms", c.mechanisms(),
		"stops", len(c.Problem.Stops),
		"exact?", report.Ratio(c.exact),
		"order?", c.side.order, // of the neighbours that it is for, if that matters and the file tells
		"other_order?", other, // which claim, from 1, is for neighbours in the other one
		"one_order?", c.side.isOnly(), // none is
		"failure?", failure,
	}
}

// printChecked prints two or three lines a claim, and what claims for neighbours in both orders say together.
func printChecked(w io.Writer, results []checked, elapsed time.Duration) {
	for i, c := range results {
		fmt.Fprintf(w, "Claim %-3d %s: %s\n          for %s\n", i+1, c.verdict, c.words(), c.pipeline())
		if order := c.side.says(); order != "" {
			fmt.Fprintf(w, "          %s\n", order)
		}
	}
	for _, p := range together(results) {
		low, high := shownRange(p.optDel)
		fmt.Fprintf(w, "Together  OptDel for neighbours in both orders is between %s and %s, by claims %d and %d\n",
			low, high, p.first+1, p.second+1)
	}
	fmt.Fprintf(w, "Time      %s\n", report.Duration(elapsed))
}

// pipeline says what the problem is, as far as it fits in a line.
func (c checked) pipeline() string {
	const most = 4
	var mechanisms, stops []string
	for _, m := range c.Problem.Mechanisms[:min(most, len(c.Problem.Mechanisms))] {
		mechanisms = append(mechanisms, shownMechanism(m))
	}
	for _, s := range c.Problem.Stops[:min(most, len(c.Problem.Stops))] {
		stops = append(stops, fmt.Sprintf("%s after %d", shownEps(s.Eps), s.After))
	}
	if n := len(c.Problem.Mechanisms) - most; n > 0 {
		mechanisms = append(mechanisms, fmt.Sprintf("%d more, %s in all", n,
			report.Plural(c.mechanisms(), "mechanism")))
	}
	if n := len(c.Problem.Stops) - most; n > 0 {
		stops = append(stops, fmt.Sprintf("%d more", n))
	}
	return strings.Join(mechanisms, ", ") + ", charged " + strings.Join(stops, ", ")
}

// shownEps shows an ε.
func shownEps(x certify.Number) string {
	text := brief(x.Value)
	if x.Log {
		return "ln " + text
	}
	return text
}

// brief shows a number with few digits, and … where there are more.
func brief(x *big.Rat) string {
	const most = 12
	text := report.Typed(x)
	if _, _, isDecimal := strings.Cut(report.Clip(text, most), "."); len(text) <= most || isDecimal {
		return report.Clip(text, most)
	}
	return new(big.Float).SetRat(x).Text('g', most/2) + "…"
}

// shownRange shows both ends, rounded outward if they are long.
func shownRange(x certificate.Range) (low, high string) {
	low, high = report.Clip(report.Typed(x.Lower), 24), report.Clip(report.Typed(x.Upper), 24)
	if isLong := len(low)+len(high) > 32; isLong && x.Lower.Cmp(x.Upper) < 0 {
		const n = interval.Precision(256)
		low, high = report.Agreement(interval.Interval{Lower: n.Rat(x.Lower).Lower, Upper: n.Rat(x.Upper).Upper})
	}
	return low, high
}

// words says what is claimed of OptDel.
func (c checked) words() string {
	low, high := shownRange(c.OptDel)
	words := fmt.Sprintf("OptDel is between %s and %s", low, high)
	if c.side.isOnly() {
		words = fmt.Sprintf("OptDel for neighbours in this order only is between %s and %s", low, high)
	}
	if c.exact != nil {
		words += ", exactly it is " + report.Clip(c.exact.RatString(), 80)
	}
	if c.AtMost != nil {
		words += ", at most " + report.Clip(report.Typed(c.AtMost), 80)
	}
	if c.MoreThan != nil {
		words += ", more than " + report.Clip(report.Typed(c.MoreThan), 80)
	}
	return words
}

// mechanisms returns how many mechanisms the problem has.
func (c checked) mechanisms() int { return c.Problem.Stops[len(c.Problem.Stops)-1].After }
