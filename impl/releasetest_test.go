package impl

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/testkit"
	"checkrr/impl/interval"
)

// For small w = 2/(nΛ) the printed bound is 2w, the tight one w/2 and that of the logistic
// loss less; none of them is below what a pair of databases does.
func TestErrorSensitivity(t *testing.T) {
	t.Parallel()
	for _, x := range []struct{ n, lambda string }{{"1", "50"}, {"700", "1"}, {"3500", "1/10"}, {"5", "1/100"}} {
		n, lambda := int(rational.Float64(rational.MustParse(x.n))), rational.MustParse(x.lambda)
		w := 2 / (float64(n) * rational.Float64(lambda))
		printed, err := ErrorSensitivity(n, lambda)
		tight, err2 := TightErrorSensitivity(n, lambda)
		logistic, err3 := LogisticErrorSensitivity(n, lambda)
		if err != nil || err2 != nil || err3 != nil {
			t.Fatal(err, err2, err3)
		}
		p, q, l := printed.Float(), tight.Float(), logistic.Float()
		if math.Abs(p.Hi/(2*math.Expm1(w))-1) > 1e-13 || math.Abs(q.Hi/(2*math.Tanh(w/4))-1) > 1e-13 || !(l.Hi < q.Lo && q.Hi < p.Lo/4) {
			t.Errorf("n = %d, Λ = %s: %v, %v, %v", n, x.lambda, p, q, l)
		}
		if printed.RelWidth() > 0x1p-90 || tight.RelWidth() > 0x1p-90 || logistic.RelWidth() > 1e-7 {
			t.Errorf("n = %d, Λ = %s: relative widths %g, %g, %g", n, x.lambda, printed.RelWidth(), tight.RelWidth(), logistic.RelWidth())
		}
	}
}

// The bound for the logistic loss is nearly attained for large Λ, by one record that moves
// from 1 to −1, with q = 0 and all of x^test at (1, 1); for smaller Λ it is still a bound.
func TestLogisticErrorSensitivity_Attained(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		lambda string
		least  float64
	}{{"50", 0.98}, {"5", 0.9}, {"1", 0.6}, {"1/5", 0.5}} {
		lambda := rational.MustParse(x.lambda)
		p, err := MinimizerOnLine([]LabelledRecord{{[]float64{1}, 1}}, lambda)
		bound, err2 := LogisticErrorSensitivity(1, lambda)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		change := 2 * math.Tanh(p.Float().Lo/2) // p'_min = −p_min
		if part := change / bound.Float().Hi; !(part > x.least && part <= 1) {
			t.Errorf("Λ = %s: attained: %g of the bound, must be more than %g and at most 1", x.lambda, part, x.least)
		}
	}
}

// Where the record that moves is predicted wrongly, |l'| is near 1, and near σ(R): p_min
// moves across to the axis of the other records.
func TestLogisticErrorSensitivity_Across(t *testing.T) {
	t.Parallel()
	const n, lambda = 2000, 1.0 / 512
	rest := slices.Repeat([]LabelledRecord{{[]float64{1, 0}, 1}}, n-1)
	p, off, err := Minimizer(append(slices.Clip(rest), LabelledRecord{[]float64{-0.5, 0.866}, 1}), lambda)
	bound, err2 := LogisticErrorSensitivity(n, new(big.Rat).SetFloat64(lambda))
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	change := 2 * math.Tanh((2*p[1]-2*off)/4) // p'_min is its mirror image
	if part := change / bound.Float().Lo; !(part > 0.75 && part <= 1) {
		t.Errorf("attained: %g of the bound, must be more than 0.75 and at most 1", part)
	}
}

