package odp

import (
	"math"
	"math/big"
	"strings"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// releaseTests are the statements on the release test.
func releaseTests() register.Checks {
	larger, smaller := [2]float64{1, 0.5}, [2]float64{0.5, 1} // ε_1 and ε_2
	return register.Checks{
		"ODP-X26": checked(with(withReleaseTest, rat.One, rat.One),
			near("an output costs a twentieth less e^ε", with(withReleaseTest, "0.95", rat.One)),
			near("⊥ costs a hundredth less e^ε", with(withReleaseTest, rat.One, "0.99"))),
		"ODP-A5": checked(all(with(linesOf, printedLines), with(linesOf, tightLines), with(roundedUp, rat.One),
			with(refusals, rat.One)),
			near("impl has at least 1.001 times the noise", with(roundedUp, "1.001")),
			near("with s + r < t",
				with(linesOf, lines{packages: packages, noise: 1, strict: true, bound: printedSensitivity})),
			near("with 0.99 times the noise r",
				with(linesOf, lines{packages: packages, noise: 0.99, bound: printedSensitivity})),
			near("⊥ is as likely as with 1.2·t", with(refusals, "1.2"))),
		"ODP-T17": checked(
			all(chargesAre, releasedInSpace(1, 1, larger, smaller), with(releaseTest, theorem17{scales: proved})),
			alsoFails(register.Slip, "proof: g_1 has ((2/n^test)/a)ε_2, the guarantee of the test", firstForSecond),
			alsoFails("", "of two neighbours one has a record of x^train more", oneTrainingRecordMore),
			near("in up to four dimensions, ℰ(ℝ^d) = 0.95·max(ε_1, ((2/n^test)/a)ε_2)",
				releasedInSpace(0.95, 1, smaller)),
			near("ℰ({⊥}) = 0.95·ε_2, with the a of the logistic loss", with(releaseTest,
				theorem17{scales: proved[2:], charges: func(f family) (*big.Rat, *big.Rat) {
					return rat.Max(f.base.Eps1, f.base.Eps2), rat.Mul(f.base.Eps2, rat.Of("0.95"))
				}})),
			near("ℰ(ℝ^d) = ε_1", with(releaseTest,
				theorem17{scales: proved[:1],
					charges: func(f family) (*big.Rat, *big.Rat) { return f.base.Eps1, f.base.Eps2 }}))),
		"ODP-C18": checked(
			all(with(saving, inOrder), releasedInSpace(1, 1, larger), with(releaseTest, theorem17{scales: proved[:1]})),
			near("in up to four dimensions, ℰ(ℝ^d) = 0.75·ε_1", releasedInSpace(0.75, 1, larger)),
			near("in up to four dimensions, ℰ({⊥}) = 0.99·ε_2", releasedInSpace(1, 0.99, larger)),
			near("the charges are ε_1 and ε_2 also for ε_1 a little below ε_2", with(saving, nearlyInOrder))),
		"ODP-X28": checked(all(with(saving, inOrder), with(indirectCost, "10/7")),
			control("so it is whatever ε_1 and ε_2 are", with(saving, func(_, _ *big.Rat) bool { return true })),
			near("so it is also for ε_1 a little below ε_2", with(saving, nearlyInOrder)),
			near("the noise is 1.42 times larger", with(indirectCost, "1.42"))),
		"ODP-F2": checked(all(refusedDraws("0.95", 95), percentile("0.95")),
			near("so it is with the 94.9th percentile", percentile("0.949")),
			near("so it is with the 94th percentile, by the draws of spec that lead to ⊥",
				refusedDraws("0.94", 95))),
	}
}

func inOrder(eps1, eps2 *big.Rat) bool { return eps1.Cmp(eps2) >= 0 }

func nearlyInOrder(eps1, eps2 *big.Rat) bool { return inOrder(rat.Mul(rat.Of("1.01"), eps1), eps2) }

// theorem17 is a variant of Theorem 17.
type theorem17 struct {
	scales  []impl.Sensitivity
	charges func(f family) (released, refused *big.Rat) // nil for those of the theorem
}

// releaseTest checks the losses of ⊥, and those of outputs on a grid.
func releaseTest(t *register.T, claim theorem17) {
	t.AlsoDomain("%s; outputs −20, −1, 0, 3, 20", familiesDomain(t))
	refusal := func(x impl.ReleaseTest) interval.Interval { return register.Must(impl.RefusalProbability(x)) }
	for _, s := range claim.scales {
		for _, f := range families(t, s) {
			released, refused := claim.of(t, f)
			f.compare(t, refusal, refused, refused, "output ⊥")
			checkOutputs(t, f, released)
		}
	}
}

// of returns the claimed charges: upper bounds, by less than 2^-100, of irrational ones.
func (claim theorem17) of(t *register.T, f family) (released, refused *big.Rat) {
	if claim.charges != nil {
		return claim.charges(f)
	}
	e, r, err := impl.ReleaseTestCharges(len(f.rest)+1, len(f.tests[0]), f.base.Eps1, f.base.Eps2,
		f.base.Lambda, f.sensitivity)
	t.Must(err)
	return rat.Exact(e.Lower), rat.Exact(r.Lower)
}

// checkOutputs compares the densities of outputs in ℝ.
func checkOutputs(t *register.T, f family, released *big.Rat) {
	for _, p := range []float64{0, 3, -1, 20, -20} {
		for _, pair := range [][4]int{{0, 0, 1, 0}, {0, 1, 1, 1}, {0, 0, 0, 1}, {1, 0, 1, 1}} {
			x, y := f.at(pair[0], pair[1]), f.at(pair[2], pair[3])
			t.At("%v: y·x = %g and x^test = %s, or %g and %s: output %g", f, f.moved[pair[0]], labelled(x.Test),
				f.moved[pair[2]], labelled(y.Test), p)
			loss := register.Must(impl.ReleaseLoss(x, y, p))
			atMost(t, magnitude(loss), released, "loss")
			t.Close(rat.Float64(magnitude(loss).lower)/rat.Float64(released), "")
			want := releaseLoss(x, y, p)
			t.Require(p != 3 || math.Abs(float64Of(loss)-want) <= 1e-8*(1+math.Abs(want)),
				"loss of %.12g by the densities, %.12g by impl", want, loss.Upper)
		}
	}
}

// percentile checks that an error above t by more than the percentile of the noise at level leads to ⊥ with probability
// at least 95 %.
var percentile = finite.Over("n in {1000, 1500, 2000, 2500, 3000, 3500, 4000, 4500, 5000}, ε_2 in {1/10, 1/5, 1/2}; "+
	"70 % of n records in x^train, Λ = 1, a as printed and the two smaller ones; excess (1 + 10^−9) and 2 times the "+
	"percentile",
	func(t *register.T, level *big.Rat, at string, n int, eps2 *big.Rat) {
		claimed, train, tests := rat.Of("0.95"), n*7/10, n*3/10
		for _, s := range proved {
			y := register.Must(impl.ReleaseTestPercentile(level, train, tests, eps2, rat.One, s))
			a := register.Must(impl.ReleaseTestScale(train, tests, rat.One, s))
			plainPercentile(t, y, a, level, eps2, train, tests)
			for _, factor := range rat.List("1.000000001", "2") {
				t.At("%s, %s times the percentile", at, factor)
				excess := interval.Precision(160).Rat(rat.Mul(rat.Exact(y.Upper), factor))
				pr := register.Must(impl.RefusalAbove(excess, a, eps2))
				t.AtMost(claimed, rat.Exact(pr.Upper), "a = %.9g, error above t by %.9g: ⊥ with probability %.9g",
					a.Upper, excess.Upper, pr.Upper)
				if rat.Exact(pr.Lower).Cmp(claimed) < 0 {
					t.Inconclusive("%s: probability in [%.12g, %.12g]", at, pr.Lower, pr.Upper)
				}
			}
		}
	})

// plainPercentile refutes that a percentile is that of the noise with spec's a, in float64: on this grid 2/n^test is
// the larger number, so that a is the same for all sensitivities.
func plainPercentile(t *register.T, y, a interval.Interval, level, eps2 *big.Rat, train, tests int) {
	scale := spec.ReleaseTestScale(train, tests, 1)
	want := scale / rat.Float64(eps2) * -math.Log(2*rat.Float64(rat.Complement(level)))
	for _, x := range []struct {
		name      string
		got, want float64
	}{{"a", rat.Float64(rat.Exact(a.Upper)), scale}, {"the percentile", rat.Float64(rat.Exact(y.Upper)), want}} {
		t.Require(math.Abs(x.got-x.want) <= 1e-12*x.want, "%d and %d records, ε_2 = %s: %s is %.12g, "+
			"and %.12g as printed", train, tests, eps2, x.name, x.got, x.want)
	}
}

func randomRecords(d register.Dice, dimension int) []impl.LabelledRecord {
	var all []impl.LabelledRecord
	for range 1 + d.Roll(6) {
		x := make([]float64, dimension)
		for i := range x {
			x[i] = float64(d.Roll(9)-4) / 8
		}
		all = append(all, impl.LabelledRecord{X: x, Y: float64(d.Roll(5)-2) / 2})
	}
	return all
}

func specRecords(all []impl.LabelledRecord) []spec.LabelledRecord {
	var same []spec.LabelledRecord
	for _, r := range all {
		same = append(same, spec.LabelledRecord(r))
	}
	return same
}

// chargesDomain are parameters of the release test.
const chargesDomain = "charges: ε_1 and ε_2 in {1/100, 1/10, 1/2, 101/200, 1, 3}, n^train in {1, 7, 700}, " +
	"n^test in {1, 3, 300}, Λ in {1/10, 1, 10}"

// forCharges visits parameters with some ε_1 and ε_2, and what they charge by both rooms and by the halves of the proof
// of Theorem 17: an output has ε_1 for a change in x^train and ((2/n^test)/a)·ε_2 for one in x^test; ⊥ has the smaller
// of ε_1 and (S/a)·ε_2 for the first, and as much as an output for the second.
func forCharges(t *register.T, applies func(eps1, eps2 *big.Rat) bool,
	visit func(eps1, eps2, released, refused float64)) {
	finite.Each(t, chargesDomain, func(at string, e1, e2 *big.Rat, n, tests int, l *big.Rat) {
		if !applies(e1, e2) {
			return
		}
		t.At("%s", at)
		eps1, eps2, lambda := rat.Float64(e1), rat.Float64(e2), rat.Float64(l)
		s, test := printedSensitivity(n, lambda), 2/float64(tests)
		a := max(s, test)
		released, refused := max(eps1, test/a*eps2), max(min(eps1, s/a*eps2), test/a*eps2)
		scale := register.Must(impl.ReleaseTestScale(n, tests, l, impl.ErrorSensitivity))
		out, bottom, err := impl.ReleaseTestCharges(n, tests, e1, e2, l, impl.ErrorSensitivity)
		t.Must(err)
		bySpec, bySpecRefused := spec.ReleaseTestCharges(n, tests, eps1, eps2, lambda)
		for what, found := range map[string][3]float64{
			"a":      {a, spec.ReleaseTestScale(n, tests, lambda), float64Of(scale)},
			"ℰ(ℝ^d)": {released, bySpec, float64Of(out)},
			"ℰ({⊥})": {refused, bySpecRefused, float64Of(bottom)},
		} {
			t.Require(isClose(found[1], found[0], 1e-9) && isClose(found[2], found[0], 1e-9),
				"%s is %.9g by the proof, by spec and by impl", what, found)
		}
		visit(eps1, eps2, released, refused)
	})
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
			t.Require(isClose(got, rat.Float64(times), 1e-6) && some.shape == all.shape,
				"with the test Gamma(%g, %.9g), without it Gamma(%g, %.9g): %.9g times as much",
				some.shape, some.scale, all.shape, all.scale, got)
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
		loss := register.Must(impl.ReleaseLoss(at(1), at(2), p))
		atMost(t, magnitude(loss), rat.One, "x^train of 1 or 2 records at 1, x^test of one at 1, Λ = 1, ε_1 = 1, "+
			"ε_2 = 1/2, t = 2: loss of the output %g", p)
	}
}

