package run

import (
	"context"
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
	"checkrr/impl/loss"
)

// profilePoints is how many points of a curve are computed: about as many as a picture is wide in pixels. The profile
// has a true kink at every loss, which with few points looks like an error.
const profilePoints = 1001

// draw draws δ over ε into a file, with the point that was asked for.
func (c *composed) draw(ctx context.Context) error {
	figure, err := profileFigure(ctx, c)
	if err != nil {
		return err
	}
	return c.o.Plot.Draw(c.app.Stderr, figure)
}

// profileFigure draws log10 δ over ε, up to twice the ε that was asked for.
func profileFigure(ctx context.Context, c *composed) (*plot.Plot, error) {
	asked := c.point()
	most := 2 * asked.X
	if most == 0 || math.IsInf(most, 1) {
		most = math.MaxFloat64
	}
	eps, delta, err := impl.Profile(ctx, c.problem.Mechanisms, most, leastDrawn, profilePoints)
	if err != nil {
		return nil, err
	}
	curve := make(plotter.XYs, len(eps))
	for j := range eps {
		curve[j] = plotter.XY{X: eps[j], Y: math.Log10(delta[j])}
	}
	if last := curve[len(curve)-1]; last.X < asked.X && last.Y < asked.Y+1 { // flat from there on
		curve = append(curve, plotter.XY{X: asked.X, Y: last.Y})
	}
	figure := report.NewFigure("Privacy profile of "+report.Plural(c.mechanisms(), "mechanism"), "ε", "smallest δ")
	look := report.Look{Color: report.RuleColor, Shape: draw.CircleGlyph{}}
	report.AddSeries(figure, "optimal composition", curve, look)
	report.AddPoints(figure, c.legend(), plotter.XYs{asked}, color.Black, draw.CircleGlyph{})
	setProfileAxes(figure, curve[len(curve)-1].X)
	report.PlaceLegendApart(figure, curve)
	return figure, nil
}

// leastDrawn is the smallest δ that is drawn.
const leastDrawn = 1e-250

// point is what was asked for and the answer, as ε and log10 δ.
func (c *composed) point() plotter.XY {
	upper, _ := c.answer.Upper.Float64()
	if c.delta == nil {
		return plotter.XY{X: loss.Float64(c.eps), Y: math.Log10(upper)}
	}
	delta, _ := c.delta.Float64()
	return plotter.XY{X: upper, Y: math.Log10(delta)}
}

// legend is what was asked for, as typed, and the answer, rounded up.
func (c *composed) legend() string {
	if c.delta == nil {
		return fmt.Sprintf("ε = %s, δ = %s", c.typed, c.roundedUp())
	}
	return fmt.Sprintf("ε = %s, δ = %s", c.roundedUp(), report.Clip(report.Typed(c.delta), 24))
}

// setProfileAxes labels powers of ten.
func setProfileAxes(figure *plot.Plot, most float64) {
	figure.X.Min, figure.X.Max = 0, 1.03*most
	if !(figure.X.Max > 0) {
		figure.X.Max = 1
	}
	if !(figure.Y.Min < figure.Y.Max) || math.IsInf(figure.Y.Min, 0) {
		figure.Y.Min = min(figure.Y.Max, 0) - 1
	}
	figure.Y.Min, figure.Y.Max = math.Floor(figure.Y.Min), max(figure.Y.Max, math.Min(0, math.Ceil(figure.Y.Max)))
	figure.Y.Tick.Marker = plot.TickerFunc(powerTicks)
}

// powerTicks marks at most about eleven powers of ten, given their exponents.
func powerTicks(first, last float64) []plot.Tick {
	step := max(1, math.Ceil((last-first)/10))
	var ticks []plot.Tick
	for e := math.Floor(last); e >= first; e -= step {
		label := "1"
		if e != 0 {
			label = fmt.Sprintf("1e%d", int(e))
		}
		ticks = append(ticks, plot.Tick{Value: e, Label: label})
	}
	return ticks
}
