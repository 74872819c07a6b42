package impl

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"testing"

	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/testkit"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/impl/noise"
)

// What the entries of the registers do not ask of the functions of papers: very large and very small numbers, ties,
// and what is asked twice.

func records(values ...int64) (x []*big.Rat) {
	for _, v := range values {
		x = append(x, big.NewRat(v, 1))
	}
	return x
}

// A run that has ended compares nothing any more, nor does a copy that was made before, or the zero value: there is
// no noise left to hide behind.
func TestSparseRuns_Ended(t *testing.T) {
	t.Parallel()
	random := noise.New([32]byte{1})
	vector, err1 := NewSparseVectorRun(1, 1, 1, 1, random)
	sparse, err2 := NewSparseRun(0, 1, 1, 0, random)
	numeric, err3 := NewNumericSparseRun(0, 1, 1, 0, random)
	if err := cmp.Or(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	copied, again, other := vector, sparse, numeric
	answer := func(r *NumericSparseRun) (bool, error) { v, err := r.Answer(1e9); return v.Above, err }
	for i, ask := range []func() (bool, error){
		func() (bool, error) { return vector.Compare(1e9, 0) }, func() (bool, error) { return sparse.Compare(1e9) },
		func() (bool, error) { return answer(&numeric) },
		func() (bool, error) { return vector.Compare(1e9, 0) }, func() (bool, error) { return copied.Compare(1e9, 0) },
		func() (bool, error) { return new(SparseVectorRun).Compare(1e9, 0) },
		func() (bool, error) { return sparse.Compare(1e9) }, func() (bool, error) { return again.Compare(1e9) },
		func() (bool, error) { return new(SparseRun).Compare(1e9) },
		func() (bool, error) { return answer(&numeric) }, func() (bool, error) { return answer(&other) },
		func() (bool, error) { return answer(new(NumericSparseRun)) },
	} {
		above, err := ask()
		if i < 3 && (!above || err != nil) || i >= 3 && above {
			t.Errorf("%d: 1e9 against 0: %v, %v", i, above, err)
		}
		testkit.ExpectError(t, err, []string{"", "the run has ended"}[min(1, i/3)])
	}
	if !vector.Done() || !again.Done() || !other.Done() {
		t.Error("a run is not done after its last ⊤")
	}
}

func TestSparseVectorRun_NoAllocation(t *testing.T) {
	run, err := NewSparseVectorRun(1, 1000, 1, 1, noise.New([32]byte{2}))
	if err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() { _, _ = run.Compare(-1e9, 0) }); n != 0 {
		t.Errorf("%g allocations for a query", n)
	}
}

// A value is printed that is far out. With all scales 1 and T = q = 0, its probability is ∫ e^(−v)/2·(1 − e^(−v)/2) dv
// from L to H: (e^(−L) − e^(−H))/2 − (e^(−2L) − e^(−2H))/8. The bits that it takes do not grow with L.
func TestProbability_ReleasedFarOut(t *testing.T) {
	t.Parallel()
	law := SparseVectorLaw{RhoScale: rational.One, NuScale: rational.One}
	const n = interval.Precision(200)
	for _, text := range []string{"1", "1005", "1e6"} {
		low := rational.MustParse(text)
		high := new(big.Rat).Add(low, rational.One)
		x, y := n.ExpRat(new(big.Rat).Neg(low)), n.ExpRat(new(big.Rat).Neg(high))
		want := n.Sub(n.Half(n.Sub(x, y)), n.Quo(n.Sub(n.Mul(x, x), n.Mul(y, y)), n.Int(8)))
		p, err := law.Probability([]Comparison{{new(big.Rat), new(big.Rat), true, &Range{low, high}}}, 1e-30)
		if err != nil || p.Lower.Cmp(want.Upper) > 0 || p.Upper.Cmp(want.Lower) < 0 || p.Lower.Prec() > 300 {
			t.Errorf("from %s: %v in %d bits, %v, must be about %g", text, p, p.Lower.Prec(), err, want.Lower)
		}
	}
}

