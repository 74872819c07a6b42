package odp

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"gonum.org/v1/gonum/integrate/quad"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// neighbours are the runs with the same outputs and one threshold on two neighbouring
// databases.
type neighbours [2][]impl.Comparison

func (p neighbours) String() string {
	var text [3][]string
	for _, group := range p.groups() {
		times := ""
		if n := len(group[0]); n > 1 {
			times = fmt.Sprintf("%d × ", n)
		}
		for b := range p {
			text[b] = append(text[b], times+rat.Show(group[b][0].Query))
		}
		text[2] = append(text[2], times+arrows([]bool{group[0][0].Above}))
	}
	return fmt.Sprintf("T = %s, answers (%s) against (%s), output (%s)", rat.Show(p[0][0].Threshold),
		strings.Join(text[0], ", "), strings.Join(text[1], ", "), strings.Join(text[2], ", "))
}

// arrows writes outputs.
func arrows(a []bool) string {
	var text strings.Builder
	for _, above := range a {
		text.WriteString(map[bool]string{true: "⊤", false: "⊥"}[above])
	}
	return text.String()
}

// groups returns the pieces of equal comparisons.
func (p neighbours) groups() []neighbours {
	var result []neighbours
	same := func(x, y impl.Comparison) bool { return x.Query.Cmp(y.Query) == 0 && x.Above == y.Above }
	for from, to := 0, 0; from < len(p[0]); from = to {
		for to < len(p[0]) && same(p[0][from], p[0][to]) && same(p[1][from], p[1][to]) {
			to++
		}
		result = append(result, neighbours{p[0][from:to], p[1][from:to]})
	}
	return result
}

// released returns the number of ⊤.
func (p neighbours) released() int { return tops(outputsOf(p[0])) }

// changed returns the runs with other answers and thresholds.
func (p neighbours) changed(query, threshold func(x *big.Rat) *big.Rat) (result neighbours) {
	for b, run := range p {
		for _, c := range run {
			result[b] = append(result[b],
				impl.Comparison{Query: query(c.Query), Threshold: threshold(c.Threshold), Above: c.Above})
		}
	}
	return result
}

// times returns the runs with answers and thresholds multiplied by a factor.
func (p neighbours) times(factor *big.Rat) neighbours {
	multiply := func(x *big.Rat) *big.Rat { return rat.Mul(factor, x) }
	return p.changed(multiply, multiply)
}

// eitherFirst visits the runs, and those with x and x' exchanged if they are others.
func eitherFirst(pair neighbours, visit func(pair neighbours)) {
	visit(pair)
	if unordered(pair[0]) != unordered(pair[1]) {
		visit(neighbours{pair[1], pair[0]})
	}
}

// queries returns n queries with threshold 0, on both databases.
func queries(n int, answer0, answer1 string, above bool) (both neighbours) {
	for b, answer := range [2]string{answer0, answer1} {
		for range n {
			both[b] = append(both[b], impl.Comparison{Query: rat.Of(answer), Threshold: new(big.Rat), Above: above})
		}
	}
	return both
}

// runs puts queries one after the other.
func runs(parts ...neighbours) (both neighbours) {
	for _, part := range parts {
		for b := range both {
			both[b] = append(both[b], part[b]...)
		}
	}
	return both
}

// smallRuns visits all lists of l comparisons, in no order, with T = 0: answers −2, 0
// and 1 on one database, up to 1 more or less on the other, ⊥ and ⊤; all ⊤ are last.
// Either database comes first.
func smallRuns(l int, visit func(pair neighbours)) {
	var kinds []neighbours
	for _, above := range []bool{false, true} {
		for _, answer := range []int{0, 1, -2} {
			for _, change := range []int{0, 1, -1} {
				kinds = append(kinds, queries(1, fmt.Sprint(answer), fmt.Sprint(answer+change), above))
			}
		}
	}
	var extend func(pair neighbours, from int)
	extend = func(pair neighbours, from int) {
		if len(pair[0]) == l {
			eitherFirst(pair, visit)
			return
		}
		for i := from; i < len(kinds); i++ {
			extend(runs(pair, kinds[i]), i)
		}
	}
	extend(neighbours{}, 0)
}

// extremeRuns are those whose loss comes closest to the charge ε_1 + (c'/c)·ε_2: from x to
// x' many answers with ⊥ go up by 1 and the c' with ⊤ go down by 1. Many ⊥ mean that ρ is
// large. Then x' asks for a ρ larger by 1 than x, at a ratio of e^(ε_1); and each ⊤, with
// its query lower by 1 too, for a ν_i larger by 2, at a ratio of e^(ε_2/c).
func extremeRuns(released int) (all []neighbours) {
	for _, s := range []struct {
		n       int
		answers string
	}{{1, "0 1 0 -1"}, {4, "0 1 0 -1"}, {16, "0 1 0 -1"}, {32, "0 1 0 -1"}, {32, "4 5 5 4"}, {64, "-4 -3 0 -1"}} {
		a := strings.Fields(s.answers)
		all = append(all, runs(queries(s.n, a[0], a[1], false), queries(released, a[2], a[3], true)))
	}
	return all
}

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
var knownProbabilities finite.Memo[string, interval.Interval]

