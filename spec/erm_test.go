package spec

import (
	"math"
	"testing"
)

// draws is a noise that always draws the same: a radius, the first axis, and a Laplace draw.
type draws struct{ gamma, laplace float64 }

func (x draws) Gamma(_, scale float64) float64 { return x.gamma * scale }
func (x draws) Laplace(scale float64) float64  { return x.laplace * scale }
func (x draws) Direction(d int) []float64 {
	u := make([]float64, d)
	u[0] = 1
	return u
}

func TestLogRegWithTest(t *testing.T) {
	t.Parallel()
	train := []LabelledRecord{{[]float64{1}, 1}, {[]float64{-1}, 1}} // p_min = 0, s = 1
	test := []LabelledRecord{{[]float64{1}, 1}}
	a := ReleaseTestScale(2, 1, 4) // max(2, 2(e^(1/4) − 1))
	if a != 2 {
		t.Errorf("a = %g, must be 2", a)
	}
	for _, x := range []struct {
		limit, laplace float64
		released       bool
	}{{1, 0, true}, {0.99, 0, false}, {2, 0.499, true}, {2, 0.501, false}} {
		p, err := LogRegWithTest(train, test, 1, 1, 4, x.limit, draws{laplace: x.laplace})
		if err != nil || (p != nil) != x.released {
			t.Errorf("t = %g, r = %g·a: %v, %v; released must be %v", x.limit, x.laplace, p, err, x.released)
		}
	}
}

func TestERM_Rejects(t *testing.T) {
	t.Parallel()
	good := []LabelledRecord{{[]float64{1}, 1}}
	run := func(train, test []LabelledRecord, eps1, eps2, lambda, limit float64) error {
		_, err := LogRegWithTest(train, test, eps1, eps2, lambda, limit, draws{})
		return err
	}
	_, slow := Minimizer([]LabelledRecord{{[]float64{0.5}, 1}, {[]float64{0.5}, 1}}, LogisticLoss(), L2Regularizer(), 1e-9)
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