// Three comparisons, many times each, that are 1005 scales of ρ apart, and 7 million of ν: likelihoods between 1 and
// e^(−3e8) are added without their bits between. ⊤ to all of them is ρ < −2010·σ, but for the few ν that are near:
// between e^(−2010)/2 and a bit less.
func TestProbability_FarApart(t *testing.T) {
	law := SparseVectorLaw{RhoScale: rational.MustParse("7214.8"), NuScale: rational.One}
	var run []Comparison
	for gap, times := range map[int64]int{14501748: 21, 7250874: 8, 0: 11} { // 2010·σ, 1005·σ
		c := Comparison{Query: new(big.Rat), Threshold: big.NewRat(gap, 1), Above: true}
		run = append(run, slices.Repeat([]Comparison{c}, times)...)
	}
	var p interval.Interval
	var err error
	bytes := allocated(func() { p, err = law.Probability(run, 1e-100) })
	const n = interval.Precision(200)
	most := n.Half(n.ExpRat(big.NewRat(-2010, 1)))
	least := n.Mul(most, n.Rat(big.NewRat(999, 1000)))
	if err != nil || p.Lower.Cmp(most.Upper) > 0 || p.Upper.Cmp(least.Lower) < 0 {
		t.Errorf("%v, %v, must be about %g", p, err, most.Lower)
	}
	if bytes > 1<<30 { // the bits between take 50 MB in each sum
		t.Errorf("%d MB were allocated", bytes>>20)
	}
}

// The margin against the certified loss, E − ln(1 + D/P0), also for scales far below the change of an answer, where it
// is large, and e^margin overflows.
func TestClosestRun_Margin(t *testing.T) {
	t.Parallel()
	for _, scales := range [][2]string{{"2", "12"}, {"1/3", "54"}, {"1/50", "1/20"},
		{"1/50000", "1/2000"}, {"1/100", "1/25000"}} {
		law := SparseVectorLaw{RhoScale: rational.MustParse(scales[0]), NuScale: rational.MustParse(scales[1])}
		for _, levels := range [][]level{
			{{0, false, 1}}, {{1, true, 1}}, {{0, false, 20}, {0, true, 3}},
			{{-4, false, 3}, {7, false, 8}, {-30, true, 1}, {5, true, 2}},
		} {
			runs := candidate{levels: levels}.runs()
			loss, err := law.Loss(runs[0], runs[1], 1e-13)
			if err != nil {
				t.Fatal(err)
			}
			charge := new(big.Rat).Inv(law.RhoScale)
			for _, l := range levels {
				if l.above {
					charge.Add(charge, new(big.Rat).Quo(big.NewRat(int64(2*l.times), 1), law.NuScale))
				}
			}
			margin := newRunSearch(law).margin(levels)
			left, _ := new(big.Float).Sub(new(big.Float).SetPrec(200).SetRat(charge), loss.Lower).Float64()
			if want := max(0, margin) + math.Log1p(math.Exp(-math.Abs(margin))); math.Abs(left-want) > 1e-6+1e-12*want {
				t.Errorf("scales %v, %v: ln(1 + D/P0) is %.15g, by the certified loss %.15g",
					scales, levels, want, left)
			}
		}
	}
}

// Ranges that are 1e-40 away from an edge, relative to it, are put on the right side, although 64 bits do not tell; a
// range of 1 is L = 0; very large and very small ranges have a bin.
func TestIQRBin_Edges(t *testing.T) {
	t.Parallel()
	bin := func(n, j int, r *big.Rat) iqrBin { return sample{records: make([]*big.Rat, n), iqr: r}.bin(j) }
	const n = interval.Precision(400)
	for _, count := range []int{2, 100, 1 << 20} {
		for _, m := range []int{-7, 0, 1, 30} {
			edge := n.Power(iqrBaseOf(n, count), max(m, -m))
			if m < 0 {
				edge = n.Quo(n.Int(1), edge)
			}
			at, _ := edge.Lower.Rat(nil)
			for away, want := range map[string]int{"1e-40": 2 * m, "-1e-40": 2*m - 2} {
				r := new(big.Rat).Add(rational.One, rational.MustParse(away))
				if b := bin(count, 1, r.Mul(r, at)); b.lower.halves != want || b.upper.halves != want+2 {
					t.Errorf("n = %d, m = %d, %s: bin is [%d/2, %d/2)", count, m, away, b.lower.halves, b.upper.halves)
				}
			}
		}
	}
	if b, c := bin(10, 1, rational.One), bin(10, 2, rational.One); b.lower.halves != 0 || c.lower.halves != -1 {
		t.Errorf("of a range of 1: %d/2 and %d/2", b.lower.halves, c.lower.halves)
	}
	for _, text := range []string{"1e-2000", "1e2000"} {
		if r := rational.MustParse(text); bin(50, 2, r).isBelow(r) || bin(50, 2, r).isAbove(r) {
			t.Errorf("%s is not in its bin", text)
		}
	}
}

