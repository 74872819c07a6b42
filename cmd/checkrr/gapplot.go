package main

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/verify/gap"
)

// plotGap draws the ratio of the two δ, below it OptDel in units of a single stop's δ, and below
// that the part of the charges that is saved.
func plotGap(st *study, file string) error {
	panels := []panel{
		{"for the same charges: Lemma 11's δ divided by OptDel", true, func(p gap.Point) float64 { return middle(p.Ratio()) }},
		{"for the same charges: OptDel, in units of the δ that one stop needs", false, func(p gap.Point) float64 { return middle(p.OptDel) / loss.Nats(p.Delta).Float64() }},
		{"for the same δ: last charge lower than with Lemma 11, by %", false, func(p gap.Point) float64 { return 100 * p.SavedAtEnd() }},
	}
	var figures []*plot.Plot
	for _, panel := range panels {
		figure, err := panel.draw(st)
		if err != nil {
			return err
		}
		figures = append(figures, figure)
	}
	figures[0].Title.Text = fmt.Sprintf("What OptDel gains over Lemma 11\n%s\n\n%s", report.Clip(st.title(), 100), figures[0].Title.Text)
	figures[len(figures)-1].X.Label.Text = st.sweep.Axis
	figures[0].Legend, figures[2].Legend = plot.NewLegend(), plot.NewLegend() // once is enough
	figures[1].Y.Max *= 1.25                                                  // room for it
	return report.WritePicture(file, figures...)
}

// panel is one answer.
type panel struct {
	label string
	isLog bool
	value func(gap.Point) float64
}

func middle(x interval.Interval) float64 {
	lower, _ := x.Lower.Float64()
	upper, _ := x.Upper.Float64()
	return lower + (upper-lower)/2
}

// title says what is not varied.
func (st *study) title() string {
	text := ""
	for _, part := range []struct{ name, text string }{
		{"mechanisms", report.Plural(st.base.Mechanisms, "mechanism")},
		{"eps", st.mechanism()},
		{"delta", "δ = " + report.Typed(st.base.Delta)},
	} {
		if part.name == st.sweep.Name {
			continue
		}
		if text != "" {
			text += ", "
		}
		text += part.text
	}
	return text
}

// mechanism says briefly what each mechanism is.
func (st *study) mechanism() string {
	if st.kind != nil {
		return report.Clip(st.kind.text, 60)
	}
	return "ε = " + report.Typed(st.base.Eps)
}

// draw draws the answer, one curve a series.
func (p panel) draw(st *study) (*plot.Plot, error) {
	figure := report.NewFigure(p.label, "", "")
	most, first, last := 0.0, math.Inf(1), 0.0
	rise := 0.0 // of the curves, together
	for i, s := range st.series {
		var points plotter.XYs
		for _, point := range s.Points {
			first, last = min(first, point.X), max(last, point.X)
			y := p.value(point)
			if math.IsNaN(y) {
				continue
			}
			points = append(points, plotter.XY{X: point.X, Y: y})
			most = max(most, y)
		}
		if points == nil {
			continue
		}
		rise += points[len(points)-1].Y - points[0].Y
		n := i % len(colors)
		if err := report.AddSeries(figure, s.Label, points, true, colors[n], shapes[n], dashes[n]); err != nil {
			return nil, err
		}
	}
	figure.Y.Min, figure.Y.Max = 0, 1.1*most
	figure.Y.Tick.Marker = plot.TickerFunc(report.RoundTicks)
	switch {
	case p.isLog && most > 3:
		figure.Y.Min, figure.Y.Max = 1, max(10, 1.2*most)
		figure.Y.Scale, figure.Y.Tick.Marker = plot.LogScale{}, plot.TickerFunc(report.DecadeTicks)
	case most <= 0:
		figure.Y.Max = 1
	}
	figure.X.Tick.Marker = plot.TickerFunc(report.RoundTicks)
	if first < last {
		figure.X.Min, figure.X.Max = first, last // also where a point is missing
	}
	if st.sweep.Log && first < last {
		figure.X.Scale, figure.X.Tick.Marker = plot.LogScale{}, plot.TickerFunc(report.DecadeTicks)
	}
	report.PlaceLegend(figure, true, rise >= 0, vg.Points(6))
	return figure, nil
}
