package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/jedib0t/go-pretty/v6/table"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl/interval"
	"checkrr/verify/gap"
)

// writeGapTable prints the measurements for a person.
func writeGapTable(w io.Writer, st *study) {
	fmt.Fprintf(w, "Pipelines  %s; %s varied; %s\n", st.title(), st.sweep.Name, report.Duration(st.elapsed))
	if st.kind != nil && st.kind.neighbours != "" {
		fmt.Fprintf(w, "Noise      for neighbours that differ by %s\n", st.kind.neighbours.Says())
	}
	fmt.Fprintln(w)
	t := report.NewTable("", st.sweep.Name, "Lemma 11", "OptDel", "times less", "last E, Lemma 11", "OptDel", "less by", "mean E less by")
	report.AlignRight(t, 2, 3, 4, 5, 6, 7, 8, 9)
	for _, s := range st.series {
		for i, p := range s.Points {
			label := ""
			if i == 0 {
				label = s.Label
			}
			end := p.Stops - 1
			t.AppendRow(table.Row{label, report.Short(p.X, 6), deltaOf(p.Lemma11), deltaOf(p.OptDel), report.Gain(p.Ratio()),
				chargeCell(at(p.Schedule.Lemma11, end)), chargeCell(p.Schedule.Charges()[end]), percent(p.SavedAtEnd()), percent(p.SavedInMean())})
		}
	}
	report.Must(report.WriteRendered(w, t))
	fmt.Fprint(w, `
Lemma 11, OptDel, times less: the δ that each needs for the same charges, with which every stop alone needs δ.
The columns of E: what may be charged for the same δ.
`)
}

// deltaOf shows a δ with four digits, rounded up, or both ends if it is not known that well.
func deltaOf(x interval.Interval) string {
	if x.RelWidth() < report.Narrow {
		return report.Scientific(x)
	}
	lower, upper := report.Agreement(x)
	return lower + " to " + upper
}

// percent shows a part of 1, rounded down to hundredths of a percent, and a dash for what is not a number.
func percent(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	return fmt.Sprintf("%.2f %%", math.Floor(1e4*x)/100)
}

// gapJSON is the output of checkrr gap --json.
type gapJSON struct {
	SchemaVersion int    `json:"schema_version"`
	Over          string `json:"over"`
	gapKindJSON
	Series  []gapSeriesJSON `json:"series"`
	Seconds float64         `json:"seconds"`
}

// gapKindJSON is what all mechanisms are, if a file says it; eps, spread and order are left out of the points then.
type gapKindJSON struct {
	Mechanism  string           `json:"mechanism,omitempty"`  // in the words of a problem file
	Neighbours input.Neighbours `json:"neighbours,omitempty"` // that noise is for
}

type gapSeriesJSON struct {
	Label  string         `json:"label"`
	Points []gapPointJSON `json:"points"`
}

type gapPointJSON struct {
	Value       float64             `json:"value"`
	Stops       int                 `json:"stops"`
	Positions   string              `json:"positions"`
	Mechanisms  int                 `json:"mechanisms"`
	Eps         *report.Number      `json:"eps,omitempty"`
	Spread      *report.Number      `json:"spread,omitempty"`
	Order       string              `json:"order,omitempty"`
	Delta       report.Number       `json:"delta"`
	Lemma11     report.IntervalJSON `json:"lemma11"`
	OptDel      report.IntervalJSON `json:"optdel"`
	Ratio       report.IntervalJSON `json:"ratio"`
	LastLemma11 *report.Number      `json:"last_lemma11_eps"` // null, as what is saved: Lemma 11 has no charges
	LastEps     report.Number       `json:"last_eps"`
	SavedAtEnd  *float64            `json:"saved_at_end"`
	SavedInMean *float64            `json:"saved_in_mean"`
}

func toGapPointJSON(p gap.Point) gapPointJSON {
	end := p.Stops - 1
	out := gapPointJSON{
		Value: p.X, Stops: p.Stops, Positions: string(p.Positions), Mechanisms: p.Mechanisms,
		Order: string(p.Order), Delta: report.Up.Rat(p.Delta),
		Lemma11: report.ToJSON(p.Lemma11), OptDel: report.ToJSON(p.OptDel), Ratio: report.ToJSON(p.Ratio()),
		LastLemma11: upOrNull(at(p.Schedule.Lemma11, end)), LastEps: report.Up.Rat(p.Schedule.Charges()[end]),
	}
	if p.Mechanism == nil {
		out.Eps, out.Spread = new(report.Up.Rat(p.Eps)), new(report.Near.Rat(p.Spread))
	}
	if p.Schedule.Lemma11 != nil {
		atEnd, inMean := p.SavedAtEnd(), p.SavedInMean()
		out.SavedAtEnd, out.SavedInMean = &atEnd, &inMean
	}
	return out
}

func (st *study) toJSON() gapJSON {
	out := gapJSON{SchemaVersion: report.SchemaVersion, Over: st.sweep.Name, Seconds: report.Microseconds(st.elapsed)}
	if st.kind != nil {
		out.gapKindJSON = gapKindJSON{st.kind.text, st.kind.neighbours}
	}
	for _, s := range st.series {
		line := gapSeriesJSON{Label: s.Label}
		for _, p := range s.Points {
			line.Points = append(line.Points, toGapPointJSON(p))
		}
		out.Series = append(out.Series, line)
	}
	return out
}

// gapCSV is a line a point. With a file, mechanism and neighbours are in it instead of eps, spread and order.
func gapCSV(st *study) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	kind := []string{"eps", "spread", "order"}
	if st.kind != nil {
		kind = []string{"mechanism", "neighbours"}
	}
	report.Must(w.Write(slices.Concat([]string{"label", "value", "stops", "positions", "mechanisms"}, kind, []string{"delta",
		"lemma11_lower", "lemma11_upper", "optdel_lower", "optdel_upper", "ratio_lower", "ratio_upper",
		"last_lemma11_eps", "last_eps", "saved_at_end", "saved_in_mean"})))
	for _, s := range st.series {
		for _, point := range s.Points {
			report.Must(w.Write(append([]string{s.Label}, st.row(toGapPointJSON(point))...)))
		}
	}
	w.Flush()
	report.Must(w.Error())
	return b.Bytes()
}

// row is a line of the CSV file, but for the label.
func (st *study) row(p gapPointJSON) []string {
	lastLemma11, saved := "", []string{"", ""} // Lemma 11 has no charges
	if p.LastLemma11 != nil {
		lastLemma11, saved = p.LastLemma11.Double(), []string{report.Short(*p.SavedAtEnd, -1), report.Short(*p.SavedInMean, -1)}
	}
	var kind []string
	if st.kind != nil {
		kind = []string{st.kind.text, string(st.kind.neighbours)}
	} else {
		kind = []string{p.Eps.String(), p.Spread.String(), p.Order}
	}
	line := slices.Concat([]string{report.Short(p.Value, -1), strconv.Itoa(p.Stops), p.Positions, strconv.Itoa(p.Mechanisms)}, kind, []string{p.Delta.String()})
	for _, x := range []report.IntervalJSON{p.Lemma11, p.OptDel, p.Ratio} {
		line = append(line, x.Lower.Double(), x.Upper.Double())
	}
	return append(line, slices.Concat([]string{lastLemma11, p.LastEps.Double()}, saved)...)
}
