package selection

import (
	"context"
	"math/big"

	"checkrr/exhaustive"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/impl/selection"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// randomStopping are the statements of Section 3 on selection that stops at random.
func randomStopping() register.Checks {
	return register.Checks{
		"PSC-A2": tight(with(stoppingRuns, stopping{last: selection.Unlimited}), "19/20",
			"the coin comes up with probability 19/20·γ",
			control("the last sample is returned", with(stoppingRuns, stopping{selection.Unlimited, true}).With("1"))),
		"PSC-T3.2":    tight(stoppingIsDP(), "19/20", "it is 2.85·ε_1-DP"),
		"PSC-T3.2.s3": tight(with(stoppingLaw, selection.RandomStoppingLaw), "19/20", "with 19/20 of γ"),
		"PSC-T3.2.s4": tight(with(stoppingLaw, spec.RandomStoppingLaw), "19/20", "with 19/20 of γ"),
		"PSC-T3.2.s1": step(byLengths(), "19/20"),
		"PSC-T3.2.s2": step(ofLength(), "19/20"),
		"PSC-T3.2.s5": step(stoppingRatio(), "19/20"),
		"PSC-T3.3.s1": mended(quantileSum(true), quantileSum(false), "≤ for the first =",
			"19/20", "with ≤ and 19/20 of the sum"),
		"PSC-T3.3": tight(missesQuantile(), "19/20", "except with probability 19/20·γ/p"),
	}
}

// byNumber breaks ties: the larger number is the higher.
func byNumber(x, y int) bool { return x > y }

// tied returns the score of a sample: the last two of three have the same.
func tied(i int) float64 { return float64(min(i, 1)) }

// stopping is a variant of the algorithm: after how many draws it stops at the latest, and whether it returns the last
// sample.
type stopping struct {
	last   int
	isLast bool
}

// law returns the law of the output.
func (s stopping) law(q samples, gamma *big.Rat) samples {
	switch {
	case s.isLast: // whenever it stops
		return q
	case s.last == selection.Unlimited:
		return spec.RandomStoppingLaw(q, gamma)
	}
	return exhaustive.HardStopping(q, gamma, s.last)
}

// stoppingRuns goes through all draws of both rooms, up to rare ones, for selection that stops at random, or after so
// many draws at the latest, and compares their law with that of a variant with a share of γ.
func stoppingRuns(t *register.T, share *big.Rat, s stopping) {
	t.Domain("3 samples of probabilities in multiples of 1/2, two with the same score, γ in {1/2, 4/5, 1}")
	limits, least := []int{s.last}, rat.Of("1/1000")
	if s.last != selection.Unlimited {
		t.AlsoDomain("T in {1, 2, %d}", s.last)
		limits, least = []int{1, 2, s.last}, new(big.Rat)
	}
	finite.Each3(oracles(3, 2), rat.List("1/2", "4/5", "1"), limits, func(q samples, gamma *big.Rat, last int) {
		t.At("Q = (%s), γ = %s, T = %d", q, gamma, last)
		found, rest := byDraws(t, 3, least, stopLiterally(q, gamma, last), func(path []finite.Draw) (output, runs int) {
			return stopAgain(t, path, gamma, last)
		})
		for i, claimed := range (stopping{last, s.isLast}).law(q, rat.Mul(share, gamma)) {
			missing := rat.Sub(claimed, found[i])
			t.Require(missing.Sign() >= 0 && missing.Cmp(rest) <= 0,
				"output %d has a probability of at least %s, claimed is %s", i+1, found[i], claimed)
		}
	})
}

// stopLiterally runs spec.
func stopLiterally(q samples, gamma *big.Rat, limit int) func(c *finite.Coins) int {
	return func(c *finite.Coins) int {
		draw := func() spec.Scored[int] {
			i := c.Of(q)
			return spec.Scored[int]{Output: i, Score: tied(i)}
		}
		if limit == selection.Unlimited {
			return spec.RandomStopping(draw, byNumber, gamma, c).Output
		}
		return spec.HardStopping(draw, byNumber, gamma, limit, c).Output
	}
}

// stopAgain runs impl on the draws of a path.
func stopAgain(t *register.T, path []finite.Draw, gamma *big.Rat, limit int) (output, runs int) {
	var got selection.Scored[int]
	var err error
	drawn := replayed(path)
	again := func(ctx context.Context) (selection.Scored[int], error) {
		s, err := drawn(ctx)
		s.Score = tied(s.Output)
		return s, err
	}
	if limit == selection.Unlimited {
		got, runs, err = selection.RandomStopping(t.Context(), again, byNumber, gamma, coins(path, true))
	} else {
		got, runs, err = selection.HardStopping(t.Context(), again, byNumber, gamma, limit, coins(path, true))
	}
	t.Must(err)
	return got.Output, runs
}

var stoppingIsDP = on("e^ε_1 in {3/2, 4, 10}, γ in {1/1000, 1/10, 1/2, 1}; "+
	"36 ε_1-DP oracles over three samples, and the worst one",
	func(t *register.T, share *big.Rat, at string, e, gamma *big.Rat) {
		ours := selection.RandomStoppingLoss(loss.Exp(e), gamma)
		for _, q := range pure(e) {
			t.At("%s, %v", at, q)
			laws := [2]samples{stoppingLaws(t, q[0], gamma), stoppingLaws(t, q[1], gamma)}
			losesAtMost(t, laws, mul(share, 3, ln(e)))
			t.In("by selection.RandomStoppingLoss")
			lossOf(t, laws, ours)
		}
	})

// stoppingLaws returns the law by both rooms, which have to agree.
func stoppingLaws(t *register.T, q samples, gamma *big.Rat) samples {
	fast := selection.RandomStoppingLaw(q, gamma)
	sameLaw(t, fast, spec.RandomStoppingLaw(q, gamma))
	return fast
}

// stoppingLaw compares a formula, with a share of γ, with all that can happen in up to 5 draws.
func stoppingLaw(t *register.T, share *big.Rat, formula func(oracle []*big.Rat, gamma *big.Rat) []*big.Rat) {
	finite.Each(t, "1 to 3 samples of probabilities in multiples of 1/2, γ in {1/2, 4/5, 1}: "+
		"all that can happen in 5 draws, and (1 − γ)^5 for the rest", func(at string, gamma *big.Rat) {
		rest := rat.Power(rat.Complement(gamma), 5)
		for _, q := range smallOracles(2) {
			t.At("Q = (%s), %s", q, at)
			law := exhaustive.HardStopping(q, gamma, 5)
			for i, p := range formula(q, rat.Mul(share, gamma)) {
				t.Require(new(big.Rat).Abs(rat.Sub(p, law[i])).Cmp(rest) <= 0,
					"output %d has the probability %s within %s, by the formula %s", i+1, law[i], rest, p)
			}
		}
	})
}

// quantile returns the first sample with Q^(p): the highest of which that or a higher one is drawn with more than p.
func quantile(q samples, p *big.Rat) int {
	above := new(big.Rat)
	for i := len(q) - 1; i >= 0; i-- {
		if above.Add(above, q[i]).Cmp(p) > 0 {
			return i
		}
	}
	return 0
}

// misses returns the probability of a score below Q^(p).
func misses(t *register.T, q samples, p, gamma *big.Rat) *big.Rat {
	return rat.Sum(stoppingLaws(t, q, gamma)[:quantile(q, p)]...)
}

var missesQuantile = on("1 to 3 samples of probabilities in multiples of 1/4, or 1/1000 for the highest, "+
	"p in {1/1001, 1/999, 1/5, 1/3, 4/5}, γ in {1/10^6, 1/10, 1/2, 1}",
	func(t *register.T, share *big.Rat, at string, p, gamma *big.Rat) {
		bound := same(t, "the bound", spec.BelowQuantile(p, gamma), selection.BelowQuantile(p, gamma))
		for _, q := range append(smallOracles(4), rat.List("999/1000", "1/1000"), rat.List("0", "999/1000", "1/1000")) {
			t.At("Q = (%s), %s", q, at)
			below := selection.NoneAbove(rat.Sum(q[:quantile(q, p)]...), gamma, selection.Unlimited)
			within(t, "the probability of a score below", same(t, "below", misses(t, q, p, gamma), below), share, bound)
		}
	})

// quantileSum compares the probability of a score below Q^(p) with a share of the sum of the proof.
var quantileSum = on("1 to 3 samples of probabilities in multiples of 1/4, p in {1/5, 6/25, 1/3, 4/5}, "+
	"γ in {1/10, 1/2, 1}",
	func(t *register.T, share *big.Rat, isEqual bool, at string, p, gamma *big.Rat) {
		for _, q := range smallOracles(4) {
			t.At("Q = (%s), %s", q, at)
			missed, sum := misses(t, q, p, gamma), selection.NoneAbove(rat.Complement(p), gamma, selection.Unlimited)
			within(t, "the probability of a score below", missed, share, sum)
			t.Require(rat.Mul(sum, p).Cmp(gamma) <= 0, "the sum is %s, more than γ/p", sum)
			if isEqual {
				same(t, "the sum", sum, missed)
			}
			_, none := spec.ThresholdingLaw([]*big.Rat{rat.Complement(p), p}, 1, gamma, 3)
			same(t, "that of 3 runs", none, selection.NoneAbove(rat.Complement(p), gamma, 3))
		}
	})

// byLengths sums up what can happen in 1, 2, … draws, weighted by how likely so many are.
var byLengths = on("3 samples of probabilities in multiples of 1/3, γ in {1/2, 4/5, 1}: "+
	"up to 5 draws, and (1 − γ)^5 for the rest",
	func(t *register.T, share *big.Rat, at string, gamma *big.Rat) {
		goesOn := rat.Complement(gamma)
		for _, q := range oracles(3, 3) {
			for i, p := range selection.RandomStoppingLaw(q, gamma) {
				t.At("Q = (%s), %s, sample %d", q, at, i+1)
				sum := new(big.Rat)
				for j := 1; j <= 5; j++ {
					one := exhaustive.HardStopping(q, new(big.Rat), j)[i]
					sum.Add(sum, rat.Product(rat.Power(goesOn, j-1), gamma, one))
				}
				equal(t, p, mul(share, interval.New(num(sum).Lower, add(sum, power(goesOn, 5)).Upper)))
			}
		}
	})

// ofLength checks the two probabilities for j draws without a coin.
var ofLength = on("3 samples of probabilities in multiples of 1/3, 1 to 4 draws, j in {1, 2, 3, 4}: "+
	"all that can happen",
	func(t *register.T, share *big.Rat, at string, j int) {
		for _, q := range oracles(3, 3) {
			law, notAbove, reached := exhaustive.HardStopping(q, new(big.Rat), j), new(big.Rat), new(big.Rat)
			for i, p := range q {
				notAbove, reached = rat.Add(notAbove, p), rat.Add(reached, law[i])
				t.At("Q = (%s), %s, sample %d", q, at, i+1)
				equal(t, reached, mul(share, power(notAbove, j)))
				if notAbove.Sign() > 0 {
					lower := rat.Quo(rat.Sub(notAbove, p), notAbove)
					equal(t, quo(law[i], reached), sub(1, power(rat.Complement(rat.Quo(p, notAbove)), j)),
						mul(share, sub(1, power(lower, j))))
				}
			}
		}
	})

var stoppingRatio = on("e^ε_1 in {3/2, 4, 10}, γ in {1/1000, 1/10, 1}; "+
	"36 ε_1-DP oracles over three samples, and the worst one",
	func(t *register.T, share *big.Rat, at string, e, gamma *big.Rat) {
		for _, q := range pure(e) {
			one, two := selection.RandomStoppingLaw(q[0], gamma), selection.RandomStoppingLaw(q[1], gamma)
			for i, p := range q[0] {
				if p.Sign() == 0 {
					continue
				}
				product := rat.Quo(p, q[1][i])
				for _, from := range []int{i, i + 1} { // p_1 and p_0 are of the samples from there on
					product = rat.Product(product, stops(rat.Sum(q[1][from:]...), gamma),
						new(big.Rat).Inv(stops(rat.Sum(q[0][from:]...), gamma)))
				}
				t.At("%s, %v, sample %d", at, q, i+1)
				ratio := rat.Quo(one[i], two[i])
				rising(t, ratio, product, mul(share, power(e, 3)))
				equal(t, ratio, product)
			}
		}
	})
