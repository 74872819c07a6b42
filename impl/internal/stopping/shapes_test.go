package stopping

import (
	"math/rand/v2"
	"testing"

	"checkrr/impl/internal/testkit"
)

// With many stops Optimal solves a coarser problem as well.
func TestOptimal_Blocks(t *testing.T) {
	defer func(old int) { maxBlocks = old }(maxBlocks)
	const slack = 1e-6
	cost := func(s *Schedule, weights []float64) (sum float64) {
		for i, e := range floatsOf(s.Charges) {
			sum += weights[i] * e
		}
		return sum
	}
	equal := Uniform.proportions(1000)
	p := everyStop(1000, 1, "0.05")
	uniform := designed(t, p, "1e-6", ScheduleOptions{Shape: Uniform})
	for _, maxBlocks = range testkit.Few(2, []int{7, 128, 1, 2, 3, 999, 1000}) {
		s := designed(t, p, "1e-6", ScheduleOptions{Shape: Optimal})
		if a, b := cost(s, equal), cost(uniform, equal); a > b || s.Shortfall != "" {
			t.Errorf("%d blocks: optimal costs %g, uniform %g; %s", maxBlocks, a, b, s.Shortfall)
		}
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for range testkit.AtLeast(8, 20) { // blocks that do not divide the stops, with weights
		n := 2 + rng.IntN(30)
		maxBlocks = 1 + rng.IntN(n)
		o := ScheduleOptions{Shape: Optimal, Weights: make([]float64, n)}
		for i := range n {
			o.Weights[i] = float64(rng.IntN(4))
		}
		o.Weights[rng.IntN(n)] = 1
		p := everyStop(5*n, 5, "0.1")
		s, other := designed(t, p, "1e-4", o),
			designed(t, p, "1e-4", ScheduleOptions{Shape: Uniform, Weights: o.Weights})
		if a, b := cost(s, o.Weights), cost(other, o.Weights); a > b*(1+slack) {
			t.Errorf("%d blocks of %d stops, weights %v: optimal costs %g, uniform %g", maxBlocks, n, o.Weights, a, b)
		}
	}
}
