package spec

import (
	"fmt"
	"math"
	"testing"
)

func TestLaplaceMechanism_ByHand(t *testing.T) {
	t.Parallel()
	noise := &played{draws: []float64{1, -0.5, 0}}
	got, err := LaplaceMechanism([]float64{10, 20, 30}, 3, 0.5, noise)
	if err != nil || fmt.Sprint(got) != "[16 17 30]" || fmt.Sprint(noise.scales) != "[6 6 6]" {
		t.Errorf("%v, %v with scales %v, must be [16 17 30] with [6 6 6]", got, err, noise.scales)
	}
}

func TestReportNoisyMax_ByHand(t *testing.T) {
	t.Parallel()
	for want, draws := range [][]float64{{2, 0, 0}, {0, 1.5, 0}, {0, 0, 0.75}, {0.5, 0.5, -0.5}} {
		want := []int{0, 1, 2, 0}[want] // the last one is a tie of all three
		got, err := ReportNoisyMax([]float64{1, 1, 3}, 0.5, &played{draws: draws})
		if err != nil || got != want {
			t.Errorf("draws %v: %d, %v, must be %d", draws, got, err, want)
		}
	}
}

func TestLaplaceMechanism_BadInput(t *testing.T) {
	t.Parallel()
	laplace := func(value, sensitivity, eps float64) error {
		_, err := LaplaceMechanism([]float64{0, value}, sensitivity, eps, &played{draws: []float64{0, 0}})
		return err
	}
	noisyMax := func(eps float64, counts ...float64) error {
		_, err := ReportNoisyMax(counts, eps, &played{draws: []float64{0, 0}})
		return err
	}
	refuse(t, map[string]error{
		"number 2 is NaN, must be finite":                                 laplace(math.NaN(), 1, 1),
		"LaplaceMechanism: sensitivity is 0, must be positive and finite": laplace(0, 0, 1),
		"eps is +Inf, must be positive and finite":                        laplace(0, 1, math.Inf(1)),
		"scale of the noise is 0, must be":                                laplace(0, 1e-300, 1e300),
		"ReportNoisyMax: there are 0 counts, must be at least 1":          noisyMax(1),
		"count 2 is -Inf, must be finite":                                 noisyMax(1, 0, math.Inf(-1)),
		"ReportNoisyMax: eps is -1, must be positive and finite":          noisyMax(-1, 0),
	})
}
