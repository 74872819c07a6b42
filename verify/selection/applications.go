package selection

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/impl/selection"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// applications are the mechanism of Theorem 4.7, the proofs of Section 5, and what Section 1 says of composition.
func applications() register.Checks {
	best := func(coin *big.Rat) claim { return reachesBest(coin) }
	private := tight(sharesOf("1/2"), "4/5", "4/5 of it", alsoFails(register.Slip,
		"with ε_3 = ε_0 and the T of Theorem 3.1 for ε_0, the settings after Theorem 4.7", sharesOf("1").With("1")))
	good := tight(startsBelow(), "19/20", "except with probability 19/20·(β + δ/R)")
	limited := mended(drawsInAll("1000000", "1"), drawsInAll("500", "2"), "with ln(2/ε_0) for ln(1/ε_0), times 500",
		"7/10", "with ln(2/ε_0), times 350")
	answers := tight(refuses(), "11/20", "at most 11/20 of it")
	return register.Checks{
		"PSC-X3": mended(shared(true), shared(false), "each may have ε/K, or ε/(2·√(2K·ln(1/δ)))", "3",
			"each may have three times that"),
		"PSC-T1.3a": tight(stoppingIsDP(), "19/20", "it is 2.85·ε_1-DP"),
		"PSC-T1.3b": tight(drawsOnAverage, "19/20", "at most 19/20·1/γ"),
		"PSC-T1.3c": checked(finite.With(bestOfRuns, false),
			near("it is the last one", finite.With(bestOfRuns, true))),
		"PSC-T1.4a":   private,
		"PSC-T1.4b":   good,
		"PSC-T1.4c":   limited,
		"PSC-T1.4d":   answers,
		"PSC-T4.7a":   private,
		"PSC-T4.7b":   good,
		"PSC-T4.7c1":  tight(drawsInAll("500", "0"), "7/10", "with 350 for 500"),
		"PSC-T4.7c2":  limited,
		"PSC-T4.7d":   answers,
		"PSC-T4.7.s1": tight(reachedAgain(), "2", "at least 2·p_1"),
		"PSC-T4.7.s2": mended(refusesInAll("1"), refusesInAll("1/3"),
			"with γ = p_1·β/3, and β/3 for β in the first part", "1/2", "with those thirds, half of it"),
		"PSC-L5.1.s1": tight(shiftedNoise(), "19/20", "within 19/20·1/n"),
		"PSC-T5.2a":   tight(exponentialIsGood(), "19/20", "with 2·(19/20)·s·ln(K/β)/ε"),
		"PSC-T5.2b":   tight(generalized(), "19/20", "except with probability 19/20·β"),
		"PSC-T5.2c":   tight(byMargin(), "19/20", "with 19/10·s·ln(1/(βδ))/ε"),
		"PSC-T5.2.s1": mended(best(rat.One), best(rat.Half), "with γ = β/(2K)", "19/20", "with γ = β/(2K), 19/20·β"),
		"PSC-T5.2.s2": mended(shiftedMedian("1"), shiftedMedian("-1"), "with one minus", "19/20",
			"with one minus, at least 19/20 of the distance"),
		"PSC-T5.2.s3": mended(cutLaplace(false), cutLaplace(true), "for e^ε ≤ 3 − 2δ", "19/20",
			"for e^ε ≤ 3 − 2δ, with 19/20·δ"),
		"PSC-T5.2.s4": mended(isEnsured(smoothing, false), isEnsured(smoothing, true), "η < ε/(4·log(K/β))", "3/4",
			"η < 3/4·ε/(4·log(K/β))", alsoFails(register.Slip, "with η = (ε/4)·ln(2/δ), as it stands in the proof",
				isEnsured(asProduct, false).With("1"))),
		"PSC-T5.2.s5": mended(smoothed2("2"), smoothed2("1/4"), "if η ≤ ε/(4·log(K/β)) and ε ≤ 1", "3/4",
			"if η ≤ ε/(4·log(K/β)) and ε ≤ 1, 3/2·s_i"),
	}
}

