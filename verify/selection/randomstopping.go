package selection

import (
	"context"
	"math/big"

	"checkrr/exhaustive"
	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// randomStopping are the statements of Section 3 on selection that stops at random.
func randomStopping() register.Checks {
	return register.Checks{
		"PSC-A2": register.Checked(stoppingRuns(impl.Unlimited, rat.One, true),
			register.Control("the last sample is returned", stoppingRuns(impl.Unlimited, rat.One, false)),
			register.NearMiss("the coin comes up with probability 19/20·γ", stoppingRuns(impl.Unlimited, nearly, true)),
		),
		"PSC-T3.2": register.Checked(stoppingIsDP(rat.Of("3")),
			register.NearMiss("it is 2.85·ε_1-DP", stoppingIsDP(rat.Of("2.85"))),
		),
		"PSC-T3.2.s3": register.Checked(stoppingLaw(impl.RandomStoppingLaw, rat.One),
			register.NearMiss("with 19/20 of γ", stoppingLaw(impl.RandomStoppingLaw, nearly)),
		),
		"PSC-T3.2.s4": register.Checked(stoppingLaw(spec.RandomStoppingLaw, rat.One),
			register.NearMiss("with 19/20 of γ", stoppingLaw(spec.RandomStoppingLaw, nearly)),
		),
		"PSC-T3.2.s1": proofStep(byLengths),
		"PSC-T3.2.s2": proofStep(ofLength),
		"PSC-T3.2.s5": proofStep(stoppingRatio),
		"PSC-T3.3.s1": register.Checked(quantileSum(true, rat.One),
			register.Control("with ≤ and half of the sum", quantileSum(false, rat.Half)),
			register.NearMiss("with ≤ and 19/20 of the sum", quantileSum(false, nearly)),
			register.Corrected("≤ for the first =", quantileSum(false, rat.One)),
		),
		"PSC-T3.3": register.Checked(missesQuantile(rat.One),
			register.NearMiss("except with probability 19/20·γ/p", missesQuantile(nearly)),
		),
	}
}

// byNumber breaks ties: the larger number is the higher.
func byNumber(x, y int) bool { return x > y }

// stoppingRuns goes through all draws of both rooms, up to rare ones. Samples 2 and 3 have one score.
func stoppingRuns(limit int, share *big.Rat, isHighest bool) register.Check {
	return func(t *register.T) {
		t.Domain("3 samples of probabilities in multiples of 1/2, two with the same score, γ in {1/2, 4/5, 1}")
		least := rat.Of("1/1000")
		if limit != impl.Unlimited {
			t.AlsoDomain("T in {1, 2, %d}", limit)
			least = new(big.Rat)
		}
		for q := range oracles(3, 2) {
			for _, gamma := range rat.List("1/2", "4/5", "1") {
				for _, last := range lasts(limit) {
					t.Case()
					found, rest := pathsOf(t, q, gamma, last, least)
					claimed, left := variantOf(q, rat.Mul(share, gamma), last, least, isHighest)
					for i := range q {
						if x, y := found.pr(i), claimed.pr(i); rat.Sub(x, y).Cmp(left) > 0 || rat.Sub(y, x).Cmp(rest) > 0 {
							t.Refute("Q = (%v), γ = %s, T = %d: output %d has a probability of at least %s, claimed is %s", q,
								rat.Show(gamma), last, i+1, rat.Show(x), rat.Show(y))
						}
					}
				}
			}
		}
	}
}

func lasts(limit int) []int {
	if limit == impl.Unlimited {
		return []int{limit}
	}
	return []int{1, 2, limit}
}

// tied returns the score of a sample: the last two have the same.
func tied(i int) float64 { return float64(min(i, 1)) }

// pathsOf runs both rooms on all draws.
func pathsOf(t *register.T, q samples, gamma *big.Rat, limit int, least *big.Rat) (found outcomes, rest *big.Rat) {
	found = outcomes{}
	rest = finite.GoThrough(least, func(c *finite.Coins) {
		draw := func() spec.Scored[int] {
			i := c.Of(q)
			return spec.Scored[int]{Output: i, Score: tied(i)}
		}
		var got spec.Scored[int]
		if limit == impl.Unlimited {
			got = spec.RandomStopping(draw, byNumber, gamma, c)
		} else {
			got = spec.HardStopping(draw, byNumber, gamma, limit, c)
		}
		found.add(got.Output, c.Pr)
		checkAgain(t, c.Path, gamma, limit, got.Output)
	})
	return found, rest
}

// checkAgain refutes an impl that makes something else of the draws of a path.
func checkAgain(t *register.T, path []finite.Draw, gamma *big.Rat, limit, want int) {
	var got impl.Scored[int]
	var runs int
	var err error
	coins, drawn := impl.Coins{Source: &finite.WordTape{Words: finite.Words(path, true)}}, replayed(path)
	again := func(ctx context.Context) (impl.Scored[int], error) {
		s, err := drawn(ctx)
		s.Score = tied(s.Output)
		return s, err
	}
	if limit == impl.Unlimited {
		got, runs, err = impl.RandomStopping(t.Context(), again, byNumber, gamma, coins)
	} else {
		got, runs, err = impl.HardStopping(t.Context(), again, byNumber, gamma, limit, coins)
	}
	t.Must(err)
	if got.Output != want || runs != drawsOn(path) {
		t.Refute("γ = %s, T = %d: sample %d after %d draws by impl, sample %d after %d by spec", rat.Show(gamma), limit,
			got.Output+1, runs, want+1, drawsOn(path))
	}
}

// variantOf returns the law of the highest sample, or of the last one.
func variantOf(q samples, gamma *big.Rat, limit int, least *big.Rat, isHighest bool) (law outcomes, rest *big.Rat) {
	law = outcomes{}
	rest = finite.GoThrough(least, func(c *finite.Coins) {
		top := 0
		for j := 1; ; j++ {
			i := c.Of(q)
			if !isHighest || i > top {
				top = i
			}
			if c.Bernoulli(gamma) || j == limit {
				law.add(top, c.Pr)
				return
			}
		}
	})
	return law, rest
}

func stoppingIsDP(factor *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("e^ε_1 in {3/2, 4, 10}, γ in {1/1000, 1/10, 1/2, 1}; 36 ε_1-DP oracles over three samples, and " +
			"the worst one")
		for _, e := range rat.List("3/2", "4", "10") {
			for _, gamma := range rat.List("1/1000", "1/10", "1/2", "1") {
				exact := impl.RandomStoppingLoss(loss.Exp(e), gamma)
				try := func(q neighbours) {
					t.Case()
					var laws [2]samples
					for b := range q {
						laws[b] = bothStoppingLaws(t, q[b], gamma)
					}
					checkLossBy(t, "impl.RandomStoppingLoss", laws, exact, "e^ε_1 = %s, %v, γ = %s", rat.Show(e), q, rat.Show(gamma))
					checkLoss(t, laws, logOf(factor, 1, e, new(big.Rat)), "e^ε_1 = %s, %v, γ = %s", rat.Show(e), q, rat.Show(gamma))
				}
				for q := range pure(e) {
					try(q)
				}
				try(worst(e, rat.Of("1/1000000")))
			}
		}
	}
}