func (p probabilities) of(run []impl.Comparison) interval.Interval {
	key := fmt.Sprint(rat.Show(p.law.RhoScale, p.law.NuScale), p.law.Cutoff, unordered(run))
	return knownProbabilities.Of(key, func() interval.Interval {
		return register.Must(p.law.Probability(run, relative))
	})
}

// unordered writes the comparisons of a run such that their order does not matter.
func unordered(run []impl.Comparison) string {
	var words []string
	for _, c := range run {
		words = append(words, rat.Sub(c.Threshold, c.Query).RatString()+arrows([]bool{c.Above}))
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
	x, y := floatEnd(p0.Lower), floatEnd(p1.Lower)
	if gap := math.Log(x) - math.Log(y) - rat.Float64(eps); min(x, y) > 1e-290 && !(math.Abs(gap) <= 1e-9) {
		return gap > 0
	}
	for width := 1e-20; width > 1e-200; width *= width {
		loss := register.Must(p.law.Loss(pair[0], pair[1], width))
		if rat.IsAbove(loss, eps) || rat.IsAtMost(loss, eps) {
			return rat.IsAbove(loss, eps)
		}
	}
	p.t.Inconclusive("%v: the loss is too close to ε = %s", pair, rat.Show(eps))
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

// agrees checks that the density at ρ = z by spec, and from impl's probabilities of the single outputs, is that of the
// tails of the noise, with a factor of the scale of ν.
func (s noises) agrees(t *register.T, law impl.SparseVectorLaw, z *big.Rat, run []impl.Comparison, factor float64) {
	f := rat.Float64(z)
	byImpl := laplaceDensity(f, rat.Float64(law.RhoScale))
	for _, x := range run {
		byImpl *= floatEnd(register.Must(law.Given(z, x)).Lower)
	}
	want, bySpec := s.byTails(f, run, factor), s.bySpec(run)(f)
	t.Require(isClose(bySpec, want, 1e-12) && isClose(byImpl, want, 1e-12),
		"ρ = %s: density %.12g by spec, %.12g by impl, claimed %.12g", z, bySpec, byImpl, want)
}

// densitiesAgree checks that the integrand of the probability of an output, by spec and by impl, is that of the tails
// of the noise, and that its integral is impl's probability. A factor of the scale of ν is for a control.
func densitiesAgree(t *register.T, factor float64) {
	n := t.Size(60, 3000)
	t.AlsoDomain("integrands: %d random runs of up to 4 queries, Δ in {1/2, 1, 3}, c ≤ 3, "+
		"ε_1 and ε_2 in {1/4, 1, 5/2}, ρ in {−7, −1/2, 0, 1/3, 4}", n)
	t.Random(8, n, func(t *register.T, d register.Dice) {
		delta, c := rat.List("1", "1/2", "3")[d.Roll(3)], 1+d.Roll(3)
		values := rat.List("1", "5/2", "1/4")
		eps1, eps2 := values[d.Roll(3)], values[d.Roll(3)]
		law := register.Must(impl.NewSparseVectorLaw(delta, c, eps1, eps2))
		s := noises{rat.Float64(delta), c, rat.Float64(eps1), rat.Float64(eps2)}
		run := randomRun(d, c)
		t.In("Δ = %g, c = %d, ε_1 = %g, ε_2 = %g, %v", s.delta, c, s.eps1, s.eps2, neighbours{run, run})
		for _, z := range rat.List("0", "-1/2", "1/3", "4", "-7") {
			s.agrees(t, law, z, run, factor)
		}
		p, bySpec := register.Must(law.Probability(run, relative)), s.probability(run)
		t.Require(isAbout(p, bySpec, quadratureError), "probability %.12g, integral of spec's density %.12g",
			p.Lower, bySpec)
	})
}

// randomRun returns an output of up to 4 queries with at most c times ⊤.
func randomRun(d register.Dice, c int) (run []impl.Comparison) {
	for range 1 + d.Roll(4) {
		if tops(outputsOf(run)) == c {
			break
		}
		run = append(run, impl.Comparison{
			Query: big.NewRat(int64(d.Roll(17)-8), 2), Threshold: big.NewRat(int64(d.Roll(7)-3), 3),
			Above: d.Roll(2) == 1,
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
