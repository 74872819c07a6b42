package odp

import (
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/audit/mechanisms"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// releaseTests are the statements on the release test.
func releaseTests() register.Checks {
	return register.Checks{
		"ODP-A5": register.Checked(
			register.All(sameRuns(func(eps1, eps2, limit float64) (float64, float64, float64) { return eps1, eps2, limit }),
				linesOf(printedLines), linesOf(tightLines), roundedUp(rat.One), refusals(1),
				audited("logreg-test", mechanisms.Params{}, "impl", "spec")),
			register.Control("with ε_1 and ε_2 exchanged",
				sameRuns(func(eps1, eps2, limit float64) (float64, float64, float64) { return eps2, eps1, limit })),
			register.Control("with the error compared with 2 − t",
				sameRuns(func(eps1, eps2, limit float64) (float64, float64, float64) { return eps1, eps2, 2 - limit })),
			register.NearMiss("impl has at least 1.001 times the noise", roundedUp(rat.Of("1.001"))),
			register.NearMiss("with s + r < t",
				linesOf(lines{packages: packages, noise: 1, strict: true, bound: printedSensitivity})),
			register.NearMiss("with 0.99 times the noise r",
				linesOf(lines{packages: packages, noise: 0.99, bound: printedSensitivity})),
			register.NearMiss("with a = max(2/n^test, exp(2/(n^train Λ)) − 1)",
				linesOf(
					lines{packages: packages, noise: 1,
						bound: func(n int, lambda float64) float64 { return printedSensitivity(n, lambda) / 2 }},
				)),
			register.NearMiss("⊥ is as likely as with 1.2·t", refusals(1.2)),
		),
		"ODP-T17": register.Checked(
			register.All(chargesAre, releasedInSpace(1, 1, [2]float64{1, 0.5}, [2]float64{0.5, 1}),
				releaseTest(theorem17{scales: proved})),
			register.AlsoFails("", "of two neighbours one has a record of x^train more", oneTrainingRecordMore),
			register.Control("ℰ({⊥}) = 0.95·ε_2", releaseTest(
				theorem17{
					scales: proved[:1],
					charges: func(f family) (*big.Rat, *big.Rat) {
						return rat.Max(f.base.Eps1, f.base.Eps2), rat.Mul(f.base.Eps2, rat.Of("0.95"))
					},
				},
			)),
			register.Control("with a = 2/n^test",
				releaseTest(theorem17{scales: []impl.Sensitivity{constant("0")}, charges: smallerOf})),
			register.Control("with a = 2·tanh(w/4) alone, without the maximum with 2/n^test",
				releaseTest(
					theorem17{scales: []impl.Sensitivity{impl.TightErrorSensitivity}, alone: true, charges: smallerOf},
				)),
			register.Control("with half the sensitivity for the logistic loss",
				releaseTest(theorem17{scales: []impl.Sensitivity{halfLogistic}, charges: smallerOf})),
			register.NearMiss("in up to four dimensions, ℰ(ℝ^d) = 0.95·max(ε_1, ((2/n^test)/a)ε_2)",
				releasedInSpace(0.95, 1, [2]float64{0.5, 1})),
			register.NearMiss("ℰ({⊥}) = 0.95·ε_2, with the a of the logistic loss", releaseTest(
				theorem17{
					scales: proved[2:],
					charges: func(f family) (*big.Rat, *big.Rat) {
						return rat.Max(f.base.Eps1, f.base.Eps2), rat.Mul(f.base.Eps2, rat.Of("0.95"))
					},
				},
			)),
			register.NearMiss("ℰ(ℝ^d) = ε_1", releaseTest(
				theorem17{
					scales: proved[:1],
					charges: func(f family) (*big.Rat, *big.Rat) {
						return f.base.Eps1, f.base.Eps2
					},
				},
			)),
		),
		"ODP-C18": register.Checked(
			register.All(saving(inOrder), releasedInSpace(1, 1, [2]float64{1, 0.5}), releaseTest(corollary18("1", "1"))),
			register.Control("it is so for ε_1 < ε_2 as well", releaseTest(
				theorem17{
					scales: proved[:1],
					charges: func(f family) (*big.Rat, *big.Rat) {
						return f.base.Eps1, f.base.Eps2
					},
				},
			)),
			register.NearMiss("ℰ({⊥}) = 0.95·ε_2", releaseTest(corollary18("1", "0.95"))),
			register.NearMiss("in up to four dimensions, ℰ(ℝ^d) = 0.75·ε_1", releasedInSpace(0.75, 1, [2]float64{1, 0.5})),
			register.NearMiss("in up to four dimensions, ℰ({⊥}) = 0.99·ε_2", releasedInSpace(1, 0.99, [2]float64{1, 0.5})),
			register.NearMiss("the charges are ε_1 and ε_2 also for ε_1 a little below ε_2",
				saving(func(eps1, eps2 *big.Rat) bool { return rat.Mul(rat.Of("1.01"), eps1).Cmp(eps2) >= 0 })),
		),
		"ODP-X28": register.Checked(register.All(saving(inOrder), indirectCost(big.NewRat(10, 7))),
			register.Control("so it is whatever ε_1 and ε_2 are", saving(func(_, _ *big.Rat) bool { return true })),
			register.NearMiss("so it is also for ε_1 a little below ε_2",
				saving(func(eps1, eps2 *big.Rat) bool { return rat.Mul(rat.Of("1.01"), eps1).Cmp(eps2) >= 0 })),
			register.NearMiss("the noise is 1.42 times larger", indirectCost(rat.Of("1.42"))),
		),
		"ODP-F2": register.Checked(
			register.All(refusedDraws(rat.Of("0.95"), 95), percentile(rat.Of("0.95"), rat.Of("0.95"))),
			register.NearMiss("so it is with the 94.9th percentile", percentile(rat.Of("0.949"), rat.Of("0.95"))),
			register.NearMiss("the probability is at least 95.1 %", percentile(rat.Of("0.95"), rat.Of("0.951"))),
			register.NearMiss("so it is with the 94th percentile, by the draws of spec that lead to ⊥",
				refusedDraws(rat.Of("0.94"), 95)),
		),
	}
}

// corollary18 is Corollary 18 with its charges multiplied.
func corollary18(released, refused string) theorem17 {
	return theorem17{scales: proved[:1], ordered: true, charges: func(f family) (*big.Rat, *big.Rat) {
		return rat.Mul(rat.Of(released), f.base.Eps1), rat.Mul(rat.Of(refused), f.base.Eps2)
	}}
}

func inOrder(eps1, eps2 *big.Rat) bool { return eps1.Cmp(eps2) >= 0 }

// constant returns a sensitivity that is always the same.
func constant(s string) impl.Sensitivity {
	return func(int, *big.Rat) (interval.Interval, error) { return interval.Precision(160).Rat(rat.Of(s)), nil }
}

func halfLogistic(n int, lambda *big.Rat) (interval.Interval, error) {
	s, err := impl.LogisticErrorSensitivity(n, lambda)
	if err != nil {
		return s, err
	}
	return interval.Interval{Lower: new(big.Float).SetMantExp(s.Lower, -1), Upper: new(big.Float).SetMantExp(s.Upper,
		-1)}, nil
}

// smallerOf are the charges of Theorem 17 where ((2/n^test)/a) = 1.
func smallerOf(f family) (released, refused *big.Rat) {
	return rat.Max(f.base.Eps1, f.base.Eps2), f.base.Eps2
}

// theorem17 is a variant of Theorem 17.
type theorem17 struct {
	scales  []impl.Sensitivity
	alone   bool                                        // a is the sensitivity, without the maximum
	ordered bool                                        // ε_1 ≥ ε_2 only
	charges func(f family) (released, refused *big.Rat) // nil for those of the theorem
}

// releaseTest checks the losses of ⊥, and those of outputs on a grid.
func releaseTest(claim theorem17) register.Check {
	return func(t *register.T) {
		domain := familiesDomain(t) + "; outputs −20, −1, 0, 3, 20"
		t.AlsoDomain("%s", domain)
		for i, s := range claim.scales {
			var found tightness
			for f := range families(t, s) {
				if claim.ordered && f.base.Eps1.Cmp(f.base.Eps2) < 0 {
					continue
				}
				if claim.alone {
					f.base.Scale = register.Must(s(len(f.rest)+1, f.base.Lambda))
				}
				released, refused := claim.of(t, f)
				refusal := func(x impl.ReleaseTest) interval.Interval {
					p, err := impl.RefusalProbability(x)
					t.Must(err)
					return p
				}
				found.include(f.compare(t, refusal, refused, refused, "output ⊥"))
				checkOutputs(t, f, released)
			}
			t.AlsoDomain("for ⊥ with %s the worst has %v", boundNames[i], found)
		}
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
			loss, err := impl.ReleaseLoss(f.at(pair[0], pair[1]), f.at(pair[2], pair[3]), p)
			t.Must(err)
			atMost(t, magnitude(loss), released, "%v: y·x = %g and x^test = %s, or %g and %s: loss of the output %g",
				f, f.moved[pair[0]], labelled(f.tests[pair[1]]), f.moved[pair[2]], labelled(f.tests[pair[3]]), p)
			t.Close(rat.Float64(magnitude(loss).lower)/rat.Float64(released), "%v: output %g", f, p)
			if p != 3 {
				continue
			}
			if want := releaseLoss(f.at(pair[0], pair[1]), f.at(pair[2], pair[3]),
				p); !(math.Abs(float64Of(loss)-want) <= 1e-8*(1+math.Abs(want))) {
				t.Refute("%v: loss of the output %g is %.12g by the densities, %.12g by impl", f, p, want, loss.Upper)
			}
		}
	}
}

