package report

import (
	"image/color"
	"slices"
	"testing"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

func TestDecadeTicks_Labels(t *testing.T) {
	t.Parallel()
	var got []string
	for _, tick := range DecadeTicks(2e-6, 3e7) {
		if !tick.IsMinor() {
			got = append(got, tick.Label)
		}
	}
	want := []string{"1e-5", "0.0001", "0.001", "0.01", "0.1", "1", "10", "100", "1000", "10000", "100000", "1000000", "1e7"}
	if !slices.Equal(got, want) {
		t.Errorf("labels %q, want %q", got, want)
	}
}

// TestAddPoints: points alone are within the axes.
func TestAddPoints(t *testing.T) {
	t.Parallel()
	figure := NewFigure("", "", "")
	AddPoints(figure, "bids", plotter.XYs{{X: 1, Y: 3}, {X: 3, Y: 4}}, color.Black, draw.RingGlyph{})
	if figure.X.Min > 1 || figure.X.Max < 3 || figure.Y.Min > 3 || figure.Y.Max < 4 {
		t.Errorf("the axes are [%g, %g] and [%g, %g]", figure.X.Min, figure.X.Max, figure.Y.Min, figure.Y.Max)
	}
}
