package command

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strings"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/verify/audit"
	"checkrr/verify/audit/mechanisms"
)

// write prints what came of an audit for a person.
func (r *audited) write(w io.Writer) {
	line := linesTo(w)
	line("Verdict", "%s", r.outcome())
	line("Claim", "%s is %s", report.Name(r.name), r.claimed())
	if len(r.settings) > 0 {
		line("Parameters", "%s", r.parameters())
	}
	if r.exact != nil {
		r.writeExact(line)
	}
	if r.sampled != nil {
		r.writeSampled(line)
	}
	line("Time", "%s", report.Duration(r.elapsed))
	if r.lags() {
		line("Bounds", "%s", r.laggingBounds())
	}
	fmt.Fprintln(w)
	r.partTable().Write(w)
}

// outcome is the verdict, and how sure it is.
func (r *audited) outcome() string {
	switch {
	case r.exact != nil && r.exact.Refuted:
		return "refuted, for certain"
	case r.certain():
		text := fmt.Sprintf("no violation: the claim is true for %s of inputs, for certain",
			report.Plural(r.exact.Proved, "pair"))
		if others := len(r.exact.Laws) - r.exact.Proved; others > 0 {
			text += fmt.Sprintf("; of %d more, what was computed does not refute it", others)
		}
		return text
	case r.sampled == nil:
		return "no violation found: not every output of the inputs examined was"
	case r.sampled.Verdict == audit.Refuted:
		return fmt.Sprintf("refuted (a true claim would be with probability at most %s)", r.alpha.Text)
	}
	return string(r.sampled.Verdict)
}

// claimed is the claim in words.
func (r *audited) claimed() string {
	if r.claim.IsDP() {
		return fmt.Sprintf("(%s, %s)-DP", report.Clip(r.charges[0], 24), report.Clip(r.delta, 24))
	}
	return fmt.Sprintf("ODP with δ = %s and the ε of %s below", report.Clip(r.delta, 24),
		report.Plural(len(r.charges), "part"))
}

// parameters are those of a built-in mechanism, in words.
func (r *audited) parameters() string {
	var all []string
	for _, s := range r.settings {
		all = append(all, s.Name+" "+report.Clip(asTyped(s.Value), 24))
	}
	return strings.Join(all, ", ")
}

// asTyped writes a text that is a number as it would be typed.
func asTyped(text string) string {
	if r, err := input.ParseNumber(text); err == nil {
		return report.Typed(r)
	}
	return text
}

// lines writes a line with a label; the label is empty where a line goes on.
type lines func(label, format string, args ...any)

func linesTo(w io.Writer) lines {
	return func(label, format string, args ...any) {
		fmt.Fprintf(w, "%-12s%s\n", label, fmt.Sprintf(format, args...))
	}
}

// writeInputs says which inputs are meant.
func writeInputs(line lines, inputs [2]string) {
	line("Inputs", "P0: %s", report.Clip(inputs[0], 100))
	line("", "P1: %s", report.Clip(inputs[1], 100))
}

// writeEvent says which outputs are in an event.
func writeEvent(line lines, event []string) {
	const most = 6
	for i, text := range event {
		label := ""
		if i == 0 {
			label = "Event"
		}
		if i == most && len(event) > most+1 {
			line(label, "and %d more lines: --json shows all", len(event)-i)
			return
		}
		line(label, "%s", report.Clip(text, 120))
	}
}

// writeExact prints what the laws say.
func (r *audited) writeExact(line lines) {
	e := r.exact
	f, law := e.Findings[e.Worst], e.Laws[e.Worst]
	if e.Refuted {
		writeInputs(line, inOrder(law.Inputs, f.Direction))
		writeEvent(line, cellNames(law, f.Event))
		line("Law", "the event has probability %s under P0, and %s under P1",
			probability(law, f.Event, f.Direction), probability(law, f.Event, 1-f.Direction))
	}
	if e.Refuted || e.Proved > 0 {
		line("Smallest δ", "%s; %s is claimed", smallest(f, r.delta), report.Clip(r.delta, 24))
	}
	kind := "probabilities in certified intervals"
	if allExact(e.Laws) {
		kind = "probabilities are exact"
	}
	line("Exact", "%s, for %s of inputs", kind, report.Plural(len(e.Laws), "pair"))
}

// allExact reports whether all probabilities are known as rational numbers.
func allExact(laws []audit.Law) bool {
	for _, l := range laws {
		if slices.ContainsFunc(l.Cells, func(c audit.Cell) bool { return c.Exact == nil }) {
			return false
		}
	}
	return true
}

// probability shows a probability exactly if it is known and short, and else four digits, rounded up, or what is
// certain.
func probability(law audit.Law, event []int, input int) string {
	if exact := law.ExactProbability(event, input); exact != nil {
		if text := report.Typed(exact); len(text) <= 12 {
			return text
		}
	}
	p := law.Probability(event, input)
	switch {
	case p.Upper.Sign() == 0:
		return "0"
	case p.RelWidth() > report.Narrow:
		return "at least " + report.RoundTo(p.Lower, 4, false).String()
	}
	return report.FourDigits(p)
}

// smallest says where the smallest δ of a claim is. One that holds is not shown above what is claimed.
func smallest(f audit.Finding, claimed string) string {
	shown, _ := input.ParseNumber(report.FourDigits(f.Delta))
	most, err := input.ParseNumber(claimed)
	isNoMore := err == nil && shown != nil && shown.Cmp(most) <= 0
	switch {
	case f.Proved && f.Delta.Upper.Sign() == 0:
		return "0"
	case f.Exact != nil:
		return "exactly " + report.Clip(report.Typed(f.Exact), 40)
	case f.Delta.RelWidth() <= report.Narrow && (isNoMore || !f.Proved):
		return report.FourDigits(f.Delta)
	case f.Proved:
		return "not more than is claimed"
	}
	return "at least " + report.RoundTo(f.Delta.Lower, 4, false).String()
}

