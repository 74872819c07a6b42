package run

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl/loss"
)

// Looks of the picture of a rule.
const (
	chargeLabel = "charged loss E"
	ruleLabel   = "worst rule: stop at or above"
	neverLabel  = "worst rule: never stop"
)

// draw draws the worst stopping rule into a file.
func (s *solution) draw() error {
	return report.WritePicture(s.o.Plot, figureOf(s.problem, s.found))
}

// figureOf draws the charged losses and the thresholds over the stops.
func figureOf(p *input.Problem, s found) *plot.Plot {
	title := fmt.Sprintf("Worst stopping rule: OptDel ≤ %s (Lemma 11: %s)",
		report.RoundTo(s.OptDel.Upper, 4, true).Fixed(), report.RoundTo(s.Lemma11.Upper, 4, true).Fixed())
	figure := report.NewFigure(title, "iteration (number of mechanisms that have run)",
		strings.TrimSpace("privacy loss "+string(s.Order)))
	charges := make(plotter.XYs, len(p.Stops))
	thresholds := make(plotter.XYs, len(p.Stops))
	for i, stop := range p.Stops {
		charges[i] = plotter.XY{X: float64(stop.After), Y: loss.Float64(stop.Eps)}
		thresholds[i] = plotter.XY{X: float64(stop.After), Y: math.Inf(1)}
		if i < len(s.Rule) {
			thresholds[i].Y = s.Rule[i].LossAtLeast
		}
	}
	hasGlyphs := len(p.Stops) <= report.MaxGlyphs
	report.AddSeries(figure, chargeLabel, charges, hasGlyphs, report.ChargeColor, draw.CircleGlyph{}, []vg.Length{4, 3})
	label := ruleLabel
	if len(report.FiniteParts(thresholds)) == 0 {
		label = neverLabel
	}
	report.AddSeries(figure, label, thresholds, hasGlyphs, report.RuleColor, draw.PyramidGlyph{}, nil)
	setRange(figure, charges)
	return figure
}

// setRange lets both axes start at 0 and puts the legend where there is room.
func setRange(figure *plot.Plot, charges plotter.XYs) {
	last := charges[len(charges)-1]
	figure.X.Min, figure.X.Max = 0, last.X*1.03
	figure.Y.Min = 0
	figure.Y.Max *= 1.1
	if !(figure.Y.Max > 0) {
		figure.Y.Max = 1
	}
	report.PlaceLegend(figure, last.Y < figure.Y.Max/3, false, vg.Points(10))
}
