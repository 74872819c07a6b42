package odp

import (
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// chargesAt compares the charges of both rooms with those that the halves of the proof of Theorem 17 give, and returns
// these: an output has ε_1 for a change in x^train and ((2/n^test)/a)·ε_2 for one in x^test; ⊥ has the smaller of ε_1
// and (S/a)·ε_2 for the first, and as much as an output for the second.
func chargesAt(t *register.T, n, tests int, eps1, eps2, lambda *big.Rat) (released, refused float64) {
	e1, e2, l := rat.Float64(eps1), rat.Float64(eps2), rat.Float64(lambda)
	s, test := printedSensitivity(n, l), 2/float64(tests)
	a := max(s, test)
	released, refused = max(e1, test/a*e2), max(min(e1, s/a*e2), test/a*e2)
	scale := register.Must(impl.ReleaseTestScale(n, tests, lambda, impl.ErrorSensitivity))
	out, bottom, err := impl.ReleaseTestCharges(n, tests, eps1, eps2, lambda, impl.ErrorSensitivity)
	t.Must(err)
	bySpec, bySpecRefused := spec.ReleaseTestCharges(n, tests, e1, e2, l)
	for _, x := range []struct {
		what               string
		want, bySpec, impl float64
	}{
		{"a", a, spec.ReleaseTestScale(n, tests, l), float64Of(scale)},
		{"ℰ(ℝ^d)", released, bySpec, float64Of(out)},
		{"ℰ({⊥})", refused, bySpecRefused, float64Of(bottom)},
	} {
		if !isClose(x.bySpec, x.want, 1e-9) || !isClose(x.impl, x.want, 1e-9) {
			t.Refute("n^train = %d, n^test = %d, ε_1 = %s, ε_2 = %s, Λ = %s: %s is %.9g by the proof, %.9g by spec, "+
				"%.9g by impl",
				n, tests, rat.Show(eps1), rat.Show(eps2), rat.Show(lambda), x.what, x.want, x.bySpec, x.impl)
		}
	}
	return released, refused
}

// forCharges visits parameters of the release test with some ε_1 and ε_2, and what they charge.
func forCharges(t *register.T, applies func(eps1, eps2 *big.Rat) bool,
	visit func(n, tests int, eps1, eps2, lambda *big.Rat, released, refused float64)) {
	t.Domain("charges: %s", chargesDomain)
	values := rat.List("1/100", "1/10", "1/2", "101/200", "1", "3")
	for _, eps1 := range values {
		for _, eps2 := range values {
			for _, n := range []int{1, 7, 700} {
				for _, tests := range []int{1, 3, 300} {
					for _, lambda := range rat.List("1/10", "1", "10") {
						if applies(eps1, eps2) {
							t.Case()
							released, refused := chargesAt(t, n, tests, eps1, eps2, lambda)
							visit(n, tests, eps1, eps2, lambda, released, refused)
						}
					}
				}
			}
		}
	}
}

const chargesDomain = "ε_1, ε_2 in {1/100, 1/10, 1/2, 101/200, 1, 3}, n^train in {1, 7, 700}, n^test in {1, 3, 300}, " +
	"Λ in {1/10, 1, 10}"

// chargesAre compares all charges with those of the proof.
func chargesAre(t *register.T) {
	forCharges(t, func(_, _ *big.Rat) bool { return true }, func(int, int, *big.Rat, *big.Rat, *big.Rat, float64, float64) {})
}

// saving checks that ℰ(ℝ^d) = ε_1 and ε_1 − ℰ({⊥}) = ε_1 − ε_2 ≥ 0.
func saving(applies func(eps1, eps2 *big.Rat) bool) register.Check {
	return func(t *register.T) {
		forCharges(t, applies, func(n, tests int, eps1, eps2, lambda *big.Rat, released, refused float64) {
			if !isClose(released, rat.Float64(eps1), 1e-12) || !isClose(refused, rat.Float64(eps2), 1e-12) ||
				eps1.Cmp(eps2) < 0 {
				t.Refute("ε_1 = %s, ε_2 = %s, n^train = %d, n^test = %d, Λ = %s: an output costs %.6g, ⊥ costs %.6g",
					rat.Show(eps1), rat.Show(eps2), n, tests, rat.Show(lambda), released, refused)
			}
		})
	}
}

// indirectCost checks that 70 % of the records get so many times the noise of all of them, and that Algorithm 5
// perturbs p_min as Algorithm 4 does.
func indirectCost(times *big.Rat) register.Check {
	return func(t *register.T) {
		t.AlsoDomain("the noise of both rooms for 7k of 10k records, k up to 5, ε_1 in {1/2, 3}")
		for k := 1; k <= 5; k++ {
			for _, eps1 := range []float64{0.5, 3} {
				for _, pkg := range packages {
					t.Case()
					all, some := scripted(1, 1, 0), scripted(1, 1, 0)
					x := training{records(repeated(10*k, 1)...), logisticLoss, halfSquare, rat.One}
					_, err := perturbers[pkg](x, eps1, all)
					t.Must(err)
					_, err = releaseTesters[pkg](x.train[:7*k], x.train[7*k:], eps1, 0.25, 1, 1, some)
					t.Must(err)
					if got := some.scale / all.scale; !isClose(got, rat.Float64(times), 1e-6) || some.shape != all.shape {
						t.Refute("%s, %d records, ε_1 = %g: with the test Gamma(%g, %.9g), without it Gamma(%g, %.9g): %.9g "+
							"times as much", pkg, 10*k, eps1, some.shape, some.scale, all.shape, all.scale, got)
					}
				}
			}
		}
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
