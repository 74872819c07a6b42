package odp

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/noise"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// sparseVector are the statements on the sparse vector technique.
func sparseVector() register.Checks {
	changed := func(change func(s *shift)) register.Check {
		s := shiftPrinted
		change(&s)
		return with(topShift, s)
	}
	return register.Checks{
		"ODP-A2": checked(all(with(sparseVectorTwins, variant{}), scalesOfLaw("1"), with(endsAfter, 3)),
			near("⊤ if q_i(x) + ν_i > T_i + ρ", with(sparseVectorTwins, variant{strict: true})),
			near("until c + 1 times ⊤", with(sparseVectorTwins, variant{extra: 1})),
			near("a run of impl answers c + 1 times with ⊤", with(endsAfter, 4)),
			near("ρ ~ Lap(1.05·Δ/ε_1)", with(sparseVectorTwins, variant{noise: 0.05})),
			near("the law of the outputs has ν ~ Lap(2.1·cΔ/ε_2)", scalesOfLaw("1.05"))),
		"ODP-X11": checked(with(sparseVectorCharges, chargeAll(rat.One, rat.One)),
			near("all ⊥ together contribute 0.95·ε_1", with(sparseVectorCharges, chargeAll(rat.Of("0.95"), rat.One))),
			near("each ⊤ contributes 0.95·ε_2/c", with(sparseVectorCharges, chargeAll(rat.One, rat.Of("0.95"))))),
		"ODP-L8": checked(all(with(densitiesAgree, 1), withoutNoise, withValues, chargesAgree(), with(proofSteps, 1),
			with(sparseVectorCharges, chargePrinted)),
			append(tightCharges(),
				near("the integrand of the proof has ν_i ~ Lap(2.1·cΔ/ε_2)", with(densitiesAgree, 1.05)),
				alsoFails(register.Slip, "the step after E1 in the proof as printed, with f_i(x, z) and g_i(x, z)",
					with(proofSteps, 0)))...),
		"ODP-E1": checked(with(topShift, shiftPrinted),
			near("with e^(0.999·ε_2/c)", changed(func(s *shift) { s.kappa = rat.Of("0.999") })),
			near("with z − 1.95·Δ in the second step", changed(func(s *shift) { s.further = rat.Of("1.95") })),
			near("for queries of sensitivity 1.05·Δ", changed(func(s *shift) { s.change = rat.Of("1.05") }))),
		"ODP-E2": checked(with(partsCover, func(a []bool, c int) bool { return tops(a) <= c }),
			near("S_0, …, S_c without the output that has c times ⊤ in a row at its start are all outputs",
				with(partsCover, func(a []bool, c int) bool { return len(a) > c || tops(a) < c }))),
	}
}

// tops returns |I_⊤|.
func tops(a []bool) int { return strings.Count(arrows(a), "⊤") }

// splits are the pairs ε_1, ε_2 of the checks.
var splits = [][2]string{{"1/2", "1/2"}, {"1/10", "9/10"}, {"2", "1/3"}}

// showSplits writes the first m of [splits].
func showSplits(m int) string {
	var text []string
	for _, split := range splits[:m] {
		text = append(text, fmt.Sprintf("(%s, %s)", split[0], split[1]))
	}
	return "{" + strings.Join(text, ", ") + "}"
}

// partsCover checks that the outputs in some parts are all of them: that their probabilities add up to 1, and the
// integrands of the proof of Lemma 8 to the density of ρ.
func partsCover(t *register.T, isIn func(a []bool, c int) bool) {
	n := t.Size(4, 9)
	t.Domain("c ≤ 3, up to %d queries, Δ in {1, 3}, ε_1 = 1/2, ε_2 = 3/4; ρ in {−20, −1, 0, 2, 9} for spec", n)
	for l := 1; l <= n; l++ {
		for c := 1; c <= 3; c++ {
			for _, delta := range rat.List("1", "3") {
				t.Case()
				outputs := slices.DeleteFunc(possibleRuns(c, l), func(run []impl.Comparison) bool {
					return !isIn(outputsOf(run), c)
				})
				totalIsOne(t, register.Must(impl.NewSparseVectorLaw(delta, c, rat.Half, rat.Of("3/4"))), l, outputs)
				densitiesAddUp(t, noises{rat.Float64(delta), c, 0.5, 0.75}, outputs)
			}
		}
	}
}