// shared checks the total of K learners that have ε/K each, and that of learners with the share of advanced
// composition, as printed or with the root below.
func shared(isPrinted bool) claim {
	return on("K in {10, 100}, ε in {1/2, 1}, δ in {1/1000000}",
		func(t *register.T, times *big.Rat, k int, eps, delta *big.Rat) {
			total := func(each, delta *big.Rat) interval.Interval {
				m := []impl.Mechanism{{Eps: loss.Nats(each), Delta: new(big.Rat), Count: k}}
				return register.Must(impl.OptComp(t.Context(), m, delta, impl.Options{RelWidth: 1e-4})).Eps
			}
			whole := total(rat.Quo(eps, rat.Int(k)), new(big.Rat))
			t.Require(rat.Meet(whole, num(eps)), "K learners with ε/K are %.9g-DP", whole.Lower)
			log := ln(new(big.Rat).Inv(delta))
			part := quo(mul(times, eps), mul(2, root(mul(2, k, log))))
			if isPrinted {
				part = quo(mul(times, eps, root(log)), root(k))
			}
			each := rat.Of(fmt.Sprintf("%.9e", part.Float().Lo))
			needed := total(each, delta)
			t.Require(needed.Lower.Cmp(num(eps).Upper) <= 0, "each has %.6g, and all together need ε = %.6g", each,
				needed.Lower)
			t.Close(quo(needed, eps).Float().Lo, "")
		})()
}

// scripted goes through the draws of selection that stops at random, up to those less probable than 1/100000, over some
// scores, one after the other: with what both rooms return, how many draws there are, and how probable that is.
func scripted(t *register.T, scores []float64, gamma *big.Rat, visit func(score float64, runs int, pr *big.Rat)) {
	finite.GoThrough(rat.Of("1/100000"), func(c *finite.Coins) {
		n := 0
		draw := func() (s spec.Scored[int]) {
			n++
			return spec.Scored[int]{Output: n, Score: scores[(n-1)%len(scores)]}
		}
		found := spec.RandomStopping(draw, byNumber, gamma, c)
		runs := n
		n = 0
		again := func(context.Context) (selection.Scored[int], error) { return selection.Scored[int](draw()), nil }
		top, m, err := selection.RandomStopping(t.Context(), again, byNumber, gamma, coins(c.Path, true))
		t.Must(err)
		t.Require(m == runs && n == runs && top == selection.Scored[int](found),
			"%v after %d draws by spec, %v after %d by impl", found, runs, top, m)
		visit(found.Score, runs, c.Pr)
	})
}

// drawsOnAverage checks the mean of the number of draws.
func drawsOnAverage(t *register.T, share *big.Rat) {
	finite.Each(t, "γ in {1/2, 4/5, 1}, up to draws less probable than 1/100000", func(gamma *big.Rat) {
		mean := new(big.Rat)
		scripted(t, []float64{0}, gamma, func(_ float64, runs int, pr *big.Rat) {
			mean.Add(mean, rat.Mul(rat.Int(runs), pr))
		})
		within(t, "the mean number of draws", mean, share, new(big.Rat).Inv(gamma))
	})
}

// bestOfRuns checks that the largest score of all draws is returned, or the last.
func bestOfRuns(t *register.T, isLast bool) {
	t.Domain("γ = 1/2, all scores of 3 samples in {0, 1, 2}, which repeat, up to draws less probable than 1/100000")
	for scores := range finite.Tuples([]float64{0, 1, 2}, 3) {
		scripted(t, scores, rat.Half, func(score float64, runs int, _ *big.Rat) {
			t.At("scores %v, %d draws", scores, runs)
			want := scores[(runs-1)%3]
			if !isLast {
				want = slices.Max(slices.Concat(scores, scores, scores)[:min(runs, 3)])
			}
			t.Require(score == want, "%g is returned, claimed %g", score, want)
		})
	}
}

// sharesOf checks that the ε_3 of the first part and the loss of the second are at most 2ε_1 + ε_0, where ε_3, and the
// ε_0 of the limit T, are a part of it.
func sharesOf(part string) claim {
	return on("K = 2, R = 1, β = 9/10, ε_0 in {1/2, 9/10}, ε_1 in {1/10, 1/2}",
		func(t *register.T, share, eps0, eps1 *big.Rat) {
			coin := selection.SelectionCoin(2, 1, eps0, eps1, rat.Of("9/10"))
			twins(t, "γ", spec.SelectionCoin(2, 1, rat.Float64(eps0), rat.Float64(eps1), 0.9), coin)
			gamma, _ := coin.Rats()
			own := rat.Mul(rat.Of(part), eps0)
			second := selection.ThresholdingLoss(loss.Nats(eps1), gamma, leastDraws(t, gamma, own))
			bound := rat.Mul(share, rat.Add(rat.Twice(eps1), eps0))
			all := add(own, second)
			t.Require(all.Lower.Cmp(num(bound).Upper) <= 0, "ε_3 = %s, and the second part loses %.9g: together %.9g, "+
				"claimed %s", own, second.Lower, all.Lower, bound)
			t.Close(quo(all, bound).Float().Lo, "")
		})()
}

