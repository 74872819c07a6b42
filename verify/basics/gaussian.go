package basics

import (
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// gaussian are the statements of Section 3.5.3.
func gaussian() register.Checks {
	claim := gaussianClaim{most: rat.One}
	variance, wider := claim, claim
	variance.isVariance, wider.most = true, rat.Of("41/10")
	return register.Checks{
		"AFD-U9": register.Checked(register.With(gaussianTwins, 1),
			register.NearMiss("with variance 1.05·b", register.With(gaussianTwins, 1.05))),
		"AFD-T3.22": register.Checked(register.All(register.With(gaussianDeltas, 1), register.With(gaussianBoxes, claim)),
			register.AlsoFails(register.Slip, "σ is the mechanism's parameter, its variance",
				register.With(gaussianBoxes, variance)),
			register.NearMiss("it holds for ε up to 41/10", register.With(gaussianBoxes, wider)),
			register.NearMiss("the smallest δ has 1.001·ε for ε", register.With(gaussianDeltas, 1.001)),
		),
	}
}

// gaussianTwins checks that both rooms add draws times the standard deviation, with so many times the variance.
func gaussianTwins(t *register.T, factor float64) {
	t.Domain("500 tapes, up to 4 coordinates, b in {1/4, 2, 9}")
	t.Random(3, 500, func(t *register.T, d register.Dice) {
		b := []float64{0.25, 2, 9}[d.Roll(3)]
		value, draws, want := drawnValues(d, math.Sqrt(factor*b))
		t.At("f(x) = %v, b = %g, draws %v", value, b, draws)
		literal := register.Must(spec.GaussianMechanism(value, b, &finite.Tape{Draws: draws}))
		fast := register.Must(impl.GaussianMechanism(value, b, &finite.Tape{Draws: draws}))
		isNoisy(t, literal, fast, want)
	})
}

// gaussianDeltas compares the smallest δ with what a partition of the line into cells needs: Σ max(0, P − e^ε·Q) over
// the cells is at most that, and less by no more than the P of the largest cell, where P − e^ε·Q changes its sign.
func gaussianDeltas(t *register.T, factor float64) {
	t.Domain("the smallest δ against 6000 cells: (σ, Δ) in {(1/2, 1), (1, 1), (4, 1), (3, 2)}, ε in {0, 1/10, 1, 3}")
	tail := func(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }
	finite.Each2([][]*big.Rat{rat.List("1/2", "1"), rat.List("1", "1"), rat.List("4", "1"), rat.List("3", "2")},
		rat.List("0", "1/10", "1", "3"), func(x []*big.Rat, eps *big.Rat) {
			t.Case()
			sigma, sensitivity := x[0], x[1]
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
				"σ = %s, Δ = %s, ε = %s: δ is %.12g, by cells at least %.12g", sigma, sensitivity, eps, delta.Hi, least)
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
	t.AlsoDomain("all ε up to %s and all δ from 1/8 to 1, in boxes; the largest ε with δ in {1/1000, 1e-6, 1e-12}", c.most)
	corners := boxes(c.most)
	for _, delta := range rat.List("1/1000", "1e-6", "1e-12") {
		corners = append(corners, box{eps1: c.most, delta1: delta})
	}
	for _, b := range corners {
		t.Case()
		delta := c.needs(t, b.eps1, b.eps1, b.delta1)
		t.Require(!rat.IsAbove(delta, b.delta1), "ε = %.6g, δ = %.6g: at least %.9g is needed", b.eps1, b.delta1, delta.Lower)
	}
	for _, b := range boxes(c.most) {
		delta := c.needs(t, b.eps0, b.eps1, b.delta1)
		if !rat.IsAtMost(delta, b.delta0) {
			t.Undecided("ε from %.6g to %.6g, δ from %.6g: at most %.9g is needed", rat.Float64(b.eps0), rat.Float64(b.eps1),
				rat.Float64(b.delta0), delta.Upper)
		}
		t.Close(delta.Float().Hi/rat.Float64(b.delta0), "ε up to %.4g, δ up to %.4g", b.eps1, b.delta1)
	}
}

// laplaceOrGauss are the remarks of Section 3.5.3.
func laplaceOrGauss() register.Checks {
	of := func(k, eps, delta string) compared { return compared{rat.List(k), rat.List(eps), rat.List(delta)} }
	return register.Checks{
		"AFD-X15": register.Checked(
			register.All(register.With(sumIsGaussian, 1), register.With2(sameLoss, byTheorem22, weakAndMany)),
			register.AlsoFails("", "for the same variance", register.With2(sameLoss, scaleTimes(math.Sqrt2), weakAndMany)),
			register.AlsoHolds("the sum of two Gaussians is a Gaussian", register.With(sumIsGaussian, 1)),
			register.NearMiss("the sum has 1.001 times the variance", register.With(sumIsGaussian, 1.001)),
			register.NearMiss("within 1 part in 20, for a standard deviation of 11/10 of the scale",
				register.With2(sameLoss, scaleTimes(1.1), weakAndMany)),
			register.NearMiss("within 1 part in 20, for a standard deviation that is the scale of the Laplace noise, for k = "+
				"30, ε = 1/20, δ = 1e-6", register.With2(sameLoss, scaleTimes(1), of("30", "1/20", "1e-6"))),
			register.NearMiss("the same for k = 1, ε = 1, δ = 1e-6",
				register.With2(sameLoss, scaleTimes(1), of("1", "1", "1e-6"))),
			register.Corrected("within 1 part in 20, for a standard deviation that is the scale of the Laplace noise, k of at "+
				"least 100, ε in [1/1000, 1/20] and δ in [1e-6, 1/1000]",
				register.All(register.With(sumIsGaussian, 1), register.With2(sameLoss, scaleTimes(1), weakAndMany))),
		),
		"AFD-X16": register.Checked(
			register.All(maximumLoses("100000000", "1000000000000000000"),
				maximumKeeps(rat.One, "100000000", "1000000000000000000")),
			register.NearMiss("for a million candidates each, 10^4/δ and 10^3/δ", maximumLoses("500000", "500000")),
			register.NearMiss("with Laplace noise it is (0.999·ε, 0)-DP", maximumKeeps(rat.Of("0.999"))),
		),
	}
}

// sumIsGaussian checks the tail of a sum of two Gaussians by quadrature.
func sumIsGaussian(t *register.T, factor float64) {
	t.AlsoDomain("Pr(N_1 + σN_2 ≥ x) for σ in {1/2, 3}, x in {0, 1, 4}, by quadrature")
	finite.Each2([]float64{0.5, 3}, []float64{0, 1, 4}, func(sigma, x float64) {
		t.Case()
		sum := 0.0
		const h = 1.0 / 64 // the trapezoid rule is exact for such functions but for e^(−2π²/h²)
		for i := -640; i <= 640; i++ {
			z := float64(i) * h
			sum += h * math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) * math.Erfc((x-z)/(sigma*math.Sqrt2)) / 2
		}
		at := x / math.Sqrt(factor*(1+sigma*sigma))
		tail := precise.NormalTail(interval.Of(at, at)).Float()
		t.Require(math.Abs(tail.Hi-sum) <= 1e-12, "σ = %g, x = %g: by quadrature %.15g, a Gaussian has %.15g", sigma, x, sum,
			tail.Hi)
	})
}

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

// compared are numbers of mechanisms, their ε, and δ.
type compared struct{ counts, eps, deltas []*big.Rat }

// weakAndMany is where Laplace and Gaussian noise come to the same.
var weakAndMany = compared{rat.List("100", "1000", "10000"), rat.List("1/20", "1/100", "1/1000"),
	rat.List("1e-6", "1/1000")}

// sameLoss checks that k Laplace and k Gaussian mechanisms need the same ε, within 1 part in 20. The k Gaussian
// mechanisms are one with σ/√k. Those with Laplace noise are no worse than randomized responses with ε, and no better
// than those that say on which side of the middle a number is: of these, e^ε′ is 2e^(ε/2) − 1.
func sameLoss(t *register.T, of deviation, in compared) {
	t.AlsoDomain("k in {%s}, ε in {%s}, δ in {%s}", in.counts, in.eps, in.deltas)
	finite.Each3(in.counts, in.eps, in.deltas, func(count, eps, delta *big.Rat) {
		t.At("k = %s, ε = %s, δ = %s", count, eps, delta)
		k := int(count.Num().Int64())
		half := precise.ExpRat(rat.Mul(rat.Half, eps))
		side := rat.Exact(precise.LogOf(precise.Sub(precise.Add(half, half), precise.Int(1))).Lower)
		needs := func(each *big.Rat) interval.Float { return optimal(t, each, new(big.Rat), k, delta, 1e-4).Float() }
		least, most := needs(side).Lo, needs(eps).Hi
		gauss := gaussianNeeds(precise.Quo(of(t, k, eps, delta), precise.Sqrt(precise.Rat(count))), delta)
		t.Require(gauss.Hi*1.05 > least, "with Laplace noise at least %.6g is needed, with Gaussian noise at most %.6g",
			least, gauss.Hi)
		t.Require(gauss.Lo <= most*1.05, "with Laplace noise at most %.6g is needed, with Gaussian noise at least %.6g", most,
			gauss.Lo)
	})
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
func maximumLoses(counts ...string) register.Check {
	return func(t *register.T) {
		t.Domain("ε = 1 with δ = 1/100, and ε = 1/2 with δ = 1/1000, for twice %s and %s candidates", counts[0], counts[1])
		for i, s := range [...][2]string{{"1", "1/100"}, {"1/2", "1/1000"}} {
			t.Case()
			eps, delta := rat.Of(s[0]), rat.Of(s[1])
			sigma := gaussianScale(t, eps, delta)
			below := func(x interval.Interval) interval.Interval { // Φ(x)^m
				return precise.Power(precise.Sub(precise.Int(1), precise.NormalTail(x)), int(rat.Of(counts[i]).Num().Int64()))
			}
			sum, last := throughCells(grid(big.NewRat(1, 16), 4*16-1, 10*16), precise.Int(0),
				func(x *big.Rat) interval.Interval { return below(precise.Rat(x)) },
				func(_, b *big.Rat) interval.Interval {
					return below(precise.Sub(precise.Rat(b), precise.Quo(precise.Int(1), sigma)))
				})
			sum = precise.Add(sum, precise.Sub(precise.Int(1), last))
			least := precise.Sub(precise.Rat(rat.Half), precise.Mul(precise.ExpRat(eps), sum))
			t.Require(rat.IsAbove(least, delta),
				"ε = %s, δ = %s, twice %s candidates: δ of at least %.6g is needed by this event", s[0], s[1], counts[i],
				least.Lower)
		}
	}
}

// maximumKeeps checks, with Laplace noise, all losses for up to 200 candidates, and for twice each of the counts that
// no raised one wins with at least e^(−share·ε)/2: with cells from a to b of the largest of those that are not raised,
// of 1/(8ε) about ln(m)/ε, it is at least Σ (F(b)^m − F(a)^m)·F(a − 1)^m.
func maximumKeeps(share *big.Rat, counts ...string) register.Check {
	return func(t *register.T) {
		t.AlsoDomain("Laplace noise, ε in {1/2, 1, 4}: 2, 20 and 200 candidates, of which half, or all but one, are " +
			"raised; and as many as before, of which half are")

		for _, eps := range weights {
			b := noisyMaxScale(eps)
			for _, n := range []int{2, 20, 200} {
				for _, stay := range []int{1, n / 2} {
					t.At("%d candidates, all but %d raised, ε = %s", n, stay, eps)
					allLosses(t, n, stay, b, rat.Mul(share, eps))
				}
			}
			for _, m := range counts {
				t.Case()
				least, bound := noRaisedWins(b, rat.Of(m)), precise.Half(precise.ExpRat(minus(rat.Mul(share, eps))))
				t.Require(least.Lower.Cmp(bound.Upper) >= 0,
					"ε = %s, twice %s candidates: none that is raised wins with at least %.9g, claimed %.9g", eps, m, least.Lower,
					bound.Upper)
			}
		}
	}
}

// allLosses refutes that an index of n, of which all but some are raised by 1, loses more than the bound, either way.
func allLosses(t *register.T, n, stay int, b, bound *big.Rat) {
	raised := make([]int, n)
	for i := stay; i < n; i++ {
		raised[i] = 1
	}
	first, second := noisyMaxLaw(rats(make([]int, n)...), b, 1e-10), noisyMaxLaw(rats(raised...), b, 1e-10)
	for _, i := range []int{0, n - 1} { // equal scores are equally likely
		t.In("output %d", i+1)
		x := lossOf(first[i], second[i]).Abs()
		losesAtMost(t, x, bound, "the loss is at least %.9g in size, claimed at most %s", x.Lo, bound)
	}
}

// noRaisedWins returns a bound from below of the probability that one of m candidates wins that are 1 below m others.
func noRaisedWins(b, m *big.Rat) interval.Interval {
	const steps = 8
	n := int(m.Num().Int64())
	middle := int(math.Log(float64(n)))
	cuts := grid(rat.Quo(b, rat.Int(steps)), steps*(middle-5), steps*(middle+20))
	allBelow := func(x *big.Rat) interval.Interval { // F(x)^m
		return precise.Power(cellsOf(new(big.Rat), b, x)[0], n)
	}
	sum, _ := throughCells(cuts, allBelow(cuts[0]), allBelow, func(a,
		_ *big.Rat) interval.Interval {
		return allBelow(rat.Sub(a, rat.One))
	})
	return sum
}
