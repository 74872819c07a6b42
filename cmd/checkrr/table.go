package main

import (
	"fmt"
	"io"
	"math"
	"math/big"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"checkrr/impl"
	"checkrr/impl/interval"
)

// maxRows is how many stops the table shows unless asked for all.
const maxRows = 40

// writeTable prints the solution for a person.
func writeTable(w io.Writer, p *problem, s *solution, allStops bool) {
	writeHeading(w, p, s)
	rows := evenly(len(p.Stops), maxRows)
	if allStops {
		rows = evenly(len(p.Stops), len(p.Stops))
	}
	t := newTable("stop after", "charged E", "δ of this stop alone", "worst rule: stop at loss ≥", "probability")
	alignRight(t, 1, 2, 3, 4, 5)
	for _, i := range rows {
		loss, probability := thresholdCells(s.Rule, i)
		if i == len(p.Stops)-1 && loss == "never" {
			loss = "ends here" // whatever has not stopped before
		}
		t.AppendRow(table.Row{p.Stops[i].After, clip(p.charges[i], 24), deltaCell(s.SingleStop, i), loss, probability})
	}
	fmt.Fprintln(w)
	must(writeRendered(w, t))
	if left := len(p.Stops) - len(rows); left > 0 {
		fmt.Fprintf(w, "\n%s left out: --all-stops or --json shows all.\n", someOf(left, len(p.Stops), "stop"))
	}
}

// newTable returns an empty table with the given columns.
func newTable(columns ...any) table.Writer {
	t := table.NewWriter()
	t.SetStyle(plainStyle())
	t.AppendHeader(columns)
	return t
}

// alignRight sets columns of numbers, counted from 1.
func alignRight(t table.Writer, columns ...int) { t.SetColumnConfigs(rightAligned(columns...)) }

func rightAligned(columns ...int) []table.ColumnConfig {
	var right []table.ColumnConfig
	for _, n := range columns {
		right = append(right, table.ColumnConfig{Number: n, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	return right
}

// writeRendered prints a table without the blanks at the ends of its lines.
func writeRendered(w io.Writer, t table.Writer) error {
	for line := range strings.SplitSeq(t.Render(), "\n") {
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " ")); err != nil {
			return err
		}
	}
	return nil
}

// writeHeading prints the answer and how it was found.
func writeHeading(w io.Writer, p *problem, s *solution) {
	lower, upper := agreement(s.OptDel)
	answer := fmt.Sprintf("between %s and %s", lower, upper)
	if lower == upper {
		answer = lower
	}
	fmt.Fprint(w, s.gate.line(s.verdict, "OptDel"))
	fmt.Fprintf(w, "OptDel    %s\n", answer)
	if s.exact != nil {
		fmt.Fprintf(w, "          exactly %s\n", s.exact.RatString())
	}
	fmt.Fprintf(w, "Lemma 11  %s%s\n", fourDigits(s.Lemma11), timesAsLarge(s))
	if s.lemma11Exact != nil {
		fmt.Fprintf(w, "          exactly %s\n", s.lemma11Exact.RatString())
	}
	last := p.Stops[len(p.Stops)-1].After
	fmt.Fprintf(w, "Pipeline  %s, %s\n", plural(last, "mechanism"), plural(len(p.Stops), "stop"))
	method := string(s.Method)
	if s.Arithmetic != "" {
		method += " in " + s.Arithmetic
	}
	fmt.Fprintf(w, "Method    %s, relative width %s (asked for %s), %s\n",
		method, s.relWidth().Text('g', 2), short(s.requested, 2), duration(s.elapsed))
}

func duration(d time.Duration) string {
	if d < time.Millisecond {
		return "less than 1 ms"
	}
	return short(d.Seconds(), 3) + " s"
}

// narrow is the relative width below which a quotient is known to four digits, nearly.
const narrow = 1e-3

// timesAsLarge says what Lemma 11 gives away, as a range where the intervals are wide.
func timesAsLarge(s *solution) string {
	if s.OptDel.Upper.Sign() == 0 {
		return ""
	}
	if s.OptDel.RelWidth() < narrow && s.Lemma11.RelWidth() < narrow {
		q, _ := new(big.Float).SetPrec(64).Quo(s.Lemma11.Upper, s.OptDel.Upper).Float64()
		return fmt.Sprintf(", %s times OptDel", short(q, 4))
	}
	quotient := func(x, y *big.Float, up bool) string {
		mode := map[bool]big.RoundingMode{true: big.AwayFromZero, false: big.ToZero}[up]
		return roundTo(new(big.Float).SetPrec(64).SetMode(mode).Quo(x, y), 3, up).String()
	}
	least := "1" // OptDel is never larger
	if s.Lemma11.Lower.Cmp(s.OptDel.Upper) > 0 {
		least = quotient(s.Lemma11.Lower, s.OptDel.Upper, false)
	}
	if s.OptDel.Lower.Sign() == 0 {
		return fmt.Sprintf(", at least %s times OptDel", least)
	}
	return fmt.Sprintf(", %s to %s times OptDel", least, quotient(s.Lemma11.Upper, s.OptDel.Lower, true))
}

// fourDigits rounds up. Where four digits cannot tell the ends apart it starts from
// the lower one: 1.0000000000000003 is then 1.000, not 1.001.
func fourDigits(x interval.Interval) string {
	if x.RelWidth() < 1e-6 {
		return roundTo(x.Lower, 4, true).fixed()
	}
	return roundTo(x.Upper, 4, true).fixed()
}

func deltaCell(deltas []interval.Interval, i int) string {
	if i >= len(deltas) {
		return "–"
	}
	return fourDigits(deltas[i])
}

func thresholdCells(rule []impl.Threshold, i int) (loss, probability string) {
	if i >= len(rule) {
		return "–", "–"
	}
	loss, probability = "never", short(rule[i].Probability, 3)
	if !math.IsInf(rule[i].LossAtLeast, 1) {
		loss = short(rule[i].LossAtLeast, 5)
	}
	return loss, probability
}

// evenly returns most of the numbers 0 to n − 1, with the first and the last,
// or all of them if there are fewer.
func evenly(n, most int) []int {
	most = min(n, most)
	if most <= 1 {
		return []int{0}[:most]
	}
	chosen := make([]int, most)
	for i := range chosen {
		chosen[i] = (i*(n-1) + (most-1)/2) / (most - 1)
	}
	return chosen
}

// plainStyle has a rule below the header and nothing else, and leaves the
// header as it is (the library would print ε as Ε).
func plainStyle() table.Style {
	s := table.StyleLight
	s.Format.Header = text.FormatDefault
	s.Options = table.Options{SeparateHeader: true}
	s.Box.PaddingLeft = ""
	s.Box.PaddingRight = "  "
	return s
}

// clip shows at most so many characters of a text, and none that could act on a terminal.
func clip(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most-1]) + "…"
}

func plural(n int, noun string) string {
	return strings.TrimSuffix(fmt.Sprintf("%d %ss", n, noun), map[bool]string{true: "s"}[n == 1])
}

// someOf starts a sentence: 2 of 30 stops are, 1 of 30 stops is.
func someOf(n, total int, noun string) string {
	return fmt.Sprintf("%d of %s %s", n, plural(total, noun), map[bool]string{true: "is", false: "are"}[n == 1])
}
