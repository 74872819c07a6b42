package basics

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/certify"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// gaussian are the statements of Section 3.5.3, and its remarks.
func gaussian() register.Checks {
	claim := gaussianClaim{most: rat.One}
	variance, wider := claim, claim
	variance.isVariance, wider.most = true, rat.Of("41/10")
	asLaplace, isGaussian := with(sameLoss, scaleTimes(1), weakAndMany), sumIsGaussian(1)
	huge := []int64{100_000_000, 1_000_000_000_000_000_000}
	return register.Checks{
		"AFD-U9": checked(with(gaussianTwins, 1), near("with variance 1.05·b", with(gaussianTwins, 1.05))),
		"AFD-T3.22": checked(all(with(gaussianDeltas, 1), with(gaussianBoxes, claim)),
			alsoFails(register.Slip, "σ is the mechanism's parameter, its variance", with(gaussianBoxes, variance)),
			near("it holds for ε up to 41/10", with(gaussianBoxes, wider)),
			near("the smallest δ has 1.001·ε for ε", with(gaussianDeltas, 1.001))),
		"AFD-X15": checked(all(isGaussian, normalTails, composesNoise, with(sameLoss, byTheorem22, weakAndMany)),
			alsoFails("", "for the same variance", with(sameLoss, scaleTimes(math.Sqrt2), weakAndMany)),
			alsoHolds("the sum of two Gaussians is a Gaussian", isGaussian),
			near("the sum has 1.001 times the variance", sumIsGaussian(1.001)),
			near("within 1 part in 20, for a standard deviation of 11/10 of the scale",
				with(sameLoss, scaleTimes(1.1), weakAndMany)),
			near("within 1 part in 20, for a standard deviation that is the scale of the Laplace noise, "+
				"for k = 30, ε = 1/20, δ = 1e-6", with(sameLoss, scaleTimes(1), "k in {30}, ε in {1/20}, δ in {1e-6}")),
			near("the same for k = 1, ε = 1, δ = 1e-6", with(sameLoss, scaleTimes(1),
				"k in {1}, ε in {1}, δ in {1e-6}")),
			corrected("within 1 part in 20, for a standard deviation that is the scale of the Laplace noise, "+
				"k of at least 100, ε in [1/1000, 1/20] and δ in [1e-6, 1/1000]", all(isGaussian, asLaplace))),
		"AFD-X16": checked(
			all(with(maximumLoses, huge), maximumKeeps(rat.One, huge)),
			near("for a million candidates each, 10^4/δ and 10^3/δ", with(maximumLoses, []int64{500_000, 500_000})),
			near("with Laplace noise it is (0.999·ε, 0)-DP", maximumKeeps("0.999", []int64(nil)))),
	}
}

// gaussianTwins checks that both rooms add draws times the standard deviation, with so many times the variance.
func gaussianTwins(t *register.T, factor float64) {
	t.Domain("500 tapes, up to 4 coordinates, b in {1/4, 2, 9}")
	t.Random(3, 500, func(t *register.T, d register.Dice) {
		b := oneOf(d, 0.25, 2, 9)
		value, draws, want := drawnValues(d, math.Sqrt(factor*b))
		t.At("f(x) = %v, b = %g, draws %v", value, b, draws)
		noise := tapes(draws)
		literal := register.Must(spec.GaussianMechanism(value, b, noise[0]))
		areSame(t, literal, register.Must(impl.GaussianMechanism(value, b, noise[1])), want, slices.Equal)
	})
}