// possibleRuns returns the runs of all outputs for l queries.
func possibleRuns(c, l int) (all [][]impl.Comparison) {
	var extend func(run []impl.Comparison)
	extend = func(run []impl.Comparison) {
		if len(run) == l || tops(outputsOf(run)) == c {
			all = append(all, run)
			return
		}
		next := impl.Comparison{
			Query:     big.NewRat([]int64{0, 3, -2, 1}[len(run)%4], 1),
			Threshold: big.NewRat(int64(len(run)+1), 3),
		}
		for _, next.Above = range []bool{false, true} {
			extend(append(slices.Clip(run), next))
		}
	}
	extend(nil)
	return all
}

func outputsOf(run []impl.Comparison) (a []bool) {
	for _, c := range run {
		a = append(a, c.Above)
	}
	return a
}

// totalIsOne checks the sum of the probabilities of outputs for l queries, and that c + 1 times ⊤ has none.
func totalIsOne(t *register.T, law impl.SparseVectorLaw, l int, outputs [][]impl.Comparison) {
	n := interval.Precision(64)
	sum := n.Int(0)
	for _, run := range outputs {
		sum = n.Add(sum, register.Must(law.Probability(run, relative)))
	}
	after := queries(law.Cutoff+1, "1", "1", true)[0]
	p := register.Must(law.Probability(after, relative))
	t.Require(p.Upper.Sign() == 0, "c = %d: %d times ⊤ has probability %.12g", law.Cutoff, len(after), p.Upper)
	t.Require(sum.Contains(rat.One), "c = %d, ρ ~ Lap(%s), ν ~ Lap(%s), %d queries with answers 0, 3, −2, 1, 0, "+
		"… and T_i = i/3: probabilities sum to a number in [%.12g, %.12g]",
		law.Cutoff, law.RhoScale, law.NuScale, l, sum.Lower, sum.Upper)
}

// densitiesAddUp checks the sum of spec's integrands of outputs, which is the density of ρ.
func densitiesAddUp(t *register.T, s noises, outputs [][]impl.Comparison) {
	for _, z := range []float64{-20, -1, 0, 2, 9} {
		sum := 0.0
		for _, run := range outputs {
			sum += s.bySpec(run)(z)
		}
		want := laplaceDensity(z, s.rho())
		t.Require(isClose(sum, want, 1e-12), "c = %d, Δ = %g, ε_1 = 1/2, ε_2 = 3/4, ρ = %g: "+
			"the densities of %d outputs sum to %.12g, that of ρ is %.12g", s.c, s.delta, z, len(outputs), sum, want)
	}
}

// program is one of several that should do the same on the same draws. Its output is nothing for ⊥.
type program = func(random noise.Source) (output []float64, err error)

// alike refutes that the programs of both rooms give the output that the words do, and ask for noise of the same
// scales, and that those of impl are at least as large as some numbers, whatever is rounded.
func alike(t *register.T, draws []float64, words, bySpec, byImpl program, least ...*big.Rat) {
	play := func(p program) (output, scales []float64) {
		tape := &finite.Tape{Draws: draws}
		output = register.Must(p(tape))
		return output, tape.Scales
	}
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-11*(1+math.Abs(b)) }
	wanted, first := play(words)
	for i, p := range []program{bySpec, byImpl} {
		got, scales := play(p)
		t.Require(slices.EqualFunc(got, wanted, near) && slices.EqualFunc(scales, first, near),
			"draws %v: by %s %.12g with scales %.6g, claimed %.12g with scales %.6g (nothing: ⊥)",
			draws, packages[i], got, scales, wanted, first)
		for k, bound := range least[:min(i*len(scales), len(least))] {
			t.Require(new(big.Rat).SetFloat64(scales[k]).Cmp(bound) >= 0,
				"draw %d of impl has the scale %.17g, less than %s", k+1, scales[k], bound)
		}
	}
}

// answer is the output of a program that returns a value or ⊥.
func answer(value float64, ok bool, err error) ([]float64, error) {
	if !ok {
		return nil, err
	}
	return []float64{value}, err
}

// sparseVectorQuery asks on a database x, after the outputs a.
type sparseVectorQuery = func(x int, a []bool) (q, t float64, stop bool)

// asNumbers are outputs of the sparse vector technique as numbers.
func asNumbers(a []bool, err error) (output []float64, _ error) {
	for _, above := range a {
		output = append(output, map[bool]float64{true: 1}[above])
	}
	return output, err
}