// Pr(r > v) and the density of r over an interval contain what they are at its points.
func TestReleaseTest_Tail(t *testing.T) {
	t.Parallel()
	l := line{sharpness: interval.Point(2), halfWeight: interval.Point(1)}
	for _, v := range []interval.Float{interval.NewFloat(-1, 2), interval.NewFloat(0.5, 3), interval.NewFloat(-4, -0.25), interval.NewFloat(0, 0), interval.NewFloat(-0.5, 0), interval.NewFloat(1, 1)} {
		above, density := l.above(v), l.density(v)
		for _, x := range []float64{v.Lo, (v.Lo + v.Hi) / 2, v.Hi} {
			tail := math.Exp(-2*math.Abs(x)) / 2
			want := tail
			if x < 0 {
				want = 1 - tail
			}
			if !(above.Lo <= want*(1+1e-15) && above.Hi >= want*(1-1e-15) && density.Lo <= 2*tail*(1+1e-15) && density.Hi >= 2*tail*(1-1e-15)) {
				t.Errorf("v in %v: %v and %v, must contain %g and %g", v, above, density, want, 2*tail)
			}
		}
	}
}

// R is not below ‖p_min‖, and is it for a database of one record at 1 if Λ ≥ 0.17.
func TestLargestMinimizer(t *testing.T) {
	t.Parallel()
	if !(peak.Lo*interval.Point(peak.Lo).Sigma().Hi < 1 && peak.Hi*interval.Point(peak.Hi).Sigma().Lo > 1) {
		t.Errorf("u·σ(u) = 1 is not between %g and %g", peak.Lo, peak.Hi)
	}
	for _, text := range []string{"0.01", "0.1", "0.17", "0.18", "1", "30"} {
		lambda := rational.MustParse(text)
		r := largestMinimizer(lambda)
		p, err := MinimizerOnLine([]LabelledRecord{{[]float64{1}, 1}}, lambda)
		if err != nil || p.Float().Lo > r.Hi {
			t.Errorf("Λ = %s: p_min from %g, R up to %g, %v", text, p.Lower, r.Hi, err)
		}
		if equal := p.Float().Hi >= r.Lo; equal != (rational.Float64(lambda) > 0.175) {
			t.Errorf("Λ = %s: p_min up to %g, R from %g", text, p.Upper, r.Lo)
		}
	}
}

func releaseTestExample() ReleaseTest {
	return ReleaseTest{
		Train: []LabelledRecord{{[]float64{1}, 1}, {[]float64{1}, 0.5}},
		Test:  []LabelledRecord{{[]float64{1}, 1}, {[]float64{0.5}, -1}, {[]float64{1}, 1}},
		Eps1:  rational.MustParse("1"), Eps2: rational.MustParse("0.5"), Lambda: rational.MustParse("0.5"), Limit: rational.MustParse("0.8"),
		Scale: interval.Of(1, 1),
	}
}

// What is far below the widths of the first cells is found, in few cells: with ε_2 = 200 and
// t = 2.1, f is from e^−420/2 to e^−20/2. The reference is a rule in float64. Below e^−700
// nothing is found, soon.
func TestRefusalProbability_Tiny(t *testing.T) {
	t.Parallel()
	for _, eps1 := range []string{"1/1000", "1", "100", "1e6"} {
		x := releaseTestExample()
		x.Eps1, x.Eps2, x.Limit, x.Width = rational.MustParse(eps1), rational.MustParse("200"), rational.MustParse("2.1"), 1e-2
		l, err := x.line()
		if err != nil {
			t.Fatal(err)
		}
		got, err := RefusalProbability(x)
		if s, want := got.Float(), refusalByRule(l); err != nil || got.RelWidth() > 1.1e-2 || s.Lo > want*(1+1e-6) || s.Hi < want*(1-1e-6) {
			t.Errorf("ε_1 = %s: [%g, %g], %v, must be about %g", eps1, s.Lo, s.Hi, err, want)
		}
		density, err := NoisyErrorDensity(x, 2.1)
		if s, want := density.Float(), 200*refusalByRule(l); err != nil || density.RelWidth() > 1.1e-2 || s.Lo > want*(1+1e-6) || s.Hi < want*(1-1e-6) {
			t.Errorf("ε_1 = %s: density [%g, %g], %v, must be about %g", eps1, s.Lo, s.Hi, err, want)
		}
		cells := 0
		got = l.expect(func(s interval.Float) interval.Float { cells++; return l.above(interval.Point(9).Sub(s)) }, leastExp.Mul(interval.Point(0.5)).Hi).Interval()
		if s := got.Float(); s.Lo != 0 || !(s.Hi > 0 && s.Hi < 1e-304) || cells > 100 {
			t.Errorf("ε_1 = %s, t = 9: [%g, %g] in %d cells", eps1, s.Lo, s.Hi, cells)
		}
	}
}

