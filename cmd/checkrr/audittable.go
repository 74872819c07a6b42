package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
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
	report.Must(report.WriteRendered(w, r.partTable()))
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
		return fmt.Sprintf("refuted (a true claim would be with probability at most %s)", r.alpha)
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
			line(label, "and %d more lines: --json has them", len(event)-i)
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
		line("Smallest δ", "%s; %s is claimed", smallest(f), report.Clip(r.delta, 24))
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

// smallest says where the smallest δ of a claim is.
func smallest(f audit.Finding) string {
	switch {
	case f.Proved && f.Delta.Upper.Sign() == 0:
		return "0"
	case f.Exact != nil:
		return "exactly " + report.Clip(report.Typed(f.Exact), 40)
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

// writeSampled prints what the samples say.
func (r *audited) writeSampled(line lines) {
	s := r.sampled
	if w := s.Witness; w != nil {
		writeInputs(line, w.Inputs)
		writeEvent(line, w.Event)
		line("Hits", "%d of %d outputs under P0, %d of %d under P1", w.Hits[0], w.Size, w.Hits[1], w.Size)
		writeStrength(line, w)
	} else {
		r.writeSeen(line)
	}
	r.writeDelta(line)
	r.writeCut(line)
	if s.Screened > 0 {
		line("Search", "%s of neighbours were tried, of which the most suspicious were audited",
			report.Plural(s.Screened, "pair"))
	}
	line("Samples", "%s for each input, of at most %d%s; alpha %s, seed %d%s%s", report.Plural(s.Samples, "output"),
		r.limits.Samples, r.stopped, r.alpha, r.limits.Seed,
		map[bool]string{true: ", bits"}[r.limits.Bits], map[bool]string{true: ", full"}[r.limits.Full])
	if l := s.Looked; l.Features > 0 {
		left := ""
		if l.Left > 0 {
			left = fmt.Sprintf("; not at %d more, which are too many", l.Left)
		}
		if l.Uncounted {
			left += "; and not at all words and numbers that may come several times, which are too many"
		}
		line("Looked at", "%s of %s, their lists and pairs%s", report.Plural(l.Features, "feature"),
			report.Plural(l.Places, "place"), left)
	}
	if s.Kept < 1 {
		line("Memory", "%d MiB: of what was drawn, 1 output in %.0f was kept to learn from, a fair choice",
			r.limits.Memory>>20, 1/s.Kept)
	}
	const noted = 0.05
	if s.Shapeless > noted {
		line("Warning", "%.0f %% of the outputs never repeat, and differ only in texts without numbers, or words that others have: of these texts only bytes and lengths were looked at; send numbers as numbers", 100*s.Shapeless)
	}
	if s.LowBits {
		line("Warning", "as float64, the outputs tell the inputs apart by their last bits or the sign of 0: --bits counts that")
	}
}

// writeStrength says how strong the evidence is: that of the printed event, or if it is not enough by itself, that of
// all rounds.
func writeStrength(line lines, w *audit.Witness) {
	enough := odds(w.Threshold) + " to 1 refutes"
	if w.Alone >= w.Threshold {
		line("Evidence", "%s to 1 against the claim, by these outputs alone (%s)", odds(w.Alone), enough)
		return
	}
	line("Evidence", "%s to 1 against the claim, over %s (%s); by the outputs above alone %s to 1", odds(w.LogWealth),
		report.Plural(len(w.Evidence), "round"), enough, odds(w.Alone))
	for _, e := range w.Evidence {
		line("", "round %d, with an event of its own: %d of %d under P0, %d under P1, times %s with %.0f %% of what was bet", e.Round+1, e.Hits[0], e.Size, e.Hits[1], odds(e.Factor), 100*e.Share)
	}
	line("", "the rest is from what was bet on other events, smaller and larger ones, and by other models of the outputs")
}

// odds writes a number that is given by its logarithm with two digits, rounded down.
func odds(logarithm float64) string {
	exponent := math.Floor(logarithm / math.Ln10)
	switch {
	case math.IsInf(logarithm, -1):
		return "0"
	case math.Abs(exponent) > 15:
		return fmt.Sprintf("1e%.0f", exponent)
	}
	scale := math.Pow(10, 1-exponent)
	x := math.Floor(math.Exp(logarithm)*scale) / scale
	if exponent >= 0 && exponent < 7 {
		return strconv.FormatFloat(x, 'f', max(0, 1-int(exponent)), 64)
	}
	return strings.NewReplacer("e+0", "e", "e+", "e", "e-0", "e-").Replace(report.Short(x, 2))
}

// writeDelta says which δ would be needed, if that is known.
func (r *audited) writeDelta(line lines) {
	claimed, _ := r.claim.Delta.Float64()
	typed := report.Clip(r.delta, 24)
	switch {
	case r.sampled.Verdict == audit.Refuted && r.sampled.Delta <= claimed: // so much is known from the refutation
		line("Smallest δ", "more than the %s that is claimed, for the ε claimed", typed)
	case r.sampled.Delta > 0 || r.sampled.Verdict == audit.Refuted:
		line("Smallest δ", "at least %s for the ε claimed; %s is claimed", report.Short(floor(r.sampled.Delta), 3),
			typed)
	}
}

// writeCut says which numbers are limited by time, and not by what was drawn.
func (r *audited) writeCut(line lines) {
	if !r.sampled.Cut {
		return
	}
	what := "the bounds were"
	if r.sampled.Seen != nil {
		what = "what is Seen was"
	}
	line("Cut off", "time was up before %s worked out: these numbers are cut off by time, not by samples", what)
	if !r.isInterrupted {
		line("", "a longer --timeout brings better ones")
	}
}

// lags reports whether the claim was refuted by samples, and no number in the table shows it: the bounds of parts have
// shares of α of their own, and the verdict has the evidence of all parts and rounds.
func (r *audited) lags() bool {
	s := r.sampled
	if s == nil || s.Verdict != audit.Refuted {
		return false
	}
	claimed, _ := r.claim.Delta.Float64()
	if s.Delta > claimed {
		return false
	}
	for i := range s.Eps {
		if r.reaches(i) {
			return false
		}
	}
	return true
}

// reaches reports whether the bound on the ε of a part is what is claimed, but for rounding, or more.
func (r *audited) reaches(part int) bool {
	return r.sampled.Eps[part] >= r.claim.Parts[part].Eps.Float64()*(1-1e-12)
}

// laggingBounds says why no bound is above what was claimed, and what helps.
func (r *audited) laggingBounds() string {
	text := "those of single parts may lag behind the verdict, which adds up the evidence of all parts and rounds"
	if !r.limits.Full {
		text += "; --full brings better ones"
	}
	return text
}

// boundCell shows the bound on the ε of a part, rounded down, or how it is above what is claimed.
func (r *audited) boundCell(part int) string {
	bound := r.sampled.Eps[part]
	switch {
	case bound == 0:
		return "–"
	case r.sampled.Verdict == audit.Refuted && floor(bound) <= r.claim.Parts[part].Eps.Float64() && r.reaches(part):
		return "above " + report.Clip(r.charges[part], 12)
	}
	return report.Short(floor(bound), 4)
}

// writeSeen says which violation would have been found.
func (r *audited) writeSeen(line lines) {
	seen := r.sampled.Seen
	if math.IsInf(seen.Delta, 1) {
		line("Seen", "no violation, however large, would have been found")
		return
	}
	whole, more := "", ""
	if r.sampled.Looked.Features > 0 || seen.Place != seen.Delta { // an output is more than one place
		whole, more = "as a whole, ", placeSeen(seen.Place)
	}
	if len(seen.Leaks) > 1 {
		whole += fmt.Sprintf("in part %s ", report.Clip(r.claim.Parts[seen.Part].Name, 40))
	}
	line("Seen", "an output that only one input has, %swith probability %s, would have been", whole, orMore(seen.Delta))
	if seen.Interval < 1 {
		more += fmt.Sprintf("; so would %s spread over an interval with %g %% of all others", ceil(seen.Interval, 2),
			100*audit.SeenInterval)
	}
	if slices.ContainsFunc(seen.Eps, func(eps float64) bool { return !math.IsInf(eps, 1) }) {
		more += "; so would the ε below"
	}
	line("", "found with probability %g%s", audit.SeenPower, more)
}

// placeSeen says which leak at one place would have been found.
func placeSeen(p float64) string {
	if math.IsInf(p, 1) {
		return "; a word or a number at one place of it would not"
	}
	return fmt.Sprintf("; so would a word or a number at one place of it, with %s", orMore(p))
}

// orMore shows from which probability on something would have been found.
func orMore(p float64) string {
	if p >= 1 {
		return "1"
	}
	return ceil(p, 2) + " or more"
}

// ceil rounds up, but for a trace: what is seen from a number on need not be seen below it, where the claim may
// allow it.
func ceil(x float64, digits int) string {
	return report.RoundTo(big.NewFloat(x*(1-1e-12)), digits, true).String()
}

// floor rounds to three digits, down.
func floor(x float64) float64 {
	if x <= 0 {
		return 0
	}
	scale := math.Pow(10, 2-math.Floor(math.Log10(x)))
	return math.Floor(x*scale) / scale
}

// partTable shows every part with what was found of its ε.
func (r *audited) partTable() table.Writer {
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
	t := report.NewTable(columns...)
	numbers := len(columns) - 1
	if r.exact != nil {
		numbers-- // the output
	}
	t.SetColumnConfigs(report.RightAligned(2, 3, 4, 5, 6, 7, 8)[:numbers])
	for i, part := range r.claim.Parts {
		row := table.Row{report.Clip(cmp.Or(part.Name, "all"), 40), report.Clip(r.charges[i], 24)}
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
		t.AppendRow(row)
	}
	return t
}

// lossCells are the largest loss of a part that is certain, and the output that has it.
func (r *audited) lossCells(part int) table.Row {
	loss := r.exact.Losses[part]
	if loss.Cell < 0 {
		return table.Row{"–", ""}
	}
	law := r.exact.Laws[r.exact.InLaw[part]]
	return table.Row{lossText(loss.Loss.Lower), report.Clip(law.Cells[loss.Cell].Name, 60)}
}

// lossText shows four digits, rounded down but for a trace: what is 1, nearly, is not 0.9999.
func lossText(x *big.Float) string {
	switch {
	case x.IsInf() && x.Sign() > 0:
		return "unbounded"
	case x.IsInf() || x.Sign() <= 0:
		return "0"
	}
	nudged := new(big.Float).Mul(x, big.NewFloat(1+1e-12))
	return report.RoundTo(nudged, 4, false).String()
}

// seenCells are the ε of a part that would have been found, and the probability of the event; and the leak, where
// there are several parts.
func (r *audited) seenCells(part int) table.Row {
	s := r.sampled.Seen
	row := table.Row{"–", "–"}
	if !math.IsInf(s.Eps[part], 1) {
		row = table.Row{ceil(s.Eps[part], 4), report.Short(s.Probability[part], 2)}
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
	if asJSON {
		return writeCatalogue(a.stdout)
	}
	t := report.NewTable("name", "claims", "parameters", "what it is")
	t.SetColumnConfigs([]table.ColumnConfig{titleColumn(4)})
	for _, right := range []bool{true, false} {
		for _, m := range mechanisms.All() {
			if m.Right() != right {
				continue
			}
			text := m.Title
			if !right {
				text = "wrong: " + m.Wrong + " (" + m.Source + ")"
			}
			t.AppendRow(table.Row{m.Name, strings.Join(m.Claims, " "), strings.Join(m.Takes(), " "), text})
		}
	}
	return report.WriteRendered(a.stdout, t)
}
