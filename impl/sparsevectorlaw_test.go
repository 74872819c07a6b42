package impl

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"checkrr/impl/internal/laplace"
	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/testkit"
	"checkrr/impl/interval"
)

// compared returns a comparison.
func compared(query, threshold string, above bool) Comparison {
	return Comparison{Query: rational.MustParse(query), Threshold: rational.MustParse(threshold), Above: above}
}

// testLaw returns the noise of Algorithm 2 with Δ = 1, ε_1 = ε_2 = 1/2.
func testLaw(t *testing.T, c int) SparseVectorLaw {
	law, err := NewSparseVectorLaw(rational.One, c, big.NewRat(1, 2), big.NewRat(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	return law
}

// Probabilities at gap 0 are rational numbers, found by hand. With σ and s the scales of
// ρ and ν, Pr(ν ≥ ρ) = 1/2, and Pr(ν_1, ν_2 ≥ ρ) = (1 − s/(s + σ) + s/(2(s + 2σ)))/2: the
// integral of g(z)² with g(z) = e^(−z/s)/2 for z > 0 and 1 − e^(z/s)/2 for z < 0.
func TestProbability_ByHand(t *testing.T) {
	t.Parallel()
	for _, scales := range [][2]int64{{2, 4}, {4, 3}, {1, 1}, {2, 1}} {
		sigma, s := big.NewRat(scales[0], 1), big.NewRat(scales[1], 1)
		law := SparseVectorLaw{RhoScale: sigma, NuScale: s}
		both := new(big.Rat).Sub(rational.One, new(big.Rat).Quo(s, new(big.Rat).Add(s, sigma)))
		tail := new(big.Rat).Add(s, new(big.Rat).Add(sigma, sigma))
		both.Add(both, new(big.Rat).Quo(s, tail.Add(tail, tail)))
		both.Quo(both, big.NewRat(2, 1))
		for want, run := range map[*big.Rat][]Comparison{
			big.NewRat(1, 2): {compared("3", "3", true)},
			both:             {compared("3", "3", true), compared("-1", "-1", true)},
		} {
			p, err := law.Probability(run, 1e-20)
			if err != nil || !p.Contains(want) || p.RelWidth() > 1e-20 {
				t.Errorf("scales %v, %d queries: [%g, %g], %v, must contain %v", scales, len(run), p.Lower, p.Upper, err, want)
			}
		}
	}
}

// Outputs that cannot be have probability 0.
func TestProbability_Impossible(t *testing.T) {
	t.Parallel()
	yes, no := compared("0", "0", true), compared("0", "0", false)
	released := yes
	released.Released = &Range{rational.MustParse("1"), rational.MustParse("2")}
	larger := compared("3", "0", true)
	larger.Released = released.Released
	noiseless := SparseVectorLaw{RhoScale: rational.One, NuScale: new(big.Rat)}
	for name, test := range map[string]struct {
		law SparseVectorLaw
		run []Comparison
	}{
		"⊤ beyond the cutoff":          {testLaw(t, 1), []Comparison{yes, yes}},
		"⊥ beyond the cutoff":          {testLaw(t, 2), []Comparison{yes, no, yes, no}},
		"both without noise":           {noiseless, []Comparison{yes, no}},
		"below and above, no noise":    {noiseless, []Comparison{compared("1", "0", false), compared("0", "0", true)}},
		"another value, without noise": {noiseless, []Comparison{released}},
		"a larger one, without noise":  {noiseless, []Comparison{larger}},
	} {
		p, err := test.law.Probability(test.run, 1e-9)
		if err != nil || p.Lower.Sign() != 0 || p.Upper.Sign() != 0 {
			t.Errorf("%s: [%g, %g], %v, must be 0", name, p.Lower, p.Upper, err)
		}
	}
}

// The scale of ν is 2c, for the largest c too.
func TestNewSparseVectorLaw_LargeCutoff(t *testing.T) {
	t.Parallel()
	law, err := NewSparseVectorLaw(rational.One, math.MaxInt, rational.One, rational.One)
	want := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(math.MaxInt), 1))
	if err != nil || law.NuScale.Cmp(want) != 0 {
		t.Errorf("scale of ν is %v, %v, must be %v", law.NuScale, err, want)
	}
}

func TestProbability_BadInput(t *testing.T) {
	t.Parallel()
	good := testLaw(t, 1)
	run := []Comparison{compared("0", "0", true)}
	for want, test := range map[string]struct {
		law      SparseVectorLaw
		run      []Comparison
		relWidth float64
	}{
		"scale of ρ is 0, must be positive":                {SparseVectorLaw{new(big.Rat), rational.One, 1}, run, 1},
		"scale of ν is missing, must be at least 0":        {SparseVectorLaw{rational.One, nil, 1}, run, 1},
		"cutoff is -1, must be at least 0":                 {SparseVectorLaw{rational.One, rational.One, -1}, run, 1},
		"relative width is 0, must be positive":            {good, run, 0},
		"comparison 1: query is missing and threshold 0":   {good, []Comparison{{Threshold: new(big.Rat)}}, 1},
		"a value is released with ⊥, must be with ⊤":       {good, []Comparison{{Query: rational.One, Threshold: rational.One, Released: &Range{}}}, 1},
		"released is from 1 to 1, must be from a number":   {good, []Comparison{{rational.One, rational.One, true, &Range{rational.One, rational.One}}}, 1},
		"relative width is 1 with 32768 bits, must be at ": {good, []Comparison{compared("-1e9", "0", true)}, 1e-3},
	} {
		_, err := test.law.Probability(test.run, test.relWidth)
		testkit.ExpectError(t, err, want)
	}
	_, err := NewSparseVectorLaw(rational.One, 0, rational.One, rational.One)
	testkit.ExpectError(t, err, "c is 0, must be at least 1")
	_, err = NewSparseVectorLaw(rational.One, 1, new(big.Rat), rational.One)
	testkit.ExpectError(t, err, "ε_1 is 0, must be positive")
}