// p ≤ e^(kε) q, with ε in nats so close that 64 bits do not decide.
func TestRatioAtMost(t *testing.T) {
	t.Parallel()
	ln2 := rational.MustParse("0.693147180559945309417232121458176568075500134360255254120680")
	tiny := rational.MustParse("1e-50")
	above, below := loss.Nats(new(big.Rat).Add(ln2, tiny)), loss.Nats(new(big.Rat).Sub(ln2, tiny))
	half, quarter, zero := big.NewRat(1, 2), big.NewRat(1, 4), new(big.Rat)
	for _, row := range []struct {
		eps  loss.Epsilon
		p, q *big.Rat
		k    int
		want bool
	}{
		{above, half, quarter, 1, true}, {below, half, quarter, 1, false},
		{above, rational.One, quarter, 2, true}, {below, rational.One, quarter, 2, false},
		{below, zero, zero, 1, true}, {below, tiny, zero, 1, false},
		{loss.Nats(zero), half, half, 2, true}, {loss.Nats(zero), half, quarter, 2, false},
	} {
		if got := ratioAtMost(row.p, row.q, row.eps, row.k); got != row.want {
			t.Errorf("%v ≤ e^(%d·%v)·%v is %v", row.p, row.k, row.eps.Rat().FloatString(60), row.q, got)
		}
	}
}

// With all gaps equal, a replacements make the local sensitivity of the median a + 1 gaps, up to any number; what is
// beyond float64 is returned as the largest one, and never NaN.
func TestTrimmedMean_Large(t *testing.T) {
	t.Parallel()
	const n = 5001
	x := make([]*big.Rat, n)
	for i := range x {
		x[i] = big.NewRat(int64(i), 1)
	}
	alpha, err := MedianTrim(n)
	for s, want := range map[string]int{"1/2": 0, "1": 1, "7.5": 7, "2499": 2499, "2501": 2500, "1e9": 2500} {
		if a, err2 := TrimmedMeanDistance(x, alpha, rational.MustParse(s)); cmp.Or(err, err2) != nil || a != want {
			t.Errorf("distance for s = %s is %d, %v, must be %d", s, a, err2, want)
		}
	}
	huge, half := slices.Repeat([]*big.Rat{rational.MustParse("1e400")}, 101), big.NewRat(1, 2)
	for seed := range 20 {
		random := noise.New([32]byte{byte(seed)})
		value, ok, err := PrivateTrimmedMean(huge, big.NewRat(99, 100), rational.MustParse("1e300"),
			loss.Nats(rational.One), half, random)
		if err != nil || !ok || math.IsNaN(value) || math.IsInf(value, 0) {
			t.Errorf("value is %g, %v, %v, must be finite", value, ok, err)
		}
	}
}

// Many records with many covariates, and separable ones with the smallest Λ, where the minimum is far out: the gradient
// is certified all the same.
func TestMinimizer_Hard(t *testing.T) {
	t.Parallel()
	random := noise.New([32]byte{3})
	var many []LabelledRecord
	for range 3000 {
		x := random.Direction(12)
		for i := range x {
			x[i] *= 0.9
		}
		many = append(many, LabelledRecord{x, math.Copysign(1, x[0]+0.3*x[1])})
	}
	far := slices.Repeat([]LabelledRecord{{[]float64{1, 0}, 1}, {[]float64{0.6, 0.8}, 1}}, 50)
	for lambda, train := range map[float64][]LabelledRecord{0.01: many, 1e-4: far} {
		p, distance, err := Minimizer(train, lambda)
		if err != nil || distance > tolerance/(float64(len(train))*lambda) || dot(p, p) < 1 ||
			lambda < 1e-3 && dot(p, p) < 25 {
			t.Errorf("Λ = %g: %v ± %g, %v", lambda, p, distance, err)
		}
	}
}

