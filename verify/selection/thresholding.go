package selection

import (
	"fmt"
	"math"
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

// thresholding are the statements of Section 3 on selection with a known threshold.
func thresholding() register.Checks {
	return register.Checks{
		"PSC-A1": checked(thresholdingRuns(selector{}),
			control("q > τ is asked for", thresholdingRuns(selector{later: 1})),
			near("the coin comes up with probability 19/20·γ", thresholdingRuns(selector{share: nearly})),
			near("there are T + 1 draws", thresholdingRuns(selector{more: 1}))),
		"PSC-T3.1a": tight(with(proportional, false), "19/20", "a lower sample has 19/20 of its share",
			alsoFails(register.Slip, "for all (x, q), as in Theorem A.1(a)", with(proportional, true).With("1"))),
		"PSC-T3.1b": tight(thresholdingIsDP(0), "19/20", "it is 19/20·(2ε_1 + ε_0)-DP",
			near("for a T of a sixteenth", thresholdingIsDP(4).With("1"))),
		"PSC-T3.1c": tight(thresholdingIsApproximate, "1/90", "with 1/30 for 3"),
		"PSC-T3.1d": tight(meanDraws, "19/20", "19/20 of it is enough"),
		"PSC-T3.1e": tight(givesUp(), "19/20", "19/20 of it"),
		"PSC-X7":    tight(withoutLimit, "19/20", "it is 19/20·2ε_1-DP"),
	}
}

var chances = rat.List("0", "1/3", "4/5", "1")

// setting is an oracle, a threshold, γ and T.
type setting struct {
	q     samples
	first int // samples from there on are not below the threshold
	gamma *big.Rat
	limit int
}

func (s setting) String() string {
	return fmt.Sprintf("Q = (%s), γ = %s, samples from %d on are not below τ, T = %d",
		rat.Show(s.q...), rat.Show(s.gamma), s.first+1, s.limit)
}

// settings goes through oracles over up to three samples, every threshold, γ, and T.
func settings(t *register.T, gammas []*big.Rat, limits []int, visit func(s setting)) {
	t.Domain("1 to 3 samples of probabilities in multiples of 1/3, every threshold, γ in {%s}, T in %d", gammas, limits)
	for _, q := range smallOracles(3) {
		for first := range len(q) + 1 {
			finite.Each2(gammas, limits, func(gamma *big.Rat, limit int) {
				s := setting{q, first, gamma, limit}
				t.At("%v", s)
				visit(s)
			})
		}
	}
}

// above returns p_1.
func (s setting) above() *big.Rat { return rat.Sum(s.q[s.first:]...) }

// run returns the output of spec, or ⊥ as the sample after the last.
func (s setting) run(c *finite.Coins) int {
	got, isFound := spec.Thresholding(programs(c, s.q)[0], float64(s.first), s.gamma, s.limit, c)
	if !isFound {
		return len(s.q)
	}
	return got.Output
}

// again returns that of impl on the draws of a path, and how many runs it made.
func (s setting) again(t *register.T, path []finite.Draw) (output, runs int) {
	got, isFound, runs, err := selection.Thresholding(t.Context(), replayed(path), float64(s.first), s.gamma,
		s.limit, coins(path, false))
	t.Must(err)
	if !isFound {
		return len(s.q), runs
	}
	return got.Output, runs
}

// law returns the law of the output by impl, ⊥ the last. Where T is small, spec has to agree.
func (s setting) law(t *register.T) samples {
	law := withNone(selection.ThresholdingLaw(s.q, s.first, s.gamma, s.limit))
	if s.limit <= 20 {
		sameLaw(t, law, withNone(spec.ThresholdingLaw(s.q, s.first, s.gamma, s.limit)))
	}
	return law
}

// withNone returns a law with ⊥ the last.
func withNone(law samples, none *big.Rat) samples { return append(law, none) }

// selector is a variant of the algorithm: so many samples more are below the threshold, the coin comes up with a share
// of γ, and there are so many draws more.
type selector struct {
	later, more int
	share       *big.Rat
}

// thresholdingRuns goes through all draws of the program of spec and compares its law with that of a variant; impl
// makes the same of the same draws.
func thresholdingRuns(variant selector) register.Check {
	return func(t *register.T) {
		try := func(s setting) {
			found, _ := byDraws(t, len(s.q)+1, new(big.Rat), s.run, func(path []finite.Draw) (output, runs int) {
				return s.again(t, path)
			})
			gamma := s.gamma
			if variant.share != nil {
				gamma = rat.Mul(variant.share, gamma)
			}
			limit := max(1, s.limit) // with γ = 1, one draw is all
			sameLaw(t, found, withNone(exhaustive.Thresholding(s.q, s.first+variant.later, gamma, limit+variant.more)))
		}
		settings(t, chances, []int{1, 2, 3}, try)
		for _, q := range smallOracles(3) {
			s := setting{q, len(q) - 1, rat.One, spec.Unlimited}
			t.At("%v", s)
			try(s)
		}
		t.AlsoDomain("the highest sample, γ = 1 and no limit")
	}
}

// isReached checks that what is returned has the score τ at least, or the next.
func isReached(t *register.T, more int) {
	settings(t, []*big.Rat{new(big.Rat)}, []int{3}, func(s setting) {
		byDraws(t, len(s.q)+1, new(big.Rat), func(c *finite.Coins) int {
			output := s.run(c)
			t.Require(output >= s.first+more || output == len(s.q), "output %d", output+1)
			return output
		}, func(path []finite.Draw) (output, runs int) { return s.again(t, path) })
	})
}

// proportional checks that law and oracle have one ratio, above the threshold or everywhere; lower samples a share of
// it.
func proportional(t *register.T, share *big.Rat, everywhere bool) {
	settings(t, chances, []int{1, 2, 7}, func(s setting) {
		law, from := s.law(t), s.first
		if everywhere {
			from = 0
		}
		for i := from; i < len(s.q); i++ {
			for j := i + 1; j < len(s.q); j++ {
				t.Require(rat.Equal(rat.Mul(law[i], s.q[j]), rat.Product(share, law[j], s.q[i])),
					"outputs %d and %d have the probabilities %s and %s", i+1, j+1, law[i], law[j])
			}
		}
	})
}

// leastDraws returns the least T that the theorem allows, by both rooms and by what is printed.
func leastDraws(t *register.T, gamma, eps0 *big.Rat) int {
	limit := selection.ThresholdingLimit(gamma, eps0)
	twins(t, "T", spec.ThresholdingLimit(rat.Float64(gamma), rat.Float64(eps0)), limit)
	equal(t, limit, interval.Max(quo(ln(rat.Quo(rat.Int(2), eps0)), gamma), add(1, quo(exp("-1"), gamma))))
	return up(limit)
}

// eachThreshold visits the laws of the output on two databases, for every threshold.
func eachThreshold(t *register.T, at string, q neighbours, gamma *big.Rat, limit int, visit func(laws [2]samples)) {
	for first := range 4 {
		t.At("%s, %v, samples from %d on are not below τ, T = %d", at, q, first+1, limit)
		visit([2]samples{setting{q[0], first, gamma, limit}.law(t), setting{q[1], first, gamma, limit}.law(t)})
	}
}

// thresholdingIsDP checks a share of 2ε_1 + ε_0, for a T of 1/2^halvings.
var thresholdingIsDP = on("e^ε_1 in {10 | 3/2}, ε_0 in {1/10, 1}, γ in {1/2, 1/100 | 1/10, 1}; "+
	"37 ε_1-DP oracles over three samples, for γ = 1/100 the worst one; every threshold",
	func(t *register.T, share *big.Rat, halvings uint, at string, e, eps0, gamma *big.Rat) {
		limit := max(2, leastDraws(t, gamma, eps0)>>halvings)
		ours, g, n := selection.ThresholdingLoss(loss.Exp(e), gamma, limit), rat.Float64(gamma), float64(limit)
		adds(t, ours, selection.ThresholdingLoss(loss.Exp(e), gamma, selection.Unlimited),
			math.Log1p(math.Pow(1-g, n)/(math.E*g*(n-1))))
		for _, q := range pureUnlessRare(e, gamma) {
			eachThreshold(t, at, q, gamma, limit, func(laws [2]samples) {
				losesAtMost(t, laws, mul(share, add(mul(2, ln(e)), eps0)))
				t.In("by selection.ThresholdingLoss")
				lossOf(t, laws, ours)
			})
		}
	})

func thresholdingIsApproximate(t *register.T, share *big.Rat) {
	finite.Each(t, "e^ε_1 in {1, 4}, δ_1 in {1/100, 1/4}, γ in {1/10, 1 | 1/2}, ε_0 in {1/10, 1}; all functions "+
		"of randomized response onto three samples; every threshold", func(at string, e, delta, gamma, eps0 *big.Rat) {
		limit := leastDraws(t, gamma, eps0)
		expEps := mul(e, e, exp(eps0))
		most := mul(share, 3, quo(delta, gamma), expEps)
		ours := exp(selection.ThresholdingLoss(loss.Exp(e), gamma, limit))
		oursDelta := num(selection.SelectionDelta(delta, gamma, limit))
		for _, q := range approximate(e, delta) {
			eachThreshold(t, at, q, gamma, limit, func(laws [2]samples) {
				t.Close(quo(needsAtMost(t, laws, expEps, most), most).Float().Lo, "")
				t.In("by selection.SelectionDelta")
				needsAtMost(t, laws, ours, oursDelta)
			})
		}
	})
}

// meanDraws counts the draws of spec on all paths.
func meanDraws(t *register.T, share *big.Rat) {
	settings(t, chances[1:], []int{1, 2, 4}, func(s setting) {
		p1, mean := s.above(), new(big.Rat)
		finite.GoThrough(new(big.Rat), func(c *finite.Coins) {
			s.run(c)
			mean.Add(mean, rat.Mul(c.Pr, rat.Int(drawsOn(c.Path))))
		})
		bound := same(t, "the bound", spec.ThresholdingRuns(p1, s.gamma), selection.ThresholdingRuns(p1, s.gamma))
		within(t, "the mean number of draws", mean, share, bound)
		t.Require(rat.Mul(bound, rat.Max(p1, s.gamma)).Cmp(rat.One) <= 0, "the bound is %s, more than 1/p_1 or 1/γ",
			bound)
	})
}

var givesUp = on("p_1 in {1/1000, 1/10, 1/2, 99/100}, γ in {1/200, 1/10, 1/2, 1}, ε_0 in {1/1000, 1/10, 1}; "+
	"the least T and 10 more",
	func(t *register.T, share, p1, gamma, eps0 *big.Rat) {
		least := leastDraws(t, gamma, eps0)
		bound := same(t, "the bound", spec.ThresholdingNone(p1, gamma, eps0),
			selection.ThresholdingNone(p1, gamma, eps0))
		for _, limit := range []int{least, least + 10} {
			t.In("T = %d", limit)
			rising(t, setting{samples{rat.Complement(p1), p1}, 1, gamma, limit}.law(t)[2], mul(share, bound))
		}
	})

// withoutLimit checks that Theorem 3.1 holds with γ = 0 and without a limit: a share of 2ε_1, where p_1 > 0.
func withoutLimit(t *register.T, share *big.Rat) {
	zero := new(big.Rat)
	finite.Each(t, "e^ε_1 in {3/2, 4, 10}; 36 ε_1-DP oracles over three samples, and the worst ones; "+
		"every threshold with p_1 > 0", func(at string, e *big.Rat) {
		for _, q := range pure(e) {
			for first := range 3 {
				t.At("%s, %v, samples from %d on are not below τ", at, q, first+1)
				var laws [2]samples
				for b := range q {
					p1 := rat.Sum(q[b][first:]...)
					if p1.Sign() == 0 {
						break
					}
					law, none := selection.ThresholdingLaw(q[b], first, zero, selection.Unlimited)
					laws[b] = append(law, none)
					same(t, "⊥", spec.ThresholdingNone(p1, zero, zero), none)
					runs := same(t, "the mean number of draws", spec.ThresholdingRuns(p1, zero),
						selection.ThresholdingRuns(p1, zero))
					same(t, "that by p_1", rat.One, rat.Mul(runs, p1))
				}
				if laws[1] != nil {
					losesAtMost(t, laws, mul(share, 2, ln(e)))
				}
			}
		}
	})
}