// reachedAgain checks that the bound of Theorem 4.6(b) for p_* = 1/(2K) is at least p_1, with ε_3 = ε_0 or half of it.
func reachedAgain() claim {
	return on("K in {1, 10}, R in {1, 5}, β in {1/10, 9/10}, ε_0 in {1/10, 1/2, 999/1000}, ε_1 in {1/10, 2}, "+
		"ε_3 and the ε_0 of the first part ε_0·x, x in {1, 1/2}",
		func(t *register.T, share *big.Rat, k, r int, beta, eps0, eps1, part *big.Rat) {
			coin := selection.SelectionCoin(k, r, eps0, eps1, beta)
			twins(t, "γ", spec.SelectionCoin(k, r, rat.Float64(eps0), rat.Float64(eps1), rat.Float64(beta)), coin)
			own := rat.Mul(part, eps0)
			base := rat.Quo(rat.Mul(beta, beta), rat.Int(r+1))
			shift := exp(mul(6, rat.Quo(rat.Add(eps1, own), own), ln(base)))
			bound := quo(mul(exp(rat.Mul(rat.Of("-1/2"), own)), shift), 6*k)
			rising(t, mul(share, quo(coin, beta)), bound)
		})()
}

// refusesInAll checks what Theorems 4.6(b) and 3.1(e) say of ⊥, with a part of β in both: β + δ/2, and the probability
// of ⊥ at p_1 with γ = p_1·β.
func refusesInAll(part string) claim {
	return on("p_1 in {1/1000000}, β in {1/10, 1/2}, δ in {1/1000, 1/10}, ε_0 in {1/10, 1}",
		func(t *register.T, share, p1, beta, delta, eps0 *big.Rat) {
			own := rat.Mul(rat.Of(part), beta)
			gamma := rat.Mul(p1, own)
			none := same(t, "the bound of ⊥", spec.ThresholdingNone(p1, gamma, eps0),
				selection.ThresholdingNone(p1, gamma, eps0))
			within(t, "the sum", rat.Sum(own, rat.Mul(rat.Half, delta), none), share, rat.Add(beta, delta))
		})()
}

// startsBelow checks the probability that the test fails at the first τ_i ≤ τ_*, with N samples: ξ_i below −(4S/ε_3)·
// ln(1/β) and ν above (2S/ε_3)·ln(1/β), each β/2 as only one side counts, and N·p̃_i ≤ e^(−ε_0/2)·N·p, by Lemma A.5's
// e^(−(1 − e^(−ε_0/2))²·N·p_*/2).
func startsBelow() claim {
	return on("K = 2, R in {1, 10}, β in {1/10, 9/10}, δ in {1/1000000, 1/2}, "+
		"ε_3 = ε_0, ε_0 in {1/1000, 1/10, 9/10}, ε_1 in {1/10000, 1/10, 2}",
		func(t *register.T, share *big.Rat, r int, beta, delta, eps0, eps1 *big.Rat) {
			with := selection.Search{PStar: rat.Of("1/4"), R: r, Eps0: eps0, Eps1: eps1, Eps3: eps0, Delta: delta,
				Beta: beta}
			n := num(new(big.Rat).SetInt(selection.SearchSamples(with)))
			low := sub(1, exp(rat.Mul(rat.Of("-1/2"), eps0)))
			missed := exp(neg(mul("1/2", low, low, n, "1/4")))
			side := mul("1/2", exp(neg(ln(new(big.Rat).Inv(beta)))))
			rising(t, add(side, side, missed), mul(share, rat.Add(beta, rat.Quo(delta, rat.Int(r)))))
		})()
}

