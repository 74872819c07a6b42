package impl

import (
	"context"
	"math"
	"math/big"
	"testing"

	"checkrr/impl/certify"
	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/testkit"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/impl/noise"
)

// errOf returns the error of a function with one other result.
func errOf[A any](_ A, err error) error { return err }

// refused fails unless every error contains what it must.
func refused(t *testing.T, errs map[string]error) {
	t.Parallel()
	for want, err := range errs {
		testkit.ExpectError(t, err, want)
	}
}

func TestRefuses_Mechanisms(t *testing.T) {
	random := noise.New([32]byte{})
	ask := func(q float64, _ []bool) (float64, bool) { return q, false }
	above := func(q, t, eps float64) error { return errOf(AboveThreshold(q, ask, t, eps, random)) }
	svt := func(delta float64, c int, eps1, eps2, q, threshold float64) error {
		compare := func(int, []bool) (float64, float64, bool) { return q, threshold, false }
		return errOf(SparseVector(0, compare, delta, c, eps1, eps2, random))
	}
	refused(t, map[string]error{
		"AboveThreshold: eps is 0, must be positive and finite": above(0, 0, 0),
		"threshold is NaN, must be finite":                      above(0, math.NaN(), 1),
		"query 1: answer is +Inf, must be finite":               above(math.Inf(1), 0, 1),
		"scale of the noise is +Inf, must be":                   above(0, 0, 1e-308),
		"Sparse: c is 0, must be at least 1":                    errOf(Sparse(0, ask2, 0, 0, 1, 0, random)),
		"delta is 1, must be at least 0 and less than 1":        errOf(Sparse(0, ask2, 0, 1, 1, 1, random)),
		"Δ is 0, must be positive and finite":                   svt(0, 1, 1, 1, 0, 0),
		"SparseVector: c is 0, must be at least 1":              svt(1, 0, 1, 1, 0, 0),
		"ε_2 is NaN, must be positive and finite":               svt(1, 1, 1, math.NaN(), 0, 0),
		"scale of the noise is 0, must be positive and finite":  svt(1e-300, 1, 1e300, 1, 0, 0),
		"scale of the noise is +Inf, must be positive":          svt(1e300, 1, 1, 1e-300, 0, 0),
		"query 1: answer is NaN, must be finite":                svt(1, 1, 1, 1, math.NaN(), 0),
		"query 1: threshold is +Inf, must be finite":            svt(1, 1, 1, 1, 0, math.Inf(1)),

		"LaplaceMechanism: number 2 is NaN, must be finite": errOf(LaplaceMechanism([]float64{0, math.NaN()},
			1, 1, random)),
		"sensitivity is 0, must be positive and finite": errOf(LaplaceMechanism(nil, 0, 1, random)),
		"ReportNoisyMax: there are 0 counts, must be":   errOf(ReportNoisyMax(nil, 1, random)),
		"count 2 is +Inf, must be finite":               errOf(ReportNoisyMax([]float64{0, math.Inf(1)}, 1, random)),
	})
}

func ask2(int, []bool) (float64, bool) { return 0, false }