// sparseVectorTwins checks that programs make the draws and give the outputs of Algorithm 2, which is written here
// once more, with a variant that says what is different in it. All numbers are multiples of 1/8, so there are ties.
func sparseVectorTwins(t *register.T, printed variant) {
	n := t.Size(800, 50000)
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
		t.In("Δ = %g, c = %d, ε_1 = %g, ε_2 = %g, x = %d, %d queries with answers x + %v, T = 0, 1 after ⊤",
			delta, c, eps1, eps2, x, length, answers)
		alike(t, draws, func(random noise.Source) ([]float64, error) {
			return asNumbers(printed.run(x, query, delta, c, eps1, eps2, random), nil)
		}, func(random noise.Source) ([]float64, error) {
			return asNumbers(spec.SparseVector(x, query, delta, c, eps1, eps2, random))
		}, func(random noise.Source) ([]float64, error) {
			return asNumbers(impl.SparseVector(x, query, delta, c, eps1, eps2, random))
		})
	})
}

// endsAfter checks that a run of impl with c = 3 answers with ⊤ so many times, and then no more.
func endsAfter(t *register.T, most int) {
	run := register.Must(impl.NewSparseVectorRun(1, 3, 1, 1, &finite.Tape{Draws: make([]float64, 8)}))
	for i := range most + 1 {
		t.Case()
		above, err := run.Compare(1, 0)
		t.Require((above && err == nil) == (i < most), "c = 3, no noise: comparison %d of 1 with 0 is ⊤: %v, %v",
			i+1, above, err)
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
var scalesOfLaw = finite.Over("the scales of the law of the outputs against those that programs draw, "+
	"Δ in {1/2, 1, 3}, c in {1, 2, 3, 4}, ε_1 = 1/4, ε_2 = 2",
	func(t *register.T, factor, delta *big.Rat, c int) {
		law := register.Must(impl.NewSparseVectorLaw(delta, c, rat.Of("1/4"), rat.Of("2")))
		tape := &finite.Tape{Draws: []float64{0}}
		query := func(_ int, a []bool) (q, threshold float64, stop bool) { return 0, 0, len(a) == 9 }
		a := register.Must(spec.SparseVector(0, query, rat.Float64(delta), c, 0.25, 2, tape))
		drawn := rat.Floats([]*big.Rat{law.RhoScale, rat.Mul(factor, law.NuScale)})
		t.Require(slices.Equal(drawn, tape.Scales[:2]) && len(a) == law.Cutoff,
			"the law has the scales %v and up to %d times ⊤, spec draws with the scales %v and had %d outputs",
			drawn, law.Cutoff, tape.Scales[:2], len(a))
	})

// releaseWords is the sparse vector release once more, from the words. It says what is different in it: nothing, if it
// is zero.
type releaseWords struct {
	shareOfC bool    // each entry gets a share of c, even if fewer are released
	first    bool    // the entries after the first ⊥ are not looked at
	noise    float64 // the noise on the values is larger by this times it
}

// run returns what is released.
func (w releaseWords) run(f []float64, threshold, delta float64, c int, eps1, eps2, eps3 float64,
	random noise.Source) (indices []int, values []float64, err error) {
	query := func(_ int, a []bool) (q, t float64, stop bool) {
		if n := len(a); n < len(f) && !(w.first && n > 0 && !a[n-1]) {
			return math.Abs(f[n]), threshold, false
		}
		return 0, 0, true
	}
	for i, above := range (variant{}).run(0, query, delta, c, eps1, eps2, random) {
		if above {
			indices = append(indices, i)
		}
	}
	released := float64(len(indices))
	left, entries := eps3+(float64(c)-released)/float64(c)*eps2, released
	if w.shareOfC {
		entries = float64(c)
	}
	for _, i := range indices {
		values = append(values, f[i]+random.Laplace((1+w.noise)*delta*entries/left))
	}
	return indices, values, nil
}

// released is the output of a release as numbers: the indices, then the values.
func released(indices []int, values []float64, err error) (output []float64, _ error) {
	for _, i := range indices {
		output = append(output, float64(i))
	}
	return append(output, values...), err
}

// releaseRuns checks that the programs of both rooms do on tapes what the words say.
func releaseRuns(t *register.T, words releaseWords) {
	n := t.Size(400, 20000)
	t.AlsoDomain("%d tapes for runs on up to 8 entries in −6 to 6, T from 0 to 4, c ≤ 6, Δ in {1, 1/2, 4}", n)
	t.Random(18, n, func(t *register.T, d register.Dice) {
		var f, draws []float64
		for range d.Roll(9) {
			f = append(f, float64(d.Roll(13)-6))
		}
		for range 17 {
			draws = append(draws, float64(d.Roll(17)-8)/16)
		}
		c, threshold, delta := 1+d.Roll(6), float64(d.Roll(5)), []float64{1, 0.5, 4}[d.Roll(3)]
		eps1, eps2, eps3 := math.Ldexp(1, -d.Roll(3)), math.Ldexp(float64(c), -d.Roll(3)), math.Ldexp(1, -d.Roll(3))
		t.In("entries %v, T = %g, Δ = %g, c = %d, ε_1 = %g, ε_2 = %g, ε_3 = %g",
			f, threshold, delta, c, eps1, eps2, eps3)
		alike(t, draws, func(random noise.Source) ([]float64, error) {
			return released(words.run(f, threshold, delta, c, eps1, eps2, eps3, random))
		}, func(random noise.Source) ([]float64, error) {
			return released(spec.RunSparseRelease(f, threshold, delta, c, eps1, eps2, eps3, random))
		}, func(random noise.Source) ([]float64, error) {
			return released(impl.RunSparseRelease(f, threshold, delta, c, eps1, eps2, eps3, random))
		})
	})
}

// withoutNoise checks runs of queries without noise by the law of ρ, and runs that cannot be.
func withoutNoise(t *register.T) {
	t.AlsoDomain("queries without noise, ρ ~ Lap(2), at most one ⊤")
	law := impl.SparseVectorLaw{RhoScale: rat.Int(2), NuScale: new(big.Rat), Cutoff: 1}
	query := func(q int, isAbove bool, released ...int) impl.Comparison {
		c := impl.Comparison{Query: rat.Int(q), Threshold: rat.One, Above: isAbove}
		if released != nil {
			c.Released = &impl.Range{Low: rat.Int(released[0]), High: rat.Int(released[1])}
		}
		return c
	}
	for i, run := range [][]impl.Comparison{
		{query(2, false), query(4, true, 3, 5)}, {query(2, false), query(4, true, 4, 5)},
		{query(2, false), query(4, true, 2, 3)}, {query(2, false), query(4, true, 5, 6)},
		{query(2, false), query(4, true), query(2, false)}, {query(4, false), query(2, true)},
	} {
		t.At("run %d", i+1)
		p, want := register.Must(law.Probability(run, 1e-12)).Float(), 0.0
		if i < 2 {
			want = (math.Exp(-0.5) - math.Exp(-1.5)) / 2
		}
		t.Require(math.Abs(p.Lo-want) <= 1e-12*want && p.Hi-p.Lo <= 1e-11*want,
			"the probability is in [%.15g, %.15g], not %.15g", p.Lo, p.Hi, want)
	}
}

// withValues checks runs that end with a value by quadrature with the density of ρ, on both sides of the kink.
func withValues(t *register.T) {
	t.AlsoDomain("values with noise, ρ ~ Lap(2), ν ~ Lap(3), in four intervals")
	law := impl.SparseVectorLaw{RhoScale: rat.Int(2), NuScale: rat.Int(3), Cutoff: 1}
	below := func(x float64) float64 { // Pr(Lap(3) ≤ x)
		if x < 0 {
			return math.Exp(x/3) / 2
		}
		return 1 - math.Exp(-x/3)/2
	}
	for _, r := range [][2]string{{"-1", "2"}, {"1/2", "3/4"}, {"-7", "-13/2"}, {"4", "40"}} {
		t.At("a value in [%s, %s]", r[0], r[1])
		low, high := rat.Of(r[0]), rat.Of(r[1])
		got := register.Must(law.Probability([]impl.Comparison{
			{Query: rat.Of("1"), Threshold: rat.Of("1/3")},
			{Query: rat.Of("1/2"), Threshold: rat.Of("1/4"), Above: true, Released: &impl.Range{Low: low, High: high}},
		}, 1e-12))
		want := quadrature(func(z float64) float64 {
			second := below(rat.Float64(high)-0.5) - below(max(rat.Float64(low), 0.25+z)-0.5)
			return math.Exp(-math.Abs(z)/2) / 4 * below(1./3+z-1) * max(0, second)
		}, []float64{2. / 3, 0.25, rat.Float64(low) - 0.25, rat.Float64(high) - 0.25}, 150)
		t.Require(isAbout(got, want, 1e-9), "the probability is in [%.17g, %.17g], by quadrature %.17g", got.Lower,
			got.Upper, want)
	}
}
