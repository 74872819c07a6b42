package odp

import (
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/audit/mechanisms"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// releaseTests are the statements on the release test.
func releaseTests() register.Checks {
	larger, smaller := [2]float64{1, 0.5}, [2]float64{0.5, 1} // ε_1 and ε_2
	return register.Checks{
		"ODP-A5": register.Checked(
			register.All(register.With(linesOf, printedLines), register.With(linesOf, tightLines),
				register.With(roundedUp, rat.One), register.With(refusals, rat.One),
				audited("logreg-test", mechanisms.Params{}, "impl", "spec")),
			near("impl has at least 1.001 times the noise", roundedUp, rat.Of("1.001")),
			near("with s + r < t", linesOf, lines{packages: packages, noise: 1, strict: true, bound: printedSensitivity}),
			near("with 0.99 times the noise r", linesOf, lines{packages: packages, noise: 0.99, bound: printedSensitivity}),
			near("⊥ is as likely as with 1.2·t", refusals, rat.Of("1.2")),
		),
		"ODP-T17": register.Checked(
			register.All(chargesAre, releasedInSpace(1, 1, larger, smaller),
				register.With(releaseTest, theorem17{scales: proved})),
			register.AlsoFails("", "of two neighbours one has a record of x^train more", oneTrainingRecordMore),
			register.NearMiss("in up to four dimensions, ℰ(ℝ^d) = 0.95·max(ε_1, ((2/n^test)/a)ε_2)",
				releasedInSpace(0.95, 1, smaller)),
			near("ℰ({⊥}) = 0.95·ε_2, with the a of the logistic loss", releaseTest,
				theorem17{scales: proved[2:], charges: func(f family) (*big.Rat, *big.Rat) {
					return rat.Max(f.base.Eps1, f.base.Eps2), rat.Mul(f.base.Eps2, rat.Of("0.95"))
				}}),
			near("ℰ(ℝ^d) = ε_1", releaseTest, theorem17{scales: proved[:1], charges: func(f family) (*big.Rat, *big.Rat) {
				return f.base.Eps1, f.base.Eps2
			}}),
		),
		"ODP-C18": register.Checked(
			register.All(register.With(saving, inOrder), releasedInSpace(1, 1, larger),
				register.With(releaseTest, theorem17{scales: proved[:1]})),
			register.NearMiss("in up to four dimensions, ℰ(ℝ^d) = 0.75·ε_1", releasedInSpace(0.75, 1, larger)),
			register.NearMiss("in up to four dimensions, ℰ({⊥}) = 0.99·ε_2", releasedInSpace(1, 0.99, larger)),
			near("the charges are ε_1 and ε_2 also for ε_1 a little below ε_2", saving, nearlyInOrder),
		),
		"ODP-X28": register.Checked(register.All(register.With(saving, inOrder),
			register.With(indirectCost, big.NewRat(10, 7))),
			register.Control("so it is whatever ε_1 and ε_2 are",
				register.With(saving, func(_, _ *big.Rat) bool { return true })),
			near("so it is also for ε_1 a little below ε_2", saving, nearlyInOrder),
			near("the noise is 1.42 times larger", indirectCost, rat.Of("1.42")),
		),
		"ODP-F2": register.Checked(
			register.All(register.With2(refusedDraws, rat.Of("0.95"), 95), register.With(percentile, rat.Of("0.95"))),
			near("so it is with the 94.9th percentile", percentile, rat.Of("0.949")),
			near2("so it is with the 94th percentile, by the draws of spec that lead to ⊥", refusedDraws, rat.Of("0.94"), 95),
		),
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
	for i, s := range claim.scales {
		var found tightness
		for f := range families(t, s) {
			released, refused := claim.of(t, f)
			refusal := func(x impl.ReleaseTest) interval.Interval { return register.Must(impl.RefusalProbability(x)) }
			found.include(f.compare(t, refusal, refused, refused, "output ⊥"))
			checkOutputs(t, f, released)
		}
		t.AlsoDomain("for ⊥ with %s the worst has %v", boundNames[i], found)
	}
}

// of returns the claimed charges: upper bounds, by less than 2^-100, of irrational ones.
func (claim theorem17) of(t *register.T, f family) (released, refused *big.Rat) {
	if claim.charges != nil {
		return claim.charges(f)
	}
	e, r, err := impl.ReleaseTestCharges(len(f.rest)+1, len(f.tests[0]), f.base.Eps1, f.base.Eps2, f.base.Lambda,
		f.sensitivity)
	t.Must(err)
	return rat.Exact(e.Lower), rat.Exact(r.Lower)
}

// checkOutputs compares the densities of outputs in ℝ.
func checkOutputs(t *register.T, f family, released *big.Rat) {
	for _, p := range []float64{0, 3, -1, 20, -20} {
		for _, pair := range [][4]int{{0, 0, 1, 0}, {0, 1, 1, 1}, {0, 0, 0, 1}, {1, 0, 1, 1}} {
			t.Case()
			x, y := f.at(pair[0], pair[1]), f.at(pair[2], pair[3])
			loss := register.Must(impl.ReleaseLoss(x, y, p))
			atMost(t, magnitude(loss), released, "%v: y·x = %g and x^test = %s, or %g and %s: loss of the output %g",
				f, f.moved[pair[0]], labelled(f.tests[pair[1]]), f.moved[pair[2]], labelled(f.tests[pair[3]]), p)
			t.Close(rat.Float64(magnitude(loss).lower)/rat.Float64(released), "%v: output %g", f, p)
			want := releaseLoss(x, y, p)
			t.Require(p != 3 || math.Abs(float64Of(loss)-want) <= 1e-8*(1+math.Abs(want)),
				"%v: loss of the output %g is %.12g by the densities, %.12g by impl", f, p, want, loss.Upper)
		}
	}
}

// percentile checks that an error above t by more than the percentile of the noise at level leads to ⊥ with probability
// at least 95 %.
func percentile(t *register.T, level *big.Rat) {
	claimed := rat.Of("0.95")
	for at, x := range finite.Grid(t, "n in {1000, 1500, 2000, 2500, 3000, 3500, 4000, 4500, 5000}, ε_2 in {1/10, 1/5, "+
		"1/2}; 70 % of n records in x^train, Λ = 1, a as printed and the two smaller ones; excess (1 + 10^−9) and 2 times "+
		"the percentile") {
		n := int(x[0].Num().Int64())
		train, tests := n*7/10, n*3/10
		for _, s := range proved {
			y := register.Must(impl.ReleaseTestPercentile(level, train, tests, x[1], rat.One, s))
			a := register.Must(impl.ReleaseTestScale(train, tests, rat.One, s))
			plainPercentile(t, y, a, level, x[1], train, tests)
			for _, factor := range rat.List("1.000000001", "2") {
				t.At("%s, %s times the percentile", at, factor)
				excess := interval.Precision(160).Rat(rat.Mul(rat.Exact(y.Upper), factor))
				pr := register.Must(impl.RefusalAbove(excess, a, x[1]))
				t.AtMost(claimed, rat.Exact(pr.Upper), "a = %.9g, error above t by %.9g: ⊥ with probability %.9g", a.Upper,
					excess.Upper, pr.Upper)
				if rat.Exact(pr.Lower).Cmp(claimed) < 0 {
					t.Undecided("%s: probability in [%.12g, %.12g]", at, pr.Lower, pr.Upper)
				}
			}
		}
	}
}

// plainPercentile refutes that a percentile is that of the noise with spec's a, in float64: on this grid 2/n^test is
// the larger number, so that a is the same for all sensitivities.
func plainPercentile(t *register.T, y, a interval.Interval, level, eps2 *big.Rat, train, tests int) {
	scale := spec.ReleaseTestScale(train, tests, 1)
	want := scale / rat.Float64(eps2) * -math.Log(2*rat.Float64(rat.Complement(level)))
	for _, x := range []struct {
		name      string
		got, want float64
	}{{"a", rat.Float64(rat.Exact(a.Upper)), scale}, {"the percentile", rat.Float64(rat.Exact(y.Upper)), want}} {
		t.Require(math.Abs(x.got-x.want) <= 1e-12*x.want, "%d and %d records, ε_2 = %s: %s is %.12g, and %.12g as printed",
			train, tests, eps2, x.name, x.got, x.want)
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