func TestRefuses_Laws(t *testing.T) {
	one, zero, half, minus := rational.One, new(big.Rat), big.NewRat(1, 2), big.NewRat(-1, 1)
	law, quiet := SparseVectorLaw{one, one, 3}, SparseVectorLaw{one, zero, 0}
	yes := Comparison{Query: one, Threshold: one, Above: true}
	pr := func(law SparseVectorLaw, width float64, c Comparison) error {
		return errOf(law.Probability([]Comparison{c}, width))
	}
	with := func(low, high *big.Rat, above bool) Comparison { return Comparison{one, one, above, &Range{low, high}} }
	release := func(change func(*SparseReleaseSetting), large int, width float64) error {
		s := SparseReleaseSetting{100, one, zero, half, one, 20, half, half, half}
		change(&s)
		return errOf(SparseReleaseNoise(s, large, width))
	}
	same := func(*SparseReleaseSetting) {}
	no3 := func(s *SparseReleaseSetting) { s.Eps3 = zero }
	no2 := func(s *SparseReleaseSetting) { s.Eps2 = nil }
	none := func(s *SparseReleaseSetting) { s.Threshold = nil }
	far := Comparison{rational.MustParse("-1e9"), zero, true, nil}
	wide, least, unit, tiny := interval.Of(-1, 1), interval.Of(0, 0), interval.Of(1, 1), big.NewRat(1, 1e9)
	closest := func(law SparseVectorLaw, above, most int) error { return errOf2(ClosestRun(law, above, most)) }
	yesNo := []Comparison{{Query: zero, Threshold: zero, Above: true}, {Query: zero, Threshold: zero}}
	refused(t, map[string]error{
		"scale 0, must be a number and a positive one":          errOf(LaplaceCells(one, zero, nil)),
		"cut 2 is 1, must be a number, more than the one":       errOf(LaplaceCells(one, one, []*big.Rat{one, one})),
		"c is 0, must be at least 1":                            errOf(NewSparseVectorLaw(one, 0, one, one)),
		"ε_1 is 0, must be greater than 0":                      errOf(NewSparseVectorLaw(one, 1, zero, one)),
		"scale of ρ is 0, must be greater than 0":               pr(SparseVectorLaw{zero, one, 1}, 1, yes),
		"scale of ν is missing, must be at least 0":             pr(SparseVectorLaw{one, nil, 1}, 1, yes),
		"cutoff is -1, must be at least 0":                      pr(SparseVectorLaw{one, one, -1}, 1, yes),
		"relative width is 0, must be positive":                 pr(law, 0, yes),
		"comparison 1: query is missing and threshold 0":        pr(law, 1, Comparison{Threshold: zero}),
		"a value is released with ⊥, must be with ⊤":            pr(law, 1, with(nil, nil, false)),
		"released is from 1 to 1, must be from a number":        pr(law, 1, with(one, one, true)),
		"relative width is 1 with 32768 bits, must be at m":     pr(law, 1e-3, far),
		"probability of run1 is 0, must be positive":            errOf(quiet.Loss(yesNo[:1], yesNo, 1)),
		"number of large entries is 101, must be":               release(same, 101, 1e-3),
		"ε_3 is 0, must be greater than 0":                      release(no3, 0, 1),
		"ε_2 is missing, must be":                               release(no2, 0, 1),
		"threshold is missing, must be a number":                release(none, 0, 1),
		"relative width is -1, must be positive":                release(same, 0, -1),
		"c' is 4, must be at least 0 and at most 3":             errOf2(SparseRelease(one, one, 3, 4)),
		"SparseRelease: eps is missing":                         errOf2(SparseRelease(one, nil, 3, 1)),
		"SparseVectorCharge: eps is -1, must be at least 0":     errOf(SparseVectorCharge(minus, one, 3, 1)),
		"ClosestRun: c' is -1, must be at least 0":              closest(law, -1, 4),
		"ClosestRun: c' is 4, must be at least 0 and at most 3": closest(law, 4, 9),
		"scale of ν is 0, must be at least 1e-5":                closest(SparseVectorLaw{one, zero, 1}, 0, 1),
		"scale of ν is 1e-09, must be at least":                 closest(SparseVectorLaw{one, tiny, 1}, 0, 1),
		"PrivacyLoss: interval is [-1, 1], must be at leas":     errOf(PrivacyLoss(wide, unit)),
		"PrivacyLoss: interval is [0, 0], must be at least":     errOf(PrivacyLoss(least, unit)),
	})
}

// errOf2 returns the error of a function with two other results.
func errOf2[A, B any](_ A, _ B, err error) error { return err }

func TestRefuses_SparseSetting(t *testing.T) {
	setting := func(queries, above int, beta, eps, delta string) error {
		s := SparseSetting{queries, above, rational.MustParse(beta), rational.MustParse(eps), rational.MustParse(delta)}
		return s.Validate()
	}
	refused(t, map[string]error{
		"": setting(1, 1, "0.5", "1", "0"),
		"queries is 0, must be at least 1 and at most 1000000000":         setting(0, 1, "0.5", "1", "0"),
		"cutoff is 2000000000, must be at least 1 and at most 1000000000": setting(1, 2_000_000_000, "0.5", "1", "0"),
		"beta is 1, must be at least 1e-100 and less than 1":              setting(1, 1, "1", "1", "0"),
		"eps is 0, must be greater than 0":                                setting(1, 1, "0.5", "0", "0"),
		"eps is 1e+300, must be between 1e-289 and 1e289":                 setting(1, 1, "0.5", "1e300", "0"),
		"delta is 1, must be at least 0 and less than 1":                  setting(1, 1, "0.5", "1", "1"),
	})
}

