package spec

import (
	"math"
	"strings"
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

// l(z) = −z has its minimum where Λp is the mean of y·x.
func TestMinimizer_Linear(t *testing.T) {
	t.Parallel()
	linear := LossFunction{Value: func(z float64) float64 { return -z }, Slope: func(float64) float64 { return -1 }}
	train := []LabelledRecord{{[]float64{0.5, 0}, 1}, {[]float64{0, 0.5}, -1}, {[]float64{0.6, 0.8}, 0.5}}
	p, err := Minimizer(train, linear, L2Regularizer(), 2)
	if err != nil || math.Abs(p[0]-0.8/6) > 1e-11 || math.Abs(p[1]+0.1/6) > 1e-11 {
		t.Errorf("minimum at %v, %v; must be at (0.8, −0.1)/6", p, err)
	}
}

// One record at 1: Λp = 1/(1 + e^p), which Λ = 1/(p·(1 + e^p)) solves.
func TestMinimizer_Logistic(t *testing.T) {
	t.Parallel()
	for _, want := range []float64{0.25, 1, 2} {
		lambda := 1 / (want * (1 + math.Exp(want)))
		p, err := Minimizer([]LabelledRecord{{[]float64{1}, 1}}, LogisticLoss(), L2Regularizer(), lambda)
		if err != nil || math.Abs(p[0]-want) > 1e-10 {
			t.Errorf("Λ = %g: minimum at %v, %v; must be at %g", lambda, p, err, want)
		}
	}
}

// No step in any direction makes the objective smaller.
func TestMinimizer_Objective(t *testing.T) {
	t.Parallel()
	train := []LabelledRecord{{[]float64{0.5, 0.5}, 1}, {[]float64{0, -1}, 0.5}, {[]float64{-0.25, 0.5}, -1}}
	p, err := Minimizer(train, LogisticLoss(), L2Regularizer(), 0.1)
	if err != nil {
		t.Fatal(err)
	}
	least := Objective(p, train, LogisticLoss(), L2Regularizer(), 0.1)
	for angle := 0.0; angle < 6.28; angle += 0.1 {
		q := []float64{p[0] + 0.01*math.Cos(angle), p[1] + 0.01*math.Sin(angle)}
		if o := Objective(q, train, LogisticLoss(), L2Regularizer(), 0.1); o <= least {
			t.Errorf("the objective is %g at %v, %g at the minimum %v", o, q, least, p)
		}
	}
}

// The noise has the scale 2/(nΛε), in the direction that is drawn.
func TestERMOutputPert(t *testing.T) {
	t.Parallel()
	train := []LabelledRecord{{[]float64{1, 0}, 1}, {[]float64{-1, 0}, 1}} // p_min = 0
	p, err := ERMOutputPert(train, 0.5, LogisticLoss(), L2Regularizer(), 4, draws{gamma: 3})
	if err != nil || math.Abs(p[0]-3*2/(2*4*0.5)) > 1e-12 || p[1] != 0 {
		t.Errorf("%v, %v; must be 1.5 on the first axis", p, err)
	}
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
	for want, err := range map[string]error{
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
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, must say %q", err, want)
		}
	}
}

// Theorem 17's charges where 2/n^test is the larger part of a, and where it is not.
func TestReleaseTestCharges(t *testing.T) {
	t.Parallel()
	if e, r := ReleaseTestCharges(100, 1, 1, 0.5, 1); e != 1 || r != 0.5 {
		t.Errorf("%g, %g; must be 1, 0.5", e, r)
	}
	if e, r := ReleaseTestCharges(100, 1, 0.25, 0.5, 1); e != 0.5 || r != 0.5 {
		t.Errorf("%g, %g; must be 0.5, 0.5", e, r)
	}
	b := 2.0 / 100 / ReleaseTestScale(1, 100, 1) * 0.5
	if e, r := ReleaseTestCharges(1, 100, 0.0001, 0.5, 1); e != b || r != b || !(b < 0.01) {
		t.Errorf("%g, %g; must be %g twice", e, r, b)
	}
}
