package odp

import (
	"fmt"
	"iter"
	"math"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify"
)

// errorBounds are the statements on the error s and on the noise that is added to it.
var errorBounds = []verify.Statement{
	{
		ID:      "ODP-X27",
		Title:   "The error s is in [0, 2] and changes by little with one record of x^train, where the accuracy changes by 1",
		Kind:    verify.Property,
		Verdict: verify.Holds,
		Note:    "“Little” is read as 2(e^(2/(nΛ)) − 1). sign(0) is read as no prediction.",
		In:      []string{"spec.LogisticLoss", "spec.L2Regularizer", "spec.LabelProbability", "spec.Score", "spec.PredictionError", "spec.Accuracy", "impl.LabelProbability", "impl.Score", "impl.PredictionError", "impl.Accuracy"},
		Check:   errorMoves(spec.PredictionError, 2),
		Controls: []verify.Claim{
			{Says: "so is, and does, the accuracy", Check: errorMoves(spec.Accuracy, 2)},
			{Says: "s is in [0, 1]", Check: errorMoves(spec.PredictionError, 1)},
		},
	},
	{
		ID:      "ODP-E14",
		Title:   "||u − v| − |u' − v|| ≤ |u − u'|",
		Kind:    verify.Exact,
		Verdict: verify.Holds,
		Note:    "[A] prints it without the outer bars: true as well, and by exchanging u and u' the same. The bars are needed where it is used, in a sum.",
		Check:   triangle(one),
		Controls: []verify.Claim{
			{Says: "it is at most 0.9·|u − u'|", Check: triangle(rational("9/10"))},
		},
	},
	{
		ID:      "ODP-E15",
		Title:   "|p^T x − p'^T x| ≤ ‖p − p'‖‖x‖ ≤ 2/(n^train·Λ) for neighbouring p_min",
		Kind:    verify.Certified,
		Verdict: verify.Holds,
		Note:    "The step that is marked with (15) in the chain below it is wrong as printed: see ODP-L21.",
		In:      []string{"spec.ERMSensitivity", "impl.ERMSensitivity"},
		Check:   marginMoves(rational("2")),
		Controls: []verify.Claim{
			{Says: "it is at most 1/(nΛ)", Check: marginMoves(rational("1"))},
		},
	},
	{
		ID:      "ODP-L21",
		Title:   "The noisy error is ε_2-DP with respect to x^train, and ((2/n^test)/a)ε_2-DP with respect to x^test",
		Kind:    verify.Certified,
		Verdict: verify.Holds,
		Note: "The lemma holds; its printed proof does not, in four places. " +
			"(1) |s − s'| is printed as equal to a mean of differences, in [A] without and in [B] with absolute values; neither is, and ≤ is meant: " +
			"for one test record with h = −1/2, h' = 1/2, y = −1 the right side of [A] is 1/2 − 3/2 = −1 and |s − s'| = 1; for y = 1 and y = −1 at one x the mean of [B] is |h − h'| and |s − s'| = 0. " +
			"(2) With w_1 = (p + q)^T x, 2|σ(w_1) − σ(w_1')| ≤ 2(σ(w_1) − σ(w_1 − w_2)) fails for w_1' = w_1 + w_2 and w_1 < 0; w_1 has to be the larger of the two, and then the rest of the chain stands. " +
			"(3) The last integral over C lacks its sign. (4) The chain's result 2(e^w − 1), w = 2/(nΛ), is at least 4 times too large: the most by which h changes is 2·tanh(w/4), " +
			"attained between −w/2 and w/2. The checks cover a with 2·tanh(w/4), and with the w of the logistic loss, as well.",
		In:    []string{"spec.ErrorSensitivity", "impl.ErrorSensitivity", "impl.TightErrorSensitivity", "impl.LogisticErrorSensitivity", "impl.NoisyErrorDensity"},
		Check: noisyError(lemma21{scales: proved, train: one, test: one, step: corrected}),
		Controls: []verify.Claim{
			{Says: "the chain after (15) as printed: 2|σ(w_1) − σ(w_1')| ≤ 2(σ(w_1) − σ(w_1 − w_2)) for |w_1 − w_1'| ≤ w_2",
				Check: noisyError(lemma21{scales: proved, train: one, test: one, step: printed})},
			{Says: "half of ε_2 with respect to x^train, with a of the logistic loss",
				Check: noisyError(lemma21{scales: proved, train: rational("1/2"), test: one, step: corrected})},
			{Says: "half of ((2/n^test)/a)ε_2 with respect to x^test",
				Check: noisyError(lemma21{scales: proved, train: one, test: rational("1/2"), step: corrected})},
			{Says: "the most by which h changes is 1.99·tanh(w/4)",
				Check: noisyError(lemma21{scales: proved, train: one, test: one, step: func(u, _, w float64) float64 { return 1.99 * math.Tanh(w/4) }})},
		},
	},
}

