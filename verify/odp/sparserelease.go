package odp

import (
	"math/big"
	"sync"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

func sparseRelease() register.Checks {
	figure := figureClaim{below: rat.One, released: rat.Of("0.00172679"), ratio: 2}
	changed := func(change func(c *figureClaim)) register.Check {
		claim := figure
		change(&claim)
		return with(figure1, claim)
	}
	return register.Checks{
		"ODP-X12": checked(all(with(sparseReleases, spec.SparseRelease, 1), with(releaseRuns, releaseWords{})),
			near("ε_3' > ε_3 with ε_2 = 0 too", with(sparseReleases, spec.SparseRelease, 0)),
			near("with ε_3' = ε_3 + ((c − c')/c)·ε_2 + 10^-6", with(sparseReleases, moreLeft("1e-6"), 1)),
			near("with ε_3' = ε_3 + ((c − c')/c)·ε_2 − 10^-6", with(sparseReleases, moreLeft("-1e-6"), 1)),
			near("with the noise on the values for ε_3'/c each", with(releaseRuns, releaseWords{shareOfC: true})),
			near("with a millionth more noise on the values", with(releaseRuns, releaseWords{noise: 1e-6})),
			near("it ends with the first ⊥", with(releaseRuns, releaseWords{first: true}))),
		"ODP-F1": checked(all(with(noisesAgree, 1), with(figure1, figure)),
			control("ε_1/ε_2 = c^(−2/3)", changed(func(c *figureClaim) { c.ratio = 1 })),
			near("there is at most 0.91 of the noise", changed(func(c *figureClaim) { c.below = rat.Of("0.91") })),
			near("a small entry is released with probability 0.00172670",
				changed(func(c *figureClaim) { c.released = rat.Of("0.00172670") })),
			near("the noise is that for a Δ larger by a millionth", with(noisesAgree, 1.000001))),
	}
}

// releaser is the type of spec.SparseRelease.
type releaser = func(eps2, eps3 *big.Rat, c, released int) (left, each *big.Rat, err error)

// moreLeft is a wrong budget: what is left for the values is said to be more by this.
func moreLeft(by string) releaser {
	return func(eps2, eps3 *big.Rat, c, released int) (left, each *big.Rat, err error) {
		return spec.SparseRelease(eps2, rat.Add(eps3, rat.Of(by)), c, released)
	}
}

// releaseDP is the budget without ODP: ε_3, of which each entry gets a share of c.
func releaseDP(_, eps3 *big.Rat, c, released int) (left, each *big.Rat, err error) {
	return eps3, rat.Quo(eps3, rat.Int(c)), nil
}

// sparseReleases checks that the whole release is ε_t-DP, and what is left for the values, for ε_2 ≥ least/4.
func sparseReleases(t *register.T, release releaser, least int64) {
	lists, n, m := t.Size(2, 3), t.Size(6, 25), int64(t.Size(4, 10))
	t.AlsoDomain("privacy: Δ = 1, c ≤ 2, (ε_1, ε_2) in %s, ε_3 = 1/2; T = 1, f(x) of up to %d entries in {−2, 0, 1} "+
		"that change by up to 1; T = 8, f_i(x) from 4 to 13, up to 64 times ⊥; either database first, all outputs "+
		"and all values. What is left: c ≤ %d, all c', ε_1, ε_2 and ε_3 multiples of 1/4 up to %d/4, ε_2 ≥ %d/4",
		showSplits(len(splits)), lists, n, m, least)
	for _, split := range splits {
		for c := 1; c <= 2; c++ {
			s := sparseReleaser{newTechnique(t, rat.One, c, split), rat.Half}
			s.isPrivate(release, lists)
			s.isPrivate(releaseDP, lists)
		}
	}
	sparseReleaseLeaves(t, release, least, n, m)
}

// sparseReleaser releases the entries of a vector f(x) that the sparse vector technique
// finds with the queries |f_i(x)|.
type sparseReleaser struct {
	technique
	eps3 *big.Rat
}

// isPrivate checks that the release is ε_t-DP.
func (s sparseReleaser) isPrivate(release releaser, lists int) {
	try := func(f neighbours) { s.tryVector(release, f) }
	for l := range lists {
		smallRuns(l+1, func(pair neighbours) { try(pair.over(new(big.Rat), rat.One)) })
	}
	for released := range s.law.Cutoff + 1 {
		for _, pair := range extremeRuns(released) {
			eight := rat.Of("8")
			eitherFirst(pair.over(eight, eight), try)
		}
	}
}

// over returns the runs with answers that are larger, and another threshold.
func (p neighbours) over(more, threshold *big.Rat) neighbours {
	return p.changed(func(x *big.Rat) *big.Rat { return rat.Add(x, more) },
		func(*big.Rat) *big.Rat { return threshold })
}

// tryVector checks one pattern of ⊤ and ⊥ with all values, for the entries f(x) and f(x').
//
// Given the pattern, a value y has the density of f_i(x) + Lap(1/ε) at y. Its loss
// ε·(|y − f_i(x')| − |y − f_i(x)|) is linear in y between f_i(x) and f_i(x'), and constant
// elsewhere: it is largest at one of the two, where it is ε·|f_i(x) − f_i(x')|.
func (s sparseReleaser) tryVector(release releaser, f neighbours) {
	released := f.released()
	if released > s.law.Cutoff {
		return // no output of the technique
	}
	_, each, err := release(s.eps2, s.eps3, s.law.Cutoff, released)
	s.t.Must(err)
	values := new(big.Rat)
	for i := range f[0] {
		if f[0][i].Above {
			values.Add(values, rat.Mul(each, distance(f[0][i].Query, f[1][i].Query)))
		}
	}
	same := func(x *big.Rat) *big.Rat { return x }
	pattern := f.changed(func(x *big.Rat) *big.Rat { return new(big.Rat).Abs(x) }, same)
	total := rat.Sum(s.eps1, s.eps2, s.eps3)
	s.t.At("c = %d, ε_1 = %s, ε_2 = %s, ε_3 = %s, f(x) and f(x'): %v", s.law.Cutoff, s.eps1, s.eps2, s.eps3, f)
	s.t.Close(ninePlaces((s.loss(pattern)+rat.Float64(values))/rat.Float64(total)), "")
	if s.exceeds(pattern, rat.Sub(total, values)) {
		s.t.Refute("pattern: %s; with the losses of the values, %s together, that is > ε_t = %s",
			s.evidence(pattern), values, total)
	}
}

// sparseReleaseLeaves checks what is left for the values, by impl too: exactly the rest of ε_t, shared among them, more
// than ε_3 if c' < c, and then more for each than without ODP.
func sparseReleaseLeaves(t *register.T, release releaser, least int64, n int, m int64) {
	for c := 1; c <= n; c++ {
		for released := range c + 1 {
			for code := range m * m * m {
				eps1, eps2, eps3 := big.NewRat(1+code%m, 4), big.NewRat(least+code/m%m, 4), big.NewRat(1+code/m/m, 4)
				t.At("ε_1 = %s, ε_2 = %s, ε_3 = %s, c = %d, c' = %d", eps1, eps2, eps3, c, released)
				rest := rat.Sub(rat.Sum(eps1, eps2, eps3), chargePrinted(eps1, eps2, c, released))
				for _, of := range []releaser{release, impl.SparseRelease} {
					left, each, err := of(eps2, eps3, c, released)
					t.Must(err)
					isShared := released == 0 && each == nil ||
						each != nil && rat.Equal(rat.Mul(each, rat.Int(released)), left)
					gains := left.Cmp(eps3) > 0 && (each == nil || each.Cmp(rat.Quo(eps3, rat.Int(c))) > 0)
					t.Require(rat.Equal(left, rest) && isShared && (released == c || gains),
						"ε_3' = %s, %v for each, of %s", left, each, rest)
				}
			}
		}
	}
}

// curves are those of Figure 1, by the number of large entries.
type curves struct {
	noise, bound map[int]interval.Interval
	dp           interval.Interval
	released     interval.Interval // probability that one small entry is
}

// figure1Large are the numbers of large entries that are gone through.
var figure1Large = []int{0, 7, 19, 20}

// figure1Curves computes them once: all claims are about the same numbers.
var figure1Curves = sync.OnceValue(func() curves {
	all := curves{noise: map[int]interval.Interval{}, bound: map[int]interval.Interval{}}
	s := settingOfFigure1()
	for _, large := range figure1Large {
		all.noise[large] = register.Must(impl.SparseReleaseNoise(s, large, 1e-9))
		all.bound[large] = register.Must(impl.SparseReleaseNoiseBound(s, large, 1e-9))
	}
	all.dp = register.Must(impl.SparseReleaseNoiseDP(s))
	law := register.Must(impl.NewSparseVectorLaw(s.Delta, s.C, s.Eps1, s.Eps2))
	small := impl.Comparison{Query: s.Small, Threshold: s.Threshold, Above: true}
	all.released = register.Must(law.Probability([]impl.Comparison{small}, 1e-12))
	return all
})

// figureClaim is what is claimed of Figure 1.
type figureClaim struct {
	below    *big.Rat // the noise with ODP is below this times the one without
	released *big.Rat // rounded to eight digits after the point, the probability that a small entry is released
	ratio    int64    // ε_1/ε_2 is (this times c)^(−2/3)
}

// figure1 checks a claim. The curves are certified, so comparisons are between ends.
func figure1(t *register.T, claim figureClaim) {
	s, all := settingOfFigure1(), figure1Curves()
	t.AlsoDomain("dimension %d, entries %s or %s, T = %s, c = %d, ε_1 = %.7g, ε_2 = %.7g, ε_3 = %s, Δ = %s, %v "+
		"large entries", s.Entries, s.Small, s.Large, s.Threshold, s.C, s.Eps1, s.Eps2, s.Eps3, s.Delta, figure1Large)
	claim.parameters(t)
	var fewer [2]*big.Float
	for i, large := range figure1Large {
		t.At("%d large entries", large)
		random, bound, isFew := all.noise[large], all.bound[large], large < s.C
		limit := new(big.Float).Mul(all.dp.Lower, new(big.Float).SetPrec(200).SetRat(claim.below))
		t.Require(!isFew || random.Upper.Cmp(limit) < 0, "noise with ODP %.10g, limit %.10g, without ODP %.10g",
			random.Upper, limit, all.dp.Lower)
		t.Require(random.Lower.Cmp(bound.Upper) <= 0, "expectation %.10g, bound %.10g", random.Lower, bound.Upper)
		t.Require(bound.Lower.Cmp(all.dp.Upper) <= 0 && (!isFew || bound.Upper.Cmp(all.dp.Lower) < 0),
			"bound %.10g, noise without ODP %.10g", bound.Lower, all.dp.Upper)
		t.Require(i == 0 || random.Lower.Cmp(fewer[0]) > 0 && bound.Lower.Cmp(fewer[1]) > 0,
			"noise %.10g, bound %.10g, no more than with fewer", random.Lower, bound.Lower)
		if fewer = [2]*big.Float{random.Upper, bound.Upper}; isFew {
			t.Close(floatEnd(random.Upper)/floatEnd(all.dp.Lower), "")
		}
	}
	rounding := big.NewRat(5, 1e9)
	t.Overall()
	t.Require(rat.IsAbove(all.released, rat.Sub(claim.released, rounding)) &&
		rat.IsAtMost(all.released, rat.Add(claim.released, rounding)),
		"a small entry is released with probability %.12g, claimed %.8g", all.released.Lower, claim.released)
}

// parameters checks the budget and its split: ε_1/ε_2 = 1/y with y³ = (ratio·c)², to 10^-6.
func (claim figureClaim) parameters(t *register.T) {
	s := settingOfFigure1()
	most := rat.Of("1e-6")
	t.Require(rat.Equal(rat.Add(s.Eps1, s.Eps2), rat.Half) && rat.Equal(s.Eps3, rat.Half),
		"ε_1 = %s, ε_2 = %s, ε_3 = %s: ε_1 + ε_2 and ε_3 must be 1/2", s.Eps1, s.Eps2, s.Eps3)
	ratio, square := rat.Quo(s.Eps1, s.Eps2), rat.Power(big.NewRat(claim.ratio*int64(s.C), 1), 2)
	low, high := rat.Mul(rat.Power(rat.Sub(ratio, most), 3), square),
		rat.Mul(rat.Power(rat.Add(ratio, most), 3), square)
	if low.Cmp(rat.One) > 0 || high.Cmp(rat.One) < 0 {
		t.Refute("c = %d, ε_1 = %s, ε_2 = %s: ε_1/ε_2 = %s, rounded, is not (%d·c)^(−2/3) to 10^-6", s.C,
			s.Eps1.FloatString(7), s.Eps2.FloatString(7), ratio.FloatString(9), claim.ratio)
	}
}

// settingOfFigure1 returns the setting of Figure 1: a vector of 100 entries 0 or 1000, T = 500,
// c = 20, ε_t = 1, of which one half goes to the values and the other is split in the
// ratio ε_1/ε_2 = 1/(2c)^(2/3), to seven decimals.
//
// Source: Hartmann et al. (2022), Figure 1; ODP-F1.
func settingOfFigure1() impl.SparseReleaseSetting {
	return impl.SparseReleaseSetting{
		Entries: 100, Large: big.NewRat(1000, 1), Small: new(big.Rat),
		Threshold: big.NewRat(500, 1), Delta: big.NewRat(1, 1), C: 20,
		Eps1: rat.Of("0.0393823"), Eps2: rat.Of("0.4606177"), Eps3: rat.Half,
	}
}
