package command

import (
	"cmp"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/cmd/checkrr/internal/run"
	"checkrr/impl/interval"
	"checkrr/verify/audit"
)

// again is the command that checks a claim alone, as a shell takes it: without -- where that is not needed.
func (c *checked) again() string {
	words := []string{programName}
	behind := slices.Index(c.Args, "--")
	for i, arg := range c.Args {
		if i == behind && !slices.ContainsFunc(c.Args[i+1:], func(s string) bool { return strings.HasPrefix(s, "-") }) {
			continue
		}
		words = append(words, report.Word(arg))
	}
	return strings.Join(words, " ")
}

// writeChecked prints a line a claim, then those that do not hold, or have a warning.
func writeChecked(w io.Writer, all []*checked) {
	t := report.NewTable("verdict", "claim", "found").Right(3)
	for _, c := range all {
		t.Row(string(c.verdict()), report.Clip(report.Cell(c.Name), 40), c.foundCell())
	}
	t.Write(w)
	count, gone := map[run.Verdict]int{}, 0
	for _, c := range all {
		if c.Kind == "regression" {
			gone++
		} else {
			count[c.verdict()]++
		}
		if c.code == exitOK && !strings.Contains(c.message, "warning: ") {
			continue
		}
		fmt.Fprintf(w, "\n%s:%d: %s: %s\n", report.Name(c.file()), c.Line, report.OneLine(c.Name), c.verdict())
		fmt.Fprintf(w, "  %s\n", strings.ReplaceAll(c.message, "\n", "\n  "))
		fmt.Fprintf(w, "  again: %s\n", report.OneLine(c.again()))
	}
	says := []string{}
	for _, v := range []run.Verdict{run.Holds, run.Refuted, moved, broken, run.Inconclusive, notRun} {
		if count[v] > 0 {
			says = append(says, fmt.Sprintf("%s %d", v, count[v]))
		}
	}
	if gone > 0 {
		says = append(says, fmt.Sprintf("only in the baseline %d", gone))
	}
	fmt.Fprintf(w, "\n%s: %s\n", report.Plural(len(all)-gone, "claim"), strings.Join(says, ", "))
}

// finds notes what the command that checks a claim found, and what the table has in place of it.
func (c *checked) finds(out []byte) {
	at := func(keys ...string) string { return figure(valueAt(out, keys)) }
	c.found = at(c.Found...)
	c.shown = evidence(c.found, out)
	lacking := at("refused", "exceeds", "eps")
	switch {
	case c.Kind == "statements":
		c.found = verdictsIn(out)
	case lacking != "": // an event of a ledger is refused
		amount, called := "eps", ""
		if lacking == "0" {
			amount, called = "delta", "δ "
		}
		spent, asked := at("spent", amount), at("refused", "requested", amount)
		c.found = called + spent + ", then " + asked + " refused"
		c.shown = called + inSixDigits(spent) + ", then " + inSixDigits(asked) + " refused"
	}
}

// evidence is what the table has in place of a word: for how many pairs of inputs a claim is true for certain, or of
// how many pipelines none refutes it.
func evidence(found string, out []byte) string {
	at := func(keys ...string) string { value, _ := valueAt(out, keys); return value }
	proved, _ := strconv.Atoi(at("exact", "proved"))
	tried, _ := strconv.Atoi(at("pipelines"))
	switch {
	case found == string(audit.NoViolation) && at("certain") == "true":
		return fmt.Sprintf("true for %s of inputs, for certain", report.Plural(proved, "pair"))
	case found == string(noCounterexample):
		return "none in " + report.Plural(tried, "pipeline")
	}
	return ""
}

// inSixDigits is a long number rounded up; other texts, and short ones, are as they are.
func inSixDigits(text string) string {
	const short = 10
	if r, isNumber := new(big.Rat).SetString(text); isNumber && len(text) > short {
		return report.RoundTo(interval.Wide.Rat(r).Upper, 6, true).String()
	}
	return text
}

// foundCell is what was found. Where that would be above a limit that holds, it is the limit.
func (c *checked) foundCell() string {
	const most = 40
	cell := cmp.Or(c.shown, inSixDigits(c.found))
	x, noNumber := input.ParseNumber(cell)
	limit, noLimit := input.ParseNumber(c.Limit)
	if c.code == exitOK && noNumber == nil && noLimit == nil && x.Cmp(limit) > 0 {
		cell = "≤ " + c.Limit
	}
	return report.Clip(report.OneLine(cell), most)
}

// checkedJSON is the output of --json.
func checkedJSON(all []*checked) report.Object {
	var claims []report.Object
	for _, c := range all {
		claims = append(claims, report.Object{
			"name", c.Name,
			"file", c.file(),
			"line", c.Line,
			"verdict", c.verdict(),
			"found?", c.found,
			"baseline?", c.was,
			"message?", c.message,
			"command", c.again(),
		})
	}
	return report.Output("claims", claims)
}
