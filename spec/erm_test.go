package spec

import (
	"math"
	"testing"
)

// draws is a noise that is always 0.
type draws struct{}

func (draws) Gamma(_, _ float64) float64 { return 0 }
func (draws) Laplace(float64) float64    { return 0 }
func (draws) Direction(d int) []float64  { return make([]float64, d) }

func TestERM_Rejects(t *testing.T) {
	t.Parallel()
	good := []LabelledRecord{{[]float64{1}, 1}}
	run := func(train, test []LabelledRecord, eps1, eps2, lambda, limit float64) error {
		_, err := LogRegWithTest(train, test, eps1, eps2, lambda, limit, draws{})
		return err
	}
	half := LabelledRecord{[]float64{0.5}, 1}
	_, slow := Minimizer([]LabelledRecord{half, half}, LogisticLoss(), L2Regularizer(), 1e-9)
	refuse(t, map[string]error{
		"train has 0 records":                  run(nil, good, 1, 1, 1, 1),
		"test has 0 records":                   run(good, nil, 1, 1, 1, 1),
		"train: record 1: norm of x is 2":      run([]LabelledRecord{{[]float64{2}, 1}}, good, 1, 1, 1, 1),
		"train: record 1: norm of x is NaN":    run([]LabelledRecord{{[]float64{math.NaN()}, 1}}, good, 1, 1, 1, 1),
		"train: record 1: y is -1.5":           run([]LabelledRecord{{[]float64{1}, -1.5}}, good, 1, 1, 1, 1),
		"train: record 1 has 0 covariates":     run([]LabelledRecord{{nil, 1}}, good, 1, 1, 1, 1),
		"train: record 2 has 2 covariates":     run([]LabelledRecord{good[0], {[]float64{0, 1}, 1}}, good, 1, 1, 1, 1),
		"test: record 1 has 2 covariates":      run(good, []LabelledRecord{{[]float64{0, 1}, 1}}, 1, 1, 1, 1),
		"eps is 0, must be":                    run(good, good, 0, 1, 1, 1),
		"eps2 is -1, must be":                  run(good, good, 1, -1, 1, 1),
		"lambda is 0, must be":                 run(good, good, 1, 1, 0, 1),
		"lambda is +Inf, must be":              run(good, good, 1, 1, math.Inf(1), 1),
		"t is NaN, must be finite":             run(good, good, 1, 1, 1, math.NaN()),
		"scale of the noise is +Inf, must be":  run(good, good, 1, 1, 1e-9, 1),
		"10^6 steps did not reach the minimum": slow,
	})
}
