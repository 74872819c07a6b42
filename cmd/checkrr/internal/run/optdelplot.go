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
	chargeLabel = "charge E"
	ruleLabel   = "threshold"
	neverLabel  = "The worst rule never stops early."
)

// draw draws the worst stopping rule into a file.
func (s *solution) draw() error {
	return s.o.Plot.Draw(figuresOf(s.problem, s.found)...)
}

// figuresOf draws the worst rule over the stops: its thresholds beside the charges, how far they are above them, and
// with what probability it stops.
func figuresOf(p *input.Problem, s found) []*plot.Plot {
	charges, thresholds, above, probability := pointsOf(p, s)
	losses := lossFigure(p, s, charges, thresholds)
	if len(report.FiniteParts(thresholds)) == 0 {
		losses.X.Label.Text = stopsLabel
		return []*plot.Plot{losses}
	}
	excess := report.NewFigure("", "", "threshold − charge")
	report.AddLine(excess, above, true, report.RuleColor, draw.PyramidGlyph{}, nil)
	excess.Y.Min, excess.Y.Max = min(0, excess.Y.Min), 1.1*max(excess.Y.Max, 1e-12)
	stops := report.NewFigure("", stopsLabel, "probability to stop")
	report.AddLine(stops, probability, true, report.RuleColor, draw.PyramidGlyph{}, nil)
	stops.Y.Min, stops.Y.Max = math.Floor(min(stops.Y.Min, -1)), 0
	stops.Y.Tick.Marker = plot.TickerFunc(powerTicks)
	for _, f := range []*plot.Plot{excess, stops} {
		f.X.Min, f.X.Max = losses.X.Min, losses.X.Max
	}
	return []*plot.Plot{losses, excess, stops}
}

// stopsLabel says what stops are.
const stopsLabel = "stop after this many mechanisms"

// pointsOf returns what is drawn over the stops, of probabilities logarithms. Where the rule never stops there is no
// point.
func pointsOf(p *input.Problem, s found) (charges, thresholds, above, probability plotter.XYs) {
	for i, stop := range p.Stops {
		x, charge, at, pr := float64(stop.After), loss.Float64(stop.Eps), math.Inf(1), 0.0
		if i < len(s.Rule) {
			at, pr = s.Rule[i].LossAtLeast, s.Rule[i].Probability
		}
		charges, thresholds = append(charges, plotter.XY{X: x, Y: charge}), append(thresholds, plotter.XY{X: x, Y: at})
		above = append(above, plotter.XY{X: x, Y: at - charge})
		probability = append(probability, plotter.XY{X: x, Y: math.Log10(pr)})
	}
	return charges, thresholds, above, probability
}

// lossFigure draws the charged losses and the thresholds over the stops.
func lossFigure(p *input.Problem, s found, charges, thresholds plotter.XYs) *plot.Plot {
	title := fmt.Sprintf("Worst stopping rule: OptDel ≤ %s (Lemma 11: %s)",
		report.RoundTo(s.OptDel.Upper, 4, true).Fixed(), report.RoundTo(s.Lemma11.Upper, 4, true).Fixed())
	figure := report.NewFigure(title, "", strings.TrimSpace("privacy loss "+string(s.Order)))
	hasGlyphs := len(p.Stops) <= report.MaxGlyphs
	add := report.LabelEnds(figure)
	if len(report.FiniteParts(thresholds)) == 0 {
		figure.Title.Text += "\n" + neverLabel
	}
	add(chargeLabel, charges, hasGlyphs, report.ChargeColor, draw.CircleGlyph{}, []vg.Length{4, 3})
	add(ruleLabel, thresholds, hasGlyphs, report.RuleColor, draw.PyramidGlyph{}, nil)
	setRange(figure, charges)
	return figure
}

// setRange lets both axes start at 0.
func setRange(figure *plot.Plot, charges plotter.XYs) {
	last := charges[len(charges)-1]
	figure.X.Min, figure.X.Max = 0, last.X*1.03
	figure.Y.Min = 0
	figure.Y.Max *= 1.1
	if !(figure.Y.Max > 0) {
		figure.Y.Max = 1
	}
}