// refusalByRule is the midpoint rule in v for |q| = h·(e^v − 1), for limits above all errors.
func refusalByRule(l line) float64 {
	const steps = 1 << 14
	rate, start, sum := l.rate.Lo, l.min.Lo, 0.0
	h := 0.01 / max(1, rate)
	last := math.Log1p(500 / rate / h)
	for i := range steps {
		v := (float64(i) + 0.5) * last / steps
		q := h * math.Expm1(v)
		for _, p := range []float64{start - q, start + q} {
			loss := 0.0
			for _, r := range l.test {
				loss += r.count * math.Abs(2/(1+math.Exp(-p*r.x))-1-r.y) / l.size.Lo
			}
			density := rate / 2 * math.Exp(-rate*q)
			sum += density * math.Exp(-l.sharpness.Lo*(l.limit.Lo-loss)) / 2 * h * math.Exp(v) * last / steps
		}
	}
	return sum
}

// Narrower results lie in wider ones, and are as narrow as asked for.
func TestRefusalProbability_Width(t *testing.T) {
	t.Parallel()
	x := releaseTestExample()
	last := interval.NewFloat(0, 1)
	for _, x.Width = range []float64{0.1, 0.01, 1e-3, 1e-4} {
		got, err := RefusalProbability(x)
		if s := got.Float(); err != nil || s.Lo < last.Lo || s.Hi > last.Hi || s.Hi-s.Lo > 2*x.Width*s.Hi {
			t.Errorf("width %g: %v after %v, %v", x.Width, got.Float(), last, err)
		}
		last = got.Float()
	}
}

// However wide a result may be, it contains a narrow one: with two cells, where the noise
// is so large that the error is near 0 or near 2.
func TestRefusalProbability_TwoCells(t *testing.T) {
	t.Parallel()
	x := ReleaseTest{
		Train: []LabelledRecord{{[]float64{0}, 1}}, Test: []LabelledRecord{{[]float64{1}, -1}},
		Eps1: rational.MustParse("0.001"), Eps2: rational.One, Lambda: rational.One, Limit: rational.MustParse("1.8"), Scale: interval.Of(1, 1), Width: 1e-3,
	}
	narrow, err := RefusalProbability(x)
	x.Width = 1e9
	wide, err2 := RefusalProbability(x)
	if n, w := narrow.Float(), wide.Float(); err != nil || err2 != nil || !(w.Lo < n.Lo && w.Hi > n.Hi) {
		t.Errorf("%v, %v and %v, %v", n, err, w, err2)
	}
}

// The densities of the noisy error sum to 1.
func TestNoisyErrorDensity_Sum(t *testing.T) {
	t.Parallel()
	x := releaseTestExample()
	lower, upper := 0.0, 0.0
	const step = 0.0625
	for c := -30.0; c < 30; c += step {
		d, err := NoisyErrorDensity(x, c)
		if err != nil {
			t.Fatal(err)
		}
		lower, upper = lower+step*d.Float().Lo, upper+step*d.Float().Hi
	}
	if !(lower < 1.001 && lower > 0.98 && upper > 0.999 && upper < 1.02) {
		t.Errorf("sum in [%g, %g]", lower, upper)
	}
}

// Exact arithmetic: where 2/n^test is a, ℰ(ℝ^d) is max(ε_1, ε_2) exactly.
func TestReleaseTestCharges_Exact(t *testing.T) {
	t.Parallel()
	released, refused, err := ReleaseTestCharges(700, 300, rational.MustParse("0.25"), rational.MustParse("0.5"), rational.One, ErrorSensitivity)
	if err != nil || released.Lower.Cmp(big.NewFloat(0.5)) != 0 || released.Upper.Cmp(big.NewFloat(0.5)) != 0 || refused.RelWidth() != 0 {
		t.Errorf("%v, %v, %v; must be exactly 1/2 twice", released, refused, err)
	}
}