// bothStoppingLaws returns the law by both rooms, which have to agree.
func bothStoppingLaws(t *register.T, q samples, gamma *big.Rat) samples {
	literal, fast := spec.RandomStoppingLaw(q, gamma), impl.RandomStoppingLaw(q, gamma)
	for i := range fast {
		if !rat.Equal(literal[i], fast[i]) {
			t.Refute("Q = (%v), γ = %s: output %d has %s by impl, %s by spec", q, rat.Show(gamma), i+1, rat.Show(fast[i]),
				rat.Show(literal[i]))
		}
	}
	return fast
}

// stoppingLaw compares a formula with all that can happen in up to 6 draws.
func stoppingLaw(formula func(oracle []*big.Rat, gamma *big.Rat) []*big.Rat, share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("1 to 3 samples of probabilities in multiples of 1/2, γ in {1/2, 4/5, 1}: all that can happen in 5 draws, " +
			"and (1 − γ)^5 for the rest")
		for m := 1; m <= 3; m++ {
			for q := range oracles(m, 2) {
				for _, gamma := range rat.List("1/2", "4/5", "1") {
					t.Case()
					rest := rat.Power(rat.Complement(gamma), 5)
					law := exhaustive.HardStopping(q, gamma, 5)
					for i, p := range formula(q, rat.Mul(share, gamma)) {
						if rat.Sub(p, law[i]).Cmp(rest) > 0 || rat.Sub(law[i], p).Cmp(rest) > 0 {
							t.Refute("Q = (%v), γ = %s: output %d has the probability %s within %s, by the formula %s", q, rat.Show(gamma),
								i+1, rat.Show(law[i]), rat.Show(rest), rat.Show(p))
						}
					}
				}
			}
		}
	}
}