// shiftedNoise checks how far ν is from ξ where t is the score on both databases, and what the densities lose by it.
var shiftedNoise = on("n in {1, 100}, ε_2 in {1/10, 2}, scores that move by a/n, a in {−1, −1/2, 1/3, 1}, at "+
	"−10, −1, 0, 1/3, 1, 2, 10 times that",
	func(t *register.T, share *big.Rat, n int, eps, a *big.Rat) {
		apart := rat.Quo(a, rat.Int(n))
		within(t, "|ν − ξ|", new(big.Rat).Abs(apart), share, big.NewRat(1, int64(n)))
		laplaceRatio(t, apart, rat.Mul(rat.Int(n), eps), rat.One, eps)
	})

// exponentialIsGood checks the exponential mechanism for scores of sensitivity 1: with K − 1 of K scores at q^⋆ less a
// share of 2·ln(K/β)/ε, one of them has a probability of at most β; and a move of all scores by 1 loses at most ε.
func exponentialIsGood() claim {
	return on("s = 1, K in {2, 10, 1000}, β in {1/1000, 1/10, 1/2}, ε in {1/2, 3}",
		func(t *register.T, share *big.Rat, k int, beta, eps *big.Rat) {
			const steps = 1 << 20
			gap := up(mul(share, 2*steps, quo(ln(rat.Quo(rat.Int(k), beta)), eps)))
			scores := append(slices.Repeat([]*big.Rat{big.NewRat(int64(-gap), steps)}, k-1), new(big.Rat))
			law := register.Must(impl.ExponentialLaw(scores, rat.One, loss.Nats(eps)))
			rising(t, mul(k-1, law[0]), beta)
			for i := range scores {
				scores[i] = rat.Sub(scores[i], rat.One)
			}
			scores[k-1] = rat.One
			moved := register.Must(impl.ExponentialLaw(scores, rat.One, loss.Nats(eps)))
			for _, i := range []int{0, k - 1} {
				ordered(t, false, abs(ln(quo(law[i], moved[i]))), eps)
			}
		})()
}

// generalized checks random stopping with γ = β/(2K) over q_i(D) − 9s_i·ln(K/β)/ε + Lap(3s_i/ε): that it loses ε, and
// how probable it is that no sample reaches the median of the best candidate, or one of a candidate does whose score
// is below that: then its noise is above 3·ln(K/β) times its scale.
var generalized = on("K in {2, 10, 1000}, β in {1/1000, 1/10, 1/2}, ε in {1/10, 1}, scores that move by s_i, at "+
	"−10, −1, 0, 1/3, 1, 2, 10 times that", func(t *register.T, share, k, beta, eps *big.Rat) {
	gamma, third := rat.Quo(beta, rat.Twice(k)), rat.Quo(eps, rat.Int(3))
	ordered(t, false, selection.RandomStoppingLoss(loss.Nats(third), gamma), eps)
	laplaceRatio(t, rat.One, third, rat.One, third)
	t.In("γ = %s", gamma)
	missed := selection.NoneAbove(rat.Complement(rat.Quo(rat.Half, k)), gamma, selection.Unlimited)
	bad := rat.Mul(rat.Half, rat.Power(rat.Quo(beta, k), 3))
	within(t, "the probability to fail", rat.Add(missed, rat.Complement(selection.NoneAbove(rat.Complement(bad), gamma,
		selection.Unlimited))), share, beta)
})

// byMargin checks the algorithm that returns i^⋆ if the margin, in units of 2s, with noise Lap(1/ε), is above 1 +
// ln(1/(2δ))/ε, and nothing otherwise. A margin moves by 1; if i^⋆ is another one, it is 1 at most.
var byMargin = on("ε in {1/10, 1}, δ in {1/1000000, 1/10}, β in {1/1000, 1/2}; margins from 4 below to 2 above the "+
	"threshold", func(t *register.T, share, eps, delta, beta *big.Rat) {
	threshold := add(eps, ln(rat.Quo(rat.Half, delta))) // in units of 2s/ε
	passes := func(margin any) interval.Interval {
		x := sub(threshold, margin)
		if x.Lower.Sign() < 0 {
			return sub(1, mul("1/2", exp(x)))
		}
		return mul("1/2", exp(neg(x)))
	}
	for _, far := range rat.List("-4", "-1", "-1/2", "1", "2") {
		less := add(threshold, rat.Mul(far, eps))
		more := add(less, eps)
		ordered(t, false, passes(less), passes(more), mul(exp(eps), passes(less)))
		ordered(t, false, sub(1, passes(less)), mul(exp(eps), sub(1, passes(more))))
	}
	ordered(t, false, passes(eps), mul(delta, "1.000000001"))
	rising(t, sub(1, passes(mul(share, ln(new(big.Rat).Inv(rat.Mul(beta, delta)))))), beta)
})

