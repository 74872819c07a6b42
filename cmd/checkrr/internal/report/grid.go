package report

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// grid draws a line at each labelled tick but those on the axes, which are drawn before it and must not be hidden.
type grid struct{ lines *plotter.Grid }

func newGrid() grid {
	lines := plotter.NewGrid()
	lines.Vertical.Color = color.Gray{Y: 0xe4}
	lines.Horizontal.Color = color.Gray{Y: 0xe4}
	return grid{lines}
}

// Plot draws the grid of a figure.
func (g grid) Plot(c draw.Canvas, figure *plot.Plot) {
	inner := *figure
	inner.X.Tick.Marker, inner.Y.Tick.Marker = afterFirst(figure.X.Tick.Marker), afterFirst(figure.Y.Tick.Marker)
	g.lines.Plot(c, &inner)
}

// afterFirst marks what a marker does, but not the start of the axis.
func afterFirst(marker plot.Ticker) plot.TickerFunc {
	return func(first, last float64) []plot.Tick {
		return slices.DeleteFunc(marker.Ticks(first, last), func(t plot.Tick) bool { return t.Value <= first })
	}
}
