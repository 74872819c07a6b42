package odp

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// family is a release test on databases that are all neighbours of each other in x^train
// or in x^test.
type family struct {
	base        impl.ReleaseTest // without the records
	sensitivity impl.Sensitivity
	rest        []float64 // y·x of the records of x^train that stay
	moved       []float64 // y·x of the one that changes
	tests       [][]impl.LabelledRecord
}

func (f family) String() string {
	return fmt.Sprintf("Λ = %s, ε_1 = %s, ε_2 = %s, t = %s, a = %.6g, others in x^train: %s",
		rat.Show(f.base.Lambda), rat.Show(f.base.Eps1), rat.Show(f.base.Eps2), rat.Show(f.base.Limit),
		f.base.Scale.Upper, cmp.Or(recordsText(records(f.rest...)), "none"))
}

// part returns (2/n^test)/a, up to a rounding upward.
func (f family) part() *big.Rat {
	part := rat.Quo(big.NewRat(2, int64(len(f.tests[0]))), rat.Exact(f.base.Scale.Lower))
	return rat.Min(part, rat.One)
}

// at returns the release test on the databases number i and j.
func (f family) at(i, j int) impl.ReleaseTest {
	x := f.base
	x.Train, x.Test = records(append(slices.Clip(f.rest), f.moved[i])...), f.tests[j]
	return x
}

// compare checks that the privacy losses of neighbours are at most as claimed, for a change in x^train and for one in
// x^test, in both directions.
func (f family) compare(t *register.T, value func(x impl.ReleaseTest) interval.Interval,
	train, test *big.Rat, what string) {
	table := make([][]interval.Interval, len(f.moved))
	check := func(bound *big.Rat, i, j, k, l int) {
		t.At("%v: y·x = %g and x^test = %s, or %g and %s",
			f, f.moved[i], labelled(f.tests[j]), f.moved[k], labelled(f.tests[l]))
		size := f.loss(t, value, [2]interval.Interval{table[i][j], table[k][l]}, bound, i, j, k, l)
		t.Close(rat.Float64(size.lower)/rat.Float64(bound), "%s", what)
		atMost(t, size, bound, "loss of the %s", what)
	}
	for i := range table {
		for j := range f.tests {
			table[i] = append(table[i], value(f.at(i, j)))
			for k := range i {
				check(train, i, j, k, j)
			}
			for l := range j {
				check(test, i, j, i, l)
			}
		}
	}
}

// loss returns the size of the privacy loss of databases, whose values it asks to be narrower where they do not tell
// whether it is at most a bound.
func (f family) loss(t *register.T, value func(x impl.ReleaseTest) interval.Interval, of [2]interval.Interval,
	bound *big.Rat, i, j, k, l int) bounds {
	narrow := max(rat.Float64(bound)/16, 1e-6)
	for _, width := range []float64{min(0x1p-10, narrow), narrow / 16, 0} {
		loss := register.Must(impl.PrivacyLoss(of[0], of[1]))
		size := magnitude(loss)
		if width > 0 && size.upper.Cmp(bound) > 0 && size.lower.Cmp(bound) <= 0 {
			x, y := f.at(i, j), f.at(k, l)
			x.Width, y.Width = width, width
			of = [2]interval.Interval{value(x), value(y)}
			continue
		}
		ratio := math.Log(rat.Float64(rat.Exact(of[0].Upper)) / rat.Float64(rat.Exact(of[1].Lower)))
		got := float64Of(loss)
		t.Require(math.Abs(got-ratio) <= 1e-6*(1+math.Abs(ratio)) || math.IsInf(ratio, 0),
			"ln(%.9g/%.9g) = %.9g, by impl %.9g", of[0].Upper, of[1].Lower, ratio, got)
		return size
	}
	panic("internal error: the last width is asked for nothing")
}

// testGroup are databases x^test of n records that differ in one.
func testGroup(n int) [][]impl.LabelledRecord {
	one := []float64{1}
	return endingWith(n, impl.LabelledRecord{X: one, Y: 1}, impl.LabelledRecord{X: one, Y: -1},
		impl.LabelledRecord{X: []float64{-0.5}, Y: 0.5})
}

