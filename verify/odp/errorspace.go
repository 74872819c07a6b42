package odp

import (
	"math"
	"slices"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// spaceDomain says what inSpace goes through.
func spaceDomain(*register.T) string {
	return "for 2 to 4 covariates, given q: every 2. pair of x^train of the logistic loss of ODP-A4, q at " +
		"0, −p_min and −(p_min + p'_min)/2, x^test of 1 or 3 records at x along p_min − p'_min with labels 1, −1 and 1/2"
}

// spaceMoves returns pairs of x^train of the release test with more than one covariate.
func spaceMoves(t *register.T) (some []move) {
	for i, m := range moves(t) {
		if logistic(m) && m.dimension() > 1 && (i%2 == 0 || m.n() > 100 || m.dimension() > 2) && m.l2.lower.Sign() > 0 {
			some = append(some, m)
		}
	}
	t.Domain("%s", spaceDomain(t))
	return some
}

// inSpace checks both parts of Lemma 21 given q: the losses of Lap(a/ε_2) at errors that are so far apart.
func inSpace(t *register.T, claim lemma21) {
	for _, m := range spaceMoves(t) {
		for _, s := range claim.scales {
			t.Case()
			bound := float64Of(register.Must(s(m.n(), m.lambda())))
			for _, n := range []int{1, 3} {
				trainInSpace(t, claim, m, n, bound)
				testInSpace(t, claim, m, n)
			}
		}
	}
}

// testsAlong returns databases x^test of n records at x along p_min − p'_min, which differ in the label of the last.
func testsAlong(m move, n int) (all [][]impl.LabelledRecord) {
	x := rat.Floats(along(m)[0])
	same := slices.Repeat([]impl.LabelledRecord{{X: x, Y: 1}}, n-1)
	for _, label := range []float64{1, -1, 0.5} {
		all = append(all, append(slices.Clip(same), impl.LabelledRecord{X: x, Y: label}))
	}
	return all
}

// shifts returns values of q: those with which p + q is large, or p + q and p' + q are opposite.
func shifts(m move) [][]float64 {
	negative := func(c float64) float64 { return -c }
	return [][]float64{make([]float64, m.dimension()), each(m.p[0], negative),
		each(plus(m.p[0], m.p[1]), func(c float64) float64 { return -c / 2 })}
}

func plus(p, q []float64) []float64 {
	sum := slices.Clone(p)
	for i := range sum {
		sum[i] += q[i]
	}
	return sum
}

// errorsAt returns |s − s'| for one x^test and two p, or one p and two x^test.
func errorsAt(t *register.T, p, q []float64, test, other []impl.LabelledRecord) float64 {
	return math.Abs(bothErrors(t, p, test) - bothErrors(t, q, other))
}

// trainInSpace checks |s − s'|/max(2/n^test, S) ≤ claim.train, for a change in x^train; and, for large n^test, without
// the first.
func trainInSpace(t *register.T, claim lemma21, m move, n int, bound float64) {
	slack := 1e-12 + 2*rat.Float64(m.off)
	for _, q := range shifts(m) {
		for _, test := range testsAlong(m, n) {
			change := errorsAt(t, plus(m.p[0], q), plus(m.p[1], q), test, test)
			for _, scale := range []float64{max(2/float64(n), bound), bound} {
				if most := rat.Float64(claim.train) * scale; change > most+slack {
					t.Refute("%s; q = %.6g, x^test = %s: s changes by %.9g, more than %.9g of a = %.9g", m.text, q, labelledText(test),
						change, claim.train, scale)
				}
			}
		}
	}
}

// testInSpace checks |s − s'| ≤ claim.test·2/n^test, for a change in x^test.
func testInSpace(t *register.T, claim lemma21, m move, n int) {
	tests, most := testsAlong(m, n), rat.Float64(claim.test)*2/float64(n)
	for _, far := range []float64{1, 1000} {
		p := each(m.p[0], func(c float64) float64 { return far * c })
		for _, test := range tests[1:] {
			if change := errorsAt(t, p, p, tests[0], test); change > most+1e-12 {
				t.Refute("%s; p = %.6g, x^test = %s or %s: s changes by %.9g, more than %.9g", m.text, p, labelledText(tests[0]),
					labelledText(test), change, most)
			}
		}
	}
}

// bothErrors returns s by spec, after it has compared it with that of impl.
func bothErrors(t *register.T, p []float64, test []impl.LabelledRecord) float64 {
	s := spec.PredictionError(p, specRecords(test))
	if other := register.Must(impl.PredictionError(p, test)); !(math.Abs(s-other) <= scoreSlack) {
		t.Refute("p = %g, x^test = %s: s = %.15g by spec, %.15g by impl", p, labelledText(test), s, other)
	}
	return s
}

// densitiesAre compares the density of the noisy error with a sum over slices of the law of q, of equal probability.
func densitiesAre(t *register.T) {
	for _, f := range someFamilies(t) {
		for _, c := range []float64{-1, 0.5, 3} {
			t.Case()
			x := f.at(0, 0)
			x.Width = 1e-3
			got, err := impl.NoisyErrorDensity(x, c)
			t.Must(err)
			scale := float64Of(x.Scale) / rat.Float64(x.Eps2)
			want := sliced(x, 2000, func(s float64) float64 { return laplaceDensity(c-s, scale) })
			if !isClose(float64Of(got), want, 0.01) {
				t.Refute("%v, x^test = %s: the density at %g is %.6g by slices, by impl %.6g", f, labelledText(x.Test), c, want,
					got.Upper)
			}
		}
	}
}

// someFamilies returns release tests of all kinds.
func someFamilies(t *register.T) (some []family) {
	for i, f := range usualFamilies(t) {
		if i%12 == 4 {
			some = append(some, f.with(t, impl.ErrorSensitivity))
		}
	}
	return some
}

// sliced returns the expectation of f(s(p_min + q, x^test)) for one covariate, nearly, with p_min and s of spec: q is
// Laplace with the scale 2/(n^train·Λ·ε_1), of which each half is cut into pieces of equal probability.
func sliced(x impl.ReleaseTest, pieces int, f func(s float64) float64) (sum float64) {
	train, test, lambda := specRecords(x.Train), specRecords(x.Test), rat.Float64(x.Lambda)
	p, scale := logisticMinimum(train, lambda)[0], 2/(float64(len(train))*lambda*rat.Float64(x.Eps1))
	for i := range pieces {
		q := -scale * math.Log((float64(i)+0.5)/float64(pieces))
		sum += f(spec.PredictionError([]float64{p + q}, test)) + f(spec.PredictionError([]float64{p - q}, test))
	}
	return sum / float64(2*pieces)
}
