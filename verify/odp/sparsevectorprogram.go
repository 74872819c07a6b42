package odp

import (
	"math"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// sparseVectorProgram is the type of spec.SparseVector.
type sparseVectorProgram = func(x int, query func(x int, a []bool) (q, t float64, stop bool), delta float64, c int,
	eps1, eps2 float64, noise impl.Noise) ([]bool, error)

// specSparseVector is spec.SparseVector with the noise of impl.
func specSparseVector(x int, query func(x int, a []bool) (q, t float64, stop bool), delta float64, c int,
	eps1, eps2 float64, noise impl.Noise) ([]bool, error) {
	return spec.SparseVector(x, query, delta, c, eps1, eps2, noise)
}

// sparseVectorTwins checks that programs make the draws and give the outputs of Algorithm 2, which is written here
// once more, with a variant that says what is different in it. All numbers are multiples of 1/8, so there are ties.
func sparseVectorTwins(printed variant, programs ...sparseVectorProgram) register.Check {
	return func(t *register.T) {
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
			want := register.Must(variantSparseVector(printed)(x, query, delta, c, eps1, eps2, first))
			for i, program := range programs {
				second := &finite.Tape{Draws: draws}
				got, err := program(x, query, delta, c, eps1, eps2, second)
				t.Must(err)
				if !slices.Equal(got, want) || !slices.Equal(first.Scales, second.Scales) {
					t.Refute("Δ = %g, c = %d, ε_1 = %g, ε_2 = %g, x = %d, %d queries with answers x + %v, T = 0, 1 after ⊤, draws "+
						"%v: program %d has %s with scales %v, claimed %s with scales %v",
						delta, c, eps1, eps2, x, length, answers, draws, i+1, arrows(got), second.Scales, arrows(want), first.Scales)
				}
			}
		})
	}
}

// endsAfter checks that a run of impl with c = 3 answers with ⊤ so many times, and then no more.
func endsAfter(most int) register.Check {
	return func(t *register.T) {
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
}

// firstOutputs samples the first output of programs: Pr(⊤) = Pr(ν − ρ ≥ T − q), in closed form, for noise that is
// scaled. By Hoeffding's inequality a share of n outputs is off by more than √(ln(2/α)/(2n)) with probability at
// most α.
func firstOutputs(scaleRho, scaleNu float64, programs ...sparseVectorProgram) register.Check {
	return func(t *register.T) {
		const alpha = 1e-6
		n := t.Size(20_000, 500_000)
		off := math.Sqrt(math.Log(2/alpha) / (2 * float64(n)))
		t.AlsoDomain("shares of ⊤ among %d first outputs against the law of ν − ρ: level %g each, a share that is off by "+
			"0.05 is missed with probability at most %.2g",
			n, alpha, math.Exp(-2*float64(n)*math.Pow(0.05-off, 2)))
		for i, s := range []struct {
			delta      float64
			c          int
			eps1, eps2 float64
			gap        float64 // T − q
		}{{1, 1, 0.1, 4, 5}, {2, 1, 0.1, 4, 10}, {1, 3, 4, 0.5, 6}, {0.5, 3, 4, 0.5, 3}, {1, 2, 0.5, 1, 3},
			{3, 2, 0.5, 1, -9}} {
			want := differenceAtLeast(s.gap, scaleNu*2*float64(s.c)*s.delta/s.eps2, scaleRho*s.delta/s.eps1)
			for k, program := range programs {
				t.Case()
				noise, above := impl.NewNoise([32]byte{byte(i), byte(k)}), 0
				query := func(q int, a []bool) (answer, threshold float64, stop bool) { return float64(q), s.gap, len(a) > 0 }
				for range n {
					if a, err := program(0, query, s.delta, s.c, s.eps1, s.eps2, noise); err != nil || a[0] {
						t.Must(err)
						above++
					}
				}
				if share := float64(above) / float64(n); !(math.Abs(share-want) <= off) {
					t.Refute("program %d, Δ = %g, c = %d, ε_1 = %g, ε_2 = %g, q = 0, T = %g: %d of %d first outputs are ⊤, claimed "+
						"is a share of %.6g",
						k+1, s.delta, s.c, s.eps1, s.eps2, s.gap, above, n, want)
				}
			}
		}
	}
}

// variant says what a program does that is not Algorithm 2: nothing, if it is zero.
type variant struct {
	strict, redraw bool
	extra          int
	noise          float64 // ρ has this times more noise; 0: as much
}

func variantSparseVector(v variant) sparseVectorProgram {
	return func(x int, query func(int, []bool) (float64, float64, bool), delta float64, c int, eps1, eps2 float64,
		noise impl.Noise) ([]bool, error) {
		var a []bool
		offset := func() float64 { return noise.Laplace((1 + v.noise) * delta / eps1) }
		rho := offset()
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
					rho = offset()
				}
			}
		}
	}
}

// bothSparseVectors are the programs of the two rooms.
var bothSparseVectors = []sparseVectorProgram{specSparseVector, impl.SparseVector[int]}

// scalesOfLaw checks that the law of the outputs has the noise that programs draw, but for a factor of ν.
func scalesOfLaw(factor *big.Rat) register.Check {
	return func(t *register.T) {
		t.AlsoDomain("the scales of the law of the outputs against those that programs draw, Δ in {1/2, 1, 3}, c ≤ 4")
		for _, delta := range rat.List("1/2", "1", "3") {
			for c := 1; c <= 4; c++ {
				t.Case()
				law := register.Must(impl.NewSparseVectorLaw(delta, c, rat.Of("1/4"), rat.Of("2")))
				tape := &finite.Tape{Draws: []float64{0}}
				query := func(_ int, a []bool) (q, threshold float64, stop bool) { return 0, 0, len(a) == 9 }
				a, err := specSparseVector(0, query, rat.Float64(delta), c, 0.25, 2, tape)
				t.Must(err)
				drawn := []float64{rat.Float64(law.RhoScale), rat.Float64(rat.Mul(factor, law.NuScale))}
				if !slices.Equal(drawn, tape.Scales[:2]) || len(a) != law.Cutoff {
					t.Refute("Δ = %s, c = %d, ε_1 = 1/4, ε_2 = 2: the law has the scales %v and up to %d times ⊤, spec draws with "+
						"the scales %v and had %s",
						rat.Show(delta), c, drawn, law.Cutoff, tape.Scales[:2], arrows(a))
				}
			}
		}
	}
}
