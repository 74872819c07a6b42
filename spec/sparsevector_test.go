package spec

import (
	"math"
	"testing"
)

// played is a noise that plays draws for scale 1 and keeps the scales.
type played struct {
	draws  []float64
	scales []float64
}

func (p *played) Laplace(scale float64) float64 {
	p.scales = append(p.scales, scale)
	return scale * p.draws[len(p.scales)-1]
}

func TestSparseVector_BadInput(t *testing.T) {
	t.Parallel()
	run := func(answer, delta float64, c int, eps1, eps2 float64) error {
		query := func(x float64, _ []bool) (float64, float64, bool) { return x, 0, false }
		return second(SparseVector(answer, query, delta, c, eps1, eps2, &played{draws: []float64{0, 0}}))
	}
	left := func(c, released int) error { return third(SparseRelease(one, one, c, released)) }
	refuse(t, map[string]error{
		"Δ is -1, must be positive and finite":      run(0, -1, 1, 1, 1),
		"ε_1 is NaN, must be positive and finite":   run(0, 1, 1, math.NaN(), 1),
		"ε_2 is 0, must be positive and finite":     run(0, 1, 1, 1, 0),
		"c is -2, must be at least 1":               run(0, 1, -2, 1, 1),
		"scale of the noise is +Inf, must be":       run(0, 1e300, 1, 1e-300, 1),
		"query 1: answer is NaN, must be finite":    run(math.NaN(), 1, 1, 1, 1),
		"SparseVector: query 1: answer is -Inf, mu": run(math.Inf(-1), 1, 1, 1, 1),
		"SparseRelease: c is 0":                     left(0, 0),
		"SparseRelease: c' is 4":                    left(3, 4),
		"SparseRelease: c' is -1":                   left(3, -1),
		"SparseVectorCharge":                        second(SparseVectorCharge(nil, one, 3, 2)),
	})
}
