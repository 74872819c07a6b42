package run

import (
	"fmt"
	"io"
	"math/big"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// writeTable prints the answer for a person.
func (c *composed) writeTable(w io.Writer) {
	found := []string{c.interval(), c.roundedUp()}
	eps, delta := givenCells(c.typed), found
	if c.delta != nil {
		eps, delta = found, givenCells(report.Typed(c.delta))
	}
	fmt.Fprint(w, c.o.line(c.verdict, "the smallest "+c.sought()))
	fmt.Fprintf(w, "ε         %s\n", eps[0])
	fmt.Fprintf(w, "δ         %s\n", delta[0])
	fmt.Fprintf(w, "Means     any such composition is (%s, %s)-DP", eps[1], delta[1])
	switch _, isExact := c.ratio(); {
	case hasBound(c.problem):
		fmt.Fprintf(w, "; %s may be smaller, as the pair of such batches is a bound", c.sought())
	case isExact:
		fmt.Fprintf(w, "; no smaller %s is enough for all", c.sought())
	case c.answer.Lower.Sign() > 0:
		fmt.Fprintf(w, "; no %s below %s is enough for all", c.sought(), report.RoundTo(c.answer.Lower, 6, false))
	}
	fmt.Fprintln(w)
	writeCaveats(w, c.caveats())
	fmt.Fprintf(w, "Pipeline  %s\n", report.Plural(c.mechanisms(), "mechanism"))
	writeAssumed(w, c.problem)
	reached, asked := report.Widths(c.width(), c.requested)
	fmt.Fprintf(w, "Method    %s in %s, relative width %s (asked for %s), %s\n", c.method, c.arithmetic, reached, asked,
		report.Duration(c.elapsed))
	if c.comparison != nil {
		c.comparison.write(w)
	}
}

// caveats are those of the answer.
func (c *composed) caveats() []string {
	if c.delta != nil {
		return caveats(c.answer, "", interval.Wide.Rat(c.delta).Upper, c.problem.Records)
	}
	return caveats(loss.Enclose(c.eps, interval.Wide), "", c.answer.Upper, c.problem.Records)
}

// givenCells shows a number as typed, by itself and within a sentence.
func givenCells(text string) []string { return []string{text + ", as given", report.Clip(text, 24)} }

// interval says where the answer lies.
func (c *composed) interval() string {
	if text, ok := c.ratio(); ok {
		return "exactly " + text
	}
	return report.Between(c.answer)
}

// ratio returns the answer if it is a ratio, and a short one.
func (c *composed) ratio() (text string, ok bool) {
	const longest = 40
	if c.exact == nil {
		return "", false
	}
	text = report.Typed(c.exact)
	return text, len(text) <= longest
}

// roundedUp is the answer, rounded up to six digits unless it is a short ratio.
func (c *composed) roundedUp() string {
	if text, ok := c.ratio(); ok {
		return text
	}
	return report.RoundTo(c.answer.Upper, 6, true).String()
}

// width is the relative width of the answer.
func (c *composed) width() *big.Float {
	if c.exact != nil {
		return new(big.Float)
	}
	return widthOf(c.answer)
}

// exactly returns the answer if it is a ratio of at most [report.MaxRatio] characters.
func (c *composed) exactly() string {
	if text := report.Ratio(c.exact); len(text) <= report.MaxRatio {
		return text
	}
	return ""
}

// toJSON is the output of --json. Of eps, exp_eps and delta, one is given and one an interval: what was found first,
// which no limit changes, and the closer look.
func (c *composed) toJSON() report.Object {
	var closer report.IntervalJSON
	if x, y := c.answer, c.first.answer; x.Lower.Cmp(y.Lower) != 0 || x.Upper.Cmp(y.Upper) != 0 {
		closer = report.ToJSON(x)
	}
	verdict, comparison, exact := c.verdict, c.comparison, c.exactly()
	c = new(*c.first)
	c.verdict, c.comparison = verdict, comparison
	found := report.Exactly(c.exact, c.answer)
	computed, key, eps, delta := "delta", "eps", any(nil), any(found)
	switch {
	case c.delta != nil:
		computed, eps, delta = "eps", found, report.Up.Rat(c.delta)
	case c.eps.Log:
		key = "exp_eps"
		fallthrough
	default:
		eps = report.Up.Rat(c.eps.Rat())
	}
	rules, early := c.comparison.toJSON()
	out := append(report.Output(c.gateJSON()...), "computed", computed, key, eps, "delta", delta, "closer?", closer,
		"exact?", exact,
		"mechanisms", c.mechanisms())
	out = append(out, assumedJSON(c.problem)...)
	return append(out,
		"method", c.method,
		"arithmetic", c.arithmetic,
		"rel_width", report.WidthJSON(c.requested, c.width()),
		"seconds", report.Microseconds(c.elapsed),
		"shortfall?", c.shortfall,
		"caveats?", c.caveats(),
		"compare?", rules,
		"schedule?", early,
	)
}
