package odp

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// lambdas for which gradient descent does not take long.
var lambdas = []float64{1, 0.05, 20, 0.3}

// Gradient descent and Newton's method with a certificate find the same minimum.
func TestPair_Minimizer(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := rolls{t}
		train, lambda := randomRecords(d, 1+d.Roll(4)), lambdas[d.Roll(4)]
		want, err := spec.Minimizer(specRecords(train), spec.LogisticLoss(), spec.L2Regularizer(), lambda)
		got, distance, err2 := impl.Minimizer(train, lambda)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		sum := 0.0
		for i := range want {
			sum += (want[i] - got[i]) * (want[i] - got[i])
		}
		if math.Sqrt(sum) > distance+2e-12/lambda { // spec's gradient is at most 1e-12, and a rounding
			t.Errorf("%v and %v ± %g", want, got, distance)
		}
		if len(want) > 1 {
			return
		}
		on, err := impl.MinimizerOnLine(train, new(big.Rat).SetFloat64(lambda))
		lower, _ := on.Lower.Float64()
		upper, _ := on.Upper.Float64()
		if err != nil || want[0] < lower-2e-12/lambda || want[0] > upper+2e-12/lambda || upper-lower > 1e-12/lambda {
			t.Errorf("%v and [%g, %g], %v", want, lower, upper, err)
		}
	})
}

// On one tape of draws the outputs agree to the tolerance of impl's minimizer, which is
// 2^-20 of the noise and 2^-20/(nΛ) of p_min.
func TestPair_ERMOutputPert(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := rolls{t}
		train, lambda := randomRecords(d, 1+d.Roll(4)), lambdas[d.Roll(4)]
		eps, draws := []float64{1, 0.01, 40}[d.Roll(3)], uint64(d.Roll(1000))
		want, err := spec.ERMOutputPert(specRecords(train), eps, spec.LogisticLoss(), spec.L2Regularizer(), lambda,
			vectorTape{register.Seeded(draws)})
		got, err2 := impl.ERMOutputPert(train, eps, lambda, vectorTape{register.Seeded(draws)})
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		for i := range want {
			if scale := math.Abs(want[i]) + 50/(lambda*eps) + 1/lambda; math.Abs(want[i]-got[i]) > 0x1p-19*scale {
				t.Errorf("%v and %v", want, got)
			}
		}
	})
}

// The scores: 2/(1 + e^(−u)) − 1 and tanh(u/2) agree to a few roundings.
func TestPair_Scores(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := []float64{rapid.Float64Range(-40, 40).Draw(t, "p")}
		test := randomRecords(rolls{t}, 1)
		near := func(name string, want float64, got func() (float64, error)) {
			if g, err := got(); err != nil || math.Abs(g-want) > 1e-15*8 {
				t.Errorf("%s: %g and %g, %v", name, want, g, err)
			}
		}
		x := test[0].X
		near("LabelProbability", spec.LabelProbability(p, x), func() (float64, error) { return impl.LabelProbability(p, x) })
		near("Score", spec.Score(p, x), func() (float64, error) { return impl.Score(p, x) })
		near("PredictionError", spec.PredictionError(p, specRecords(test)), func() (float64, error) {
			return impl.PredictionError(p, test)
		})
		for i := range test {
			test[i].Y = math.Copysign(1, test[i].Y)
		}
		if math.Abs(p[0]) < 1e-9 {
			return // in spec the score rounds to 0
		}
		near("Accuracy", spec.Accuracy(p, specRecords(test)), func() (float64, error) { return impl.Accuracy(p, test) })
	})
}

// The formulas in float64 and in intervals.
func TestPair_ReleaseTest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := rolls{t}
		n, tests := 1+d.Roll(2000), 1+d.Roll(2000)
		lambda := big.NewRat(int64(1+d.Roll(300)), 30)
		eps1, eps2 := big.NewRat(int64(1+d.Roll(40)), 20), big.NewRat(int64(1+d.Roll(40)), 20)
		near := func(name string, want float64, got interval.Interval, err error) {
			lower, _ := got.Lower.Float64()
			upper, _ := got.Upper.Float64()
			if slack := 1e-10 * want; err != nil || want < lower-slack || want > upper+slack || upper-lower > 1e-14*want {
				t.Errorf("%s: n^train = %d, n^test = %d, Λ = %s: %g and [%g, %g], %v", name, n, tests, rat.Show(lambda), want,
					lower, upper, err)
			}
		}
		l := rat.Float64(lambda)
		s, err := impl.ErrorSensitivity(n, lambda)
		near("ErrorSensitivity", spec.ErrorSensitivity(n, l), s, err)
		a, err := impl.ReleaseTestScale(n, tests, lambda, impl.ErrorSensitivity)
		near("ReleaseTestScale", spec.ReleaseTestScale(n, tests, l), a, err)
		released, refused := spec.ReleaseTestCharges(n, tests, rat.Float64(eps1), rat.Float64(eps2), l)
		gotReleased, gotRefused, err := impl.ReleaseTestCharges(n, tests, eps1, eps2, lambda, impl.ErrorSensitivity)
		near("ReleaseTestCharges", released, gotReleased, err)
		near("ReleaseTestCharges", refused, gotRefused, err)
		bound, err := impl.ERMSensitivity(n, l)
		if exact := spec.ERMSensitivity(n, l); err != nil || !(bound >= exact && bound <= exact*(1+0x1p-19)) {
			t.Errorf("ERMSensitivity: %g and %g, %v", exact, bound, err)
		}
	})
}

