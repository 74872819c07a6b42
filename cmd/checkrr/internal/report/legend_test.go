package report

import (
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

// TestPlaceLegendApart: the legend is not where curves are, also where only a line between two points is.
func TestPlaceLegendApart(t *testing.T) {
	t.Parallel()
	rising, falling := plotter.XYs{{X: 1, Y: 1}, {X: 100, Y: 100}}, plotter.XYs{{X: 1, Y: 100}, {X: 100, Y: 1}}
	step := plotter.XYs{{X: 1, Y: 90}, {X: 80, Y: 90}, {X: 100, Y: 1}}
	low := plotter.XYs{{X: 1, Y: 2}, {X: 100, Y: 2}}
	for _, c := range []struct {
		name      string
		curves    []plotter.XYs
		log       bool
		top, left bool
	}{
		{"a line that rises", []plotter.XYs{rising}, false, false, false},
		{"a line that falls", []plotter.XYs{falling}, false, true, false},
		{"a line that falls on logarithmic axes", []plotter.XYs{falling}, true, true, false},
		{"one that rises, one below", []plotter.XYs{rising, low}, false, true, true},
		{"one that falls, one below", []plotter.XYs{falling, low}, false, true, false},
		{"a step down at the right", []plotter.XYs{step}, false, false, true},
	} {
		figure := NewFigure("", "", "")
		figure.X.Min, figure.X.Max, figure.Y.Min, figure.Y.Max = 1, 100, 1, 100
		if c.log {
			figure.X.Scale, figure.Y.Scale = plot.LogScale{}, plot.LogScale{}
		}
		if PlaceLegendApart(figure, c.curves...); figure.Legend.Top != c.top || figure.Legend.Left != c.left {
			t.Errorf("%s: the legend is at the top: %t, at the left: %t", c.name, figure.Legend.Top, figure.Legend.Left)
		}
	}
}

// TestPlaceLegendApart_MakesRoom: where curves are in every corner, the axis gets longer until the legend is above
// them.
func TestPlaceLegendApart_MakesRoom(t *testing.T) {
	t.Parallel()
	var curves []plotter.XYs
	for _, y := range []float64{5, 30, 60, 95} {
		curves = append(curves, plotter.XYs{{X: 0, Y: y}, {X: 100, Y: y}})
	}
	figure := NewFigure("", "", "")
	figure.X.Min, figure.X.Max, figure.Y.Min, figure.Y.Max = 0, 100, 0, 100
	PlaceLegendApart(figure, curves...)
	if room := roomInCorner(figure, figure.Legend.Top, figure.Legend.Left, curves); !figure.Legend.Top || room < 0.2 {
		t.Errorf("the legend is at the top: %t, and has %g of the height", figure.Legend.Top, room)
	}
	if figure.Y.Max > 140 {
		t.Errorf("the axis ends at %g: the figure is a legend", figure.Y.Max)
	}
}
