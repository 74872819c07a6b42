package selection

import (
	"context"
	"fmt"
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
		"PSC-A2": tight(stoppingRuns(selection.Unlimited, true), "19/20", "the coin comes up with probability 19/20·γ",
			register.Control("the last sample is returned", stoppingRuns(selection.Unlimited, false).with("1"))),
		"PSC-T3.2":    tight(stoppingIsDP, "19/20", "it is 2.85·ε_1-DP"),
		"PSC-T3.2.s3": tight(stoppingLaw(selection.RandomStoppingLaw), "19/20", "with 19/20 of γ"),
		"PSC-T3.2.s4": tight(stoppingLaw(spec.RandomStoppingLaw), "19/20", "with 19/20 of γ"),
		"PSC-T3.2.s1": step(byLengths, "19/20"),
		"PSC-T3.2.s2": step(ofLength, "19/20"),
		"PSC-T3.2.s5": step(stoppingRatio, "19/20"),
		"PSC-T3.3.s1": mended(quantileSum(true), quantileSum(false), "≤ for the first =", "19/20",
			"with ≤ and 19/20 of the sum"),
		"PSC-T3.3": tight(missesQuantile, "19/20", "except with probability 19/20·γ/p"),
	}
}

// byNumber breaks ties: the larger number is the higher.
func byNumber(x, y int) bool { return x > y }

// tied returns the score of a sample: the last two of three have the same.
func tied(i int) float64 { return float64(min(i, 1)) }

