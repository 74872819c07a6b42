package main

import (
	"fmt"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/verify/audit/calibrate"
)

// plotPower draws how often each violation is found, by the number of samples: too little
// noise, and below it leaks; what outputs of many kinds hide is one picture.
func plotPower(m *measured, file string) error {
	var panels [2][]calibrate.Curve
	for _, c := range m.curves {
		if len(c.Rates) == 0 {
			continue // more samples than this is measured for
		}
		i := 0
		if !m.kinds && strings.Contains(c.Label, "leak") {
			i = 1
		}
		panels[i] = append(panels[i], c)
	}
	var figures []*plot.Plot
	for _, curves := range panels {
		if len(curves) == 0 {
			continue
		}
		figure, err := powerPanel(curves)
		if err != nil {
			return err
		}
		figures = append(figures, figure)
	}
	figures[0].Title.Text = fmt.Sprintf("How often an audit at α = %s finds a violation (%s each)", m.alpha, report.Plural(m.audits, "audit"))
	figures[len(figures)-1].X.Label.Text = "samples for each input"
	return report.WritePicture(file, figures...)
}

// powerPanel draws the shares of audits that find violations.
func powerPanel(curves []calibrate.Curve) (*plot.Plot, error) {
	figure := report.NewFigure("", "", "share of audits")
	first, last := 0, 0
	for i, c := range curves {
		var points plotter.XYs
		for _, r := range c.Rates {
			points = append(points, plotter.XY{X: float64(r.Samples), Y: float64(r.Refuted) / float64(r.Audits)})
		}
		first, last = c.Rates[0].Samples, c.Rates[len(c.Rates)-1].Samples
		n := i % len(colors)
		if err := report.AddSeries(figure, c.Label, points, true, colors[n], shapes[n], dashes[n]); err != nil {
			return nil, err
		}
	}
	figure.Y.Min, figure.Y.Max = 0, 1.12+0.12*float64(len(curves)) // the legend stands above 1
	figure.Y.Tick.Marker = plot.TickerFunc(func(_, _ float64) []plot.Tick { return report.RoundTicks(0, 1) })
	figure.X.Tick.Marker = plot.TickerFunc(report.RoundTicks)
	if first < last {
		figure.X.Scale, figure.X.Tick.Marker = plot.LogScale{}, plot.TickerFunc(report.DecadeTicks)
	}
	report.PlaceLegend(figure, true, true, vg.Points(6))
	return figure, nil
}