// A value is printed that is far out. With all scales 1 and T = q = 0, its probability is
// ∫ e^(−v)/2·(1 − e^(−v)/2) dv from L to H: (e^(−L) − e^(−H))/2 − (e^(−2L) − e^(−2H))/8. The
// bits that it takes do not grow with L.
func TestProbability_ReleasedFarOut(t *testing.T) {
	t.Parallel()
	law := SparseVectorLaw{RhoScale: rational.One, NuScale: rational.One}
	n := interval.Precision(200)
	for _, text := range []string{"1", "40", "1005", "50000", "1e6"} {
		low := rational.MustParse(text)
		high := new(big.Rat).Add(low, rational.One)
		c := compared("0", "0", true)
		c.Released = &Range{low, high}
		x, y := n.ExpRat(new(big.Rat).Neg(low)), n.ExpRat(new(big.Rat).Neg(high))
		want := n.Sub(n.Half(n.Sub(x, y)), n.Quo(n.Sub(n.Mul(x, x), n.Mul(y, y)), n.Int(8)))
		p, err := law.Probability([]Comparison{c}, 1e-30)
		if err != nil {
			t.Fatal(err)
		}
		if p.Lower.Cmp(want.Upper) > 0 || p.Upper.Cmp(want.Lower) < 0 || p.RelWidth() > 1e-30 || p.Lower.Prec() > 300 {
			t.Errorf("from %s: [%g, %g] in %d bits, must be about %g", text, p.Lower, p.Upper, p.Lower.Prec(), want.Lower)
		}
	}
}

// Three comparisons, many times each, that are 1005 scales of ρ apart, and 7 million of ν:
// likelihoods between 1 and e^(−3e8) are added without their bits between. ⊤ to all of them
// is ρ < −2010·σ, but for the few ν that are near: between e^(−2010)/2 and a bit less.
func TestProbability_FarApart(t *testing.T) {
	law := SparseVectorLaw{RhoScale: rational.MustParse("7214.8"), NuScale: rational.One}
	var run []Comparison
	for gap, times := range map[string]int{"14501748": 21, "7250874": 8, "0": 11} { // 2010·σ, 1005·σ
		run = append(run, slices.Repeat([]Comparison{compared("0", gap, true)}, times)...)
	}
	var p interval.Interval
	var err error
	bytes := allocated(func() { p, err = law.Probability(run, 1e-100) })
	n := interval.Precision(200)
	most := n.Half(n.ExpRat(big.NewRat(-2010, 1)))
	if err != nil || p.Lower.Cmp(most.Upper) > 0 || p.Upper.Cmp(n.Mul(most, n.Rat(rational.MustParse("0.999"))).Lower) < 0 {
		t.Errorf("[%g, %g], %v, must be about %g", p.Lower, p.Upper, err, most.Lower)
	}
	if bytes > 1<<30 { // the bits between take 50 MB in each sum
		t.Errorf("%d MB were allocated", bytes>>20)
	}
}

// Equal comparisons are grouped; pulled apart by very little, they give nearly the same.
func TestProbability_Groups(t *testing.T) {
	t.Parallel()
	law := testLaw(t, 3)
	var equal, apart []Comparison
	for i := range 12 {
		equal = append(equal, compared("1", "0", i > 8))
		apart = append(apart, compared(fmt.Sprintf("1.%012d", i), "0", i > 8))
	}
	p, err := law.Probability(equal, 1e-15)
	q, err2 := law.Probability(apart, 1e-15)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	x, _ := p.Lower.Float64()
	y, _ := q.Lower.Float64()
	if ratio := y/x - 1; ratio > 1e-9 || ratio < -1e-9 || ratio == 0 {
		t.Errorf("%g and %g differ by %g, must by about 1e-12", x, y, ratio)
	}
}

func TestLoss_Zero(t *testing.T) {
	t.Parallel()
	law := SparseVectorLaw{RhoScale: rational.One, NuScale: new(big.Rat)}
	run := []Comparison{compared("0", "0", true)}
	_, err := law.Loss(run, append(run, compared("0", "0", false)), 1e-9)
	testkit.ExpectError(t, err, "probability of run1 is 0, must be positive")
}

