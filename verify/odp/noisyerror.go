package odp

import (
	"fmt"
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

// errorBounds are the statements on the error s and on the noise that is added to it.
func errorBounds() register.Checks {
	return register.Checks{
		"ODP-X27": checked(all(with(scoresAre, 1), with(errorMoves, 2, 1)),
			near("s is in [0, 1.99]", with(errorMoves, 1.99, 1)),
			near("s changes by at most 0.12 of 2(e^(2/(nΛ)) − 1)", with(errorMoves, 2, 0.12)),
			near("h'_p(x) = 1/(1 + exp(−1.01·p^T x))", with(scoresAre, 1.01))),
		"ODP-E14": checked(with(triangle, rat.One, false),
			alsoHolds("as in [B]: ||u − v| − |u' − v|| ≤ |u − u'|", with(triangle, rat.One, true)),
			near("it is at most 0.99·|u − u'|", with(triangle, "0.99", false)),
			near("as in [B], and at most 0.99·|u − u'|", with(triangle, "0.99", true))),
		"ODP-E15": checked(with(marginMoves, equation15{c: rat.Of("2"), step: rat.One}),
			near("it is at most 1.99/(nΛ)", with(marginMoves, equation15{c: rat.Of("1.99"), step: rat.One})),
			near("the first step with 0.99·‖p − p'‖‖x‖",
				with(marginMoves, equation15{c: rat.Of("2"), step: rat.Of("0.99")}))),
		"ODP-L21": checked(with(noisyError, lemma21{scales: proved, train: rat.One, test: rat.One, step: mended}),
			alsoFails(register.ProofStep, "proof, the chain after (15) as printed, with w_1 = (p + q)^T x: 2|σ(w_1) "+
				"− σ(w_1')| ≤ 2(σ(w_1) − σ(w_1 − w_2)) for |w_1 − w_1'| ≤ w_2; w_1 has to be the larger one",
				with(checkStep, printed)),
			alsoFails(register.ProofStep,
				"proof, the display before (14) in [A]: |s − s'| = (1/n^test) Σ (|h − y| − |h' − y|)",
				with(errorDifference, func(s, mean, meanOfSizes *big.Rat) bool { return rat.Equal(s, mean) })),
			alsoFails(register.ProofStep,
				"proof, the display before (14) in [B]: |s − s'| = (1/n^test) Σ ||h − y| − |h' − y||",
				with(errorDifference, func(s, mean, meanOfSizes *big.Rat) bool { return rat.Equal(s, meanOfSizes) })),
			alsoHolds("the same with “at most”: |s − s'| ≤ (1/n^test) Σ ||h − y| − |h' − y||",
				with(errorDifference, func(s, mean, meanOfSizes *big.Rat) bool { return s.Cmp(meanOfSizes) <= 0 })),
			near("0.95·ε_2 with respect to x^train, with a of the logistic loss",
				with(noisyError, lemma21{scales: proved[2:], train: rat.Of("0.95"), test: rat.One, step: mended})),
			near("0.95·((2/n^test)/a)ε_2 with respect to x^test",
				with(noisyError, lemma21{scales: proved[:1], train: rat.One, test: rat.Of("0.95"), step: mended})),
			near("the most by which h changes is 1.99·tanh(w/4)", with(noisyError,
				lemma21{scales: proved, train: rat.One, test: rat.One,
					step: func(x exponentials) *big.Rat { return rat.Mul(rat.Of("0.995"), sharper(x)) }})),
			near("in up to four dimensions, 0.95·((2/n^test)/a)ε_2 with respect to x^test",
				func(t *register.T) { inSpace(t, lemma21{scales: proved, train: rat.One, test: rat.Of("0.95")}) }),
			near("in up to four dimensions, 0.9·ε_2 with respect to x^train, with a of the logistic loss",
				func(t *register.T) { inSpace(t, lemma21{scales: proved[2:], train: rat.Of("0.9"), test: rat.One}) })),
	}
}

// errorMoves checks that s is in [0, most], and that it changes with one record of x^train by at most a part of
// 2(e^(2/(nΛ)) − 1) where the accuracy changes by 1: all other records are at x = 0, and the tested ones are predicted
// with hardly any margin.
func errorMoves(t *register.T, most, part float64) {
	n := t.Size(12, 60)
	t.AlsoDomain("x^train of 1 to %d records of which one moves from 1 to −1, "+
		"Λ in {1/4, 1, 8}, x^test of up to 3 records at 1; p in {−9, −8.75, …, 9}, y in {−1, −1/2, …, 1}; "+
		"for the error also %d random x^train and x^test of 1 to 6 records, d ≤ 3", n, t.Size(100, 5000))
	for p := -9.0; p <= 9; p += 0.25 {
		for y := -1.0; y <= 1; y += 0.5 {
			t.Case()
			s := spec.PredictionError([]float64{p}, []spec.LabelledRecord{{X: []float64{1}, Y: y}})
			t.Require(s >= 0 && s <= most, "p = %g, x = 1, y = %g: %g", p, y, s)
		}
	}
	for size := 1; size <= n; size++ {
		for _, lambda := range []float64{0.25, 1, 8} {
			p, q := flip(size, 1, lambda), flip(size, -1, lambda)
			bound := part * 2 * math.Expm1(2/(float64(size)*lambda))
			place := fmt.Sprintf("n = %d, Λ = %g, p = %.6g or %.6g", size, lambda, p[0], q[0])
			for tests := 1; tests <= 3; tests++ {
				t.Case()
				test := specRecords(records(repeated(tests, 1)...))
				change := math.Abs(spec.PredictionError(p, test) - spec.PredictionError(q, test))
				more := spec.Accuracy(p, test) - spec.Accuracy(q, test)
				t.Require(more == 1 && change <= bound, "%s: the accuracy changes by %g, s by %.6g, more than %.6g",
					place, more, change, bound)
				t.Close(change/bound, "%s", place)
			}
		}
	}
	randomErrors(t)
}

// randomErrors checks by how much s changes on random databases.
func randomErrors(t *register.T) {
	t.Random(27, t.Size(100, 5000), func(t *register.T, d register.Dice) {
		dimension, lambda := 1+d.Roll(3), []float64{1, 0.3, 8}[d.Roll(3)]
		train, test := specRecords(randomRecords(d, dimension)), specRecords(randomRecords(d, dimension))
		changed := append(slices.Clone(train[1:]), specRecords(randomRecords(d, dimension))[0])
		var s [2]float64
		for i, x := range [][]spec.LabelledRecord{train, changed} {
			s[i] = spec.PredictionError(logisticMinimum(x, lambda), test)
		}
		bound := spec.ErrorSensitivity(len(train), lambda)
		t.Require(math.Abs(s[0]-s[1]) <= bound, "Λ = %g, %d covariates, %d records: it is %.6g and %.6g, "+
			"which is more than %.6g apart", lambda, dimension, len(train), s[0], s[1], bound)
	})
}

// flip returns p_min for n − 1 records at x = 0 and one at x = v with the label 1.
func flip(n int, v, lambda float64) []float64 {
	return logisticMinimum(specRecords(records(append(repeated(n-1, 0), v)...)), lambda)
}

// logisticMinimum returns p_min of the logistic loss and N = (1/2)‖p‖², by spec.
func logisticMinimum(train []spec.LabelledRecord, lambda float64) []float64 {
	return register.Must(spec.Minimizer(train, spec.LogisticLoss(), spec.L2Regularizer(), lambda))
}

// triangle checks that |u − v| − |u' − v|, or its absolute value, is at most c·|u − u'|.
func triangle(t *register.T, c *big.Rat, size bool) {
	n := t.Size(4, 20)
	t.Domain("all u, u', v in {−%d, …, %d}/4; u and u' the scores at x = 1 of p and p' in {−3, −5/2, …, 3}, "+
		"v in {−1, −1/2, …, 1}", n, n)
	values := []*big.Rat{new(big.Rat)}
	for x := 1; x <= n; x++ {
		values = append(values, big.NewRat(int64(x), 4), big.NewRat(int64(-x), 4))
	}
	for at := range finite.Tuples(values, 3) {
		t.At("u = %s, u' = %s, v = %s", at[0], at[1], at[2])
		left, right := rat.Sub(distance(at[0], at[2]), distance(at[1], at[2])), rat.Mul(c, distance(at[0], at[1]))
		if size {
			left.Abs(left)
		}
		t.AtMost(left, right, "%s", left)
	}
	scoreTriangles(t, c, size)
}

func distance(x, y *big.Rat) *big.Rat { z := rat.Sub(x, y); return z.Abs(z) }

// scoreTriangles checks the same for scores and errors by spec, to the rounding of float64.
func scoreTriangles(t *register.T, c *big.Rat, size bool) {
	for p := -3.0; p <= 3; p += 0.5 {
		for q := -3.0; q <= 3; q += 0.5 {
			for y := -1.0; y <= 1; y += 0.5 {
				t.Case()
				one := []float64{1}
				test, u, w := []spec.LabelledRecord{{X: one, Y: y}}, []float64{p}, []float64{q}
				left := spec.PredictionError(u, test) - spec.PredictionError(w, test)
				if size {
					left = math.Abs(left)
				}
				right := rat.Float64(c) * math.Abs(spec.Score(u, one)-spec.Score(w, one))
				t.Require(left <= right+1e-14, "p = %g, p' = %g, x = 1, y = %g: the errors differ by %.9g, "+
					"the scores allow %.9g", p, q, y, left, right)
			}
		}
	}
}

// errorDifference checks a claim on |s − s'|, the mean of |h − y| − |h' − y|, and the mean of its absolute values, of
// all multiplied by n, for up to two test records with rational scores.
func errorDifference(t *register.T, claim func(s, mean, meanOfSizes *big.Rat) bool) {
	t.Domain("1 or 2 test records with h, h' in {−1/2, 0, 1/2} and y in {−1, 0, 1}")
	for n := 1; n <= 2; n++ {
		for at := range finite.Tuples(rat.List("-1", "0", "1"), 3*n) {
			t.Case()
			mean, sizes := new(big.Rat), new(big.Rat)
			for i := range n {
				h, h2, y := rat.Mul(rat.Half, at[3*i]), rat.Mul(rat.Half, at[3*i+1]), at[3*i+2]
				change := rat.Sub(distance(h, y), distance(h2, y))
				mean, sizes = rat.Add(mean, change), rat.Add(sizes, new(big.Rat).Abs(change))
			}
			if s := new(big.Rat).Abs(mean); !claim(s, mean, sizes) {
				t.Refute("%d test records with 2h, 2h', y = %s: the sums over them are |s − s'| %s, "+
					"of the differences %s, of their absolute values %s", n, at, s, mean, sizes)
			}
		}
	}
}

// equation15 is a variant of eq. (15): |p^T x − p'^T x| ≤ step·‖p − p'‖‖x‖, and ‖p − p'‖‖x‖ ≤ c/(nΛ).
type equation15 struct{ c, step *big.Rat }

// marginMoves checks both steps at points x of the unit disc and along p − p', with squares of rational numbers.
func marginMoves(t *register.T, claim equation15) {
	for _, m := range moves(t) {
		if inTheorem(m) {
			t.At("%s", m.text)
			bound := sensitivityOf(t, m, claim.c)
			atMost(t, m.l2, rat.Add(bound, rat.Twice(m.off)), "x along p_min − p'_min: |p^T x − p'^T x|")
			claim.at(t, m, bound)
		}
	}
	t.Domain("%s; x along p − p' with ‖x‖ up to 1, and for d = 2 at those points of the disc", movesDomain(t))
}

// at checks the squares of the first step, and both together, at points of the unit ball. Where p_min is known within
// a distance, the second gives way by that.
func (claim equation15) at(t *register.T, m move, bound *big.Rat) {
	length := inner(m.difference, m.difference) // ‖p − p'‖²
	points := along(m)
	if m.dimension() == 2 {
		points = append(points, disc...)
	}
	for _, x := range points {
		size, margin := inner(x, x), inner(m.difference, x) // ‖x‖²
		first := rat.Product(claim.step, claim.step, length, size)
		square := rat.Mul(margin, margin)
		t.In("x = (%s)", x)
		atMost(t, exactly(square), first, "(p^T x − p'^T x)²")
		atMost(t, rootOf(square).widen(m.off), rat.Add(bound, rat.Twice(m.off)), "|p^T x − p'^T x|")
		t.Close(math.Sqrt(rat.Float64(square))/rat.Float64(bound), "")
	}
}

// along returns points along p − p', one of them with a norm of nearly 1.
func along(m move) (points [][]*big.Rat) {
	if m.l2.lower.Sign() == 0 {
		return nil
	}
	inverse := new(big.Rat).SetFloat64(1 / rat.Float64(m.l2.upper) * (1 - 0x1p-40))
	points = make([][]*big.Rat, 2)
	for _, c := range m.difference {
		for i, part := range rat.List("1", "-1/3") {
			points[i] = append(points[i], rat.Product(part, inverse, c))
		}
	}
	return points
}

// proved are the sensitivities of s with which the release test is private: the printed
// one, and two smaller ones.
var proved = []impl.Sensitivity{impl.ErrorSensitivity, impl.TightErrorSensitivity, impl.LogisticErrorSensitivity}

// lemma21 is a variant of Lemma 21: with each of the scales, the noisy error has
// train·ε_2 with respect to x^train and test·((2/n^test)/a)·ε_2 with respect to x^test;
// and 2|σ(u) − σ(u')| ≤ step for |u − u'| ≤ w.
type lemma21 struct {
	scales      []impl.Sensitivity
	train, test *big.Rat
	step        func(x exponentials) *big.Rat
}

// exponentials are e^u, e^u' and e^(w/2): with them, the chain is rational.
type exponentials struct{ u, v, halfW *big.Rat }

// sigma returns σ(u) for e^u.
func sigma(expU *big.Rat) *big.Rat { return rat.Quo(expU, rat.Add(rat.One, expU)) }

// printed is the step of the chain with w_1 = u: 2(σ(u) − σ(u − w)).
func printed(x exponentials) *big.Rat {
	return rat.Twice(rat.Sub(sigma(x.u), sigma(rat.Quo(x.u, rat.Mul(x.halfW, x.halfW)))))
}

// mended is the step with w_1 the larger of u and u', the last of the chain or the sharper
// bound, whichever is the smallest.
func mended(x exponentials) *big.Rat {
	last := rat.Twice(rat.Sub(rat.Mul(x.halfW, x.halfW), rat.One)) // 2(e^w − 1)
	step := printed(exponentials{rat.Max(x.u, x.v), nil, x.halfW})
	return rat.Min(step, last, sharper(x))
}

// sharper is 2·tanh(w/4) = 2(e^(w/2) − 1)/(e^(w/2) + 1).
func sharper(x exponentials) *big.Rat {
	return rat.Twice(rat.Quo(rat.Sub(x.halfW, rat.One), rat.Add(x.halfW, rat.One)))
}

func noisyError(t *register.T, claim lemma21) {
	t.Domain("%s; the densities at 1/2 and 3, with the three sensitivities; %s; densities at 15 points are compared "+
		"with sums over slices of the law of q", familiesDomain(t), spaceDomain(t))
	checkStep(t, claim.step)
	sensitivitiesAre()(t)
	inSpace(t, claim)
	densitiesAre(t)
	for _, s := range claim.scales {
		for _, f := range families(t, s) {
			testBound := rat.Product(claim.test, f.part(), f.base.Eps2)
			for _, c := range []float64{3, 0.5} {
				density := func(x impl.ReleaseTest) interval.Interval {
					return register.Must(impl.NoisyErrorDensity(x, c))
				}
				f.compare(t, density, rat.Mul(claim.train, f.base.Eps2), testBound,
					fmt.Sprintf("density of the noisy error at %g", c))
			}
		}
	}
}

// firstForSecond checks that g_1, too, is ((2/n^test)/a)ε_2-DP: a function of x^train.
func firstForSecond(t *register.T) {
	t.Domain("%s; the density at 1/2, with the printed sensitivity", familiesDomain(t))
	for _, f := range families(t, impl.ErrorSensitivity) {
		bound := rat.Mul(f.part(), f.base.Eps2)
		f.compare(t, func(x impl.ReleaseTest) interval.Interval {
			return register.Must(impl.NoisyErrorDensity(x, 0.5))
		}, bound, bound, "density of g_1 at 0.5")
	}
}

// checkStep goes from small numbers up, so that the first counterexample is small.
func checkStep(t *register.T, step func(x exponentials) *big.Rat) {
	n := t.Size(5, 12)
	t.AlsoDomain("all u, u', w in multiples of ln 4, ln 25/16 and ln 441/400, up to %d of them, "+
		"with |u − u'| ≤ w (exact)", n)
	for _, base := range rat.List("2", "5/4", "21/20") { // e^u, e^u' and e^w are powers of its square
		for size := 1; size <= n; size++ {
			for i := -size; i <= size; i++ {
				for j := max(-size, i-size); j <= min(size, i+size); j++ {
					t.Case()
					x := exponentials{rat.Power(base, 2*i), rat.Power(base, 2*j), rat.Power(base, size)}
					left := rat.Sub(sigma(x.u), sigma(x.v))
					left = rat.Twice(left.Abs(left))
					if right := step(x); left.Cmp(right) > 0 {
						t.Refute("e^(w_1) = e^u = %s, e^u' = %s, e^(w_2) = %s: 2|σ(u) − σ(u')| = %s, "+
							"claimed at most %s", x.u, x.v, rat.Mul(x.halfW, x.halfW), left, right)
					}
				}
			}
		}
	}
}