// errorMoves checks that a measure of the error is in [0, most], and that it changes with
// one record of x^train by at most 2(e^(2/(nΛ)) − 1) where the accuracy changes by 1:
// all other records are at x = 0, and the tested ones are predicted with hardly any margin.
func errorMoves(measure func(p []float64, test []spec.Record) float64, most float64) verify.Check {
	return func(t *verify.T) {
		n := t.Size(12, 60)
		t.Domain("x^train of 1 to %d records of which one moves from 1 to −1, Λ in {1/4, 1, 8}, x^test of up to 3 records at 1; p in {−9, −8.75, …, 9}, y in {−1, −1/2, …, 1}", n)
		for p := -9.0; p <= 9; p += 0.25 {
			for y := -1.0; y <= 1; y += 0.5 {
				t.Case()
				if s := measure([]float64{p}, []spec.Record{{X: []float64{1}, Y: y}}); !(s >= 0 && s <= most) {
					t.Refute("p = %g, x = 1, y = %g: %g", p, y, s)
				}
			}
		}
		for size := 1; size <= n; size++ {
			for _, lambda := range []float64{0.25, 1, 8} {
				for tests := 1; tests <= 3; tests++ {
					t.Case()
					test := slices.Repeat([]spec.Record{{X: []float64{1}, Y: 1}}, tests)
					p, q := flip(t, size, 1, lambda), flip(t, size, -1, lambda)
					if change := spec.Accuracy(p, test) - spec.Accuracy(q, test); change != 1 {
						t.Refute("n = %d, Λ = %g: the accuracy changes by %g", size, lambda, change)
					}
					bound := spec.ErrorSensitivity(size, lambda)
					if change := math.Abs(measure(p, test) - measure(q, test)); change > bound {
						t.Refute("n = %d, Λ = %g, p = %.6g or %.6g: it changes by %.6g, more than %.6g", size, lambda, p[0], q[0], change, bound)
					}
				}
			}
		}
	}
}

// flip returns p_min for n − 1 records at x = 0 and one at x = v with the label 1.
func flip(t *verify.T, n int, v, lambda float64) []float64 {
	train := append(slices.Repeat([]spec.Record{{X: []float64{0}, Y: 1}}, n-1), spec.Record{X: []float64{v}, Y: 1})
	p, err := spec.Minimizer(train, spec.LogisticLoss(), spec.L2Regularizer(), lambda)
	t.Must(err)
	return p
}

// triangle checks that ||u − v| − |u' − v|| ≤ c·|u − u'|.
func triangle(c *big.Rat) verify.Check {
	return func(t *verify.T) {
		n := int64(t.Size(8, 20))
		t.Domain("all u, u', v in {−%d, …, %d}/4", n, n)
		distance := func(x, y *big.Rat) *big.Rat { z := new(big.Rat).Sub(x, y); return z.Abs(z) }
		for i := range pow(int(2*n+1), 3) {
			t.Case()
			at := func(k int) *big.Rat { return big.NewRat(int64(i/pow(int(2*n+1), k))%(2*n+1)-n, 4) }
			u, w, v := at(0), at(1), at(2)
			if left := distance(distance(u, v), distance(w, v)); left.Cmp(product(c, distance(u, w))) > 0 {
				t.Refute("u = %s, u' = %s, v = %s: %s", show(u), show(w), show(v), show(left))
			}
		}
	}
}

// marginMoves checks that |p^T x − p'^T x| ≤ c/(nΛ) for neighbouring p_min and ‖x‖ ≤ 1:
// the most is ‖p − p'‖, at x along p − p'.
func marginMoves(c *big.Rat) verify.Check {
	return func(t *verify.T) {
		for m := range moves(t) {
			t.Case()
			bound := ratio(c, product(big.NewRat(int64(m.n), 1), m.lambda))
			atMost(t, m.lower, m.upper, bound, "%s, x along p_min − p'_min: |p^T x − p'^T x|", m.text)
		}
	}
}

// proved are the sensitivities of s with which the release test is private: the printed
// one, and two smaller ones.
var proved = []impl.Sensitivity{impl.ErrorSensitivity, impl.TightErrorSensitivity, impl.LogisticErrorSensitivity}

