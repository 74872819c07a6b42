package odp

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

func tables() register.Checks {
	return register.Checks{
		"ODP-X4": checked(with(simpleComposition, rat.One, rat.One),
			near("with kε + ln(21/20) in place of kε it cannot be improved", with(simpleComposition, "21/20", rat.One)),
			near("kε − ln(20/19), where that is not below 0, is enough", with(simpleComposition, "19/20", rat.One)),
			near("they compose to (kε, 9/10 kδ)-DP for k ≥ 2", with(simpleComposition, rat.One, "9/10"))),
		"ODP-X29": checked(with(improvementNeeds, rat.One),
			alsoFails(register.ProofStep, "the step from the list to any ε below kε: it needs at least δ_1, so that "+
				"δ cannot be arbitrarily small", improvementAnywhere),
			near("19/20 of δ_i are enough", with(improvementNeeds, "19/20"))),
		"ODP-TB1": checked(with(table1, printedTable1),
			near("the last number is 42", with(table1, []int{16, 19, 23, 26, 30, 34, 37, 42})),
			near("the last number is 40", with(table1, []int{16, 19, 23, 26, 30, 34, 37, 40})),
			corrected("in the list of Theorem 3.3, the numbers are 16, 19, 23, 26, 30, 34, 37, 41",
				with(table1, correctedTable1))),
	}
}

// responses returns the laws of k randomized responses, sequence by sequence.
func responses(m spec.Mechanism, k int) finite.Pair {
	return finite.Responses(slices.Repeat([]spec.Mechanism{m}, k)...)
}

// pureResponses are k responses with δ = 0, from the law of one: with the answers that never occur, there are too many
// sequences of ten.
func pureResponses(expEps *big.Rat, k int) finite.Pair {
	return finite.Independent(slices.Repeat([]finite.Pair{responses(finite.Pure(expEps), 1)}, k)...).Law(nil)
}

// simpleComposition checks that k responses are (kε, kδ)-DP, or with a share of e^(kε), or for k ≥ 2 with a part of
// that δ, and that for δ = 0 no smaller ε will do; and that so are two mechanisms, the second depending on the first.
func simpleComposition(t *register.T, share, part *big.Rat) {
	most := t.Size(4, 6)
	t.Domain("up to %d responses with (e^ε, δ) = (3, 0), (3/2, 0), (3/2, 1/10), (7/2, 1/20), (1, 1/2); "+
		"one in 7 of all chains of two of 6 mechanisms with 2 outputs, e^ε in {1, 3/2, 3}", most)
	for _, m := range append(slices.Clone(finite.Mechanisms), finite.Pure(big.NewRat(3, 2)),
		spec.Mechanism{ExpEps: big.NewRat(7, 2), Delta: big.NewRat(1, 20)}) {
		for k := 1; k <= most; k++ {
			laws := responses(m, k)
			charge := composedTo(t, laws, m, k, share, part)
			less := finite.Constant(rat.Mul(rat.Of("0.999999"), charge))
			t.Require(m.Delta.Sign() != 0 || laws.Delta(less).Sign() > 0, "less than e^ε = %s is enough", charge)
		}
	}
	for c := range finite.EveryNth(finite.Trees(telling(), "b", "a", ""), 7) {
		for _, expEps := range finite.Charges {
			m := spec.Mechanism{ExpEps: expEps, Delta: rat.Max(c.Needs(1, expEps), c.Needs(2, expEps))}
			composedTo(t, c.First(2), m, 2, share, part)
		}
	}
}

// composedTo checks the laws of the outputs of k mechanisms with the parameters of m, and returns their e^ε.
func composedTo(t *register.T, laws finite.Pair, m spec.Mechanism, k int, share, part *big.Rat) (charge *big.Rat) {
	t.At("%d mechanisms with e^ε = %s, δ = %s", k, m.ExpEps, m.Delta)
	charge, bound := rat.Max(rat.One, rat.Mul(share, rat.Power(m.ExpEps, k))), rat.Mul(rat.Int(k), m.Delta)
	if k > 1 {
		bound = rat.Mul(part, bound)
	}
	got := laws.DeltaBothWays(finite.Constant(charge))
	t.Require(got.Cmp(bound) <= 0, "the outputs have the laws %v: e^%dε = %s needs δ = %s", laws, k, charge, got)
	if k > 1 {
		t.CloseTo(got, bound, "")
	}
	return charge
}