type ermDraws struct{ gamma, laplace, scale float64 }

func (x *ermDraws) Gamma(_, scale float64) float64 { return x.gamma * scale }
func (x *ermDraws) Laplace(scale float64) float64  { x.scale = scale; return x.laplace * scale }
func (x *ermDraws) Direction(d int) []float64      { return append(make([]float64, d-1), 1) }

// An error that is exactly t is released; without noise of the test it is 1 here. a is 2/n^test or the bound for
// x^train, printed or tight, and never less than it.
func TestLogRegWithTest(t *testing.T) {
	t.Parallel()
	train, one := []LabelledRecord{{[]float64{1}, 1}}, []LabelledRecord{{[]float64{0}, 1}}
	for limit, isReleased := range map[float64]bool{1: true, 1 - 0x1p-50: false, 2: true, -1: false} {
		p, err := LogRegWithTest(train, one, 1, 1, 1, limit, &ermDraws{gamma: 1})
		if err != nil || (p != nil) != isReleased {
			t.Errorf("t = %g: %v, %v", limit, p, err)
		}
	}
	train = append(train, LabelledRecord{[]float64{-1}, 1})
	for _, row := range []struct {
		tests int
		run   func(train, test []LabelledRecord, eps1, eps2, lambda, t float64, random VectorNoise) ([]float64, error)
		want  float64
	}{
		{1, LogRegWithTest, 2}, {1, LogRegWithTightTest, 2},
		{100, LogRegWithTest, 2 * math.Expm1(0.25)}, {100, LogRegWithTightTest, 2 * math.Tanh(0.25/4)},
	} {
		random := &ermDraws{}
		_, err := row.run(train, slices.Repeat(one, row.tests), 1, 0.5, 4, 1, random)
		if a := random.scale * 0.5; err != nil || !(a >= row.want && a < row.want*(1+1e-5)) {
			t.Errorf("%d test records: a = %g, %v; must be just above %g", row.tests, a, err, row.want)
		}
	}
}

// However wide a result may be, it contains a narrow one, also one that is far below the widths of the first cells.
func TestRefusalProbability_Wide(t *testing.T) {
	t.Parallel()
	test := []LabelledRecord{{[]float64{1}, -1}}
	for _, row := range []struct{ eps1, eps2, limit string }{
		{"0.001", "1", "1.8"}, {"1/1000", "200", "2.1"}, {"1", "200", "2.1"}, {"1e6", "200", "2.1"}, {"1", "200", "9"},
	} {
		x := ReleaseTest{
			Train: []LabelledRecord{{[]float64{0}, 1}}, Test: test, Lambda: rational.One,
			Scale: interval.Of(1, 1), Width: 1e-3,
			Eps1: rational.MustParse(row.eps1), Eps2: rational.MustParse(row.eps2),
			Limit: rational.MustParse(row.limit),
		}
		narrow, err := RefusalProbability(x)
		x.Width = 1e9
		wide, err2 := RefusalProbability(x)
		n, w := narrow.Float(), wide.Float()
		isNothing := n.Lo == 0 && n.Hi < 1e-304
		if err != nil || err2 != nil || w.Lo > n.Lo*(1+1e-9) || w.Hi < n.Hi || n.Hi-n.Lo > 1.1e-3*n.Hi && !isNothing {
			t.Errorf("%v: %v, %v and %v, %v", row, n, err, w, err2)
		}
	}
}

