package report

import (
	"testing"

	"gonum.org/v1/plot"
)

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