// improvementAnywhere checks that every total below kε needs at least the δ of i = 1.
func improvementAnywhere(t *register.T) {
	t.Domain("2 to 5 responses with e^ε = 3/2 and 3, a total of e^(kε) less by 10^−12 of itself")
	for _, expEps := range finite.Charges[1:] {
		for k := 2; k <= 5; k++ {
			t.At("%d responses with e^ε = %s", k, expEps)
			all := rat.Power(expEps, k)
			total, first := rat.Mul(all, rat.Of("0.999999999999")), deltaOf(t, k, 1, expEps)
			needs := responses(finite.Pure(expEps), k).Delta(finite.Constant(total))
			t.Require(needs.Cmp(first) >= 0, "a total e^ε = %s, below %s, needs δ = %s; i = 1 has δ = %s",
				total, all, needs, first)
		}
	}
}

// improvementNeeds checks that for i ≥ 1 a total of (k − 2i)ε needs just a part of δ_i, which is at least δ_1, and
// that δ_1 falls as k grows.
func improvementNeeds(t *register.T, part *big.Rat) {
	lengths := []int{2, 3, 4, 5, 6, 10, 12}[:t.Size(6, 7)] // 10 for sums of five terms: i is at most k/2
	t.Domain("k responses with e^ε = 3/2 and 3, k in %v, all i", lengths)
	for _, expEps := range finite.Charges[1:] {
		previous := rat.One
		for _, k := range lengths {
			laws, first := pureResponses(expEps, k), deltaOf(t, k, 1, expEps)
			for i := 1; 2*i <= k; i++ {
				t.At("%d responses with e^ε = %s, i = %d", k, expEps, i)
				total, delta := rat.Power(expEps, k-2*i), rat.Mul(part, deltaOf(t, k, i, expEps))
				needs := laws.Delta(finite.Constant(total))
				t.Require(rat.Equal(needs, delta), "a total e^ε = %s needs δ = %s; δ_i = %s", total, needs, delta)
				t.Require(rat.Mul(part, first).Cmp(delta) <= 0 && first.Cmp(previous) < 0,
					"δ_1 = %s, and %s before; δ_i = %s", first, previous, delta)
			}
			previous = first
		}
	}
}

// deltaOf returns δ_i as printed, which the certified one must contain.
func deltaOf(t *register.T, k, i int, expEps *big.Rat) *big.Rat {
	printed := register.Must(spec.HomogeneousDelta(k, i, expEps))
	x := register.Must(impl.HomogeneousDelta(k, i, loss.Exp(expEps)))
	t.Require(x.Contains(printed) && x.RelWidth() <= narrow && x.Lower.Sign() >= 0,
		"k = %d, i = %d, e^ε = %s: δ = %s as printed, [%.12g, %.12g] certified", k, i, expEps, printed,
		x.Lower, x.Upper)
	return printed
}

// narrow is the relative width that certified numbers have.
const narrow = 0x1p-60

// table1 checks the row of Table 1.
func table1(t *register.T, row []int) {
	t.Domain("ε = 0.1, δ = 1e-5 to 1e-12, i = 1")
	tenth := loss.Nats(big.NewRat(1, 10))
	for j, want := range row {
		t.Case()
		limit := new(big.Rat).Inv(rat.Power(big.NewRat(10, 1), 5+j))
		at, before := tenthDelta(t, want), tenthDelta(t, want-1)
		switch got := leastMechanisms(tenth, limit); {
		case rat.IsAbove(at, limit):
			t.Refute("δ = 1e-%d: I = %d is not enough, with %s; %d is", 5+j, want, certified(at), got)
		case !rat.IsAbove(before, limit):
			t.Refute("δ = 1e-%d: I = %d is enough already, with %s", 5+j, got, certified(tenthDelta(t, got)))
		case got != want:
			t.Refute("δ = 1e-%d: I = %d by bisection, %d by its neighbours", 5+j, got, want)
		}
	}
}

// tenthDelta returns the δ_1 of k mechanisms with ε = 0.1. The one as printed grows with e^ε, so that those of rational
// numbers below and above e^0.1 must be around it.
func tenthDelta(t *register.T, k int) interval.Interval {
	x := register.Must(impl.HomogeneousDelta(k, 1, loss.Nats(big.NewRat(1, 10))))
	e := interval.Precision(100).ExpRat(big.NewRat(1, 10))
	below, above := register.Must(spec.HomogeneousDelta(k, 1, rat.Exact(e.Lower))),
		register.Must(spec.HomogeneousDelta(k, 1, rat.Exact(e.Upper)))
	t.Require(below.Cmp(rat.Exact(x.Upper)) <= 0 && above.Cmp(rat.Exact(x.Lower)) >= 0 &&
		x.RelWidth() <= narrow, "k = %d: δ_1 is between %.12g and %.12g as printed, [%.12g, %.12g] certified",
		k, below, above, x.Lower, x.Upper)
	return x
}