// percentile checks that an error above t by more than the percentile of the noise at
// level leads to ⊥ with at least the probability claimed.
func percentile(level, claimed *big.Rat) register.Check {
	return func(t *register.T) {
		t.AlsoDomain("1000, 1500, …, 5000 records, 70 %% of them in x^train, Λ = 1, ε_2 in {0.1, 0.2, 0.5}, a as printed " +
			"and the two smaller ones; excess (1 + 10^−9) and 2 times the percentile")
		for n := 1000; n <= 5000; n += 500 {
			for _, eps2 := range rat.List("0.1", "0.2", "0.5") {
				for _, s := range proved {
					train, tests := n*7/10, n*3/10
					y, err := impl.ReleaseTestPercentile(level, train, tests, eps2, rat.One, s)
					t.Must(err)
					a, err := impl.ReleaseTestScale(train, tests, rat.One, s)
					t.Must(err)
					plainPercentile(t, y, a, level, eps2, train, tests)
					for _, factor := range rat.List("1.000000001", "2") {
						t.Case()
						excess := interval.Precision(160).Rat(rat.Mul(rat.Exact(y.Upper), factor))
						pr, err := impl.RefusalAbove(excess, a, eps2)
						t.Must(err)
						t.Close(rat.Float64(rat.Quo(claimed, rat.Exact(pr.Upper))), "%d records, ε_2 = %s, %s times the percentile", n,
							rat.Show(eps2), factor.FloatString(9))
						if rat.Exact(pr.Upper).Cmp(claimed) < 0 {
							t.Refute("%d records, ε_2 = %s, a = %.9g, error above t by %.9g: ⊥ with probability %.9g", n, rat.Show(eps2),
								a.Upper, excess.Upper, pr.Upper)
						}
						if rat.Exact(pr.Lower).Cmp(claimed) < 0 {
							t.Undecided("%d records, ε_2 = %s: probability in [%.12g, %.12g]", n, rat.Show(eps2), pr.Lower, pr.Upper)
						}
						t.Close(rat.Float64(claimed)/rat.Float64(rat.Exact(pr.Upper)), "%d records, ε_2 = %s, error above t by %.9g", n,
							rat.Show(eps2), excess.Upper)
					}
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
		if !(math.Abs(x.got-x.want) <= 1e-12*x.want) {
			t.Refute("%d and %d records, ε_2 = %s: %s is %.12g, and %.12g as printed", train, tests, rat.Show(eps2), x.name,
				x.got, x.want)
		}
	}
}

// vectorTape are draws that two programs can be run on.
type vectorTape struct{ register.Dice }

func (x vectorTape) Laplace(scale float64) float64 { return scale * float64(x.Roll(2001)-1000) / 300 }

func (x vectorTape) Gamma(shape, scale float64) float64 {
	return scale * shape * float64(1+x.Roll(1000)) / 400
}

func (x vectorTape) Direction(d int) []float64 {
	u := make([]float64, d)
	u[x.Roll(d)] = float64(2*x.Roll(2) - 1)
	return u
}

// sameRuns checks that spec, and impl with parameters changed, do the same on one tape.
func sameRuns(change func(eps1, eps2, limit float64) (float64, float64, float64)) register.Check {
	return func(t *register.T) {
		t.Domain("random databases of 1 to 6 records with 1 to 3 covariates, tapes of random draws; outputs agree to 10^−5 " +
			"of their size, for the tolerance of the minimizer is in the noise")
		t.Random(5, t.Size(300, 5000), func(t *register.T, d register.Dice) {
			dimension := 1 + d.Roll(3)
			train, test := randomRecords(d, dimension), randomRecords(d, dimension)
			lambda := []float64{1, 0.1, 5}[d.Roll(3)]
			eps1, eps2, limit := []float64{1, 0.5, 30}[d.Roll(3)], []float64{1, 20, 3}[d.Roll(3)], float64(d.Roll(9))/4
			draws := uint64(d.Roll(1 << 30))
			want, err := spec.LogRegWithTest(specRecords(train), specRecords(test), eps1, eps2, lambda, limit,
				vectorTape{register.Seeded(draws)})
			t.Must(err)
			e1, e2, l := change(eps1, eps2, limit)
			got, err := impl.LogRegWithTest(train, test, e1, e2, lambda, l, vectorTape{register.Seeded(draws)})
			t.Must(err)
			if !sameOutput(got, want) {
				t.Refute("x^train: %s; x^test: %s; ε_1 = %g, ε_2 = %g, Λ = %g, t = %g, tape %d: %s, by impl %s",
					labelledText(train), labelledText(test), eps1, eps2, lambda, limit, draws, outputText(want), outputText(got))
			}
		})
	}
}

func sameOutput(p, q []float64) bool {
	if len(p) != len(q) {
		return false
	}
	for i := range p {
		if !(math.Abs(p[i]-q[i]) <= 1e-5*(1+math.Abs(q[i]))) {
			return false
		}
	}
	return true
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
