package run

import (
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
	"checkrr/impl/loss"
)

// Looks of the picture of a rule.
const (
	chargeLabel = "charge E"
	ruleLabel   = "threshold"
	neverLabel  = "The worst rule never stops early."
)

// ruleLook is that of a curve of the rule.
var ruleLook = report.Look{HasGlyphs: true, Color: report.RuleColor, Shape: draw.PyramidGlyph{}}

// draw draws the worst stopping rule into a file.
func (s *solution) draw() error {
	return s.o.Plot.Draw(s.app.Stderr, inLabels(s.problem, figuresOf(s.problem, s.found)...)...)
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
	report.AddLine(excess, above, ruleLook)
	excess.Y.Min, excess.Y.Max = min(0, excess.Y.Min), 1.1*max(excess.Y.Max, 1e-12)
	stops := report.NewFigure("", stopsLabel, "probability to stop")
	report.AddLine(stops, probability, ruleLook)
	stops.Y.Min, stops.Y.Max = math.Floor(min(stops.Y.Min, -1)), 0
	stops.Y.Tick.Marker = plot.TickerFunc(powerTicks)
	for _, f := range []*plot.Plot{excess, stops} {
		f.X.Min, f.X.Max = losses.X.Min, losses.X.Max
	}
	return []*plot.Plot{losses, excess, stops}
}

// stopsLabel says what stops are.
const stopsLabel = "stop after this many steps"

// pointsOf returns what is drawn over the stops, of probabilities logarithms. Where the rule never stops, and at the
// end, where all stop, there is no threshold.
func pointsOf(p *input.Problem, s found) (charges, thresholds, above, probability plotter.XYs) {
	for i, stop := range p.Stops {
		x, charge, at, pr := float64(stop.After), loss.Float64(stop.Eps), math.Inf(1), 0.0
		if i < len(s.Rule) {
			at, pr = s.Rule[i].LossAtLeast, s.Rule[i].Probability
		}
		if i == len(p.Stops)-1 {
			at = math.Inf(1)
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
	add := report.LabelEnds(figure)
	if len(report.FiniteParts(thresholds)) == 0 {
		figure.Title.Text += "\n" + neverLabel
	}
	add(chargeLabel, charges, lookOf(p.Stops, report.ChargeColor, draw.CircleGlyph{}, 4, 3))
	add(ruleLabel, thresholds, lookOf(p.Stops, report.RuleColor, draw.PyramidGlyph{}))
	startAtZero(figure, p.Stops)
	return figure
}

// inLabels lets figures over stops count as their labels do, if all of these are one word and a number that grows with
// the steps, as those of every: epoch.
func inLabels(p *input.Problem, figures ...*plot.Plot) []*plot.Plot {
	word, unit := "", 0.0
	for i, stop := range p.Stops {
		of, number, _ := strings.Cut(p.Label(i), " ")
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 || i > 0 && (of != word || float64(stop.After) != unit*float64(n)) {
			return figures
		}
		if i == 0 {
			word, unit = of, float64(stop.After)/float64(n)
		}
	}
	for _, f := range figures {
		f.X.Tick.Marker = plot.TickerFunc(func(first, last float64) []plot.Tick {
			ticks := report.RoundTicks(first/unit, last/unit)
			for i := range ticks {
				ticks[i].Value *= unit
			}
			return ticks
		})
		if f.X.Label.Text != "" {
			f.X.Label.Text = "stop after " + word
		}
	}
	return figures
}

// lookOf is how a curve over stops is drawn: with a glyph at each, if there are not too many.
func lookOf(stops []impl.Stop, c color.Color, shape draw.GlyphDrawer, dashes ...vg.Length) report.Look {
	return report.Look{HasGlyphs: len(stops) <= report.MaxGlyphs, Color: c, Shape: shape, Dashes: dashes}
}

// startAtZero lets both axes of a figure over stops start at 0.
func startAtZero(figure *plot.Plot, stops []impl.Stop) {
	figure.X.Min, figure.X.Max = 0, 1.03*float64(stops[len(stops)-1].After)
	figure.Y.Min, figure.Y.Max = 0, 1.1*figure.Y.Max
	if !(figure.Y.Max > 0) {
		figure.Y.Max = 1
	}
}
