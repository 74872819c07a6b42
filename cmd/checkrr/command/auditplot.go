package command

import (
	"cmp"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/cmd/checkrr/internal/run"
	"checkrr/impl/loss"
	"checkrr/verify/audit"
)

// Looks of the picture of an audit.
const (
	maxPanels   = 3 // parts that are drawn
	claimPoints = 100
	leastDelta  = 1e-12 // that is drawn
)

// violationColor is that of what a true claim would not have.
var violationColor = color.RGBA{R: 0xc6, G: 0x28, B: 0x28, A: 0xff}

// plotAudit draws, for every part, the δ that are claimed over ε and those that were excluded: below a curve of these
// no claim is true. Of many parts those are drawn that go beyond their claim most.
func plotAudit(r *audited, picture run.Plot, stderr io.Writer) error {
	parts := make([]int, len(r.claim.Parts))
	for i := range parts {
		parts[i] = i
	}
	title := "What is claimed of " + report.Clip(r.name, 40) + ", and what is excluded"
	if len(parts) > maxPanels {
		title += fmt.Sprintf(" (%d of %d parts)", maxPanels, len(parts))
		slices.SortStableFunc(parts, func(i, j int) int { return cmp.Compare(r.beyond(j), r.beyond(i)) })
		parts = parts[:maxPanels]
		slices.Sort(parts)
	}
	var figures []*plot.Plot
	for _, part := range parts {
		figures = append(figures, r.panel(part))
	}
	if r.lags() {
		title += "\nrefuted by all parts and rounds together: single curves may lag behind"
	}
	if len(r.claim.Parts) > 1 {
		title += "\n\n" + figures[0].Title.Text
	}
	figures[0].Title.Text = title
	figures[len(figures)-1].X.Label.Text = "ε"
	return picture.Draw(stderr, figures...)
}

// curvesOf returns what is excluded of a part, by name.
func (r *audited) curvesOf(part int) (labels []string, curves []audit.Curve) {
	if r.exact != nil {
		labels, curves = append(labels, "excluded by the law: all below"), append(curves, r.exact.Curves(r.claim)[part])
	}
	if r.sampled != nil {
		text := fmt.Sprintf("excluded by samples (α = %s): all below", report.Clip(r.alpha.Text, 12))
		labels, curves = append(labels, text), append(curves, r.sampled.Excluded[part])
	}
	return labels, curves
}

// beyond returns how many times what is claimed is excluded, at most.
func (r *audited) beyond(part int) float64 {
	most := 0.0
	_, curves := r.curvesOf(part)
	for _, c := range curves {
		for _, p := range c {
			if p.Delta > 0 {
				most = max(most, p.Delta/max(r.claim.Allowed(part, p.Eps), leastDelta))
			}
		}
	}
	return most
}

// panel draws a part.
func (r *audited) panel(part int) *plot.Plot {
	claim := r.claim.Parts[part]
	figure := report.NewFigure("part "+report.Clip(cmp.Or(claim.Name, "all"), 40), "", "δ")
	labels, curves := r.curvesOf(part)
	last := max(1.25*loss.Float64(claim.Eps), 0.1)
	for _, c := range curves {
		last = max(last, c[len(c)-1].Eps)
	}
	least := r.leastDrawn(part, curves)
	var allowed plotter.XYs
	for i := range claimPoints + 1 {
		eps := last * float64(i) / claimPoints
		allowed = append(allowed, plotter.XY{X: eps, Y: r.claim.Allowed(part, eps)})
	}
	at := plotter.XY{X: loss.Float64(claim.Eps), Y: r.claim.Allowed(part, loss.Float64(claim.Eps))}
	allowed = append(allowed, at)
	slices.SortStableFunc(allowed, func(p, q plotter.XY) int { return cmp.Compare(p.X, q.X) })
	text := fmt.Sprintf("allowed by the claim: ε = %s, δ = %s", report.Clip(r.charges[part], 12),
		report.Clip(r.delta, 12))
	drawn := []plotter.XYs{inPicture(allowed, least)}
	report.AddSeries(figure, text, drawn[0], report.Look{Color: report.ChargeColor, Dashes: []vg.Length{4, 3}})
	var violation plotter.XYs
	for i, c := range curves {
		var points plotter.XYs
		for _, p := range c {
			points = append(points, plotter.XY{X: p.Eps, Y: p.Delta})
			if p.Delta > max(least, r.claim.Allowed(part, p.Eps)) {
				violation = append(violation, plotter.XY{X: p.Eps, Y: p.Delta})
			}
		}
		drawn = append(drawn, inPicture(points, least))
		report.AddSeries(figure, labels[i], drawn[i+1], report.Look{Color: report.Colors[i], Dashes: report.Dashes[i]})
	}
	if len(violation) > 0 {
		report.AddPoints(figure, "violation: excluded, but allowed by the claim", violation, violationColor,
			draw.RingGlyph{})
	}
	figure.X.Min, figure.X.Max = 0, last
	figure.Y.Scale = plot.LogScale{}
	figure.Y.Tick.Marker = plot.TickerFunc(func(first, _ float64) []plot.Tick { return report.DecadeTicks(first, 1) })
	figure.Y.Min, figure.Y.Max = least, 1
	report.PlaceLegendApart(figure, drawn...)
	return figure
}

// leastDrawn returns the lower edge of a picture: a power of ten below the claimed δ, and below most of what is
// excluded.
func (r *audited) leastDrawn(part int, curves []audit.Curve) float64 {
	least := 1e-3
	if d := r.claim.Allowed(part, math.Inf(1)); d > 0 {
		least = min(least, d/2)
	}
	for _, c := range curves {
		if d := c[len(c)/2].Delta; d > 0 {
			least = min(least, d/2)
		}
	}
	return max(leastDelta, math.Pow(10, math.Floor(math.Log10(least))))
}

// inPicture ends a curve where it leaves the picture below: what is 0 has no logarithm.
func inPicture(points plotter.XYs, least float64) plotter.XYs {
	var inside plotter.XYs
	for _, p := range points {
		inside = append(inside, plotter.XY{X: p.X, Y: max(p.Y, least)})
		if p.Y < least {
			break
		}
	}
	return inside
}
