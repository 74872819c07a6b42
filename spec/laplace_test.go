package spec

import (
	"math"
	"testing"
)

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