// certified writes an interval as its ends, rounded outward.
func certified(x interval.Interval) string {
	return fmt.Sprintf("δ between %s and %s", rounded(x.Lower, big.ToNegativeInf), rounded(x.Upper, big.ToPositiveInf))
}

// rounded writes a number with six digits, rounded in the given direction.
func rounded(x *big.Float, mode big.RoundingMode) string {
	nearest := x.Text('e', 5)
	_, exponent, _ := strings.Cut(nearest, "e")
	y, ulp := rat.Of(nearest), rat.Mul(rat.Of("1e"+exponent), rat.Of("1e-5"))
	switch side := y.Cmp(rat.Exact(x)); {
	case mode == big.ToNegativeInf && side > 0:
		y.Sub(y, ulp)
	case mode == big.ToPositiveInf && side < 0:
		y.Add(y, ulp)
	}
	return new(big.Float).SetPrec(200).SetRat(y).Text('e', 5)
}

// figures are Table 1, Figure 1 and Figure 2, computed again.
var figures = []register.Drawing{
	register.Draws("table1", curvesOfTable1), register.Draws("figure1", curvesOfNoise),
	register.Draws("figure2", curvesOfPercentile),
}

// printedTable1 and computedTable1 are the numbers of mechanisms at δ = 1e-5, 1e-6, …, 1e-12.
var (
	printedTable1   = []int{17, 20, 24, 27, 31, 35, 38, 42}
	correctedTable1 = []int{16, 19, 23, 26, 30, 34, 37, 41}
)

func curvesOfTable1(context.Context) (register.Curves, error) {
	curves := register.Labelled("printed", "computed")
	for j, i := range printedTable1 {
		delta := new(big.Rat).Inv(rat.Power(big.NewRat(10, 1), 5+j))
		k := leastMechanisms(loss.Nats(big.NewRat(1, 10)), delta)
		curves.Add(delta, interval.Of(float64(i), float64(i)), interval.Of(float64(k), float64(k)))
	}
	return curves, nil
}

// curvesOfNoise computes the expected noise on the released entries.
func curvesOfNoise(context.Context) (register.Curves, error) {
	s := settingOfFigure1()
	without := register.Must(impl.SparseReleaseNoiseDP(s))
	curves := register.Labelled("without ODP", "with ODP, Chebyshev bound", "with ODP, exactly")
	for large := range s.C + 1 {
		curves.Add(rat.Int(large), without, register.Must(impl.SparseReleaseNoiseBound(s, large, 1e-9)),
			register.Must(impl.SparseReleaseNoise(s, large, 1e-9)))
	}
	return curves, nil
}

// curvesOfPercentile draws the 95th percentile of the release test's noise, over 1000 to 5000 records of which 70 % are
// for training.
func curvesOfPercentile(context.Context) (curves register.Curves, err error) {
	for _, eps2 := range rat.List("0.1", "0.2", "0.5") {
		c := register.Curve{Label: "ε₂ = " + eps2.FloatString(1)}
		for n := 1000; n <= 5000; n += 250 {
			train := n * 7 / 10
			y := register.Must(
				impl.ReleaseTestPercentile(big.NewRat(19, 20), train, n-train, eps2, rat.One, impl.ErrorSensitivity))
			c.Points = append(c.Points, register.Point{X: rat.Int(n), Y: y})
		}
		curves = append(curves, c)
	}
	return curves, nil
}

// leastMechanisms returns the least number k ≥ 2 of ε-DP mechanisms whose composition, in the list of Theorem 3.3, has
// an ε below simple composition at a δ of at most limit: the least k ≥ 2 with δ_1 ≤ limit, where δ_1 falls as k grows.
//
// Source: Hartmann et al. (2022), Table 1; ODP-TB1.
// Symbols: δ_1 is [impl.HomogeneousDelta] with i = 1.
// Domain: ε > 0, limit > 0. The result is exact, as long as no δ_1 is within 2^-60 of limit.
func leastMechanisms(eps loss.Epsilon, limit *big.Rat) int {
	for k := 2; ; k++ {
		if rat.IsAtMost(register.Must(impl.HomogeneousDelta(k, 1, eps)), limit) {
			return k
		}
	}
}