func missesQuantile(share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("1 to 3 samples of probabilities in multiples of 1/4, or 1/1000 for the highest, p in {1/1001, 1/999, " +
			"1/5, 1/3, 4/5}, γ in {1/10^6, 1/10, 1/2, 1}")
		try := func(q samples) {
			for _, p := range rat.List("1/1001", "1/999", "1/5", "1/3", "4/5") {
				for _, gamma := range rat.List("1/1000000", "1/10", "1/2", "1") {
					t.Case()
					at := quantile(q, p)
					misses := new(big.Rat)
					for _, pr := range bothStoppingLaws(t, q, gamma)[:at] {
						misses = rat.Add(misses, pr)
					}
					below := rat.Sum(append(q[:at:at], new(big.Rat))...)
					bound := spec.BelowQuantile(p, gamma)
					if !rat.Equal(bound, impl.BelowQuantile(p, gamma)) ||
						!rat.Equal(misses, impl.NoneAbove(below, gamma, impl.Unlimited)) {
						t.Refute("Q = (%v), p = %s, γ = %s: the bound is %s by impl, the probability %s", q, rat.Show(p),
							rat.Show(gamma), rat.Show(impl.BelowQuantile(p, gamma)), rat.Show(impl.NoneAbove(below, gamma, impl.Unlimited)))
					}
					if bound = rat.Mul(share, bound); misses.Cmp(bound) > 0 {
						t.Refute("Q = (%v), p = %s, γ = %s: the score is below with probability %s, claimed at most %s", q, rat.Show(p),
							rat.Show(gamma), rat.Show(misses), rat.Show(bound))
					}
					t.CloseTo(misses, bound, "Q = (%v), p = %s, γ = %s", q, rat.Show(p), rat.Show(gamma))
				}
			}
		}
		for m := 1; m <= 3; m++ {
			for q := range oracles(m, 4) {
				try(q)
			}
		}
		try(rat.List("999/1000", "1/1000"))
		try(rat.List("0", "999/1000", "1/1000"))
	}
}

// quantileSum compares the probability of a score below Q^(p) with the sum of the proof.
func quantileSum(isEqual bool, share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("1 to 3 samples of probabilities in multiples of 1/4, p in {1/5, 6/25, 1/3, 4/5}, γ in {1/10, 1/2, 1}")
		for m := 1; m <= 3; m++ {
			for q := range oracles(m, 4) {
				for _, p := range rat.List("1/5", "6/25", "1/3", "4/5") {
					for _, gamma := range rat.List("1/10", "1/2", "1") {
						t.Case()
						misses := new(big.Rat)
						for _, pr := range bothStoppingLaws(t, q, gamma)[:quantile(q, p)] {
							misses = rat.Add(misses, pr)
						}
						sum := impl.NoneAbove(rat.Complement(p), gamma, impl.Unlimited)
						order := misses.Cmp(rat.Mul(share, sum))
						if order > 0 || isEqual && order < 0 || rat.Mul(sum, p).Cmp(gamma) > 0 {
							t.Refute("Q = (%v), p = %s, γ = %s: the score is below with probability %s, the sum is %s, γ/p is %s", q,
								rat.Show(p), rat.Show(gamma), rat.Show(misses), rat.Show(rat.Mul(share, sum)), rat.Show(rat.Quo(gamma, p)))
						}
						t.CloseTo(misses, rat.Mul(share, sum), "Q = (%v), p = %s, γ = %s", q, rat.Show(p), rat.Show(gamma))
					}
				}
			}
		}
	}
}

