package run

import (
	"testing"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
)

// Where all stops are named by a word and a number that counts steps, a figure counts these; otherwise steps.
func TestInLabels(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		labels []string
		axis   string
		last   string // label of the last tick, of stops after 235, 470 and 705
	}{
		{[]string{"epoch 1", "epoch 2", "epoch 3"}, "stop after epoch", "3"},
		{[]string{"round 10", "round 20", "round 30"}, "stop after round", "30"},
		{[]string{"epoch 1", "epoch 2", "epoch 4"}, stopsLabel, "700"},
		{[]string{"epoch 1", "round 2", "epoch 3"}, stopsLabel, "700"},
		{[]string{"epoch 1", "epoch 2", ""}, stopsLabel, "700"},
		{[]string{"half", "more", "all"}, stopsLabel, "700"},
		{nil, stopsLabel, "700"},
	} {
		p := &input.Problem{Labels: c.labels,
			Pipeline: impl.Pipeline{Stops: []impl.Stop{{After: 235}, {After: 470}, {After: 705}}}}
		figure := inLabels(p, report.NewFigure("", stopsLabel, ""))[0]
		ticks := figure.X.Tick.Marker.Ticks(0, 706)
		if last := ticks[len(ticks)-1]; figure.X.Label.Text != c.axis || last.Label != c.last || last.Value < 700 {
			t.Errorf("%q: %s, and the last tick is %s at %g; must be %s, %s", c.labels, figure.X.Label.Text, last.Label,
				last.Value, c.axis, c.last)
		}
	}
}
