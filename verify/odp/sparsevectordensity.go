package odp

import (
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// noises are the parameters of Algorithm 2.
type noises struct {
	delta      float64
	c          int
	eps1, eps2 float64
}

// rho and nu are the scales of the noise, as printed.
func (s noises) rho() float64 { return s.delta / s.eps1 }
func (s noises) nu() float64  { return 2 * float64(s.c) * s.delta / s.eps2 }

// bySpec is spec's density of a run at ρ = z.
func (s noises) bySpec(run []impl.Comparison) func(z float64) float64 {
	var q, t []float64
	for _, x := range run {
		q, t = append(q, rat.Float64(x.Query)), append(t, rat.Float64(x.Threshold))
	}
	a := outputsOf(run)
	return func(z float64) float64 { return spec.SparseVectorDensity(z, q, t, a, s.delta, s.c, s.eps1, s.eps2) }
}

// probability is the integral of spec's density of a run.
func (s noises) probability(run []impl.Comparison) float64 {
	var gaps []float64
	for _, x := range run {
		gaps = append(gaps, rat.Float64(x.Query)-rat.Float64(x.Threshold))
	}
	return quadrature(s.bySpec(run), gaps, math.Ceil(60*s.delta/s.eps1))
}

// byTails is the density from the tails of ρ and of ν, multiplied by a factor.
func (s noises) byTails(z float64, run []impl.Comparison, factor float64) float64 {
	density := laplaceDensity(z, s.rho())
	for _, x := range run {
		least := rat.Float64(x.Threshold) + z - rat.Float64(x.Query)
		if !x.Above {
			least = -least // Pr(ν < y) = Pr(ν ≥ −y)
		}
		density *= laplaceAtLeast(least, factor*s.nu())
	}
	return density
}

// byImpl is the density from impl's probabilities of the single outputs.
func (s noises) byImpl(law impl.SparseVectorLaw, z *big.Rat, run []impl.Comparison) float64 {
	density := laplaceDensity(rat.Float64(z), rat.Float64(law.RhoScale))
	for _, x := range run {
		density *= floatEnd(register.Must(law.Given(z, x)).Lower)
	}
	return density
}

// densitiesAgree checks that the integrand of the probability of an output, by spec and by impl, is that of the tails
// of the noise, and that its integral is impl's probability. A factor of the scale of ν is for a control.
func densitiesAgree(factor float64) register.Check {
	return func(t *register.T) {
		n := t.Size(150, 3000)
		t.AlsoDomain("integrands: %d random runs of up to 4 queries, Δ in {1/2, 1, 3}, c ≤ 3, ε_1 and ε_2 in {1/4, 1, "+
			"5/2}, ρ in {−7, −1/2, 0, 1/3, 4}", n)
		t.Random(8, n, func(t *register.T, d register.Dice) {
			delta, c := rat.List("1", "1/2", "3")[d.Roll(3)], 1+d.Roll(3)
			values := rat.List("1", "5/2", "1/4")
			eps1, eps2 := values[d.Roll(3)], values[d.Roll(3)]
			law := register.Must(impl.NewSparseVectorLaw(delta, c, eps1, eps2))
			s := noises{rat.Float64(delta), c, rat.Float64(eps1), rat.Float64(eps2)}
			run := randomRun(d, c)
			for _, z := range rat.List("0", "-1/2", "1/3", "4", "-7") {
				f := rat.Float64(z)
				want, bySpec, byImpl := s.byTails(f, run, factor), s.bySpec(run)(f), s.byImpl(law, z, run)
				if !isNear(bySpec, want, 1e-12) || !isNear(byImpl, want, 1e-12) {
					t.Refute("Δ = %g, c = %d, ε_1 = %g, ε_2 = %g, %v, ρ = %g: density %.12g by spec, %.12g by impl, claimed %.12g",
						s.delta, c, s.eps1, s.eps2, neighbours{run, run}, f, bySpec, byImpl, want)
				}
			}
			p := register.Must(law.Probability(run, relative))
			if bySpec := s.probability(run); !isAbout(p, bySpec, quadratureError) {
				t.Refute("Δ = %g, c = %d, ε_1 = %g, ε_2 = %g, %v: probability %.12g, integral of spec's density %.12g", s.delta, c,
					s.eps1, s.eps2, neighbours{run, run}, p.Lower, bySpec)
			}
		})
	}
}

// randomRun returns an output of up to 4 queries with at most c times ⊤.
func randomRun(d register.Dice, c int) (run []impl.Comparison) {
	for range 1 + d.Roll(4) {
		if tops(outputsOf(run)) == c {
			break
		}
		run = append(run, impl.Comparison{
			Query: big.NewRat(int64(d.Roll(17)-8), 2), Threshold: big.NewRat(int64(d.Roll(7)-3), 3), Above: d.Roll(2) == 1,
		})
	}
	return run
}