// endingWith are databases of n records, all of them the first of these but the last, which is any of them.
func endingWith(n int, records ...impl.LabelledRecord) (group [][]impl.LabelledRecord) {
	same := slices.Repeat(records[:1], n-1)
	for _, last := range records {
		group = append(group, append(slices.Clip(same), last))
	}
	return group
}

func familiesDomain(t *register.T) string {
	return fmt.Sprintf(
		"%s of these: d = 1; x^train of 1, 2, 3 and 100 records, x^test of 1, 2 and 100, Λ from 3/100 to 5, "+
			"(ε_1, ε_2) in {(1, 1/2), (1/2, 1), (8, 1)}, t in {−1, 1/2, 2}, %d values of the record that changes; "+
			"and two families near the worst case, of 1 record and Λ = 50, and of 12000 and Λ = 1/4000, with t = 2",
		finite.Share(t.Size(7, 1)), t.Size(2, 3))
}

// families are those of the checks, with one of the sensitivities.
func families(t *register.T, sensitivity impl.Sensitivity) (all []family) {
	for f := range finite.EveryNth(slices.Values(usualFamilies(t)), t.Size(7, 1)) {
		all = append(all, f.with(t, sensitivity))
	}
	for _, f := range worstFamilies() {
		all = append(all, f.with(t, sensitivity))
	}
	return all
}

// with returns f with the a of a sensitivity.
func (f family) with(t *register.T, sensitivity impl.Sensitivity) family {
	a := register.Must(impl.ReleaseTestScale(len(f.rest)+1, len(f.tests[0]), f.base.Lambda, sensitivity))
	f.sensitivity, f.base.Scale = sensitivity, a
	return f
}

// worstFamilies are near the worst case of ⊥ and of the noisy error; t is where the
// Laplace law has its exponential tail for every error.
//
// For x^train it is one record, and a small change of p_min around 0, with so many test
// records that 2/n^test is less than what the error changes by. For x^test it is one
// test record with a label that changes; p_min is so large that the error is near 0 or 2.
func worstFamilies() []family {
	base := func(lambda, eps2 string) impl.ReleaseTest {
		return impl.ReleaseTest{Eps1: rat.Of("8"), Eps2: rat.Of(eps2), Lambda: rat.Of(lambda),
			Limit: rat.Of("2"), Width: 0x1p-10}
	}
	return []family{
		{base: base("50", "1/8"), moved: []float64{1, -1}, tests: testGroup(1000)[:2]},
		{base: base("1/4000", "1"), rest: repeated(11999, 1), moved: []float64{1, -1}, tests: testGroup(1)[:2]},
	}
}

// usualFamilies are families without a. In a normal run a pair of ε_1 and ε_2 has not all t.
func usualFamilies(t *register.T) (all []family) {
	limits := [][]*big.Rat{rat.List("2", "1/2"), rat.List("-1"), rat.List("2")}
	if t.Size(0, 1) == 1 {
		limits = slices.Repeat([][]*big.Rat{rat.List("2", "1/2", "-1")}, 3)
	}
	for _, train := range []struct {
		lambda string
		rest   []float64
	}{{"1/2", nil}, {"5", nil}, {"1/5", repeated(1, 1)}, {"1", []float64{1, -1}}, {"3/100", repeated(99, 1)}} {
		for _, n := range []int{1, 2, 100} {
			for k, e := range [][2]string{{"1", "1/2"}, {"1/2", "1"}, {"8", "1"}} {
				for _, limit := range limits[k] {
					base := impl.ReleaseTest{Eps1: rat.Of(e[0]), Eps2: rat.Of(e[1]), Lambda: rat.Of(train.lambda),
						Limit: limit}
					all = append(all, family{base: base, rest: train.rest, moved: []float64{1, -1, 0.5}[:t.Size(2, 3)],
						tests: testGroup(n)[:t.Size(2, 3)]})
				}
			}
		}
	}
	return all
}