func TestRefuses_Samples(t *testing.T) {
	x, one, zero, half := records(1, 0), rational.One, new(big.Rat), big.NewRat(1, 2)
	iqr := func(x []*big.Rat, eps loss.Epsilon, delta *big.Rat) error {
		return errOf(LawOfPrivateIQR(x, eps, delta))
	}
	law, err := LawOfPrivateIQR(x, loss.Nats(one), half)
	trim := func(s *big.Rat, eps, delta string) error {
		return errOf2(PrivateTrimmedMean(x, half, s, testkit.NatsOf(eps),
			rational.MustParse(delta), noise.New([32]byte{})))
	}
	table := func(s, bottom map[string]*big.Rat) PTR {
		return PTR{Law: []map[string]map[string]*big.Rat{{"s": s, "⊥": bottom}}, Neighbours: [][2]int{{0, 0}}}
	}
	ptr := func(t PTR, eps loss.Epsilon, delta *big.Rat) error { return errOf(IsPTR(t, eps, delta)) }
	never := map[string]*big.Rat{"⊥": one}
	refused(t, map[string]error{
		"": err,
		"there are 1 records, must be at least 2":          iqr(x[:1], loss.Nats(one), half),
		"record 2 is missing, must be a number":            iqr([]*big.Rat{one, nil}, loss.Nats(one), half),
		"ε is 0, must be at least 1e-300 and at most 1000": iqr(x, loss.Exp(one), half),
		"exp_eps is 0.5, must be at least 1":               iqr(x, loss.Exp(half), half),
		"δ is 0, must be at least 1e-300 and at most 1":    iqr(x, loss.Nats(one), zero),
		"PrivateIQR: δ is missing, must be":                errOf2(PrivateIQR(x, loss.Nats(one), nil, nil)),
		"SmallestIQRDelta: a law is missing":               errOf(SmallestIQRDelta(law, IQRLaw{}, 2, 1)),
		"charges are -1 ε and 1 ε, must be at least 0":     errOf(SmallestIQRDelta(law, law, -1, 1)),
		"AtMost: r is missing":                             errOf(law.AtMost(nil)),
		"AtMost: a law is missing":                         errOf(IQRLaw{}.AtMost(one)),
		"distance is 0, must be at least 1":                errOf(IQRBottom(0, loss.Nats(one), half)),

		"there are 0 records, must be at least 1":    errOf(TrimmedMean(nil, half)),
		"α is 1, must be at least 0 and less than 1": errOf(TrimmedMean(x, one)),
		"s is 0, must be greater than 0":             errOf(TrimmedMeanDistance(x, half, zero)),
		"PrivateTrimmedMean: s is -1, must be":       trim(big.NewRat(-1, 1), "1", "0.5"),
		"PrivateTrimmedMean: s is 1e+300, must be":   trim(rational.MustParse("1e300"), "1e-10", "0.5"),

		"eps is -1, must be at least 0":  ptr(table(never, never), testkit.NatsOf("-1"), one),
		"IsPTR: δ is missing, must be":   ptr(table(never, never), loss.Nats(one), nil),
		"database 0: bound ⊥ is missing": ptr(table(never, nil), loss.Nats(one), one),
		"bound s: probabilities sum to 1/3, must be 1": ptr(table(map[string]*big.Rat{"a": big.NewRat(1, 3)}, never),
			loss.Nats(one), one),
		"there are 0 databases": ptr(PTR{}, loss.Nats(one), one),
	})
}