// ln 10 = 2.302585092994045684…
func TestReleaseTestPercentile(t *testing.T) {
	t.Parallel()
	y, err := ReleaseTestPercentile(rational.MustParse("0.95"), 700, 300, rational.MustParse("0.1"), rational.One, ErrorSensitivity)
	want := 2.302585092994045684 * (2.0 / 300) / 0.1
	if s := y.Float(); err != nil || math.Abs(s.Lo/want-1) > 1e-15 || math.Abs(s.Hi/want-1) > 1e-15 || y.RelWidth() > 1e-30 {
		t.Errorf("%v, %v; must be %g", s, err, want)
	}
	half, err := ReleaseTestPercentile(rational.MustParse("0.5"), 700, 300, rational.MustParse("0.1"), rational.One, ErrorSensitivity)
	if err != nil || half.Lower.Sign() != 0 || half.Upper.Sign() != 0 {
		t.Errorf("the median is %v, %v; must be 0", half, err)
	}
}

func TestReleaseTest_Rejects(t *testing.T) {
	t.Parallel()
	with := func(change func(x *ReleaseTest)) error {
		x := releaseTestExample()
		change(&x)
		_, err := RefusalProbability(x)
		return err
	}
	good := releaseTestExample()
	last := func(_ any, err error) error { return err }
	charges := func(eps1, eps2 *big.Rat) error {
		_, _, err := ReleaseTestCharges(1, 1, eps1, eps2, rational.One, ErrorSensitivity)
		return err
	}
	for want, err := range map[string]error{
		"RefusalProbability: train has 0 records": with(func(x *ReleaseTest) { x.Train = nil }),
		"test has 0 records":                      with(func(x *ReleaseTest) { x.Test = nil }),
		"eps1 is missing":                         with(func(x *ReleaseTest) { x.Eps1 = nil }),
		"eps2 is 0, must be greater than 0":       with(func(x *ReleaseTest) { x.Eps2 = new(big.Rat) }),
		"lambda is missing":                       with(func(x *ReleaseTest) { x.Lambda = nil }),
		"limit is":                                with(func(x *ReleaseTest) { x.Limit = nil }),
		"scale is":                                with(func(x *ReleaseTest) { x.Scale = interval.Interval{} }),
		"must be at most 1e289 times scale":       with(func(x *ReleaseTest) { x.Scale, x.Eps2 = interval.Of(1e-200, 1e-200), rational.MustParse("1e200") }),
		"ReleaseLoss: p is NaN":                   last(ReleaseLoss(good, good, math.NaN())),
		"PerturbationLoss: p is +Inf":             last(PerturbationLoss(good, good, math.Inf(1))),
		"NoisyErrorDensity: c is NaN":             last(NoisyErrorDensity(good, math.NaN())),
		"nTest is 0, must be at least 1":          last(ReleaseTestScale(1, 0, rational.One, ErrorSensitivity)),
		"sensitivity is missing":                  last(ReleaseTestScale(1, 1, rational.One, nil)),
		"eps1 is -1, must be greater than 0":      charges(big.NewRat(-1, 1), rational.One),
		"eps2 is missing":                         charges(rational.One, nil),
		"level is 1/4, must be at least 1/2":      last(ReleaseTestPercentile(big.NewRat(1, 4), 1, 1, rational.One, rational.One, ErrorSensitivity)),
		"RefusalAbove: a is [0, 0]":               last(RefusalAbove(interval.Of(1, 1), interval.Of(0, 0), rational.One)),
		"RefusalAbove: excess is [-1, 1]":         last(RefusalAbove(interval.Of(-1, 1), interval.Of(1, 1), rational.One)),
	} {
		testkit.ExpectError(t, err, want)
	}
}
