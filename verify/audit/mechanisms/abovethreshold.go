package mechanisms

import (
	"math/big"

	"checkrr/impl"
	"checkrr/impl/noise"
)

func thresholds() []Mechanism {
	return []Mechanism{
		{
			Name: "above-threshold", Title: "AboveThreshold: halts at the first ⊤", Source: "AFD-A1, AFD-T3.23",
			defaults: Params{Eps: one, Delta: new(big.Rat), Queries: 8, Noise: one},
			make: func(p Params) (*Case, error) {
				p.C = 1
				return sparseCase(p, new(big.Rat)), nil
			},
		},
		{
			Name: "sparse", Title: "Sparse: AboveThreshold again after each ⊤, c times", Source: "AFD-A2, AFD-T3.25",
			defaults: Params{Eps: one, Delta: new(big.Rat), C: 2, Queries: 8, Noise: one},
			make:     func(p Params) (*Case, error) { return sparseCase(p, p.Delta), nil },
		},
	}
}

// ask asks all queries.
func ask[A any](answers []float64, a []A) (q float64, stop bool) {
	if len(a) == len(answers) {
		return 0, true
	}
	return answers[len(a)], false
}

// sparseCase is Sparse with a δ in its scale. For δ > 0 the scale is no rational number, and
// the law is not computed.
func sparseCase(p Params, delta *big.Rat) *Case {
	eps, d := float(quo(p.Eps, p.Noise)), float(delta)
	sigma := quo(mul(whole(2*p.C), p.Noise), p.Eps)
	v := vector{
		Params:     p,
		law:        impl.SparseVectorLaw{RhoScale: sigma, NuScale: mul(whole(2), sigma), Cutoff: 1},
		redraw:     true,
		search:     true,
		neighbours: [][2][]int{up(p.Queries), upAndDown(p.Queries)},
	}
	v.run = func(answers []float64, random noise.Source) (pattern, error) {
		run, err := impl.NewSparseRun(0, p.C, eps, d, random)
		if err != nil {
			return noOutputs, err
		}
		return compared(answers, run.Done, run.Compare)
	}
	c := v.dpCase()
	if delta.Sign() > 0 {
		c.Laws = nil
	}
	return c
}

// compared asks queries until all is done.
func compared(answers []float64, done func() bool, compare func(q float64) (bool, error)) (p pattern, err error) {
	p = noOutputs
	for i := 0; i < len(answers) && err == nil && !done(); i++ {
		var above bool
		above, err = compare(answers[i])
		p = p.and(above)
	}
	return p, err
}