// deltaRange says where the smallest δ is.
func deltaRange(x audit.PartExcess) string {
	switch {
	case x.Exact != nil:
		return report.Clip(report.Typed(x.Exact), 24)
	case x.Delta.RelWidth() <= report.Narrow:
		return report.FourDigits(x.Delta)
	case x.Delta.Lower.Sign() == 0:
		return "–"
	}
	return "at least " + report.RoundTo(x.Delta.Lower, 4, false).String()
}

func inOrder(inputs [2]string, direction int) [2]string {
	return [2]string{inputs[direction], inputs[1-direction]}
}

func cellNames(law audit.Law, cells []int) []string {
	all := []string{} // in JSON, not null
	for _, c := range cells {
		all = append(all, law.Cells[c].Name)
	}
	return all
}

// partTable shows every part with what was found of its ε.
func (r *audited) partTable() *report.Table {
	columns := []any{"part", "ε claimed"}
	if r.sampled != nil {
		columns = append(columns, "ε at least")
	}
	seen := r.sampled != nil && r.sampled.Seen != nil
	if seen {
		columns = append(columns, "ε seen from", "for an event of probability")
		if len(r.claim.Parts) > 1 {
			columns = append(columns, "leak seen from")
		}
	}
	if r.exact != nil {
		columns = append(columns, "δ by itself", "largest loss", "of the output")
	}
	numbers := len(columns) - 1
	if r.exact != nil {
		numbers-- // the output
	}
	t := report.NewTable(columns...).Right([]int{2, 3, 4, 5, 6, 7, 8}[:numbers]...)
	for i, part := range r.claim.Parts {
		row := []any{report.Clip(report.Cell(cmp.Or(part.Name, "all")), 40), report.Clip(r.charges[i], 24)}
		if r.sampled != nil {
			row = append(row, r.boundCell(i))
		}
		if seen {
			row = append(row, r.seenCells(i)...)
		}
		if r.exact != nil {
			row = append(row, deltaRange(r.exact.Findings[r.exact.Parts[i]].Parts[i]))
			row = append(row, r.lossCells(i)...)
		}
		t.Row(row...)
	}
	return t
}

// lossCells are the largest loss of a part that is certain, and the output that has it.
func (r *audited) lossCells(part int) []any {
	largest := r.exact.Losses[part]
	if largest.Cell < 0 {
		return []any{"–", ""}
	}
	law := r.exact.Laws[r.exact.InLaw[part]]
	name := report.Clip(report.Cell(law.Cells[largest.Cell].Name), 60)
	return []any{lossText(largest.Loss, r.claim.Parts[part].Eps), name}
}

// lossText shows four digits, rounded up if the loss is known so well, and else down but for a trace: what is 1,
// nearly, is not 0.9999. There are more digits where it takes them to show on which side of the ε that is claimed it
// is; what is that ε, nearly, is rounded down.
func lossText(x interval.Interval, claimed loss.Epsilon) string {
	lower := x.Lower
	switch {
	case lower.IsInf() && lower.Sign() > 0:
		return "unbounded"
	case lower.IsInf() || lower.Sign() <= 0:
		return "0"
	}
	eps := loss.Enclose(claimed, interval.Wide).Upper
	most, _ := eps.Rat(nil)
	onSide := func(shown report.Decimal, end *big.Float, up bool) (text string, is bool) {
		for digits := 5; !is && digits <= 40; digits++ {
			text, is = shown.String(), (shown.Rat().Cmp(most) > 0) == (lower.Cmp(eps) > 0)
			shown = report.RoundTo(end, digits, up)
		}
		return text, is
	}
	if !x.Upper.IsInf() && x.RelWidth() <= report.Narrow {
		if text, is := onSide(report.RoundUp(x), x.Upper, true); is {
			return text
		}
	}
	nudged := new(big.Float).Mul(lower, big.NewFloat(1+1e-12))
	text, _ := onSide(report.RoundTo(nudged, 4, false), lower, false)
	return text
}

// seenCells are the ε of a part that would have been found, and the probability of the event; and the leak, where
// there are several parts.
func (r *audited) seenCells(part int) []any {
	s := r.sampled.Seen
	row := []any{"–", "–"}
	if !math.IsInf(s.Eps[part], 1) {
		row = []any{ceil(s.Eps[part], 4), report.Short(s.Probability[part], 2)}
	}
	switch leak := s.Leaks[part]; {
	case len(s.Leaks) == 1:
		return row
	case leak <= 1:
		return append(row, ceil(leak, 2))
	}
	return append(row, "–")
}

// listMechanisms prints the catalogue.
func (a app) listMechanisms(asJSON bool) error {
	object := func() report.Object {
		var all []report.Object
		for _, m := range mechanisms.All() {
			all = append(all, infoJSON(m))
		}
		return report.Output("mechanisms", all)
	}
	return a.Write("", asJSON, object, func(w io.Writer) {
		t := report.NewTable("name", "claims", "parameters", "what it is").Wrap(4)
		for _, right := range []bool{true, false} {
			for _, m := range mechanisms.All() {
				text := m.Title
				if !right {
					text = "wrong: " + m.Wrong + " (" + m.Source + ")"
				}
				if m.Right() == right {
					t.Row(m.Name, strings.Join(m.Claims, " "), strings.Join(m.Takes(), " "), text)
				}
			}
		}
		t.Write(w)
	})
}