func TestSparseReleaseNoise_BadInput(t *testing.T) {
	t.Parallel()
	for want, test := range map[string]struct {
		change   func(*SparseReleaseSetting)
		large    int
		relWidth float64
	}{
		"number of large entries is 101, must be":     {func(*SparseReleaseSetting) {}, 101, 1e-3},
		"number of entries is 0, must be at least 1":  {func(s *SparseReleaseSetting) { s.Entries = 0 }, 0, 1e-3},
		"ε_3 is 0, must be positive":                  {func(s *SparseReleaseSetting) { s.Eps3 = new(big.Rat) }, 0, 1e-3},
		"ε_2 is missing, must be positive":            {func(s *SparseReleaseSetting) { s.Eps2 = nil }, 0, 1e-3},
		"threshold is missing, must be a number":      {func(s *SparseReleaseSetting) { s.Threshold = nil }, 0, 1e-3},
		"relative width is -1, must be positive":      {func(*SparseReleaseSetting) {}, 0, -1},
		"c is 0, must be at least 1":                  {func(s *SparseReleaseSetting) { s.C = 0 }, 0, 1e-3},
		"number of large entries is -1, must be at l": {func(*SparseReleaseSetting) {}, -1, 1e-3},
	} {
		s := SparseReleaseSetting{
			Entries: 100, Large: big.NewRat(1000, 1), Small: new(big.Rat),
			Threshold: big.NewRat(500, 1), Delta: rational.One, C: 20,
			Eps1: rational.MustParse("0.04"), Eps2: rational.MustParse("0.46"), Eps3: big.NewRat(1, 2),
		}
		test.change(&s)
		_, err := SparseReleaseNoise(s, test.large, test.relWidth)
		testkit.ExpectError(t, err, want)
		_, err = SparseReleaseNoiseBound(s, test.large, test.relWidth)
		testkit.ExpectError(t, err, want)
	}
}

// Without noise on the queries, ⊥ is ρ > q − T and ⊤ is ρ ≤ q − T: the run is an interval.
func TestProbability_Noiseless(t *testing.T) {
	t.Parallel()
	law := SparseVectorLaw{RhoScale: big.NewRat(2, 1), NuScale: new(big.Rat)}
	n := interval.Precision(100)
	low, high := laplace.Below(n, rational.One, big.NewRat(1, 2)), laplace.Below(n, big.NewRat(3, 1), big.NewRat(1, 2))
	want := n.Sub(high, low)
	run := []Comparison{
		compared("0", "0", false), compared("1", "0", false), compared("-2", "0", false),
		compared("4", "0", true), compared("3", "0", true), compared("5", "0", true),
	}
	for range run {
		run = append(run[1:], run[0])
		p, err := law.Probability(run, 1e-20)
		if err != nil || p.Upper.Cmp(want.Lower) < 0 || p.Lower.Cmp(want.Upper) > 0 {
			t.Errorf("[%g, %g], %v, must be about %g", p.Lower, p.Upper, err, want.Lower)
		}
	}
}

// Printed values are grouped only if their answers are equal too. Given ρ, a value in [2, 3]
// is likelier with the answer 1 than with 0, so one of each is between two of either.
func TestProbability_GroupsReleased(t *testing.T) {
	t.Parallel()
	law := SparseVectorLaw{RhoScale: rational.MustParse("2"), NuScale: rational.MustParse("2")}
	printed := func(answer string) Comparison {
		c := compared(answer, answer, true)
		c.Released = &Range{rational.MustParse("2"), rational.MustParse("3")}
		return c
	}
	zero, one := printed("0"), printed("1")
	var p []interval.Interval
	for _, run := range [][]Comparison{{zero, zero}, {zero, one}, {one, zero}, {one, one}} {
		of, err := law.Probability(run, 1e-12)
		if err != nil {
			t.Fatal(err)
		}
		p = append(p, of)
	}
	for _, mixed := range p[1:3] {
		if p[0].Upper.Cmp(mixed.Lower) >= 0 || mixed.Upper.Cmp(p[3].Lower) >= 0 {
			t.Errorf("one of each [%g, %g], must be between [%g, %g] and [%g, %g]",
				mixed.Lower, mixed.Upper, p[0].Lower, p[0].Upper, p[3].Lower, p[3].Upper)
		}
	}
}

// Chebyshev's inequality says nothing beyond 1, nor at the mean or below.
func TestChebyshev(t *testing.T) {
	t.Parallel()
	n := interval.Precision(64)
	for _, test := range []struct {
		variance string
		j        int64
		want     *big.Rat
	}{{"1", 2, big.NewRat(4, 9)}, {"1", 1, rational.One}, {"100", 3, rational.One}, {"1", 0, rational.One}, {"1", -5, rational.One}} {
		got := chebyshev(n, n.Rat(rational.MustParse("1/2")), n.Rat(rational.MustParse(test.variance)), test.j)
		if !got.Contains(test.want) || got.Upper.Cmp(big.NewFloat(1)) > 0 || got.RelWidth() > 1e-15 {
			t.Errorf("mean 1/2, variance %s, j = %d: [%g, %g], must be %v", test.variance, test.j, got.Lower, got.Upper, test.want)
		}
	}
}