// A million slices of equal probability against cells with a certificate.
func TestPair_RefusalProbability(t *testing.T) {
	t.Parallel()
	record := func(x, y float64) impl.LabelledRecord { return impl.LabelledRecord{X: []float64{x}, Y: y} }
	for _, x := range []impl.ReleaseTest{
		{Train: records(1), Test: []impl.LabelledRecord{record(1, 1)}, Eps1: rat.One, Eps2: rat.One, Lambda: rat.One,
			Limit: rat.One},
		{Train: records(1, 0.5, -1), Test: []impl.LabelledRecord{record(1, 1), record(-0.5, 0.25), record(1, 1)},
			Eps1: rat.Of("1/4"), Eps2: rat.Of("2"), Lambda: rat.Of("1/2"), Limit: rat.Of("3/4")},
		{Train: records(-1, -1), Test: []impl.LabelledRecord{record(0.75, -1), record(0, 1)}, Eps1: rat.Of("10"),
			Eps2: rat.Of("1/2"), Lambda: rat.Of("4"), Limit: rat.Of("-1/2")},
	} {
		x.Scale, x.Width = register.Must(impl.ReleaseTestScale(len(x.Train), len(x.Test), x.Lambda,
			impl.TightErrorSensitivity)), 1e-3
		want, got := refusalProbability(x), register.Must(impl.RefusalProbability(x))
		lower, _ := got.Lower.Float64()
		upper, _ := got.Upper.Float64()
		if want < lower-1e-5 || want > upper+1e-5 || upper-lower > 2e-3*upper {
			t.Errorf("%v: %g and [%g, %g]", x.Eps1, want, lower, upper)
		}
	}
}

// LogRegWithTest, run with random noise, refuses as often as RefusalProbability says. Null:
// it does. Fixed seed, n = 40000, rejected at 5 standard deviations: with probability 6e-7.
// Power: a rate that is off by 0.02 is rejected with probability 0.99; twice the scale of
// either noise moves it by more.
func TestStatistical_LogRegWithTest(t *testing.T) {
	t.Parallel()
	const n = 40000
	train, test := records(1, 1, 0.5), []impl.LabelledRecord{{X: []float64{1}, Y: 1}, {X: []float64{-0.5}, Y: -1}}
	x := impl.ReleaseTest{Train: train, Test: test, Eps1: rat.Of("1"), Eps2: rat.Of("8"), Lambda: rat.Of("2"),
		Limit: rat.Of("3/4"), Width: 1e-4}
	refusal := func(scale1, scale2 int64) float64 {
		y := x
		y.Eps1, y.Eps2 = rat.Quo(x.Eps1, big.NewRat(scale1, 1)), rat.Quo(x.Eps2, big.NewRat(scale2, 1))
		y.Scale = register.Must(impl.ReleaseTestScale(len(train), len(test), x.Lambda, impl.ErrorSensitivity))
		p, _ := register.Must(impl.RefusalProbability(y)).Upper.Float64()
		return p
	}
	want := refusal(1, 1)
	noise, refused := impl.NewNoise([32]byte{7}), 0
	for range n {
		p, err := impl.LogRegWithTest(train, test, rat.Float64(x.Eps1), rat.Float64(x.Eps2), rat.Float64(x.Lambda),
			rat.Float64(x.Limit), noise)
		if err != nil {
			t.Fatal(err)
		}
		if p == nil {
			refused++
		}
	}
	if got := float64(refused) / n; math.Abs(got-want) > 5*math.Sqrt(want*(1-want)/n) {
		t.Errorf("refused %d of %d, must be about %g of them", refused, n, want)
	}
	for _, wrong := range [][2]int64{{2, 1}, {1, 2}} {
		if p := refusal(wrong[0], wrong[1]); math.Abs(p-want) < 0.02 {
			t.Errorf("noise %d and %d times as large: %g, too near to %g for this test", wrong[0], wrong[1], p, want)
		}
	}
}

// The display that precedes eq. (14) of the paper: |s − s'| is neither the mean of
// |h − y| − |h' − y|, as in [A], nor that of its absolute values, as in [B], but at most the latter.
func TestPaper_ErrorDifference(t *testing.T) {
	t.Parallel()
	difference := func(h, y float64, g float64) float64 { return math.Abs(h-y) - math.Abs(g-y) }
	if a := difference(-0.5, -1, 0.5); a != -1 || math.Abs(a) != 1 {
		t.Errorf("[A]: %g", a)
	}
	up, down := difference(-0.5, 1, 0.5), difference(-0.5, -1, 0.5)
	if s := math.Abs((up + down) / 2); s != 0 || (math.Abs(up)+math.Abs(down))/2 != 1 {
		t.Errorf("[B]: |s − s'| = %g, mean of absolute values %g", s, (math.Abs(up)+math.Abs(down))/2)
	}
}