// What is missed falls in x, and no faster than e^(−x); the smallest α for very many queries is where the probability
// is β.
func TestSparseFailure_Many(t *testing.T) {
	t.Parallel()
	const by = 0.125
	for _, n := range testkit.Few(2, []int{1, 1_000_000, 0, 2, 1000}) {
		for x := 0.0; x < 40; x += 8 {
			first, second := missedAt(n, x), missedAt(n, x+by)
			if second.Lo > first.Hi || second.Hi < first.Lo*math.Exp(-by)*(1-1e-12) {
				t.Errorf("n = %d: m(%g) is in %v, m(%g) in %v", n, x, first, x+by, second)
			}
			both := missed(n, interval.NewFloat(x, x+by))
			if both.Lo > second.Hi || both.Lo < 0.85*second.Lo || both.Hi != first.Hi {
				t.Errorf("n = %d: m([%g, %g]) is in %v, m(%g) in %v", n, x, x+by, both, x, first)
			}
		}
	}
	failure := func(alpha interval.Interval) interval.Float {
		return NumericSparseFailure(1_000_000_000, 3, alpha, rational.One, big.NewRat(1, 1000))
	}
	least := LeastAlpha(failure, big.NewRat(1, 1000))
	if p := failure(interval.Of(least.Hi, least.Hi)); p.Hi > 1e-3 || least.Hi-least.Lo > 1e-3*least.Hi {
		t.Errorf("α in %v, fails with probability at most %g", least, p.Hi)
	}
}

// Of two counts, the smaller one wins with probability e^(−t)·(2 + t)/4: the difference of two Laplace noises. Ends
// are near each other for many counts, and for β near 1 and near 0.
func TestExactNoisyMaxShortfall(t *testing.T) {
	t.Parallel()
	for _, row := range testkit.Few(2, []struct {
		m     int
		beta  string
		width float64
	}{{2, "1e-50", 1e-3}, {1 << 30, "1e-200", 1e-2}, {2, "0.49", 1e-6},
		{1_000_000, "0.9999", 1e-2}, {1000, "0.99", 1e-4}}) {
		found, err := ExactNoisyMaxShortfall(row.m, rational.MustParse(row.beta), loss.Nats(rational.One))
		f := found.Float()
		if err != nil || f.Lo <= 0 || f.Hi-f.Lo > row.width {
			t.Errorf("m = %d, β = %s: %v, %v: wider than %g", row.m, row.beta, f, err, row.width)
		}
		apart := func(t float64) float64 {
			return -t + math.Log((2+t)/4) - math.Log(rational.Float64(rational.MustParse(row.beta)))
		}
		if row.m == 2 && (apart(f.Lo) < -1e-9 || apart(f.Hi) > 1e-9) {
			t.Errorf("β = %s: %v: ln(p/β) is %g and %g there", row.beta, f, apart(f.Lo), apart(f.Hi))
		}
	}
}

// The radius of RandomNoise has the distribution function of the gamma law with shape 2, 1 − e^(−r)(1 + r), and each
// half of the circle is as likely. Null: it does. Fixed seed, n = 100000; the Kolmogorov distance exceeds 2.7/√n with
// probability 1e-6. Power: a scale that is off by 5 % gives a distance of 0.013, 1.5 times the limit.
func TestRandomNoise_Vector(t *testing.T) {
	t.Parallel()
	const n = 100000
	random := noise.New([32]byte{1})
	var radii []float64
	var first, square float64
	for range n {
		radii = append(radii, random.Gamma(2, 0.5)*2)
		u := random.Direction(2)
		first, square = first+u[0], square+u[0]*u[0]
		if math.Abs(dot(u, u)-1) > 1e-12 {
			t.Fatalf("direction of norm² %g", dot(u, u))
		}
	}
	slices.Sort(radii)
	worst := 0.0
	for i, r := range radii {
		worst = max(worst, math.Abs(1-math.Exp(-r)*(1+r)-(float64(i)+0.5)/n))
	}
	if limit := 2.7 / math.Sqrt(n); worst > limit {
		t.Errorf("distance %g, must be at most %g", worst, limit)
	}
	// means of u_1 and u_1²: 0 ± 5·√(1/2n), 1/2 ± 5·√(1/8n); each fails with probability 6e-7
	if math.Abs(first/n) > 5*math.Sqrt(0.5/n) || math.Abs(square/n-0.5) > 5*math.Sqrt(0.125/n) {
		t.Errorf("means %g and %g, must be near 0 and 1/2", first/n, square/n)
	}
}
