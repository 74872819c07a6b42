package odp

import (
	"math"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/noise"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// sparseVectorQuery asks on a database x, after the outputs a.
type sparseVectorQuery = func(x int, a []bool) (q, t float64, stop bool)

// sparseVectorTwins checks that programs make the draws and give the outputs of Algorithm 2, which is written here
// once more, with a variant that says what is different in it. All numbers are multiples of 1/8, so there are ties.
func sparseVectorTwins(t *register.T, printed variant) {
	n := t.Size(1500, 50000)
	t.Domain("%d tapes, up to 12 adaptive queries, c ≤ 3, Δ in {1/2, 1, 4}", n)
	t.Random(2, n, func(t *register.T, d register.Dice) {
		c, length := 1+d.Roll(3), d.Roll(13)
		delta := []float64{1, 0.5, 4}[d.Roll(3)]
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
		first := &finite.Tape{Draws: draws}
		want := printed.run(x, query, delta, c, eps1, eps2, first)
		tapes := [2]*finite.Tape{{Draws: draws}, {Draws: draws}}
		outputs := [2][]bool{register.Must(spec.SparseVector(x, query, delta, c, eps1, eps2, tapes[0])),
			register.Must(impl.SparseVector(x, query, delta, c, eps1, eps2, tapes[1]))}
		for i, second := range tapes {
			got := outputs[i]
			if !slices.Equal(got, want) || !slices.Equal(first.Scales, second.Scales) {
				t.Refute("Δ = %g, c = %d, ε_1 = %g, ε_2 = %g, x = %d, %d queries with answers x + %v, T = 0, 1 after ⊤, draws "+
					"%v: program %d has %s with scales %v, claimed %s with scales %v",
					delta, c, eps1, eps2, x, length, answers, draws, i+1, arrows(got), second.Scales, arrows(want), first.Scales)
			}
		}
	})
}

// endsAfter checks that a run of impl with c = 3 answers with ⊤ so many times, and then no more.
func endsAfter(t *register.T, most int) {
	run := register.Must(impl.NewSparseVectorRun(1, 3, 1, 1, &finite.Tape{Draws: make([]float64, 8)}))
	for i := range most {
		t.Case()
		if above, err := run.Compare(1, 0); !above || err != nil {
			t.Refute("c = 3, no noise: comparison %d of 1 with 0 is ⊤: %v, %v", i+1, above, err)
		}
	}
	if above, err := run.Compare(1, 0); err == nil {
		t.Refute("c = 3, no noise: after %d times ⊤ the run answers again, ⊤: %v", most, above)
	}
}

// variant says what a program does that is not Algorithm 2: nothing, if it is zero.
type variant struct {
	strict bool
	extra  int
	noise  float64 // ρ has this times more noise; 0: as much
}

func (v variant) run(x int, query sparseVectorQuery, delta float64, c int, eps1, eps2 float64,
	random noise.Source) (a []bool) {
	rho := random.Laplace((1 + v.noise) * delta / eps1)
	for {
		q, t, stop := query(x, a)
		if stop || tops(a) >= c+v.extra {
			return a
		}
		noisy := q + random.Laplace(2*float64(c)*delta/eps2)
		a = append(a, noisy > t+rho || !v.strict && noisy == t+rho)
	}
}

// scalesOfLaw checks that the law of the outputs has the noise that programs draw, but for a factor of ν.
func scalesOfLaw(t *register.T, factor *big.Rat) {
	t.AlsoDomain("the scales of the law of the outputs against those that programs draw, Δ in {1/2, 1, 3}, c ≤ 4")
	for _, delta := range rat.List("1/2", "1", "3") {
		for c := 1; c <= 4; c++ {
			t.Case()
			law := register.Must(impl.NewSparseVectorLaw(delta, c, rat.Of("1/4"), rat.Of("2")))
			tape := &finite.Tape{Draws: []float64{0}}
			query := func(_ int, a []bool) (q, threshold float64, stop bool) { return 0, 0, len(a) == 9 }
			a := register.Must(spec.SparseVector(0, query, rat.Float64(delta), c, 0.25, 2, tape))
			drawn := []float64{rat.Float64(law.RhoScale), rat.Float64(rat.Mul(factor, law.NuScale))}
			if !slices.Equal(drawn, tape.Scales[:2]) || len(a) != law.Cutoff {
				t.Refute("Δ = %s, c = %d, ε_1 = 1/4, ε_2 = 2: the law has the scales %v and up to %d times ⊤, spec draws with "+
					"the scales %v and had %s", delta, c, drawn, law.Cutoff, tape.Scales[:2], arrows(a))
			}
		}
	}
}
