package command

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// gapPanel is one of the answers that a picture of docs/gap.md shows.
type gapPanel struct {
	label string
	isLog bool
	value func(gapPoint) float64
}

var gapPanels = []gapPanel{
	{"for the same charges: Lemma 11's δ divided by OptDel", true,
		func(p gapPoint) float64 { return middle(p.ratio()) }},
	{"for the same charges: OptDel, in units of the δ that one stop needs", false,
		func(p gapPoint) float64 { return middle(p.optDel) / loss.Float64(loss.Nats(p.delta)) }},
	{"for the same δ: last charge lower than with Lemma 11, by %", false,
		func(p gapPoint) float64 { return 100 * p.savedAtEnd() }},
}

func middle(x interval.Interval) float64 {
	lower, _ := x.Lower.Float64()
	upper, _ := x.Upper.Float64()
	return lower + (upper-lower)/2
}

// drawGap draws a sweep, the answers one below the other.
func drawGap(t *testing.T, w gapSweep, curves []gapCurve, file string) {
	var figures []*plot.Plot
	for _, panel := range gapPanels {
		figures = append(figures, panel.draw(t, w, curves))
	}
	title := "What OptDel gains over Lemma 11\n" + w.title + "\n\n" + figures[0].Title.Text
	figures[0].Title.Text = title
	figures[len(figures)-1].X.Label.Text = w.axis
	figures[0].Legend, figures[2].Legend = plot.NewLegend(), plot.NewLegend() // once is enough
	figures[1].Y.Max *= 1.25                                                  // room for it
	if err := report.WritePicture(file, figures...); err != nil {
		t.Fatal(err)
	}
}

// draw draws one answer, one curve a family of stops.
func (p gapPanel) draw(t *testing.T, w gapSweep, curves []gapCurve) *plot.Plot {
	figure := report.NewFigure(p.label, "", "")
	most, rise := 0.0, 0.0 // of all curves
	for i, c := range curves {
		var points plotter.XYs
		for _, point := range c.points {
			points = append(points, plotter.XY{X: point.x, Y: p.value(point)})
			most = max(most, p.value(point))
		}
		rise += points[len(points)-1].Y - points[0].Y
		report.AddSeries(figure, c.label, points,
			report.Look{HasGlyphs: true, Color: report.Colors[i], Shape: report.Shapes[i], Dashes: report.Dashes[i]})
	}
	figure.Y.Min, figure.Y.Max = 0, 1.1*most
	if p.isLog && most > 3 {
		figure.Y.Min, figure.Y.Max = 1, max(10, 1.2*most)
		figure.Y.Scale, figure.Y.Tick.Marker = plot.LogScale{}, plot.TickerFunc(report.DecadeTicks)
	}
	figure.X.Min, figure.X.Max = math.Inf(1), math.Inf(-1)
	for _, c := range curves {
		for _, point := range c.points {
			figure.X.Min, figure.X.Max = min(figure.X.Min, point.x), max(figure.X.Max, point.x)
		}
	}
	if w.isLog {
		figure.X.Scale, figure.X.Tick.Marker = plot.LogScale{}, plot.TickerFunc(report.DecadeTicks)
	}
	report.PlaceLegend(figure, true, rise >= 0, vg.Points(6))
	return figure
}

// gapColumns are those of the CSV files.
var gapColumns = []string{"label", "value", "stops", "positions", "mechanisms", "eps", "spread", "order", "delta",
	"lemma11_lower", "lemma11_upper", "optdel_lower", "optdel_upper", "ratio_lower", "ratio_upper",
	"last_lemma11_eps", "last_eps", "saved_at_end", "saved_in_mean"}

// gapCSV returns a line a point.
func gapCSV(t *testing.T, curves []gapCurve) []byte {
	lines := [][]string{gapColumns}
	for _, c := range curves {
		for _, p := range c.points {
			lines = append(lines, append([]string{c.label}, p.row()...))
		}
	}
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(lines); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// row is the line of a point, but for the label. Steps of DP-SGD have no ε of their own.
func (p gapPoint) row() []string {
	eps, spread := "", ""
	if p.mechanism == nil {
		eps, spread = report.Up.Rat(p.eps).String(), report.Near.Rat(p.spread).String()
	}
	line := []string{report.Short(p.x, -1), fmt.Sprint(p.stops), string(p.positions), fmt.Sprint(p.mechanisms),
		eps, spread, p.order, report.Up.Rat(p.delta).String()}
	for _, x := range []interval.Interval{p.lemma11, p.optDel, p.ratio()} {
		ends := report.ToJSON(x)
		line = append(line, ends.Lower.Double(), ends.Upper.Double())
	}
	end := p.stops - 1
	return append(line, report.Up.Rat(p.schedule.Lemma11[end]).Double(),
		report.Up.Rat(p.schedule.Charges()[end]).Double(),
		report.Short(p.savedAtEnd(), -1), report.Short(p.savedInMean(), -1))
}
