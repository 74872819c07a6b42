package odp

import (
	"math"
	"slices"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/register"
)

// sparseVectorProgram is the type of spec.SparseVector.
type sparseVectorProgram = func(x int, query func(x int, a []bool) (q, t float64, stop bool), delta float64, c int, eps1, eps2 float64, noise impl.Noise) ([]bool, error)

// sparseVectorTwins checks that a program makes the draws of spec and gives its outputs.
// All numbers are multiples of 1/8, so there are ties.
func sparseVectorTwins(program sparseVectorProgram) register.Check {
	return func(t *register.T) {
		n := t.Size(2000, 50000)
		t.Domain("%d tapes, up to 12 adaptive queries, c ≤ 3", n)
		t.Random(2, n, func(t *register.T, d register.Dice) {
			c, length := 1+d.Roll(3), d.Roll(13)
			eps1, eps2 := math.Ldexp(1, -d.Roll(3)), math.Ldexp(float64(c), -d.Roll(3))
			var draws, answers []float64
			for range 14 {
				draws = append(draws, float64(d.Roll(17)-8)/8)
				answers = append(answers, float64(d.Roll(9)-4))
			}
			query := func(x int, a []bool) (q, threshold float64, stop bool) {
				if len(a) > 0 && a[len(a)-1] {
					threshold = 1 // adaptive
				}
				return float64(x) + answers[len(a)%14], threshold, len(a) == length
			}
			x := d.Roll(2)
			first, second := &finite.Tape{Draws: draws}, &finite.Tape{Draws: draws}
			want, err := spec.SparseVector(x, query, 1, c, eps1, eps2, first)
			t.Must(err)
			got, err := program(x, query, 1, c, eps1, eps2, second)
			t.Must(err)
			if !slices.Equal(got, want) || !slices.Equal(first.Scales, second.Scales) {
				t.Refute("c = %d, ε_1 = %g, ε_2 = %g, x = %d, %d queries with answers x + %v, T = 0, 1 after ⊤, draws %v: %s with scales %v, spec %s with scales %v",
					c, eps1, eps2, x, length, answers, draws, arrows(got), second.Scales, arrows(want), first.Scales)
			}
		})
	}
}

// variant says what a program does that is not Algorithm 2.
type variant struct {
	strict, redraw bool
	extra          int
}

func variantSparseVector(v variant) sparseVectorProgram {
	return func(x int, query func(int, []bool) (float64, float64, bool), delta float64, c int, eps1, eps2 float64, noise impl.Noise) ([]bool, error) {
		var a []bool
		rho := noise.Laplace(delta / eps1)
		for count := 0; ; {
			q, t, stop := query(x, a)
			if stop || count >= c+v.extra {
				return a, nil
			}
			noisy := q + noise.Laplace(2*float64(c)*delta/eps2)
			above := noisy > t+rho || !v.strict && noisy == t+rho
			if a = append(a, above); above {
				count++
				if v.redraw {
					rho = noise.Laplace(delta / eps1)
				}
			}
		}
	}
}