func TestRefuses_Regression(t *testing.T) {
	good, two := []LabelledRecord{{[]float64{1}, 1}}, []LabelledRecord{{[]float64{0, 1}, 1}}
	run := func(train, test []LabelledRecord, eps1, eps2, lambda, limit float64) error {
		return errOf(LogRegWithTest(train, test, eps1, eps2, lambda, limit, &ermDraws{}))
	}
	record := func(x, y float64) []LabelledRecord { return []LabelledRecord{{[]float64{x}, y}} }
	one, zero, minus := rational.One, new(big.Rat), big.NewRat(-1, 1)
	with := func(change func(x *ReleaseTest)) error {
		x := ReleaseTest{Train: good, Test: good, Eps1: one, Eps2: one, Lambda: one, Limit: one,
			Scale: interval.Of(1, 1)}
		change(&x)
		return errOf(RefusalProbability(x))
	}
	refused(t, map[string]error{
		"LogRegWithTest: train has 0 records":     run(nil, good, 1, 1, 1, 1),
		"train: record 1: norm of x is NaN":       run(record(math.NaN(), 1), good, 1, 1, 1, 1),
		"train: record 1: y is NaN":               run(record(1, math.NaN()), good, 1, 1, 1, 1),
		"train: record 1 has 0 covariates":        run([]LabelledRecord{{nil, 1}}, good, 1, 1, 1, 1),
		"test: record 1 has 2 covariates":         run(good, two, 1, 1, 1, 1),
		"eps is 0, must be positive and finite":   run(good, good, 0, 1, 1, 1),
		"eps is 1e-320, too small":                run(good, good, 1e-320, 1, 1, 1),
		"lambda is 0.001, times n = 1 must be":    run(good, good, 1, 1, 0.001, 1),
		"t is +Inf, must be finite":               run(good, good, 1, 1, 1, math.Inf(1)),
		"p has 2 numbers, must have 1":            errOf(Score([]float64{1, 2}, []float64{1})),
		"x: number 1 is NaN, must be finite":      errOf(LabelProbability([]float64{1}, []float64{math.NaN()})),
		"Accuracy: p has 0 numbers, must have 1":  errOf(Accuracy(nil, good)),
		"ERMSensitivity: n is 0, must be":         errOf(ERMSensitivity(0, 1)),
		"MinimizerOnLine: train: record 1 has 2":  errOf(MinimizerOnLine(two, one)),
		"TightErrorSensitivity: lambda is -1":     errOf(TightErrorSensitivity(1, minus)),
		"LogisticErrorSensitivity: lambda is 1e-": errOf(LogisticErrorSensitivity(1, rational.MustParse("1e-10"))),
		"ε_2 is 0, must be greater than 0":        with(func(x *ReleaseTest) { x.Eps2 = zero }),
		"limit is":                                with(func(x *ReleaseTest) { x.Limit = nil }),
		"scale is":                                with(func(x *ReleaseTest) { x.Scale = interval.Interval{} }),
		"must be at most 1e289 times scale": with(func(x *ReleaseTest) {
			x.Scale = interval.Of(1e-288, 1e-288)
			x.Eps2 = big.NewRat(1e9, 1)
		}),
		"ReleaseLoss: p is NaN":          errOf(ReleaseLoss(ReleaseTest{}, ReleaseTest{}, math.NaN())),
		"PerturbationLoss: p is +Inf":    errOf(PerturbationLoss(ReleaseTest{}, ReleaseTest{}, math.Inf(1))),
		"NoisyErrorDensity: c is NaN":    errOf(NoisyErrorDensity(ReleaseTest{}, math.NaN())),
		"nTest is 0, must be at least 1": errOf(ReleaseTestScale(1, 0, one, ErrorSensitivity)),
		"sensitivity is missing":         errOf(ReleaseTestScale(1, 1, one, nil)),
		"level is 0.25, must be at least 1/2": errOf(ReleaseTestPercentile(big.NewRat(1, 4), 1, 1,
			one, one, ErrorSensitivity)),
		"RefusalAbove: a is [0, 0]":       errOf(RefusalAbove(interval.Of(1, 1), interval.Of(0, 0), one)),
		"RefusalAbove: excess is [-1, 1]": errOf(RefusalAbove(interval.Of(-1, 1), interval.Of(1, 1), one)),
	})
}