// stoppingRuns goes through all draws of both rooms, up to rare ones, for selection that stops at random, or after so
// many draws at the latest. A variant has a share of γ, or returns the last sample.
func stoppingRuns(limit int, isHighest bool) claim {
	return func(t *register.T, share *big.Rat) {
		t.Domain("3 samples of probabilities in multiples of 1/2, two with the same score, γ in {1/2, 4/5, 1}")
		limits, least := []int{selection.Unlimited}, rat.Of("1/1000")
		if limit != selection.Unlimited {
			t.AlsoDomain("T in {1, 2, %d}", limit)
			limits, least = []int{1, 2, limit}, new(big.Rat)
		}
		for q := range oracles(3, 2) {
			for _, gamma := range rat.List("1/2", "4/5", "1") {
				for _, last := range limits {
					t.Case()
					at := fmt.Sprintf("Q = (%v), γ = %s, T = %d", q, rat.Show(gamma), last)
					found, rest := byDraws(t, at, 3, least, stopLiterally(q, gamma, last), func(path []finite.Draw) (output,
						runs int) {
						return stopAgain(t, path, gamma, last)
					})
					claimed, left := byDraws(t, at, 3, least, stopAsClaimed(q, rat.Mul(share, gamma), last, isHighest), nil)
					for i := range q {
						if d := rat.Sub(found[i], claimed[i]); d.Cmp(left) > 0 || d.Cmp(new(big.Rat).Neg(rest)) < 0 {
							t.Refute("%s: output %d has a probability of at least %s, claimed is %s", at, i+1, rat.Show(found[i]),
								rat.Show(claimed[i]))
						}
					}
				}
			}
		}
	}
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

// stopAsClaimed returns the highest sample, or the last one.
func stopAsClaimed(q samples, gamma *big.Rat, limit int, isHighest bool) func(c *finite.Coins) int {
	return func(c *finite.Coins) int {
		top := 0
		for j := 1; ; j++ {
			if i := c.Of(q); !isHighest || i > top {
				top = i
			}
			if c.Bernoulli(gamma) || j == limit {
				return top
			}
		}
	}
}

func stoppingIsDP(t *register.T, share *big.Rat) {
	for at, x := range finite.Grid(t, "e^ε_1 in {3/2, 4, 10}, γ in {1/1000, 1/10, 1/2, 1}; 36 ε_1-DP oracles over three "+
		"samples, and the worst one") {
		ours := selection.RandomStoppingLoss(loss.Exp(x[0]), x[1])
		for q := range pure(x[0], "1/1000000") {
			t.Case()
			laws := [2]samples{stoppingLaws(t, q[0], x[1]), stoppingLaws(t, q[1], x[1])}
			at := fmt.Sprintf("%s, %v", at, q)
			lossOf(t, at+", by selection.RandomStoppingLoss", laws, ours)
			losesAtMost(t, at, laws, mul(share, 3, ln(x[0])))
		}
	}
}

// stoppingLaws returns the law by both rooms, which have to agree.
func stoppingLaws(t *register.T, q samples, gamma *big.Rat) samples {
	fast := selection.RandomStoppingLaw(q, gamma)
	sameLaw(t, fmt.Sprintf("Q = (%v), γ = %s, by impl and by spec", q, rat.Show(gamma)), fast, spec.RandomStoppingLaw(q,
		gamma))
	return fast
}

// stoppingLaw compares a formula, with a share of γ, with all that can happen in up to 5 draws.
func stoppingLaw(formula func(oracle []*big.Rat, gamma *big.Rat) []*big.Rat) claim {
	return func(t *register.T, share *big.Rat) {
		for m := 1; m <= 3; m++ {
			for q := range oracles(m, 2) {
				for at, x := range finite.Grid(t, "1 to 3 samples of probabilities in multiples of 1/2, γ in {1/2, 4/5, 1}: all "+
					"that can happen in 5 draws, and (1 − γ)^5 for the rest") {
					t.Case()
					rest := rat.Power(rat.Complement(x[0]), 5)
					law := exhaustive.HardStopping(q, x[0], 5)
					for i, p := range formula(q, rat.Mul(share, x[0])) {
						if new(big.Rat).Abs(rat.Sub(p, law[i])).Cmp(rest) > 0 {
							t.Refute("Q = (%v), %s: output %d has the probability %s within %s, by the formula %s", q, at, i+1,
								rat.Show(law[i]), rat.Show(rest), rat.Show(p))
						}
					}
				}
			}
		}
	}
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

func missesQuantile(t *register.T, share *big.Rat) {
	laws := []samples{}
	for m := 1; m <= 3; m++ {
		for q := range oracles(m, 4) {
			laws = append(laws, q)
		}
	}
	for _, q := range append(laws, rat.List("999/1000", "1/1000"), rat.List("0", "999/1000", "1/1000")) {
		for at, x := range finite.Grid(t, "1 to 3 samples of probabilities in multiples of 1/4, or 1/1000 for the highest, "+
			"p in {1/1001, 1/999, 1/5, 1/3, 4/5}, γ in {1/10^6, 1/10, 1/2, 1}") {
			t.Case()
			p, gamma, at := x[0], x[1], fmt.Sprintf("Q = (%v), %s", q, at)
			below := rat.Sum(q[:quantile(q, p)]...)
			missed := same(t, at+", below", misses(t, q, p, gamma), selection.NoneAbove(below, gamma, selection.Unlimited))
			within(t, at, "the probability of a score below", missed, share,
				same(t, at, spec.BelowQuantile(p, gamma), selection.BelowQuantile(p, gamma)))
		}
	}
}

// quantileSum compares the probability of a score below Q^(p) with a share of the sum of the proof.
func quantileSum(isEqual bool) claim {
	return func(t *register.T, share *big.Rat) {
		for m := 1; m <= 3; m++ {
			for q := range oracles(m, 4) {
				for at, x := range finite.Grid(t, "1 to 3 samples of probabilities in multiples of 1/4, p in {1/5, 6/25, 1/3, "+
					"4/5}, γ in {1/10, 1/2, 1}") {
					t.Case()
					p, gamma, at := x[0], x[1], fmt.Sprintf("Q = (%v), %s", q, at)
					missed, sum := misses(t, q, p, gamma), selection.NoneAbove(rat.Complement(p), gamma, selection.Unlimited)
					within(t, at, "the probability of a score below", missed, share, sum)
					if rat.Mul(sum, p).Cmp(gamma) > 0 {
						t.Refute("%s: the sum is %s, more than γ/p", at, rat.Show(sum))
					}
					if isEqual {
						same(t, at+", the sum", sum, missed)
					}
				}
			}
		}
	}
}

// byLengths sums up what can happen in 1, 2, … draws, weighted by how likely so many are.
func byLengths(t *register.T, share *big.Rat) {
	for q := range oracles(3, 3) {
		for at, x := range finite.Grid(t, "3 samples of probabilities in multiples of 1/3, γ in {1/2, 4/5, 1}: up to 5 "+
			"draws, and (1 − γ)^5 for the rest") {
			t.Case()
			goesOn := rat.Complement(x[0])
			for i, p := range selection.RandomStoppingLaw(q, x[0]) {
				sum := new(big.Rat)
				for j := 1; j <= 5; j++ {
					sum.Add(sum, rat.Product(rat.Power(goesOn, j-1), x[0], exhaustive.HardStopping(q, new(big.Rat), j)[i]))
				}
				high := add(sum, power(goesOn, 5))
				equal(t, fmt.Sprintf("Q = (%v), %s, sample %d", q, at, i+1), p,
					mul(share, interval.New(num(sum).Lower, high.Upper)))
			}
		}
	}
}

// ofLength checks the two probabilities for j draws without a coin.
func ofLength(t *register.T, share *big.Rat) {
	t.Domain("3 samples of probabilities in multiples of 1/3, 1 to 4 draws: all that can happen")
	for q := range oracles(3, 3) {
		for j := 1; j <= 4; j++ {
			t.Case()
			law, notAbove, reached := exhaustive.HardStopping(q, new(big.Rat), j), new(big.Rat), new(big.Rat)
			for i, p := range q {
				notAbove, reached = rat.Add(notAbove, p), rat.Add(reached, law[i])
				at := fmt.Sprintf("Q = (%v), j = %d, sample %d", q, j, i+1)
				equal(t, at, reached, mul(share, power(notAbove, j)))
				if notAbove.Sign() > 0 {
					lower := rat.Quo(rat.Sub(notAbove, p), notAbove)
					equal(t, at, quo(law[i], reached), sub(1, power(rat.Complement(rat.Quo(p, notAbove)), j)),
						mul(share, sub(1, power(lower, j))))
				}
			}
		}
	}
}

func stoppingRatio(t *register.T, share *big.Rat) {
	for at, x := range finite.Grid(t, "e^ε_1 in {3/2, 4, 10}, γ in {1/1000, 1/10, 1}; 36 ε_1-DP oracles over three "+
		"samples, and the worst one") {
		e, gamma := x[0], x[1]
		for q := range pure(e, "1/1000000") {
			t.Case()
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
				at := fmt.Sprintf("%s, %v, sample %d", at, q, i+1)
				ratio := rat.Quo(one[i], two[i])
				rising(t, at, ratio, product, mul(share, power(e, 3)))
				equal(t, at, ratio, product)
			}
		}
	}
}
