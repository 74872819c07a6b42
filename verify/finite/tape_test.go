package finite

import (
	"slices"
	"testing"

	"checkrr/impl"
	"checkrr/spec"
)

func TestTape(t *testing.T) {
	t.Parallel()
	tape := &Tape{Draws: []float64{1, -0.5}}
	var _, _ = spec.Noise(tape), impl.Noise(tape)
	var got []float64
	for _, scale := range []float64{2, 4, 8} {
		got = append(got, tape.Laplace(scale))
	}
	if !slices.Equal(got, []float64{2, -2, 8}) || !slices.Equal(tape.Scales, []float64{2, 4, 8}) {
		t.Errorf("played %v for %v", got, tape.Scales)
	}
}