// gaussianDeltas compares the smallest δ with what a partition of the line into cells needs: Σ max(0, P − e^ε·Q) over
// the cells is at most that, and less by no more than the P of the largest cell, where P − e^ε·Q changes its sign.
func gaussianDeltas(t *register.T, factor float64) {
	tail := func(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }
	finite.Each(t, "the smallest δ against 6000 cells: (σ, Δ) in {(1/2, 1), (3, 2) | (1, 1), (4, 1)}, "+
		"ε in {0, 1/10, 3 | 1}",
		func(sigma, sensitivity, eps *big.Rat) {
			s, far, e := rat.Float64(sigma), rat.Float64(sensitivity), rat.Float64(eps)*factor
			least, widest := 0.0, 0.0
			for i := -3000; i < 3000; i++ {
				a, b := float64(i)*s/100, float64(i+1)*s/100
				p := tail((a-far)/s) - tail((b-far)/s)
				least += max(0, p-math.Exp(e)*(tail(a/s)-tail(b/s)))
				widest = max(widest, p*s/100) // to the second order
			}
			exact := impl.GaussianDelta(sensitivity, precise.Rat(sigma), eps)
			isAbout(t, "the smallest δ", exact, spec.GaussianDelta(far, s, rat.Float64(eps)))
			delta := exact.Float()
			t.Require(delta.Hi >= least-1e-12 && delta.Lo <= least+widest/10*(1+math.Exp(e))+1e-12,
				"δ is %.12g, by cells at least %.12g", delta.Hi, least)
		})
}

// gaussianClaim is a variant of AFD-T3.22: up to which ε, and whether σ is the variance.
type gaussianClaim struct {
	most       *big.Rat
	isVariance bool
}

// needs returns the smallest δ for ε, with the σ of others.
func (c gaussianClaim) needs(t *register.T, eps, of, delta *big.Rat) interval.Interval {
	sigma := gaussianScale(t, of, delta)
	if c.isVariance {
		sigma = precise.Sqrt(sigma)
	}
	return impl.GaussianDelta(rat.One, sigma, eps)
}

// gaussianScale returns the σ of the theorem.
func gaussianScale(t *register.T, eps, delta *big.Rat) interval.Interval {
	sigma := impl.GaussianScale(rat.One, eps, delta)
	isAbout(t, "σ", sigma, spec.GaussianScale(1, rat.Float64(eps), rat.Float64(delta)))
	isAbout(t, "3σ", precise.Mul(precise.Int(3), sigma), spec.GaussianScale(3, rat.Float64(eps), rat.Float64(delta)))
	return sigma
}

// box are ε and δ from … to ….
type box struct{ eps0, eps1, delta0, delta1 *big.Rat }

// boxes cover all ε up to most, and all δ from 1/8 to 1.
func boxes(most *big.Rat) (all []box) {
	for delta, i := rat.One, 0; i < 6; i++ {
		smaller := rat.Mul(delta, rat.Of("181/256")) // about 2^(−1/2)
		for eps := most; eps.Sign() > 0; {
			less := rat.Mul(eps, rat.Of("9/10"))
			if less.Cmp(rat.Mul(smaller, rat.Half)) <= 0 {
				less = new(big.Rat)
			}
			all = append(all, box{less, eps, smaller, delta})
			eps = less
		}
		delta = smaller
	}
	return all
}

// gaussianBoxes checks a claim at the corners of boxes of (ε, δ), and then for all of each box.
func gaussianBoxes(t *register.T, c gaussianClaim) {
	t.AlsoDomain("all ε up to %s and all δ from 1/8 to 1, in boxes; the largest ε with δ in {1/1000, 1e-6, 1e-12}",
		c.most)
	corners := boxes(c.most)
	for _, delta := range rat.List("1/1000", "1e-6", "1e-12") {
		corners = append(corners, box{eps1: c.most, delta1: delta})
	}
	for _, b := range corners {
		t.At("ε = %.6g, δ = %.6g", b.eps1, b.delta1)
		delta := c.needs(t, b.eps1, b.eps1, b.delta1)
		t.Require(!rat.IsAbove(delta, b.delta1), "at least %.9g is needed", delta.Lower)
	}
	for _, b := range boxes(c.most) {
		t.In("ε from %.6g to %.6g, δ from %.6g to %.6g", b.eps0, b.eps1, b.delta0, b.delta1)
		delta := c.needs(t, b.eps0, b.eps1, b.delta1)
		if !rat.IsAtMost(delta, b.delta0) {
			t.Inconclusive("ε up to %s, δ from %s: at most %.9g is needed", b.eps1, b.delta0, delta.Upper)
		}
		t.Close(delta.Float().Hi/rat.Float64(b.delta0), "")
	}
}

