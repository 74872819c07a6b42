package odp

import (
	"math"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// scoreSlack is what a few roundings of float64 come to, in numbers up to 2.
const scoreSlack = 1e-14

// scoresAre checks the formulas of logistic regression in both rooms, with p^T x multiplied by a factor.
func scoresAre(t *register.T, factor float64) {
	t.Domain("%d random p with 1 to 3 coordinates in {−8, −31/4, …, 8}, the first one up to 128, "+
		"and x^test of 1 to 6 records, l at p^T x", t.Size(100, 5000))
	t.Random(271, t.Size(100, 5000), func(t *register.T, d register.Dice) {
		dimension := 1 + d.Roll(3)
		p := make([]float64, dimension)
		for i := range p {
			p[i] = float64(d.Roll(65)-32) / 4
		}
		if d.Roll(4) == 1 {
			p[0] *= 16
		}
		test := randomRecords(d, dimension)
		scoresOf(t, p, test, factor)
		slopesOf(t, factor*margin(p, test[0].X))
		regularizerOf(t, p)
	})
}

func margin(p, x []float64) (sum float64) {
	for i, c := range p {
		sum += c * x[i]
	}
	return sum
}

// sigmoid returns σ(u) of an enclosure.
func sigmoid(u float64) float64 {
	s := reals.Quo(reals.Int(1), reals.Add(reals.Int(1), reals.Exp(reals.Neg(point(u)))))
	return rat.Float64(rat.Exact(s.Lower))
}

// scoresOf compares h', h, s and the accuracy.
func scoresOf(t *register.T, p []float64, test []impl.LabelledRecord, factor float64) {
	all := specRecords(test)
	sum, right, labelled := 0.0, 0.0, slices.Clone(test)
	for i, r := range test {
		u := factor * margin(p, r.X)
		h := 2*sigmoid(u) - 1
		sum += math.Abs(h - r.Y)
		labelled[i].Y = math.Copysign(1, r.Y)
		if u*labelled[i].Y > 0 {
			right++
		}
		sameInBoth(t, "h'_p(x)", sigmoid(u), spec.LabelProbability(p, r.X),
			register.Must(impl.LabelProbability(p, r.X)), p, r)
		sameInBoth(t, "h_p(x)", h, spec.Score(p, r.X), register.Must(impl.Score(p, r.X)), p, r)
	}
	n := float64(len(test))
	sameInBoth(t, "s", sum/n, spec.PredictionError(p, all), register.Must(impl.PredictionError(p, test)), p, test...)
	sameInBoth(t, "accuracy", right/n, spec.Accuracy(p, specRecords(labelled)),
		register.Must(impl.Accuracy(p, labelled)), p, labelled...)
}

func sameInBoth(t *register.T, what string, want, bySpec, byImpl float64, p []float64, test ...impl.LabelledRecord) {
	if !(math.Abs(bySpec-want) <= scoreSlack) || !(math.Abs(byImpl-want) <= scoreSlack) {
		t.Refute("p = %g, (x, y) = %s: %s = %.15g, by spec %.15g, by impl %.15g",
			p, labelledText(test), what, want, bySpec, byImpl)
	}
}

// slopesOf compares l with −ln σ(z), l' with −σ(−z), and its curvature with the largest one, at 0.
func slopesOf(t *register.T, z float64) {
	l := spec.LogisticLoss()
	value, slope := math.Exp(-l.Value(z)), l.Slope(z)
	if !(math.Abs(value-sigmoid(z)) <= scoreSlack) || !(math.Abs(slope+sigmoid(-z)) <= scoreSlack) ||
		l.Curvature != 0.25 {
		t.Refute("z = %g: e^(−l(z)) = %.15g, σ(z) = %.15g; l'(z) = %.15g, −σ(−z) = %.15g; "+
			"l” is at most %g, at most 1/4 by spec", z, value, sigmoid(z), slope, -sigmoid(-z), l.Curvature)
	}
}

// regularizerOf compares N with half the sum of squares, and its gradient with p.
func regularizerOf(t *register.T, p []float64) {
	n := spec.L2Regularizer()
	want := sumOf(p, func(c float64) float64 { return c * c }) / 2
	if !isClose(n.Value(p), want, scoreSlack) || !areNear(n.Gradient(p), p, 0) || n.Curvature != 1 {
		t.Refute("p = %g: N = %.15g, by spec %.15g, its gradient %.15g and the curvature %g", p, want, n.Value(p),
			n.Gradient(p), n.Curvature)
	}
}

// sensitivitiesAre compares the sensitivities of s with enclosures of 2(e^w − 1), 2(e^(w/2) − 1)/(e^(w/2) + 1), and the
// latter with w·σ(R), where R is the largest ‖p_min‖ that ∇J(p)·p = 0 allows.
var sensitivitiesAre = finite.Over("sensitivities for n in {1, 7, 700}, Λ in {1/50, 1/3, 2, 40}",
	func(t *register.T, n int, lambda *big.Rat) {
		l := rat.Float64(lambda)
		tight := func(w float64) float64 { return 2 * math.Expm1(w/2) / (math.Exp(w/2) + 1) }
		w := 2 / (float64(n) * l)
		logistic := w / (1 + math.Exp(-largestNorm(l)))
		for name, x := range map[string][2]float64{
			"spec":     {spec.ErrorSensitivity(n, l), printedSensitivity(n, l)},
			"impl":     {float64Of(register.Must(impl.ErrorSensitivity(n, lambda))), printedSensitivity(n, l)},
			"tight":    {float64Of(register.Must(impl.TightErrorSensitivity(n, lambda))), tight(w)},
			"logistic": {float64Of(register.Must(impl.LogisticErrorSensitivity(n, lambda))), tight(logistic)},
		} {
			t.Require(isClose(x[0], x[1], 1e-8), "the sensitivity (%s) is %.12g, must be %.12g", name, x[0], x[1])
		}
	})

// printedSensitivity returns 2(e^w − 1), w = 2/(nΛ).
func printedSensitivity(n int, lambda float64) float64 { return 2 * math.Expm1(2/(float64(n)*lambda)) }

func float64Of(x interval.Interval) float64 { return rat.Float64(rat.Exact(x.Upper)) }

// largestNorm returns R by a search: Λ‖p‖² is a mean of φ(u) = u·σ(−u) with |u| ≤ ‖p‖, so that it is at most the
// largest φ up to ‖p‖.
func largestNorm(lambda float64) float64 {
	phi := func(u float64) float64 { return u / (1 + math.Exp(u)) }
	peak := 1.2784645427610738 // where u·σ(u) = 1
	low, high := 0.0, 1/lambda
	for range 200 {
		mid := low + (high-low)/2
		if lambda*mid*mid <= phi(min(mid, peak)) {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}

// spaceDomain says what inSpace goes through.
func spaceDomain(*register.T) string {
	return "for 2 to 4 covariates, given q: every 2. pair of x^train of the logistic loss of ODP-A4, q at 0, " +
		"−p_min and −(p_min + p'_min)/2, x^test of 1 or 3 records at x along p_min − p'_min with labels 1, −1 and 1/2"
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
			t.At("%s", m.text)
			bound := float64Of(register.Must(s(m.n(), m.lambda())))
			for _, n := range []int{1, 3} {
				trainInSpace(t, claim, m, n, bound)
				testInSpace(t, claim, m, n)
			}
		}
	}
}

// testsAlong returns databases x^test of n records at x along p_min − p'_min, which differ in the label of the last.
func testsAlong(m move, n int) [][]impl.LabelledRecord {
	x := rat.Floats(along(m)[0])
	return endingWith(n, impl.LabelledRecord{X: x, Y: 1}, impl.LabelledRecord{X: x, Y: -1},
		impl.LabelledRecord{X: x, Y: 0.5})
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

// trainInSpace checks |s − s'|/max(2/n^test, S) ≤ claim.train, for a change in x^train; and, for large n^test, without
// the first.
func trainInSpace(t *register.T, claim lemma21, m move, n int, bound float64) {
	for _, q := range shifts(m) {
		for _, test := range testsAlong(m, n) {
			change := math.Abs(bothErrors(t, plus(m.p[0], q), test) - bothErrors(t, plus(m.p[1], q), test))
			for _, scale := range []float64{max(2/float64(n), bound), bound} {
				t.Require(change <= rat.Float64(claim.train)*scale+1e-12+2*rat.Float64(m.off),
					"q = %.6g, x^test = %s: s changes by %.9g, more than %.9g of a = %.9g",
					q, labelled(test), change, claim.train, scale)
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
			change := math.Abs(bothErrors(t, p, tests[0]) - bothErrors(t, p, test))
			t.Require(change <= most+1e-12, "p = %.6g, x^test = %s or %s: s changes by %.9g, more than %.9g", p,
				labelled(tests[0]), labelled(test), change, most)
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
	for f := range finite.EveryNth(slices.Values(usualFamilies(t)), 12) {
		f = f.with(t, impl.ErrorSensitivity)
		for _, c := range []float64{-1, 0.5, 3} {
			x := f.at(0, 0)
			x.Width = 1e-3
			t.At("%v, x^test = %s: the density at %g", f, labelled(x.Test), c)
			scale, got := float64Of(x.Scale)/rat.Float64(x.Eps2), register.Must(impl.NoisyErrorDensity(x, c))
			want := sliced(x, 2000, func(s float64) float64 { return laplaceDensity(c-s, scale) })
			t.Require(isClose(float64Of(got), want, 0.01), "%.6g by slices, by impl %.6g", want, got.Upper)
		}
	}
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
