package report

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"checkrr/impl/interval"
)

// Table is rows below a head, for people.
type Table struct {
	rows    table.Writer
	columns []table.ColumnConfig
}

// NewTable returns an empty table with the given columns.
func NewTable(columns ...any) *Table {
	t := &Table{rows: table.NewWriter()}
	t.rows.SetStyle(plainStyle())
	t.rows.AppendHeader(columns)
	return t
}

// Right aligns columns of numbers, counted from 1. There may be fewer of them.
func (t *Table) Right(columns ...int) *Table {
	for _, n := range columns {
		t.columns = append(t.columns, table.ColumnConfig{Number: n, Align: text.AlignRight,
			AlignHeader: text.AlignRight})
	}
	return t
}

// Wrap breaks the texts of a column into lines that fit on a screen.
func (t *Table) Wrap(column int) *Table {
	t.columns = append(t.columns, table.ColumnConfig{Number: column, WidthMax: 64, WidthMaxEnforcer: text.WrapSoft})
	return t
}

// Row adds a row.
func (t *Table) Row(cells ...any) { t.rows.AppendRow(cells) }

// Markdown returns the table for a page.
func (t *Table) Markdown() string { return t.rows.RenderMarkdown() }

// Write prints the table without the blanks at the ends of its lines.
func (t *Table) Write(w io.Writer) {
	t.rows.SetColumnConfigs(t.columns)
	for line := range strings.SplitSeq(t.rows.Render(), "\n") {
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}

// Duration shows a time to three digits of a second.
func Duration(d time.Duration) string {
	if d < time.Millisecond {
		return "less than 1 ms"
	}
	return Short(d.Seconds(), 3) + " s"
}

// Narrow is the relative width below which a quotient is known to four digits, nearly.
const Narrow = 1e-3

// FourDigits shows the upper end of a number that is at least 0 in four digits, rounded up.
func FourDigits(x interval.Interval) string { return RoundUp(x).Fixed() }

// RoundUp rounds the upper end to four digits, and up. Where these cannot tell the ends apart it starts from the lower
// one: 1.0000000000000003 is then 1.000, not 1.001.
func RoundUp(x interval.Interval) Decimal {
	const indistinct = 1e-6 // relative width below which four digits cannot tell the ends apart
	if x.RelWidth() < indistinct {
		return RoundTo(x.Lower, 4, true)
	}
	return RoundTo(x.Upper, 4, true)
}

// Evenly returns most of the numbers 0 to n − 1, with the first and the last,
// or all of them if there are fewer.
func Evenly(n, most int) []int {
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

// Clip shows at most so many characters of a text, and none that could act on a terminal.
func Clip(s string, most int) string {
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

// Plural returns a number of something: 1 stop, 2 stops.
func Plural(n int, noun string) string {
	return strings.TrimSuffix(fmt.Sprintf("%d %ss", n, noun), map[bool]string{true: "s"}[n == 1])
}

// LeftOut says how many of a list are not shown, if it is long, and what shows them.
func LeftOut(w io.Writer, shown, all int, noun, how string) {
	if shown < all {
		fmt.Fprintf(w, "\n%s left out: %s all.\n", SomeOf(all-shown, all, noun), how)
	}
}

// SomeOf starts a sentence: 2 of 30 stops are, 1 of 30 stops is.
func SomeOf(n, total int, noun string) string {
	return fmt.Sprintf("%d of %s %s", n, Plural(total, noun), map[bool]string{true: "is", false: "are"}[n == 1])
}