// reachesBest checks a share of β where a run reaches the target with probability 1/(2K).
var reachesBest = on("K in {2, 10, 1000}, β in {1/1000, 1/10, 1/2}",
	func(t *register.T, share *big.Rat, coin *big.Rat, k, beta *big.Rat) {
		gamma := rat.Quo(rat.Mul(coin, beta), k)
		fails := selection.NoneAbove(rat.Complement(rat.Quo(rat.Half, k)), gamma, selection.Unlimited)
		within(t, "the probability to fail", fails, share, beta)
	})

// cutLaplace checks the least δ for a score that moves by s: of what one law gives beyond the end of the other.
var cutLaplace = on("ε in {1/10, 1/2, 9/10, 99/100}, δ in {1/1000000, 1/10, 6/25}; scores that move by s, "+
	"at seven places between the ends, and beyond",
	func(t *register.T, share *big.Rat, isBounded bool, at string, eps, delta *big.Rat) {
		e := exp(eps)
		if isBounded && e.Upper.Cmp(sub(3, mul(2, delta)).Lower) > 0 {
			return
		}
		t.At("%s", at)
		// Pr[x > end − s] for the noise alone: (δe^ε − δ)/(2(1 − δ)); where both laws are, they are within e^ε.
		rising(t, quo(mul(delta, sub(e, 1)), mul(2, sub(1, delta))), mul(share, delta))
		laplaceRatio(t, rat.One, eps, rat.One, eps)
	})

// shiftedMedian checks that the median of q^⋆ − 2s·ln(K/β)/ε + Lap(s/ε) is at least q^⋆ plus a sign times that.
func shiftedMedian(sign string) claim {
	return on("K in {2, 100}, β in {1/10, 1/2}, ε in {1/2, 3}, q^⋆ = 0, s = 1",
		func(t *register.T, share, k, beta, eps *big.Rat) {
			shift := quo(mul(2, ln(rat.Quo(k, beta))), eps)
			claimed := mul(share, sign, shift)
			t.Require(neg(shift).Upper.Cmp(claimed.Lower) >= 0, "the median is %.9g, claimed at least %.9g",
				neg(shift).Lower, claimed.Lower)
		})()
}

// smoothing is the η of the theorem, and asProduct that of its proof.
func smoothing(eps, delta *big.Rat) interval.Interval {
	return quo(eps, mul(4, ln(rat.Quo(rat.Int(2), delta))))
}

func asProduct(eps, delta *big.Rat) interval.Interval {
	return mul("1/4", eps, ln(rat.Quo(rat.Int(2), delta)))
}

// isEnsured checks for δ just below β/K that η > ε/log(K/β) or, mended, that η is less than a share of a quarter of it.
func isEnsured(of func(eps, delta *big.Rat) interval.Interval, isMended bool) claim {
	return on("K in {2, 1000}, β in {1/100, 9/10}, ε in {1/10, 1}, δ = 99/100·β/K",
		func(t *register.T, share, k, beta, eps *big.Rat) {
			eta := of(eps, rat.Quo(rat.Mul(rat.Of("99/100"), beta), k))
			most := quo(eps, ln(rat.Quo(k, beta)))
			if isMended {
				rising(t, eta, mul(share, "1/4", most))
				return
			}
			t.Require(eta.Upper.Cmp(most.Lower) > 0, "η = %.6g is not above ε/log(K/β) = %.6g", eta.Upper, most.Lower)
		})()
}

// smoothed2 checks that q_i − 2s_i·log(K/β)/ε moves by at most a share of 2s_i, where q_i moves by s_i and s_i by e^η,
// η = times·ε/log(K/β).
func smoothed2(times string) claim {
	return on("K in {2, 1000}, β in {1/100, 9/10}, ε in {1/10, 1}, s_i = 1",
		func(t *register.T, share, k, beta, eps *big.Rat) {
			log := ln(rat.Quo(k, beta))
			rise := sub(exp(quo(mul(times, eps), log)), 1)
			rising(t, add(1, mul(2, quo(log, eps), rise)), mul(share, 2))
		})()
}
