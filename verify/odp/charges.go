package odp

import (
	"math"
	"math/big"
	"strings"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// chargesDomain are parameters of the release test.
const chargesDomain = "charges: ε_1 and ε_2 in {1/100, 1/10, 1/2, 101/200, 1, 3}, n^train in {1, 7, 700}, n^test in " +
	"{1, 3, 300}, Λ in {1/10, 1, 10}"

// forCharges visits parameters with some ε_1 and ε_2, and what they charge by both rooms and by the halves of the proof
// of Theorem 17: an output has ε_1 for a change in x^train and ((2/n^test)/a)·ε_2 for one in x^test; ⊥ has the smaller
// of ε_1 and (S/a)·ε_2 for the first, and as much as an output for the second.
func forCharges(t *register.T, applies func(eps1, eps2 *big.Rat) bool,
	visit func(eps1, eps2, released, refused float64)) {
	for at, x := range finite.Grid(t, chargesDomain) {
		if !applies(x[0], x[1]) {
			continue
		}
		t.At("%s", at)
		n, tests, f := int(x[2].Num().Int64()), int(x[3].Num().Int64()), rat.Floats(x)
		s, test := printedSensitivity(n, f[4]), 2/f[3]
		a := max(s, test)
		released, refused := max(f[0], test/a*f[1]), max(min(f[0], s/a*f[1]), test/a*f[1])
		scale := register.Must(impl.ReleaseTestScale(n, tests, x[4], impl.ErrorSensitivity))
		out, bottom, err := impl.ReleaseTestCharges(n, tests, x[0], x[1], x[4], impl.ErrorSensitivity)
		t.Must(err)
		bySpec, bySpecRefused := spec.ReleaseTestCharges(n, tests, f[0], f[1], f[4])
		for what, found := range map[string][3]float64{"a": {a, spec.ReleaseTestScale(n, tests, f[4]), float64Of(scale)},
			"ℰ(ℝ^d)": {released, bySpec, float64Of(out)}, "ℰ({⊥})": {refused, bySpecRefused, float64Of(bottom)}} {
			t.Require(isClose(found[1], found[0], 1e-9) && isClose(found[2], found[0], 1e-9),
				"%s is %.9g by the proof, by spec and by impl", what, found)
		}
		visit(f[0], f[1], released, refused)
	}
}

// chargesAre compares all charges with those of the proof.
func chargesAre(t *register.T) {
	forCharges(t, func(_, _ *big.Rat) bool { return true }, func(_, _, _, _ float64) {})
}

// saving checks that ℰ(ℝ^d) = ε_1 and ε_1 − ℰ({⊥}) = ε_1 − ε_2 ≥ 0.
func saving(t *register.T, applies func(eps1, eps2 *big.Rat) bool) {
	forCharges(t, applies, func(eps1, eps2, released, refused float64) {
		t.Require(isClose(released, eps1, 1e-12) && isClose(refused, eps2, 1e-12) && eps1 >= eps2,
			"an output costs %.6g, ⊥ costs %.6g", released, refused)
	})
}

// indirectCost checks that 70 % of the records get so many times the noise of all of them, and that Algorithm 5
// perturbs p_min as Algorithm 4 does.
func indirectCost(t *register.T, times *big.Rat) {
	t.AlsoDomain("the noise of both rooms for 7k of 10k records, k up to 5, ε_1 in {1/2, 3}")
	for k := 1; k <= 5; k++ {
		finite.Each2([]float64{0.5, 3}, packages, func(eps1 float64, pkg string) {
			t.At("%s, %d records, ε_1 = %g", pkg, 10*k, eps1)
			all, some := scripted(1, 1, 0), scripted(1, 1, 0)
			x := training{records(repeated(10*k, 1)...), logisticLoss, halfSquare, rat.One}
			_ = register.Must(perturbers[pkg](x, eps1, all))
			_ = register.Must(releaseTesters[pkg](x.train[:7*k], x.train[7*k:], eps1, 0.25, 1, 1, some))
			got := some.scale / all.scale
			t.Require(isClose(got, rat.Float64(times), 1e-6) && some.shape == all.shape, "with the test Gamma(%g, %.9g), "+
				"without it Gamma(%g, %.9g): %.9g times as much", some.shape, some.scale, all.shape, all.scale, got)
		})
	}
}

// releaseLoss returns the loss of an output of Algorithm 5 for one covariate, from its density: that of p_min + q,
// times the probability of r ≤ t − s.
func releaseLoss(x, y impl.ReleaseTest, p float64) float64 {
	density := func(x impl.ReleaseTest) float64 {
		gamma := float64(len(x.Train)) * rat.Float64(x.Lambda) * rat.Float64(x.Eps1) / 2
		min := register.Must(impl.MinimizerOnLine(x.Train, x.Lambda)).Float().Lo
		slack := rat.Float64(x.Limit) - spec.PredictionError([]float64{p}, specRecords(x.Test))
		return math.Log(gamma/2) - gamma*math.Abs(p-min) + lnAtMost(slack, float64Of(x.Scale)/rat.Float64(x.Eps2))
	}
	return density(x) - density(y)
}

// lnAtMost returns ln Pr(r ≤ v) for r ~ Lap(scale).
func lnAtMost(v, scale float64) float64 {
	if v < 0 {
		return v/scale - math.Ln2
	}
	return math.Log1p(-math.Exp(-v/scale) / 2)
}

// oneTrainingRecordMore checks the loss of outputs if neighbours are x^train of 1 and of 2 records at 1.
func oneTrainingRecordMore(t *register.T) {
	t.Domain("x^train of 1 or 2 records at 1, x^test of one at 1, Λ = 1, ε_1 = 1, ε_2 = 1/2, t = 2; p in {0, 10, 100}")
	test := []impl.LabelledRecord{{X: []float64{1}, Y: 1}}
	at := func(n int) impl.ReleaseTest {
		return impl.ReleaseTest{Train: records(repeated(n, 1)...), Test: test, Eps1: rat.One, Eps2: rat.Half,
			Lambda: rat.One, Limit: rat.Of("2"),
			Scale: register.Must(impl.ReleaseTestScale(n, 1, rat.One, impl.ErrorSensitivity))}
	}
	for _, p := range []float64{0, 10, 100} {
		t.Case()
		loss, err := impl.ReleaseLoss(at(1), at(2), p)
		t.Must(err)
		atMost(t, magnitude(loss), rat.One, "x^train of 1 or 2 records at 1, x^test of one at 1, Λ = 1, ε_1 = 1, ε_2 = "+
			"1/2, t = 2: loss of the output %g", p)
	}
}

// withTest are the statements on what a release test adds to the guarantees.
func withTest() register.Checks {
	return register.Checks{
		"ODP-X26": register.Checked(register.With2(withReleaseTest, rat.One, rat.One),
			near2("an output costs a twentieth less e^ε", withReleaseTest, rat.Of("0.95"), rat.One),
			near2("⊥ costs a hundredth less e^ε", withReleaseTest, rat.One, rat.Of("0.99")),
		),
	}
}

// withReleaseTest checks that M̃ is ODP with shares of e^ℰ(Range(M)) and e^ℰ({⊥}).
func withReleaseTest(t *register.T, ofReleased, ofRefused *big.Rat) {
	d := int64(t.Size(4, 5))
	t.Domain("M with two outputs on two neighbouring x^train, a test on two neighbouring x^test, all probabilities in "+
		"{1/%d, …, %d/%d}, and what M and the test guarantee by themselves", d, d-1, d)
	var values []*big.Rat
	for i := int64(1); i < d; i++ {
		values = append(values, big.NewRat(i, d))
	}
	for pr := range finite.Tuples(values, 6) { // Pr(M(x_i) = a), i = 0, 1; Pr(release a | x_j), Pr(release b | x_j)
		t.Case()
		released, refused := guaranteed(pr)
		charges := []*big.Rat{rat.Max(rat.One, rat.Mul(ofReleased, released)), rat.Max(rat.One, rat.Mul(ofRefused, refused))}
		for _, x := range [][2]int{{0, 1}, {0, 2}, {1, 3}, {2, 3}} { // one of i and j differs
			testCosts(t, pr, finite.Pair{testedLaw(pr, x[0]), testedLaw(pr, x[1])}, charges)
		}
	}
}

// testCosts checks the charges on two databases.
func testCosts(t *register.T, pr []*big.Rat, laws finite.Pair, charges []*big.Rat) {
	part := func(output string) int { return strings.Index("ab⊥", output) / 2 } // a, b: 0; ⊥: 1
	delta := register.Must(spec.SmallestDeltaBothWays(laws[0], laws[1], part, charges))
	t.Require(delta.Sign() <= 0, "Pr(M = a) = %s; Pr(release a) = %s, Pr(release b) = %s: (%s) and (%s) with e^ℰ = %s, "+
		"%s need δ = %s", pr[:2], pr[2:4], pr[4:], laws[0], laws[1], charges[0], charges[1], delta)
	for k, name := range []string{"an output", "⊥"} {
		if charges[k].Cmp(rat.One) > 0 {
			need := smallestExpE(laws, part, charges, k, new(big.Rat))
			t.Close(math.Log(rat.Float64(need))/math.Log(rat.Float64(charges[k])), "Pr(M = a) = %s; Pr(release a) = %s, "+
				"Pr(release b) = %s, %s", pr[:2], pr[2:4], pr[4:], name)
		}
	}
}

// testedLaw returns the law of M̃ for the database number 2i + j: x^train_i and x^test_j.
func testedLaw(pr []*big.Rat, database int) finite.Law {
	i, j := database/2, database%2
	l := finite.Law{"a": rat.Mul(pr[i], pr[2+j]), "b": rat.Mul(rat.Complement(pr[i]), pr[4+j])}
	l["⊥"] = rat.Complement(rat.Add(l["a"], l["b"]))
	return l
}

// guaranteed returns e^ε of an output, and of ⊥, by what M and the test guarantee by themselves: ε_M with respect to
// x^train, and ε_test with respect to x^test, given M's output. An output costs the larger one, by parallel
// composition. ⊥ costs ε_test for x^test; for x^train it costs at most ε_M, as does whatever is computed from M's
// output, and at most the ratio of its probabilities given two of M's outputs, being a mean over them.
func guaranteed(pr []*big.Rat) (released, refused *big.Rat) {
	m, test, across := oddsRatio(pr[0], pr[1]), rat.Max(oddsRatio(pr[2], pr[3]), oddsRatio(pr[4], pr[5])), rat.One
	for j := range 2 {
		a, b := rat.Complement(pr[2+j]), rat.Complement(pr[4+j]) // Pr(⊥ | a, x_j), Pr(⊥ | b, x_j)
		across = rat.Max(across, rat.Quo(a, b), rat.Quo(b, a))
	}
	return rat.Max(m, test), rat.Max(test, rat.Min(m, across))
}

// oddsRatio returns e^ε of a bit that is 1 with probability x or y.
func oddsRatio(x, y *big.Rat) *big.Rat {
	return rat.Max(rat.Quo(x, y), rat.Quo(y, x), rat.Quo(rat.Complement(x), rat.Complement(y)),
		rat.Quo(rat.Complement(y), rat.Complement(x)))
}
