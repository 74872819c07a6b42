package odp

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/gonum/integrate/quad"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// probabilities are those of one law.
type probabilities struct {
	t   *register.T
	law impl.SparseVectorLaw
}

// relative is how narrow the probabilities are at first.
const relative = 1e-13

// knownProbabilities has what was computed once for each law and each list of comparisons
// without order: given the answers, a run's probability does not depend on it, but for the
// cutoff. A statement and its controls are about the same ones.
var knownProbabilities sync.Map

func (p probabilities) of(run []impl.Comparison) interval.Interval {
	key := fmt.Sprint(rat.Show(p.law.RhoScale, p.law.NuScale), p.law.Cutoff, unordered(run))
	if known, ok := knownProbabilities.Load(key); ok {
		return known.(interval.Interval)
	}
	known, err := p.law.Probability(run, relative)
	p.t.Must(err)
	knownProbabilities.Store(key, known)
	return known
}

// unordered writes the comparisons of a run such that their order does not matter.
func unordered(run []impl.Comparison) string {
	var words []string
	for _, c := range run {
		word := rat.Sub(c.Threshold, c.Query).RatString() + arrows([]bool{c.Above})
		if c.Released != nil {
			word += rat.Show(c.Query, c.Released.Low, c.Released.High)
		}
		words = append(words, word)
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}

// exceeds reports whether P0 > e^ε·P1. Floating-point logarithms of numbers that are
// known to 1e-13 decide, unless they come within 1e-9; then certified ones do.
func (p probabilities) exceeds(pair neighbours, eps *big.Rat) bool {
	if unordered(pair[0]) == unordered(pair[1]) {
		return eps.Sign() < 0
	}
	p0, p1 := p.of(pair[0]), p.of(pair[1])
	if p0.Upper.Sign() == 0 || p1.Upper.Sign() == 0 {
		return p0.Upper.Sign() > 0
	}
	x, _ := p0.Lower.Float64()
	y, _ := p1.Lower.Float64()
	e, _ := eps.Float64()
	if gap := math.Log(x) - math.Log(y) - e; min(x, y) > 1e-290 && !(math.Abs(gap) <= 1e-9) {
		return gap > 0
	}
	for width := 1e-20; width > 1e-200; width *= width {
		loss, err := p.law.Loss(pair[0], pair[1], width)
		p.t.Must(err)
		if rat.IsAbove(loss, eps) || rat.IsAtMost(loss, eps) {
			return rat.IsAbove(loss, eps)
		}
	}
	p.t.Undecided("%v: the loss is too close to ε = %s", pair, rat.Show(eps))
	return false
}

// loss returns about ln(P0/P1), 0 if either is too small for float64.
func (p probabilities) loss(pair neighbours) float64 {
	x, y := floatEnd(p.of(pair[0]).Lower), floatEnd(p.of(pair[1]).Lower)
	if min(x, y) < 1e-290 {
		return 0
	}
	return math.Log(x) - math.Log(y)
}

// evidence writes the numbers of a counterexample.
func (p probabilities) evidence(pair neighbours) string {
	p0, p1 := p.of(pair[0]), p.of(pair[1])
	text := fmt.Sprintf("%v: P0 = %.12g, P1 = %.12g", pair, p0.Lower, p1.Lower)
	if p0.Lower.Sign() > 0 && p1.Lower.Sign() > 0 {
		text += fmt.Sprintf(", ln(P0/P1) = %.10f", register.Must(impl.LogRatio(p0, p1)).Lower)
	}
	return fmt.Sprintf("ρ ~ Lap(%s), ν ~ Lap(%s): ", rat.Show(p.law.RhoScale), rat.Show(p.law.NuScale)) + text
}

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
func densitiesAgree(t *register.T, factor float64) {
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
			t.Require(isNear(bySpec, want, 1e-12) && isNear(byImpl, want, 1e-12), "Δ = %g, c = %d, ε_1 = %g, ε_2 = %g, %v, ρ "+
				"= %g: density %.12g by spec, %.12g by impl, claimed %.12g", s.delta, c, s.eps1, s.eps2, neighbours{run, run}, f,
				bySpec, byImpl, want)
		}
		p := register.Must(law.Probability(run, relative))
		if bySpec := s.probability(run); !isAbout(p, bySpec, quadratureError) {
			t.Refute("Δ = %g, c = %d, ε_1 = %g, ε_2 = %g, %v: probability %.12g, integral of spec's density %.12g", s.delta, c,
				s.eps1, s.eps2, neighbours{run, run}, p.Lower, bySpec)
		}
	})
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

func floatEnd(x *big.Float) float64 { f, _ := x.Float64(); return f }

// isAbout reports whether x is in the interval, or off by at most the relative error.
func isAbout(p interval.Interval, x, relative float64) bool {
	return floatEnd(p.Lower) <= x*(1+relative) && floatEnd(p.Upper) >= x*(1-relative)
}

// quadrature integrates f, which is smooth between breakpoints, over [−reach, reach] by
// Gauss's rule with 20 nodes on pieces no longer than 1.
func quadrature(f func(z float64) float64, breakpoints []float64, reach float64) float64 {
	for z := -reach; z <= reach; z++ {
		breakpoints = append(breakpoints, z)
	}
	slices.Sort(breakpoints)
	sum := 0.0
	for i, to := range breakpoints[1:] {
		if from := breakpoints[i]; to > from && from >= -reach && to <= reach {
			sum += quad.Fixed(f, from, to, 20, quad.Legendre{}, 0)
		}
	}
	return sum
}

// quadratureError is what the quadrature and its float64 sums may be off by, relative to
// a result whose tail beyond the reach is smaller still.
const quadratureError = 1e-11