// sumIsGaussian checks the tail of a sum of two Gaussians by quadrature.
var sumIsGaussian = on("Pr(N_1 + σN_2 ≥ x) for σ in {1/2, 3}, x in {0, 1, 4}, by quadrature",
	func(t *register.T, factor float64, sigma, x float64) {
		sum := 0.0
		const h = 1.0 / 64 // the trapezoid rule is exact for such functions but for e^(−2π²/h²)
		for i := -640; i <= 640; i++ {
			z := float64(i) * h
			sum += h * math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) * math.Erfc((x-z)/(sigma*math.Sqrt2)) / 2
		}
		at := x / math.Sqrt(factor*(1+sigma*sigma))
		tail := precise.NormalTail(interval.Of(at, at)).Float()
		t.Require(math.Abs(tail.Hi-sum) <= 1e-12, "by quadrature %.15g, a Gaussian has %.15g", sum, tail.Hi)
	})

// deviation returns a standard deviation to compare with Laplace noise for ε, k times.
type deviation func(t *register.T, k int, eps, delta *big.Rat) interval.Interval

func scaleTimes(factor float64) deviation {
	return func(_ *register.T, _ int, eps, _ *big.Rat) interval.Interval {
		return precise.Rat(rat.Quo(new(big.Rat).SetFloat64(factor), eps))
	}
}

func byTheorem22(t *register.T, k int, eps, delta *big.Rat) interval.Interval {
	return gaussianScale(t, eps, rat.Quo(delta, rat.Int(2*k)))
}

// weakAndMany is where Laplace and Gaussian noise come to the same.
const weakAndMany = "k in {100, 1000 | 10000}, ε in {1/20, 1/1000 | 1/100}, δ in {1e-6 | 1/1000}"

// sameLoss checks that k Laplace and k Gaussian mechanisms need the same ε, within 1 part in 20. The k Gaussian
// mechanisms are one with σ/√k. Those with Laplace noise are no worse than randomized responses with ε, and no better
// than those that say on which side of the middle a number is: of these, e^ε′ is 2e^(ε/2) − 1.
func sameLoss(t *register.T, of deviation, places string) {
	finite.Each(t, places, func(k int, eps, delta *big.Rat) {
		half := precise.ExpRat(rat.Mul(rat.Half, eps))
		side := rat.Exact(precise.LogOf(precise.Sub(precise.Add(half, half), precise.Int(1))).Lower)
		needs := func(each *big.Rat) interval.Float { return optimal(t, each, new(big.Rat), k, delta, 1e-4).Float() }
		least, most := needs(side).Lo, needs(eps).Hi
		gauss := gaussianNeeds(precise.Quo(of(t, k, eps, delta), precise.Sqrt(precise.Int(int64(k)))), delta)
		t.Require(gauss.Hi*1.05 > least && gauss.Lo <= most*1.05,
			"with Laplace noise between %.6g and %.6g is needed, with Gaussian noise between %.6g and %.6g",
			least, most, gauss.Lo, gauss.Hi)
	})
}

// normalTails checks tails by float64, and that they are as narrow as their precision, and the same in two of these.
func normalTails(t *register.T) {
	finite.Each(t, "Pr(N ≥ x) for x in {-5, -1/2, 0, 1/3, 2, 9/4, 5, 37, 1000}", func(x *big.Rat) {
		const few, many = interval.Precision(64), interval.Precision(160)
		coarse, fine, f := few.NormalTail(few.Rat(x)), many.NormalTail(many.Rat(x)), rat.Float64(x)
		want := math.Log(math.Erfc(f/math.Sqrt2) / 2)
		if f > 37 {
			want = -f*f/2 - math.Log(f*math.Sqrt(2*math.Pi)) - 1/(f*f)
		}
		off := math.Abs(many.LogOf(fine).Float().Lo-want) / max(1, math.Abs(want))
		t.Require(off <= 1e-12 && coarse.RelWidth() <= 0x1p-61 && fine.RelWidth() <= 0x1p-155 && rat.Meet(coarse, fine),
			"the tail is in [%.20g, %.20g], by float64 e^%.15g", fine.Lower, fine.Upper, want)
	})
	far := interval.Precision(64).NormalTail(interval.Of(1e4, 1e4)) // 2^(−7.2·10^7)
	t.Require(far.Lower.Sign() == 0 && far.Upper.MantExp(nil) > -72_000_000 && far.Upper.MantExp(nil) < -48_000_000,
		"Pr(N ≥ 10^4) is at most 2^%d", far.Upper.MantExp(nil))
}