// lemma21 is a variant of Lemma 21: with each of the scales, the noisy error has
// train·ε_2 with respect to x^train and test·((2/n^test)/a)·ε_2 with respect to x^test;
// and 2|σ(u) − σ(u')| ≤ step(u, u', w) for |u − u'| ≤ w.
type lemma21 struct {
	scales      []impl.Sensitivity
	train, test *big.Rat
	step        func(u, v, w float64) float64
}

func sigma(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// printed is the step of the chain with w_1 = u.
func printed(u, _, w float64) float64 { return 2 * (sigma(u) - sigma(u-w)) }

// corrected is the step with w_1 the larger of u and u', and the last of the chain and the
// sharper bound, whichever is the smallest.
func corrected(u, v, w float64) float64 {
	return min(printed(max(u, v), 0, w), 2*(math.Exp(w)-1), 2*math.Tanh(w/4))
}

func noisyError(claim lemma21) verify.Check {
	return func(t *verify.T) {
		domain := fmt.Sprintf("all u, u', w in multiples of 1/4 up to 3 with |u − u'| ≤ w (float64); %s; the densities at 1/2 and 3", familiesDomain(t))
		t.Domain("%s", domain)
		checkStep(t, claim.step)
		for i, s := range claim.scales {
			var found tightness
			for f := range families(t, s) {
				found.include(checkDensities(t, f, claim))
			}
			domain += fmt.Sprintf("; found with a number %d: %v", i+1, found)
		}
		t.Domain("%s", domain)
	}
}

// checkStep goes from w = 1/4 up, so that the first counterexample is small.
func checkStep(t *verify.T, step func(u, v, w float64) float64) {
	for w := 0.25; w <= 3; w += 0.25 {
		for size := 0.0; size <= 3; size += 0.25 {
			for _, u := range []float64{size, -size} {
				for v := u - w; v <= u+w; v += 0.25 {
					t.Case()
					left, right := 2*math.Abs(sigma(u)-sigma(v)), step(u, v, w)
					if left > right+1e-12 {
						t.Refute("w_1 = u = %g, u' = %g, w_2 = %g: 2|σ(u) − σ(u')| = %.6f, claimed at most %.6f", u, v, w, left, right)
					}
				}
			}
		}
	}
}

// checkDensities compares the densities of the noisy error of neighbours.
func checkDensities(t *verify.T, f family, claim lemma21) (found tightness) {
	testBound := product(claim.test, product(f.part(), f.base.Eps2))
	for _, c := range []float64{3, 0.5} {
		density := func(x impl.ReleaseTest) impl.Interval {
			d, err := impl.NoisyErrorDensity(x, c)
			t.Must(err)
			return d
		}
		found.include(f.compare(t, density, product(claim.train, f.base.Eps2), testBound, fmt.Sprintf("density of the noisy error at %g", c)))
	}
	return found
}

// releaseTests are the statements on the release test.
var releaseTests = []verify.Statement{
	{
		ID:      "ODP-A5",
		Title:   "Releases p̃_min if the error, with Laplace noise of scale a/ε_2, is at most t, and ⊥ otherwise",
		Kind:    verify.Property,
		Verdict: verify.Holds,
		Note:    "Checked: spec and impl, which find p_min by different methods, do the same on one tape of draws.",
		In:      []string{"spec.LogRegWithTest", "impl.LogRegWithTest", "spec.RefusalProbability", "impl.RefusalProbability"},
		Check:   sameRuns(func(eps1, eps2, limit float64) (float64, float64, float64) { return eps1, eps2, limit }),
		Controls: []verify.Claim{
			{Says: "with ε_1 and ε_2 exchanged", Check: sameRuns(func(eps1, eps2, limit float64) (float64, float64, float64) { return eps2, eps1, limit })},
			{Says: "with the error compared with 2 − t", Check: sameRuns(func(eps1, eps2, limit float64) (float64, float64, float64) { return eps1, eps2, 2 - limit })},
		},
	},
	{
		ID:      "ODP-T17",
		Title:   "LogRegWithTest is ({ℝ^d, {⊥}}, ℰ, 0)-ODP with ℰ(ℝ^d) = max(ε_1, ((2/n^test)/a)ε_2), ℰ({⊥}) = min(ℰ(ℝ^d), ε_2)",
		Kind:    verify.Certified,
		Verdict: verify.Holds,
		Note: "Neighbours differ in the values of one record of x^train or one of x^test; both directions are checked. Checked with a as printed, with 2·tanh(w/4), w = 2/(nΛ), instead of 2(e^w − 1), " +
			"and with the w of the logistic loss: it holds with all of them. The proof says g_1 for the guarantee with respect to x^test; g_2 is meant. " +
			"The formula for ⊥ is the larger of min(ε_1, (S/a)ε_2) for x^train, S = 2(e^w − 1), and ((2/n^test)/a)ε_2 for x^test: a is S or 2/n^test, and in both cases that is the printed minimum.",
		In:    []string{"spec.ReleaseTestScale", "spec.ReleaseTestCharges", "impl.ReleaseTestScale", "impl.ReleaseTestCharges", "impl.RefusalProbability", "impl.ReleaseLoss", "impl.PrivacyLoss"},
		Check: releaseTest(theorem17{scales: proved}),
		Controls: []verify.Claim{
			{Says: "ℰ({⊥}) = ε_2/2", Check: releaseTest(theorem17{scales: proved[:1], charges: func(f family) (*big.Rat, *big.Rat) {
				return largest([]*big.Rat{f.base.Eps1, f.base.Eps2}), product(f.base.Eps2, big.NewRat(1, 2))
			}})},
			{Says: "ℰ({⊥}) = ε_2/20", Check: releaseTest(theorem17{scales: proved[:1], charges: func(f family) (*big.Rat, *big.Rat) {
				return largest([]*big.Rat{f.base.Eps1, f.base.Eps2}), product(f.base.Eps2, big.NewRat(1, 20))
			}})},
			{Says: "ℰ(ℝ^d) = ε_1", Check: releaseTest(theorem17{scales: proved[:1], charges: func(f family) (*big.Rat, *big.Rat) {
				return f.base.Eps1, f.base.Eps2
			}})},
			{Says: "with a = 2/n^test", Check: releaseTest(theorem17{scales: []impl.Sensitivity{constant("0")}, charges: smallerOf})},
			{Says: "with a = 2·tanh(w/4)", Check: releaseTest(theorem17{scales: []impl.Sensitivity{impl.TightErrorSensitivity}, alone: true, charges: smallerOf})},
			{Says: "with half the sensitivity for the logistic loss", Check: releaseTest(theorem17{scales: []impl.Sensitivity{halfLogistic}, charges: smallerOf})},
		},
	},
	{
		ID:      "ODP-C18",
		Title:   "For ε_1 ≥ ε_2 LogRegWithTest is ({ℝ^d, {⊥}}, ℰ, 0)-ODP with ℰ(ℝ^d) = ε_1, ℰ({⊥}) = ε_2",
		Kind:    verify.Certified,
		Verdict: verify.Holds,
		In:      []string{"impl.ReleaseTestCharges", "impl.RefusalProbability", "impl.ReleaseLoss"},
		Check: releaseTest(theorem17{scales: proved[:1], ordered: true, charges: func(f family) (*big.Rat, *big.Rat) {
			return f.base.Eps1, f.base.Eps2
		}}),
		Controls: []verify.Claim{
			{Says: "it is so for ε_1 < ε_2 as well", Check: releaseTest(theorem17{scales: proved[:1], charges: func(f family) (*big.Rat, *big.Rat) {
				return f.base.Eps1, f.base.Eps2
			}})},
			{Says: "ℰ({⊥}) = ε_2/2", Check: releaseTest(theorem17{scales: proved[:1], ordered: true, charges: func(f family) (*big.Rat, *big.Rat) {
				return f.base.Eps1, product(f.base.Eps2, big.NewRat(1, 2))
			}})},
		},
	},
	{
		ID:      "ODP-X28",
		Title:   "For ε_1 ≥ ε_2 an output costs ε_1, as without the test, and ⊥ saves ε_1 − ε_2",
		Kind:    verify.Certified,
		Verdict: verify.Holds,
		Note:    "The indirect cost: with n^train of n records the noise of Algorithm 4 is n/n^train times larger, 10/7 for the split of Figure 2.",
		In:      []string{"spec.ReleaseTestCharges", "impl.ReleaseTestCharges"},
		Check:   saving(func(eps1, eps2 *big.Rat) bool { return eps1.Cmp(eps2) >= 0 }),
		Controls: []verify.Claim{
			{Says: "so it is whatever ε_1 and ε_2 are", Check: saving(func(_, _ *big.Rat) bool { return true })},
		},
	},
	{
		ID:      "ODP-F2",
		Title:   "An error above t by more than the 95th percentile of the noise is answered by ⊥ with probability at least 95 %",
		Kind:    verify.Certified,
		Verdict: verify.Holds,
		Note: "The percentile is (a/ε_2)·ln 10. The error is that of p̃_min, given p̃_min. At exactly the percentile the probability is exactly 95 %: “≥” would do in the premise, and above it the probability is more than 95 %. " +
			"The grid is ours: 1000 to 5000 records, ε_2 in {0.1, 0.2, 0.5}. With 30 % of the records in x^test and Λ = 1, a is 2/n^test: the percentile is 15.35/(n·ε_2), " +
			"whatever the bound for x^train is, until Λ is below 0.86 with the printed bound, and below 0.215 with 2·tanh(w/4). For Λ = 1/10 the printed bound asks for 4.06 to 4.01 times as much noise as 2·tanh(w/4), for 4.82 to 4.77 times as much as that with the w of the logistic loss.",
		In:    []string{"impl.ReleaseTestPercentile", "impl.RefusalAbove"},
		Check: percentile(rational("0.95"), rational("0.95")),
		Controls: []verify.Claim{
			{Says: "so it is with the 90th percentile", Check: percentile(rational("0.9"), rational("0.95"))},
		},
	},
}

// constant returns a sensitivity that is always the same.
func constant(s string) impl.Sensitivity {
	return func(int, *big.Rat) (impl.Interval, error) { return pointInterval(rational(s)), nil }
}

func pointInterval(r *big.Rat) impl.Interval {
	return impl.Interval{
		Lower: new(big.Float).SetPrec(160).SetMode(big.ToNegativeInf).SetRat(r),
		Upper: new(big.Float).SetPrec(160).SetMode(big.ToPositiveInf).SetRat(r),
	}
}

func halfLogistic(n int, lambda *big.Rat) (impl.Interval, error) {
	s, err := impl.LogisticErrorSensitivity(n, lambda)
	if err != nil {
		return s, err
	}
	return impl.Interval{Lower: new(big.Float).SetMantExp(s.Lower, -1), Upper: new(big.Float).SetMantExp(s.Upper, -1)}, nil
}

// smallerOf are the charges of Theorem 17 where ((2/n^test)/a) = 1.
func smallerOf(f family) (released, refused *big.Rat) {
	return largest([]*big.Rat{f.base.Eps1, f.base.Eps2}), f.base.Eps2
}

// family is a release test on databases that are all neighbours of each other in x^train
// or in x^test.
type family struct {
	base        impl.ReleaseTest // without the records
	sensitivity impl.Sensitivity
	rest        []float64 // y·x of the records of x^train that stay
	moved       []float64 // y·x of the one that changes
	tests       [][]impl.Record
}

func (f family) String() string {
	return fmt.Sprintf("Λ = %s, ε_1 = %s, ε_2 = %s, t = %s, a = %.6g, x^train with y·x = %s and one more",
		show(f.base.Lambda), show(f.base.Eps1), show(f.base.Eps2), show(f.base.Limit), f.base.Scale.Upper, runs(f.rest))
}

// runs writes equal numbers as one.
func runs(v []float64) string {
	text := ""
	for len(v) > 0 {
		n := 1
		for n < len(v) && v[n] == v[0] {
			n++
		}
		text += fmt.Sprintf("%d × %g, ", n, v[0])
		v = v[n:]
	}
	return "(" + text + ")"
}

// part returns (2/n^test)/a, up to a rounding upward.
func (f family) part() *big.Rat {
	part := ratio(big.NewRat(2, int64(len(f.tests[0]))), exactly(f.base.Scale.Lower))
	return smallest([]*big.Rat{part, one})
}

// at returns the release test on the databases number i and j.
func (f family) at(i, j int) impl.ReleaseTest {
	x := f.base
	x.Train, x.Test = records(append(slices.Clip(f.rest), f.moved[i])...), f.tests[j]
	return x
}

// table returns the value of all databases.
func (f family) table(value func(x impl.ReleaseTest) impl.Interval) [][]impl.Interval {
	var all [][]impl.Interval
	for i := range f.moved {
		var row []impl.Interval
		for j := range f.tests {
			row = append(row, value(f.at(i, j)))
		}
		all = append(all, row)
	}
	return all
}

// compare checks that the privacy losses of neighbours are at most as claimed, for a change
// in x^train and for one in x^test, in both directions. Where the values are not narrow
// enough to tell, it asks for narrower ones.
func (f family) compare(t *verify.T, value func(x impl.ReleaseTest) impl.Interval, train, test *big.Rat, what string) (found tightness) {
	table := f.table(value)
	check := func(bound *big.Rat, most *float64, i, j, k, l int) {
		t.Case()
		p, q := table[i][j], table[k][l]
		narrow := max(float(bound)/16, 1e-6)
		for _, width := range []float64{min(0x1p-10, narrow), narrow / 16, 0} {
			loss, err := impl.PrivacyLoss(p, q)
			t.Must(err)
			lower, upper := magnitudes(loss)
			if width == 0 || upper.Cmp(bound) <= 0 || lower.Cmp(bound) > 0 {
				*most = max(*most, float(lower)/float(bound))
				atMost(t, lower, upper, bound, "%v: y·x = %g and x^test = %s, or %g and %s: loss of the %s",
					f, f.moved[i], testText(f.tests[j]), f.moved[k], testText(f.tests[l]), what)
				return
			}
			x, y := f.at(i, j), f.at(k, l)
			x.Width, y.Width = width, width
			p, q = value(x), value(y)
		}
	}
	for i := range table {
		for j := range table[i] {
			for k := range i {
				check(train, &found.train, i, j, k, j)
			}
			for l := range j {
				check(test, &found.test, i, j, i, l)
			}
		}
	}
	return found
}

// tightness is the largest loss that was found, as a part of the claimed one, for a change
// in x^train and for one in x^test.
type tightness struct{ train, test float64 }

func (x *tightness) include(y tightness) {
	x.train, x.test = max(x.train, y.train), max(x.test, y.test)
}

func (x tightness) String() string {
	return fmt.Sprintf("%.3g of the claimed loss for a change in x^train, %.3g for one in x^test", x.train, x.test)
}

// magnitudes returns the bounds of |x|.
func magnitudes(x impl.Interval) (lower, upper *big.Rat) {
	if x.Lower.IsInf() || x.Upper.IsInf() {
		return new(big.Rat), unbounded
	}
	return between(x, impl.Interval{Lower: new(big.Float), Upper: new(big.Float)})
}

// unbounded is more than any loss that is claimed.
var unbounded = new(big.Rat).SetFloat64(math.MaxFloat64)

func testText(test []impl.Record) string {
	first, last := test[0], test[len(test)-1]
	return fmt.Sprintf("%d × (%g, %g), (%g, %g)", len(test)-1, first.X[0], first.Y, last.X[0], last.Y)
}

// testGroups are databases x^test that differ in one record, with 1, 2 and 100 records.
func testGroups(t *verify.T) [][][]impl.Record {
	record := func(x, y float64) impl.Record { return impl.Record{X: []float64{x}, Y: y} }
	var groups [][][]impl.Record
	for _, n := range []int{1, 2, 100} {
		same := slices.Repeat([]impl.Record{record(1, 1)}, n-1)
		group := [][]impl.Record{append(slices.Clip(same), record(1, 1)), append(slices.Clip(same), record(1, -1))}
		if t.Size(0, 1) == 1 {
			group = append(group, append(slices.Clip(same), record(-0.5, 0.5)))
		}
		groups = append(groups, group)
	}
	return groups
}

func familiesDomain(t *verify.T) string {
	return fmt.Sprintf("d = 1; x^train of 1, 2, 3 and 100 records, x^test of 1, 2 and 100, Λ from 3/100 to 5, (ε_1, ε_2) in {(1, 1/2), (1/2, 1), (8, 1)}, t in {−1, 1/2, 2}, %d values of the record that changes", t.Size(2, 3))
}

// families yields the families of the checks, with one of the sensitivities.
func families(t *verify.T, sensitivity impl.Sensitivity) iter.Seq[family] {
	trains := []struct {
		lambda string
		rest   []float64
	}{{"1/2", nil}, {"5", nil}, {"1/5", repeated(1, 1)}, {"1", []float64{1, -1}}, {"3/100", repeated(99, 1)}}
	moved := []float64{1, -1, 0.5}[:t.Size(2, 3)]
	eps := [][2]string{{"1", "1/2"}, {"1/2", "1"}, {"8", "1"}}
	return func(yield func(family) bool) {
		for _, train := range trains {
			for _, tests := range testGroups(t) {
				a, err := impl.ReleaseTestScale(len(train.rest)+1, len(tests[0]), rational(train.lambda), sensitivity)
				t.Must(err)
				for k, e := range eps {
					limits := rationals("2", "1/2", "-1")
					if t.Size(0, 1) == 0 {
						limits = [][]*big.Rat{limits[:2], limits[2:], limits[:1]}[k]
					}
					for _, limit := range limits {
						base := impl.ReleaseTest{Eps1: rational(e[0]), Eps2: rational(e[1]), Lambda: rational(train.lambda), Limit: limit, Scale: a}
						if !yield(family{base, sensitivity, train.rest, moved, tests}) {
							return
						}
					}
				}
			}
		}
	}
}

// theorem17 is a variant of Theorem 17.
type theorem17 struct {
	scales  []impl.Sensitivity
	alone   bool                                        // a is the sensitivity, without the maximum
	ordered bool                                        // ε_1 ≥ ε_2 only
	charges func(f family) (released, refused *big.Rat) // nil for those of the theorem
}

// releaseTest checks the losses of ⊥, and those of outputs on a grid.
func releaseTest(claim theorem17) verify.Check {
	return func(t *verify.T) {
		domain := familiesDomain(t) + "; outputs −20, −1, 0, 3, 20"
		t.Domain("%s", domain)
		for i, s := range claim.scales {
			var found tightness
			for f := range families(t, s) {
				if claim.ordered && f.base.Eps1.Cmp(f.base.Eps2) < 0 {
					continue
				}
				if claim.alone {
					f.base.Scale = must(s(len(f.rest)+1, f.base.Lambda))
				}
				released, refused := claim.of(t, f)
				refusal := func(x impl.ReleaseTest) impl.Interval {
					p, err := impl.RefusalProbability(x)
					t.Must(err)
					return p
				}
				found.include(f.compare(t, refusal, refused, refused, "output ⊥"))
				checkOutputs(t, f, released)
			}
			domain += fmt.Sprintf("; found for ⊥ with a number %d: %v", i+1, found)
		}
		t.Domain("%s", domain)
	}
}

// of returns the claimed charges: upper bounds, by less than 2^-100, of irrational ones.
func (claim theorem17) of(t *verify.T, f family) (released, refused *big.Rat) {
	if claim.charges != nil {
		return claim.charges(f)
	}
	e, r, err := impl.ReleaseTestCharges(len(f.rest)+1, len(f.tests[0]), f.base.Eps1, f.base.Eps2, f.base.Lambda, f.sensitivity)
	t.Must(err)
	return exactly(e.Lower), exactly(r.Lower)
}

// checkOutputs compares the densities of outputs in ℝ.
func checkOutputs(t *verify.T, f family, released *big.Rat) {
	for _, p := range []float64{0, 3, -1, 20, -20} {
		for _, pair := range [][4]int{{0, 0, 1, 0}, {0, 1, 1, 1}, {0, 0, 0, 1}, {1, 0, 1, 1}} {
			t.Case()
			loss, err := impl.ReleaseLoss(f.at(pair[0], pair[1]), f.at(pair[2], pair[3]), p)
			t.Must(err)
			lower, upper := magnitudes(loss)
			atMost(t, lower, upper, released, "%v: y·x = %g and x^test = %s, or %g and %s: loss of the output %g",
				f, f.moved[pair[0]], testText(f.tests[pair[1]]), f.moved[pair[2]], testText(f.tests[pair[3]]), p)
		}
	}
}

// saving checks that ℰ(ℝ^d) = ε_1 and ε_1 − ℰ({⊥}) = ε_1 − ε_2 ≥ 0.
func saving(applies func(eps1, eps2 *big.Rat) bool) verify.Check {
	return func(t *verify.T) {
		t.Domain("ε_1, ε_2 in {1/100, 1/10, 1/2, 1, 3}, n^train in {1, 7, 700}, n^test in {1, 3, 300}, Λ in {1/10, 1, 10}")
		values := rationals("1/100", "1/10", "1/2", "1", "3")
		for _, eps1 := range values {
			for _, eps2 := range values {
				for _, n := range []int{1, 7, 700} {
					for _, tests := range []int{1, 3, 300} {
						for _, lambda := range rationals("1/10", "1", "10") {
							if !applies(eps1, eps2) {
								continue
							}
							t.Case()
							released, refused, err := impl.ReleaseTestCharges(n, tests, eps1, eps2, lambda, impl.ErrorSensitivity)
							t.Must(err)
							if !contains(released, eps1) || !contains(refused, eps2) || eps1.Cmp(eps2) < 0 {
								t.Refute("ε_1 = %s, ε_2 = %s, n^train = %d, n^test = %d, Λ = %s: an output costs %.6g, ⊥ costs %.6g",
									show(eps1), show(eps2), n, tests, show(lambda), released.Upper, refused.Upper)
							}
						}
					}
				}
			}
		}
	}
}

func contains(x impl.Interval, r *big.Rat) bool {
	return exactly(x.Lower).Cmp(r) <= 0 && exactly(x.Upper).Cmp(r) >= 0
}

// percentile checks that an error above t by more than the percentile of the noise at
// level leads to ⊥ with at least the probability claimed.
func percentile(level, claimed *big.Rat) verify.Check {
	return func(t *verify.T) {
		t.Domain("1000, 1500, …, 5000 records, 70 %% of them in x^train, Λ = 1, ε_2 in {0.1, 0.2, 0.5}, a as printed and the two smaller ones; excess (1 + 10^−9) and 2 times the percentile")
		for n := 1000; n <= 5000; n += 500 {
			for _, eps2 := range rationals("0.1", "0.2", "0.5") {
				for _, s := range proved {
					train, tests := n*7/10, n*3/10
					y, err := impl.ReleaseTestPercentile(level, train, tests, eps2, one, s)
					t.Must(err)
					a, err := impl.ReleaseTestScale(train, tests, one, s)
					t.Must(err)
					for _, factor := range rationals("1.000000001", "2") {
						t.Case()
						excess := pointInterval(product(exactly(y.Upper), factor))
						pr, err := impl.RefusalAbove(excess, a, eps2)
						t.Must(err)
						if exactly(pr.Upper).Cmp(claimed) < 0 {
							t.Refute("%d records, ε_2 = %s, a = %.9g, error above t by %.9g: ⊥ with probability %.9g", n, show(eps2), a.Upper, excess.Upper, pr.Upper)
						}
						if exactly(pr.Lower).Cmp(claimed) < 0 {
							t.Undecided("%d records, ε_2 = %s: probability in [%.12g, %.12g]", n, show(eps2), pr.Lower, pr.Upper)
						}
					}
				}
			}
		}
	}
}

// tape are draws that two programs can be run on.
type tape struct{ verify.Dice }

func (x tape) Laplace(scale float64) float64 { return scale * float64(x.Roll(2001)-1000) / 300 }

func (x tape) Gamma(shape, scale float64) float64 {
	return scale * shape * float64(1+x.Roll(1000)) / 400
}

func (x tape) Direction(d int) []float64 {
	u := make([]float64, d)
	u[x.Roll(d)] = float64(2*x.Roll(2) - 1)
	return u
}

// sameRuns checks that spec, and impl with parameters changed, do the same on one tape.
func sameRuns(change func(eps1, eps2, limit float64) (float64, float64, float64)) verify.Check {
	return func(t *verify.T) {
		t.Domain("random databases of 1 to 6 records with 1 to 3 covariates, tapes of random draws; outputs agree to 10^−5 of their size, for the tolerance of the minimizer is in the noise")
		t.Random(5, t.Size(300, 5000), func(t *verify.T, d verify.Dice) {
			dimension := 1 + d.Roll(3)
			train, test := randomRecords(d, dimension), randomRecords(d, dimension)
			lambda := []float64{1, 0.1, 5}[d.Roll(3)]
			eps1, eps2, limit := []float64{1, 0.5, 30}[d.Roll(3)], []float64{1, 20, 3}[d.Roll(3)], float64(d.Roll(9))/4
			draws := uint64(d.Roll(1 << 30))
			want, err := spec.LogRegWithTest(specRecords(train), specRecords(test), eps1, eps2, lambda, limit, tape{verify.Seeded(draws)})
			t.Must(err)
			e1, e2, l := change(eps1, eps2, limit)
			got, err := impl.LogRegWithTest(train, test, e1, e2, lambda, l, tape{verify.Seeded(draws)})
			t.Must(err)
			if !sameOutput(got, want) {
				t.Refute("x^train = %v, x^test = %v, ε_1 = %g, ε_2 = %g, Λ = %g, t = %g, tape %d: %v, by impl %v", train, test, eps1, eps2, lambda, limit, draws, want, got)
			}
		})
	}
}

func sameOutput(p, q []float64) bool {
	if len(p) != len(q) {
		return false
	}
	for i := range p {
		if math.Abs(p[i]-q[i]) > 1e-5*(1+math.Abs(q[i])) {
			return false
		}
	}
	return true
}

func randomRecords(d verify.Dice, dimension int) []impl.Record {
	var all []impl.Record
	for range 1 + d.Roll(6) {
		x := make([]float64, dimension)
		for i := range x {
			x[i] = float64(d.Roll(9)-4) / 8
		}
		all = append(all, impl.Record{X: x, Y: float64(d.Roll(5)-2) / 2})
	}
	return all
}

func specRecords(all []impl.Record) []spec.Record {
	var same []spec.Record
	for _, r := range all {
		same = append(same, spec.Record(r))
	}
	return same
}