// withReleaseTest checks that M̃ is ODP with shares of e^ℰ(Range(M)) and e^ℰ({⊥}).
func withReleaseTest(t *register.T, ofReleased, ofRefused *big.Rat) {
	d := int64(t.Size(4, 5))
	t.Domain("M with two outputs on two neighbouring x^train, a test on two neighbouring x^test, "+
		"all probabilities in {1/%d, …, %d/%d}, and what M and the test guarantee by themselves", d, d-1, d)
	var values []*big.Rat
	for i := int64(1); i < d; i++ {
		values = append(values, big.NewRat(i, d))
	}
	for pr := range finite.Tuples(values, 6) { // Pr(M(x_i) = a), i = 0, 1; Pr(release a | x_j), Pr(release b | x_j)
		t.Case()
		released, refused := guaranteed(pr)
		charges := []*big.Rat{rat.Max(rat.One, rat.Mul(ofReleased, released)),
			rat.Max(rat.One, rat.Mul(ofRefused, refused))}
		for _, x := range [][2]int{{0, 1}, {0, 2}, {1, 3}, {2, 3}} { // one of i and j differs
			testCosts(t, pr, finite.Pair{testedLaw(pr, x[0]), testedLaw(pr, x[1])}, charges)
		}
	}
}

// testCosts checks the charges on two databases.
func testCosts(t *register.T, pr []*big.Rat, laws finite.Pair, charges []*big.Rat) {
	part := func(output string) int { return strings.Index("ab⊥", output) / 2 } // a, b: 0; ⊥: 1
	delta := register.Must(spec.SmallestDeltaBothWays(laws[0], laws[1], part, charges))
	t.Require(delta.Sign() <= 0, "Pr(M = a) = %s; Pr(release a) = %s, Pr(release b) = %s: (%s) and (%s) with "+
		"e^ℰ = %s, %s need δ = %s", pr[:2], pr[2:4], pr[4:], laws[0], laws[1], charges[0], charges[1], delta)
	for k, name := range []string{"an output", "⊥"} {
		if charges[k].Cmp(rat.One) > 0 {
			need := smallestExpE(laws, part, charges, k, new(big.Rat))
			t.Close(math.Log(rat.Float64(need))/math.Log(rat.Float64(charges[k])),
				"Pr(M = a) = %s; Pr(release a) = %s, Pr(release b) = %s, %s", pr[:2], pr[2:4], pr[4:], name)
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