// noisesAgree checks the curves of Figure 1 against quadratures over ρ, for a Δ of the noise that is larger by a
// factor.
func noisesAgree(t *register.T, factor float64) {
	t.Domain("quadratures for 7 large entries, and for 0 to 5 of 5 with Δ = 2, c = 2 and T = 4, and c = 1 and T = 20")
	all := figure1Curves()
	for _, large := range []int{7} {
		releaseNoise{t, settingOfFigure1(), large, factor}.agree(all.noise[large], all.bound[large], all.dp)
	}
	for i, threshold := range []string{"20", "4"} {
		small := impl.SparseReleaseSetting{
			Entries: 5, Large: rat.Of("3"), Small: rat.Of("-1/2"), Threshold: rat.Of(threshold), Delta: rat.Of("2"),
			C: 1 + i, Eps1: rat.Half, Eps2: rat.Of("3/2"), Eps3: rat.One,
		}
		for large := range small.Entries + 1 {
			noise := register.Must(impl.SparseReleaseNoise(small, large, 1e-9))
			bound := register.Must(impl.SparseReleaseNoiseBound(small, large, 1e-9))
			releaseNoise{t, small, large, factor}.agree(noise, bound, register.Must(impl.SparseReleaseNoiseDP(small)))
		}
	}
}

// releaseNoise is the noise on the released entries of a vector.
type releaseNoise struct {
	t      *register.T
	s      impl.SparseReleaseSetting
	large  int
	factor float64
}

// agree compares the expected noise, its bound, and the noise without ODP.
func (n releaseNoise) agree(noise, bound, dp interval.Interval) {
	n.t.Case()
	const trusted = 1e-8 // ρ beyond the reach has probability 2e-14 or less, of noise that is up to 1e5 times that
	for _, x := range []struct {
		what string
		got  interval.Interval
		want float64
	}{{"expected noise", noise, n.expected()}, {"bound", bound, n.chebyshev()},
		{"noise without ODP", dp, math.Sqrt2 * rat.Float64(n.s.Delta) * float64(n.s.C) / rat.Float64(n.s.Eps3)}} {
		n.t.Require(isAbout(x.got, n.factor*x.want, trusted), "%d of %d entries large: "+x.what+" in [%.12g, %.12g], "+
			"by quadrature %.12g", n.large, n.s.Entries, x.got.Lower, x.got.Upper, n.factor*x.want)
	}
}

// of returns the noise on each of k released entries.
func (n releaseNoise) of(k int) float64 {
	_, each, err := spec.SparseRelease(n.s.Eps2, n.s.Eps3, n.s.C, k)
	if each = register.Must(each, err); each == nil {
		return 0
	}
	return math.Sqrt2 * rat.Float64(n.s.Delta) / rat.Float64(each)
}

// above returns the probability that an entry is released, given ρ = z.
func (n releaseNoise) above(entry *big.Rat, z float64) float64 {
	return laplaceAtLeast(rat.Float64(n.s.Threshold)+z-rat.Float64(entry), n.noises().nu())
}

func (n releaseNoise) noises() noises {
	return noises{rat.Float64(n.s.Delta), n.s.C, rat.Float64(n.s.Eps1), rat.Float64(n.s.Eps2)}
}

// mean returns the expectation of f(ρ).
func (n releaseNoise) mean(f func(z float64) float64) float64 {
	rho := n.noises().rho()
	kinks := []float64{rat.Float64(rat.Sub(n.s.Large, n.s.Threshold)), rat.Float64(rat.Sub(n.s.Small, n.s.Threshold))}
	return quadrature(func(z float64) float64 { return f(z) * laplaceDensity(z, rho) }, kinks, math.Ceil(32*rho))
}

// expected returns the expected noise, with the number of ⊤ by convolution, entry by entry.
func (n releaseNoise) expected() float64 {
	c, noise := n.s.C, make([]float64, n.s.C+1)
	for k := range noise {
		noise[k] = n.of(k)
	}
	return n.mean(func(z float64) float64 {
		small, large := n.above(n.s.Small, z), n.above(n.s.Large, z)
		counts := make([]float64, c+1) // the last one is for c and more
		counts[0] = 1
		for i := range n.s.Entries {
			p := small
			if i < n.large {
				p = large
			}
			counts[c] += counts[c-1] * p
			for k := c - 1; k > 0; k-- {
				counts[k] = counts[k]*(1-p) + counts[k-1]*p
			}
			counts[0] *= 1 - p
		}
		sum := 0.0
		for k, pr := range counts {
			sum += noise[k] * pr
		}
		return sum
	})
}

// chebyshev returns the bound, with the mean and the variance of the number of small entries that are released.
func (n releaseNoise) chebyshev() float64 {
	moment := func(power float64) float64 {
		return n.mean(func(z float64) float64 { return math.Pow(n.above(n.s.Small, z), power) })
	}
	small := float64(n.s.Entries - n.large)
	mean := small * moment(1)
	variance := mean + small*(small-1)*moment(2) - mean*mean
	sum := n.of(min(n.large, n.s.C))
	for k := n.large + 1; k <= n.s.C; k++ {
		tail := 1.0
		if distance := float64(k-n.large) - mean; distance > 0 {
			tail = min(1, variance/(distance*distance))
		}
		sum += (n.of(k) - n.of(k-1)) * tail
	}
	return sum
}