// What is nil and must not be is refused by its name, wherever there is an error to return.
func TestRefuses_Nil(t *testing.T) {
	var none context.Context
	const noCtx, noRandom, noQuery = "ctx is nil, must be given", "random is nil", "query is nil"
	random, unit := noise.New([32]byte{}), testkit.NatsOf("1")
	m := []Mechanism{{Eps: unit, Delta: rational.MustParse("0.1"), Count: 1}}
	gaussian := certify.Additive{Noise: certify.Gaussian, Scale: rational.One, Sampling: rational.One}
	noisy := []Mechanism{{Additive: &gaussian, Count: 1}}
	p, half := OneStop(m), big.NewRat(1, 2)
	records := []*big.Rat{rational.One, half, rational.One, half}
	labelled := []LabelledRecord{{X: []float64{1}, Y: 1}}
	step := []func([]int, int) int{func([]int, int) int { return 0 }}
	noCriterion := make([]func([]int) bool, 1)
	for _, of := range []struct {
		want string
		err  error
	}{
		{noCtx, errOf(OptDel(none, p, Options{}))},
		{noCtx, errOf(Lemma11(none, p, Options{}))},
		{noCtx, func() error { _, _, _, err := Exact(none, p); return err }()},
		{noCtx, errOf(OptComp(none, m, half, Options{}))},
		{noCtx, errOf2(Profile(none, m, 1, 0, 2))},
		{noCtx, errOf2(Lemma11With(none, p, Basic))},
		{noCtx, errOf2(EpsWith(none, m, half, Basic))},
		{noCtx, errOf(DesignSchedule(none, p, half, ScheduleOptions{}))},
		{noCtx, errOf(DesignNoise(none, OneStop(noisy), rational.One, half, NoiseOptions{}))},
		{noCtx, p.EachOrder(none, nil, nil)},
		{"solve is nil", p.EachOrder(t.Context(), nil, nil)},
		{noRandom, errOf(NewSparseRun(0, 1, 1, 0, nil))},
		{noRandom, errOf(NewNumericSparseRun(0, 1, 1, 0, nil))},
		{noRandom, errOf(NewSparseVectorRun(1, 1, 1, 1, nil))},
		{noRandom, errOf(NewSparseVectorRun(1, 1, 1, 1, noise.Random{}))}, // which has no rand.Rand
		{noRandom, errOf2(RunSparseRelease(nil, 0, 1, 1, 1, 1, 1, nil))},
		{noRandom, errOf(LaplaceMechanism([]float64{0}, 1, 1, nil))},
		{noRandom, errOf(GaussianMechanism([]float64{0}, 1, nil))},
		{noRandom, errOf(ExponentialMechanism([]float64{0}, 1, 1, nil))},
		{noRandom, errOf(OneSidedArgMax([]float64{0}, 1, 1, true, nil))},
		{noRandom, errOf(ReportNoisyMax([]float64{0}, 1, nil))},
		{noRandom, errOf2(PrivateIQR(records, unit, half, nil))},
		{noRandom, errOf2(DiscretizedIQR(records, 1, unit, half, nil))},
		{noRandom, errOf2(RandomOrderIQR(records, unit, half, nil))},
		{noRandom, errOf2(PrivateTrimmedMean(records, big.NewRat(1, 4), rational.One, unit, half, nil))},
		{noRandom, errOf(ERMOutputPert(labelled, 1, 1, nil))},
		{"noise is nil", errOf(LogRegWithTest(labelled, labelled, 1, 1, 1, 1, nil))},
		{"noise is nil", errOf(LogRegWithTightTest(labelled, labelled, 1, 1, 1, 1, nil))},
		{noRandom, errOf2(Toy(0, 1, func() bool { return true }, nil))},
		{"Toy: heads is nil", errOf2(Toy(0, 1, nil, random))},
		{noQuery, errOf(AboveThreshold(0, nil, 0, 1, random))},
		{noQuery, errOf(Sparse(0, nil, 0, 1, 1, 0, random))},
		{noQuery, errOf(SparseVector(0, nil, 1, 1, 1, 1, random))},
		{noQuery, errOf(NumericSparse(0, nil, 0, 1, 1, 0, random))},
		{"Iterate: mechanism 2 is nil", errOf(Iterate([]int{2}, append(step, nil), nil, 0))},
		{"Iterate: criterion 1 is nil", errOf(Iterate([]int{1, 2}, append(step, step[0]), noCriterion, 0))},
	} {
		testkit.ExpectError(t, of.err, of.want)
	}
}
