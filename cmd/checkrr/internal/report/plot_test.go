package report

import (
	"image/color"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/plot"
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
	want := []string{"1e-5", "0.0001", "0.001", "0.01", "0.1", "1", "10", "100", "1000", "10000", "100000", "1000000",
		"1e7"}
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

func TestFiniteParts(t *testing.T) {
	t.Parallel()
	inf := math.Inf(1)
	tests := []struct {
		ys   []float64
		want []int // lengths
	}{
		{nil, nil},
		{[]float64{inf}, nil},
		{[]float64{1}, []int{1}},
		{[]float64{inf, 1, 2, inf, inf, 3}, []int{2, 1}},
		{[]float64{1, inf, 2}, []int{1, 1}},
		{[]float64{1, 2, 3}, []int{3}},
	}
	for _, tt := range tests {
		var points plotter.XYs
		for i, y := range tt.ys {
			points = append(points, plotter.XY{X: float64(i), Y: y})
		}
		parts := FiniteParts(points)
		if len(parts) != len(tt.want) {
			t.Errorf("finiteParts(%v) has %d parts, want %d", tt.ys, len(parts), len(tt.want))
			continue
		}
		for i, part := range parts {
			if len(part) != tt.want[i] {
				t.Errorf("finiteParts(%v): part %d has %d points, want %d", tt.ys, i, len(part), tt.want[i])
			}
		}
	}
}

func TestRoundTicks(t *testing.T) {
	t.Parallel()
	for _, last := range []float64{1e-300, 0.0123, 0.5, 1, 1.1, 2, 3.3, 4.99, 5, 7, 9.99, 10, 1030, 10_300_000, 1e280} {
		ticks := RoundTicks(0, last)
		if len(ticks) < 5 || len(ticks) > 11 {
			t.Errorf("roundTicks(0, %g) has %d ticks, want 5 to 11", last, len(ticks))
		}
	}
}

// TestGrid: no line hides an axis.
func TestGrid(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		first, last float64
		want        int
	}{{0, 10, 5}, {0.5, 10, 5}, {2, 10, 4}, {0, 0.9, 9}} {
		marker := plot.TickerFunc(RoundTicks)
		ticks := afterFirst(marker)(tt.first, tt.last)
		if len(ticks) != tt.want || ticks[0].Value <= tt.first {
			t.Errorf("from %g to %g: %v, want %d", tt.first, tt.last, ticks, tt.want)
		}
	}
}