// releaseTesters are the programs of Algorithm 5 of both rooms, and that of impl with less noise.
var releaseTesters = map[string]func(train, test []impl.LabelledRecord, eps1, eps2, lambda, t float64,
	noise impl.VectorNoise) ([]float64, error){
	"spec": func(train, test []impl.LabelledRecord, eps1, eps2, lambda, t float64,
		noise impl.VectorNoise) ([]float64, error) {
		return spec.LogRegWithTest(specRecords(train), specRecords(test), eps1, eps2, lambda, t, noise)
	},
	"impl":  impl.LogRegWithTest,
	"tight": impl.LogRegWithTightTest,
}

// rooms are their names, in an order.
var packages = []string{"spec", "impl"}

// lines is a variant of Algorithm 5: with its noise r multiplied, with < in line 4, and with a bound of the change of
// s in line 2, in some rooms.
type lines struct {
	packages []string
	noise    float64
	strict   bool
	bound    func(n int, lambda float64) float64
}

var (
	printedLines = lines{packages: packages, noise: 1, bound: printedSensitivity}
	tightLines   = lines{packages: []string{"tight"}, noise: 1, bound: func(n int, lambda float64) float64 {
		return 2 * math.Tanh(1/(2*float64(n)*lambda))
	}}
)

// linesOf checks what noise the programs ask for, and on which side of the limit they return what.
func linesOf(t *register.T, claim lines) {
	t.AlsoDomain("%d random databases by %s: the noise that is asked for, to 10^−5 of its scale, "+
		"and outputs for t a little below and above s + r; 4 cases with s + r = t", t.Size(100, 3000),
		strings.Join(claim.packages, " and "))
	for _, label := range []float64{0.5, -0.25, 1, 0} {
		for _, pkg := range claim.packages {
			t.Case()
			p := register.Must(releaseTesters[pkg](records(1, -1), []impl.LabelledRecord{{X: []float64{0}, Y: label}},
				1, 1, 1, math.Abs(label), scripted(1, 1, 0)))
			if (p == nil) != claim.strict {
				t.Refute("%s: x^train = 1, −1, one test record (0, %g): s + r = %g = t: output %s",
					pkg, label, math.Abs(label), outputText(p))
			}
		}
	}
	t.Random(51, t.Size(100, 3000), claim.compare)
}

// compare runs the programs on one random database.
func (claim lines) compare(t *register.T, d register.Dice) {
	dimension := 1 + d.Roll(4)
	train, test := randomRecords(d, dimension), randomRecords(d, dimension)
	lambda, eps1, eps2 := []float64{1, 0.25, 5}[d.Roll(3)], []float64{1, 0.5, 30}[d.Roll(3)],
		[]float64{1, 20, 3}[d.Roll(3)]
	draw := []float64{0, 1, -0.3, 2.5, -2}[d.Roll(5)]
	a := max(2/float64(len(test)), claim.bound(len(train), lambda))
	min, _ := training{train, logisticLoss, halfSquare, new(big.Rat).SetFloat64(lambda)}.minimum()
	for _, pkg := range claim.packages {
		s := scripted(dimension, 1.25, draw)
		scale := 2 / (float64(len(train)) * lambda * eps1)
		p := plus(min, each(s.direction, func(c float64) float64 { return 1.25 * scale * c }))
		edge := errorOf(p, test) + draw*claim.noise*a/eps2
		for _, side := range []float64{-1, 1} {
			limit := edge + side*1e-4*(1+math.Abs(draw*a/eps2))
			got := register.Must(releaseTesters[pkg](train, test, eps1, eps2, lambda, limit, s))
			asked := s.shape == float64(dimension) && s.dimension == dimension && isClose(s.scale, scale, 1e-5) &&
				isClose(s.laplaceScale, claim.noise*a/eps2, 1e-5)
			if (got == nil) != (side < 0) || got != nil && !areNear(got, p, 1e-5) || !asked {
				t.Refute("%s: x^train: %s; x^test: %s; ε_1 = %g, ε_2 = %g, Λ = %g, t = %.9g, "+
					"length 1.25·%.9g, r = %g·%.9g: noise Gamma(%g, %.9g) and Lap(%.9g), output %s",
					pkg, labelledText(train), labelledText(test), eps1, eps2, lambda, limit, scale, draw,
					claim.noise*a/eps2, s.shape, s.scale, s.laplaceScale, outputText(got))
			}
		}
	}
}