// composesNoise checks optimal composition of two noises: by the Gaussian that the sum of two Gaussians is, and, where
// records seldom take part, that no ε is needed just where δ is how often they do.
func composesNoise(t *register.T) {
	t.AlsoDomain("optimal composition of two Gaussians of σ = 4, and of two of σ = 1/10 with 1/20 of the records")
	compose := func(scale, sampling, delta string) interval.Interval {
		t.At("two Gaussians of σ = %s with %s of the records, δ = %s", scale, sampling, delta)
		a := &certify.Additive{Noise: certify.Gaussian, Scale: rat.Of(scale), Sampling: rat.Of(sampling)}
		return register.Must(impl.OptComp(t.Context(), []impl.Mechanism{{Additive: a, Count: 2}}, rat.Of(delta),
			impl.Options{RelWidth: 1e-3})).Eps
	}
	for _, delta := range []string{"1/1000", "1/10"} {
		got, want := compose("4", "1", delta), gaussianNeeds(precise.Sqrt(precise.Int(8)), rat.Of(delta))
		t.Require(got.Float().Lo <= want.Hi && want.Lo <= got.Float().Hi && got.RelWidth() <= 1e-3,
			"ε is in [%.9g, %.9g], of one Gaussian in [%.9g, %.9g]", got.Lower, got.Upper, want.Lo, want.Hi)
	}
	none, some := compose("1/10", "1/20", "1/10"), compose("1/10", "1/20", "3/50")
	t.Require(none.IsZero() && some.Lower.Sign() > 0, "ε is at most %.9g, and for less δ at least %.9g", none.Upper,
		some.Lower)
}

// optimal returns the smallest ε′ of k mechanisms, to a relative width.
func optimal(t *register.T, eps, delta *big.Rat, k int, delta1 *big.Rat, width float64) interval.Interval {
	m := impl.Mechanism{Eps: loss.Nats(eps), Delta: delta, Count: k}
	c := register.Must(impl.OptComp(t.Context(), []impl.Mechanism{m}, delta1, impl.Options{RelWidth: width}))
	return c.Eps
}

// gaussianNeeds returns the smallest ε for δ of Gaussian noise with the standard deviation sigma, by halving: to a part
// in 10^7, or as closely as δ is known.
func gaussianNeeds(sigma interval.Interval, delta *big.Rat) interval.Float {
	at := func(eps float64) interval.Interval {
		return impl.GaussianDelta(rat.One, sigma, new(big.Rat).SetFloat64(eps))
	}
	low, high := 0.0, 1.0
	if rat.IsAtMost(at(low), delta) {
		return interval.Point(0)
	}
	for !rat.IsAtMost(at(high), delta) {
		high *= 2
	}
	for high-low > 1e-7*high {
		middle := (low + high) / 2
		switch d := at(middle); {
		case rat.IsAtMost(d, delta):
			high = middle
		case rat.IsAbove(d, delta):
			low = middle
		default:
			return interval.Float{Lo: low, Hi: high}
		}
	}
	return interval.Float{Lo: low, Hi: high}
}

// throughCells bounds Σ (F(b)^m − F(a)^m)·G, with cells from a to b between cuts: of F(cut)^m and of G(a, b). It
// returns the last F(cut)^m too.
func throughCells(cuts []*big.Rat, first interval.Interval, below func(x *big.Rat) interval.Interval,
	others func(a, b *big.Rat) interval.Interval) (sum, last interval.Interval) {
	sum, last = precise.Int(0), first
	for i, cut := range cuts[1:] {
		next := below(cut)
		sum = precise.Add(sum, precise.Mul(precise.Max0(precise.Sub(next, last)), others(cuts[i], cut)))
		last = next
	}
	return sum, last
}