// byLengths sums up what can happen in 1, 2, … draws, weighted by how likely so many are.
func byLengths(t *register.T, share interval.Interval) {
	t.Domain("3 samples of probabilities in multiples of 1/3, γ in {1/2, 4/5, 1}: up to 5 draws, and (1 − γ)^5 " +
		"for the rest")
	for q := range oracles(3, 3) {
		for _, gamma := range rat.List("1/2", "4/5", "1") {
			t.Case()
			rest := rat.Power(rat.Complement(gamma), 5)
			for i, p := range impl.RandomStoppingLaw(q, gamma) {
				sum := new(big.Rat)
				for j := 1; j <= 5; j++ {
					sum = rat.Add(sum, rat.Product(rat.Power(rat.Complement(gamma), j-1), gamma,
						exhaustive.HardStopping(q, new(big.Rat), j)[i]))
				}
				low, high := exactly(sum), exactly(rat.Add(sum, rest))
				equal(exactly(p), interval.New(low.Lower, high.Upper)).check(t, share, "Q = (%v), γ = %s, sample %d", q,
					rat.Show(gamma), i+1)
			}
		}
	}
}

// ofLength checks the two probabilities for j draws without a coin.
func ofLength(t *register.T, share interval.Interval) {
	t.Domain("3 samples of probabilities in multiples of 1/3, 1 to 4 draws: all that can happen")
	for q := range oracles(3, 3) {
		for j := 1; j <= 4; j++ {
			t.Case()
			law, notAbove, reached := exhaustive.HardStopping(q, new(big.Rat), j), new(big.Rat), new(big.Rat)
			for i, p := range q {
				notAbove, reached = rat.Add(notAbove, p), rat.Add(reached, law[i])
				equal(exactly(reached), power(notAbove, j)).check(t, share, "Q = (%v), j = %d, sample %d", q, j, i+1)
				if notAbove.Sign() > 0 {
					lower := rat.Quo(rat.Sub(notAbove, p), notAbove)
					first := precise.Sub(precise.Int(1), power(rat.Complement(rat.Quo(p, notAbove)), j))
					equal(exactly(rat.Quo(law[i], reached)), first, precise.Sub(precise.Int(1), power(lower, j))).check(t, share,
						"Q = (%v), j = %d, sample %d", q, j, i+1)
				}
			}
		}
	}
}

func stoppingRatio(t *register.T, share interval.Interval) {
	t.Domain("e^ε_1 in {3/2, 4, 10}, γ in {1/1000, 1/10, 1}; 36 ε_1-DP oracles over three samples, and the worst one")
	for _, e := range rat.List("3/2", "4", "10") {
		for _, gamma := range rat.List("1/1000", "1/10", "1") {
			try := func(q neighbours) {
				t.Case()
				one, two := impl.RandomStoppingLaw(q[0], gamma), impl.RandomStoppingLaw(q[1], gamma)
				p0, other0 := new(big.Rat), new(big.Rat)
				for i := 2; i >= 0; i-- {
					p1, other1 := rat.Add(p0, q[0][i]), rat.Add(other0, q[1][i])
					if q[0][i].Sign() > 0 {
						product := rat.Product(rat.Quo(q[0][i], q[1][i]), rat.Quo(stops(other0, gamma), stops(p0, gamma)),
							rat.Quo(stops(other1, gamma), stops(p1, gamma)))
						rising(exactly(rat.Quo(one[i], two[i])), exactly(product), power(e, 3)).check(t, share,
							"e^ε_1 = %s, %v, γ = %s, sample %d", rat.Show(e), q, rat.Show(gamma), i+1)
						equal(exactly(rat.Quo(one[i], two[i])), exactly(product)).check(t, precise.Int(1),
							"e^ε_1 = %s, %v, γ = %s, sample %d", rat.Show(e), q, rat.Show(gamma), i+1)
					}
					p0, other0 = p1, other1
				}
			}
			for q := range pure(e) {
				try(q)
			}
			try(worst(e, rat.Of("1/1000000")))
		}
	}
}

// quantile returns the first sample with Q^(p): the highest of which that or a higher one is drawn with more than p.
func quantile(q samples, p *big.Rat) int {
	above := new(big.Rat)
	for i := len(q) - 1; i >= 0; i-- {
		if above = rat.Add(above, q[i]); above.Cmp(p) > 0 {
			return i
		}
	}
	return 0
}