// errorOf returns s(p, x^test).
func errorOf(p []float64, test []impl.LabelledRecord) float64 {
	sum := 0.0
	for _, r := range test {
		sum += math.Abs(2/(1+math.Exp(-margin(p, r.X))) - 1 - r.Y)
	}
	return sum / float64(len(test))
}

// refusals checks how likely ⊥ is, with t multiplied by a factor: by impl, and by slices of the law of q.
func refusals(t *register.T, factor *big.Rat) {
	t.AlsoDomain("the probability of ⊥ for 2 databases with one covariate: by slices of the law of q, and by impl")
	for i, x := range refusalCases() {
		t.Case()
		claimed := x
		claimed.Limit = rat.Mul(factor, x.Limit)
		scale, byImpl := float64Of(x.Scale)/rat.Float64(x.Eps2), register.Must(impl.RefusalProbability(x))
		want := sliced(x, 100_000,
			func(s float64) float64 { return laplaceAtLeast(rat.Float64(claimed.Limit)-s, scale) })
		t.Require(isAbout(byImpl, want, 1e-5) && byImpl.RelWidth() <= 1e-3, "case %d: ⊥ has the probability %.9g by "+
			"slices, by impl %.9g", i+1, want, byImpl.Upper)
	}
}

// refusalCases are release tests where ⊥ is neither rare nor certain, and sensitive to both noises.
func refusalCases() []impl.ReleaseTest {
	cases := []impl.ReleaseTest{
		{Train: records(1, 1, 0.5), Test: []impl.LabelledRecord{{X: []float64{1}, Y: 1}, {X: []float64{-0.5}, Y: -1}},
			Eps1: rat.One, Eps2: rat.Of("8"), Lambda: rat.Of("2"), Limit: rat.Of("3/4")},
		{Train: records(1, -1, 0.5),
			Test: []impl.LabelledRecord{{X: []float64{1}}, {X: []float64{1}}, {X: []float64{0.5}, Y: 0.25}},
			Eps1: rat.Of("2"), Eps2: rat.Of("20"), Lambda: rat.One, Limit: rat.Of("1/4")},
	}
	for i, x := range cases {
		cases[i].Scale = interval.Precision(160).Rat(new(big.Rat).SetFloat64(max(2/float64(len(x.Test)),
			printedSensitivity(len(x.Train), rat.Float64(x.Lambda)))))
		cases[i].Width = 1e-4
	}
	return cases
}

// refusedDraws checks that at least so many of 100 draws of r, one from each hundredth of its law, lead to ⊥ where the
// error is above t by the percentile at level: x^test is at x = 0, so that the error is that of the labels.
var refusedDraws = finite.Over("n in {1000, 3000, 5000}, ε_2 in {1/10, 1/2}; 70 % of n records in x^train, "+
	"Λ = 1: 100 draws of r by spec",
	func(t *register.T, level *big.Rat, least, n int, eps2 *big.Rat) {
		train, test := records(repeated(n*7/10, 0)...), records(repeated(n*3/10, 0)...)
		y := float64Of(register.Must(impl.ReleaseTestPercentile(level, len(train), len(test), eps2, rat.One,
			impl.ErrorSensitivity)))
		refused := 0
		for i := range 100 {
			noise := scripted(1, 1, quantile((float64(i)+0.5)/100).Laplace(1))
			limit := 1 - y*(1+1e-9) // s = 1
			if register.Must(releaseTesters["spec"](train, test, 1, rat.Float64(eps2), 1, limit, noise)) == nil {
				refused++
			}
		}
		t.Require(refused >= least, "error above t by %.9g: %d of 100 draws lead to ⊥", y, refused)
	})