// maximumLoses checks, for 2m candidates, that 1/2 − e^ε·Pr(no raised one wins) is above δ. With cells from a to b of
// the largest score of those that are not raised, up to 4, in steps of 1/16, and above 10, the probability is at most Σ
// (Φ(b)^m − Φ(a)^m)·Φ(b − 1/σ)^m.
func maximumLoses(t *register.T, counts []int64) {
	i := 0
	finite.Each(t, fmt.Sprintf("(ε, δ) in {(1, 1/100), (1/2, 1/1000)}, for twice %d candidates", counts),
		func(eps, delta *big.Rat) {
			m, sigma := counts[i], gaussianScale(t, eps, delta)
			i++
			below := func(x interval.Interval) interval.Interval { // Φ(x)^m
				return powerOf(complement(precise.NormalTail(x)), m)
			}
			sum, last := throughCells(multiples(big.NewRat(1, 16), 4*16-1, 10*16), precise.Int(0),
				func(x *big.Rat) interval.Interval { return below(precise.Rat(x)) },
				func(_, b *big.Rat) interval.Interval {
					return below(precise.Sub(precise.Rat(b), precise.Quo(precise.Int(1), sigma)))
				})
			sum = precise.Add(sum, complement(last))
			least := precise.Sub(precise.Rat(rat.Half), precise.Mul(precise.ExpRat(eps), sum))
			t.Require(rat.IsAbove(least, delta), "twice %d candidates: δ of at least %.6g is needed by this event",
				m, least.Lower)
		})
}

// powerOf returns x^m: an int need not hold so large an m.
func powerOf(x interval.Interval, m int64) interval.Interval {
	const part = 1_000_000_000
	for ; m > part && m%part == 0; m /= part {
		x = precise.Power(x, part)
	}
	return precise.Power(x, int(m))
}

// maximumKeeps checks, with Laplace noise, all losses for up to 200 candidates, and for twice each of the counts that
// no raised one wins with at least e^(−share·ε)/2: with cells from a to b of the largest of those that are not raised,
// of 1/(8ε) about ln(m)/ε, it is at least Σ (F(b)^m − F(a)^m)·F(a − 1)^m.
var maximumKeeps = on("Laplace noise, ε in {1/2, 4 | 1}: 2, 20 and 200 candidates, of which half, or all but one, "+
	"are raised; and as many as before, of which half are",
	func(t *register.T, share *big.Rat, counts []int64, at string, eps *big.Rat) {
		b := noisyMaxScale(eps)
		for _, n := range []int{2, 20, 200} {
			for _, stay := range []int{1, n / 2} {
				t.At("%s, %d candidates, all but %d raised", at, n, stay)
				first := noisyMaxLaw(zeros(n), b, 1e-10)
				second := noisyMaxLaw(append(zeros(stay), rats(slices.Repeat([]int{1}, n-stay)...)...), b, 1e-10)
				for _, i := range []int{0, n - 1} { // equal scores are equally likely
					t.In("output %d", i+1)
					losesAtMost(t, lossOf(first[i], second[i]).Abs(), rat.Mul(share, eps))
				}
			}
		}
		for _, m := range counts {
			t.At("%s, twice %d candidates", at, m)
			least, bound := noRaisedWins(b, m), precise.Half(precise.ExpRat(minus(rat.Mul(share, eps))))
			t.Require(least.Lower.Cmp(bound.Upper) >= 0, "none that is raised wins with at least %.9g, claimed %.9g",
				least.Lower, bound.Upper)
		}
	})

// noRaisedWins returns a bound from below of the probability that one of m candidates wins that are 1 below m others.
func noRaisedWins(b *big.Rat, m int64) interval.Interval {
	const steps = 8
	middle := int(math.Log(float64(m)))
	cuts := multiples(rat.Quo(b, rat.Int(steps)), steps*(middle-5), steps*(middle+20))
	allBelow := func(x *big.Rat) interval.Interval { // F(x)^m
		return powerOf(cellsOf(new(big.Rat), b, x)[0], m)
	}
	sum, _ := throughCells(cuts, allBelow(cuts[0]), allBelow, func(a, _ *big.Rat) interval.Interval {
		return allBelow(rat.Sub(a, rat.One))
	})
	return sum
}