// releasedInSpace checks the losses of Algorithm 5 for 2 to 4 covariates, with the noise that the programs ask for, and
// the charges of spec multiplied by one factor for outputs, and by another for ⊥, given q: for some ε_1 and ε_2.
func releasedInSpace(released, refused float64, pairs ...[2]float64) register.Check {
	return func(t *register.T) {
		for _, m := range spaceMoves(t) {
			for _, eps := range pairs {
				for _, pkg := range packages {
					if m.n() <= 100 || pkg == "impl" {
						t.At("%s by %s, ε_1 = %g, ε_2 = %g", m.text, pkg, eps[0], eps[1])
						lossesInSpace(t, m, eps, pkg, released, refused)
					}
				}
			}
		}
		t.Domain("%s; %s; t in {−1, 2}, outputs at and beyond p_min and p'_min", chargesDomain, spaceDomain(t))
	}
}

// roundedUp checks that impl has at least the noise 2/(n^test ε_2), and that noise up to rounding, where the training
// data do not matter, for many ε_2 that are no float64.
func roundedUp(t *register.T, least *big.Rat) {
	t.AlsoDomain("scales of noise for 2 records with Λ = 1000, n^test = 1, 2, 3, ε_2 = 1/10, 2/10, …, 10")
	for n := 1; n <= 3; n++ {
		for tenths := range 100 {
			t.Case()
			eps2, noise := float64(tenths+1)/10, scripted(1, 1, 0)
			_ = register.Must(impl.LogRegWithTest(records(0, 1), records(repeated(n, 0)...), 1, eps2, 1000, 1, noise))
			scale := rat.Mul(new(big.Rat).SetFloat64(noise.laplaceScale), new(big.Rat).SetFloat64(eps2))
			if bound := rat.Mul(least, big.NewRat(2, int64(n))); scale.Cmp(bound) < 0 {
				t.Refute("n^test = %d, ε_2 = %g: r ~ Lap(%.17g) by impl, less than %s/(n^test ε_2)",
					n, eps2, noise.laplaceScale, rat.Twice(least))
			}
		}
	}
}

// lossesInSpace compares losses with charges, for x^test of 1 and of 3 records.
func lossesInSpace(t *register.T, m move, eps [2]float64, pkg string, forReleased, forRefused float64) {
	lambda := rat.Float64(m.lambda())
	for _, n := range []int{1, 3} {
		tests, noise := testsAlong(m, n), scripted(m.dimension(), 1, 0)
		_ = register.Must(releaseTesters[pkg](m.of[0].train, tests[0], eps[0], eps[1], lambda, 1, noise))
		released, refused := spec.ReleaseTestCharges(m.n(), n, eps[0], eps[1], lambda)
		released, refused = forReleased*released, forRefused*refused
		check := func(loss, charge float64, what string, p []float64, limit float64) {
			t.In("n^test = %d, t = %g: %s", n, limit, what)
			t.Require(math.Abs(loss) <= charge*(1+1e-6)+1e-9, "loss at %.6g is %.9g, charged %.9g", p, loss, charge)
			t.Close(math.Abs(loss)/charge, "")
		}
		passed := func(p []float64, test []impl.LabelledRecord, limit, sign float64) float64 {
			return lnAtMost(sign*(limit-errorOf(p, test)), noise.laplaceScale)
		}
		for _, limit := range []float64{-1, 2} {
			for _, p := range [][]float64{m.p[0], m.p[1], each(m.p[0], func(c float64) float64 { return 3 * c }),
				each(m.p[0], func(c float64) float64 { return 1000 * c })} {
				check((distanceOf(p, m.p[1])-distanceOf(p, m.p[0]))/noise.scale, released,
					"an output for x^train", p, limit)
				for _, other := range tests[1:] {
					check(passed(p, tests[0], limit, 1)-passed(p, other, limit, 1), released,
						"an output for x^test", p, limit)
					check(passed(p, tests[0], limit, -1)-passed(p, other, limit, -1), refused, "⊥ for x^test", p, limit)
				}
			}
			for _, q := range shifts(m) {
				if eps[0] >= eps[1] {
					check(passed(plus(m.p[0], q), tests[0], limit, -1)-passed(plus(m.p[1], q), tests[0], limit, -1),
						refused, "⊥ for x^train, q", q, limit)
				}
			}
		}
	}
}

func distanceOf(p, q []float64) float64 {
	d := plus(p, each(q, func(c float64) float64 { return -c }))
	return math.Sqrt(margin(d, d))
}
