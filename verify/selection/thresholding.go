package selection

import (
	"fmt"
	"iter"
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

// thresholding are the statements of Section 3 on selection with a known threshold.
func thresholding() register.Checks {
	asPrinted := selector{}
	return register.Checks{
		"PSC-A1": register.Checked(thresholdingRuns(asPrinted),
			register.Control("q > τ is asked for", thresholdingRuns(selector{later: 1})),
			register.NearMiss("the coin comes up with probability 19/20·γ", thresholdingRuns(selector{share: nearly})),
			register.NearMiss("there are T + 1 draws", thresholdingRuns(selector{more: 1})),
		),
		"PSC-T3.1a": register.Checked(proportional(false, rat.One),
			register.AlsoFails(register.Slip, "for all (x, q), as in Theorem A.1(a)", proportional(true, rat.One)),
			register.Control("one sample is as likely as another", uniformAbove),
			register.NearMiss("a lower sample has 19/20 of its share", proportional(false, nearly)),
		),
		"PSC-T3.1b": register.Checked(thresholdingIsDP(thresholdClaim{rat.One, 2, 0}),
			register.Control("it is (ε_1 + ε_0)-DP", thresholdingIsDP(thresholdClaim{rat.One, 1, 0})),
			register.NearMiss("it is 19/20·(2ε_1 + ε_0)-DP", thresholdingIsDP(thresholdClaim{nearly, 2, 0})),
			register.NearMiss("for a T of a sixteenth", thresholdingIsDP(thresholdClaim{rat.One, 2, 4})),
		),
		"PSC-T3.1c": register.Checked(thresholdingIsApproximate(rat.Of("3"), false),
			register.Control("without 1/γ", thresholdingIsApproximate(rat.Of("1/3"), true)),
			register.NearMiss("with 1/30 for 3", thresholdingIsApproximate(rat.Of("1/30"), false)),
		),
		"PSC-T3.1d": register.Checked(meanDraws(rat.One),
			register.NearMiss("19/20 of it is enough", meanDraws(nearly)),
		),
		"PSC-T3.1e": register.Checked(givesUp(rat.One),
			register.NearMiss("19/20 of it", givesUp(nearly)),
		),
		"PSC-X7": register.Checked(withoutLimit(rat.One),
			register.NearMiss("it is 19/20·2ε_1-DP", withoutLimit(nearly)),
		),
	}
}

var chances = rat.List("0", "1/3", "4/5", "1")

// settings yields oracles over up to three samples, of which those from first on are not below the threshold, and γ.
func settings(gammas []*big.Rat) iter.Seq2[samples, setting] {
	return func(yield func(samples, setting) bool) {
		for m := 1; m <= 3; m++ {
			for q := range oracles(m, 3) {
				for first := range m + 1 {
					for _, gamma := range gammas {
						if !yield(q, setting{first, gamma}) {
							return
						}
					}
				}
			}
		}
	}
}

type setting struct {
	first int // samples from there on are not below the threshold
	gamma *big.Rat
}

func (s setting) String() string {
	return fmt.Sprintf("γ = %s, samples from %d on are not below τ", rat.Show(s.gamma), s.first+1)
}

// above returns p_1.
func (s setting) above(q samples) *big.Rat { return rat.Sum(append(q[s.first:], new(big.Rat))...) }

// proportional checks that law and oracle have one ratio, above the threshold or everywhere; lower samples a share of
// it.
func proportional(everywhere bool, share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("1 to 3 samples of probabilities in multiples of 1/3, every threshold, γ in {%s}, T in {1, 2, 7}",
			rat.Show(chances...))
		for q, at := range settings(chances) {
			for _, limit := range []int{1, 2, 7} {
				t.Case()
				law, _ := bothThresholdingLaws(t, q, at.first, at.gamma, limit)
				from := at.first
				if everywhere {
					from = 0
				}
				for i := from; i < len(q); i++ {
					for j := i + 1; j < len(q); j++ {
						if a, b := rat.Mul(law[i], q[j]), rat.Product(share, law[j], q[i]); !rat.Equal(a, b) {
							t.Refute("Q = (%v), %v, T = %d: outputs %d and %d have the probabilities %s", q, at, limit, i+1, j+1,
								rat.Show(law[i], law[j]))
						}
					}
				}
			}
		}
	}
}

// uniformAbove claims that all samples above the threshold are equally likely.
func uniformAbove(t *register.T) {
	for q, at := range settings(chances) {
		t.Case()
		law, _ := bothThresholdingLaws(t, q, at.first, at.gamma, 2)
		for i := at.first + 1; i < len(q); i++ {
			if !rat.Equal(law[i], law[at.first]) {
				t.Refute("Q = (%v), %v, T = 2: the outputs have the probabilities %s", q, at, rat.Show(law...))
			}
		}
	}
}

// thresholdClaim is a variant of Theorem 3.1(b): the guarantee is share·(factor·ε_1 + ε_0), for a T of 1/2^halvings.
type thresholdClaim struct {
	share    *big.Rat
	factor   int64
	halvings uint
}

// leastDraws returns the least T that the theorem allows.
func leastDraws(t *register.T, gamma, eps0 *big.Rat) int {
	limit := impl.ThresholdingLimit(gamma, eps0)
	isAbout(t, "T", limit, spec.ThresholdingLimit(rat.Float64(gamma), rat.Float64(eps0)))
	n, _ := limit.Upper.Int(nil)
	return int(n.Int64()) + 1
}

// isAbout refutes a number of spec that is not that of impl.
func isAbout(t *register.T, what string, want interval.Interval, got float64) {
	x := want.Float()
	if !(math.Abs(got-x.Lo) <= 1e-9*x.Hi) {
		t.Refute("%s is %.12g by spec, %.12g by impl", what, got, x.Lo)
	}
}

func thresholdingIsDP(claim thresholdClaim) register.Check {
	return func(t *register.T) {
		t.Domain("e^ε_1 in {3/2, 10}, γ in {1/10, 1/2, 1} and, for the worst laws, 1/100, ε_0 in {1/10, 1}; 36 ε_1-DP " +
			"oracles over three samples, and the worst one; every threshold")
		try := func(q neighbours, e, gamma, eps0 *big.Rat) {
			limit := max(2, leastDraws(t, gamma, eps0)>>claim.halvings)
			for first := range 4 {
				t.Case()
				var laws [2]samples
				for b := range laws {
					law, none := impl.ThresholdingLaw(q[b], first, gamma, limit)
					if limit <= 12 {
						law, none = bothThresholdingLaws(t, q[b], first, gamma, limit)
					}
					laws[b] = append(law, none)
				}
				at := fmt.Sprintf("e^ε_1 = %s, %v, samples from %d on are not below τ, γ = %s, ε_0 = %s, T = %d", rat.Show(e), q,
					first+1, rat.Show(gamma), rat.Show(eps0), limit)
				checkLoss(t, laws, logOf(claim.share, claim.factor, e, eps0), "%s", at)
				checkLossBy(t, "impl.ThresholdingLoss", laws, impl.ThresholdingLoss(loss.Exp(e), gamma, limit), "%s", at)
			}
		}
		for _, e := range rat.List("3/2", "10") {
			for _, eps0 := range rat.List("1/10", "1") {
				for _, gamma := range rat.List("1/10", "1/2", "1") {
					for q := range pure(e) {
						try(q, e, gamma, eps0)
					}
				}
				try(worst(e, rat.Of("1/1000")), e, rat.Of("1/100"), eps0)
			}
		}
	}
}

func thresholdingIsApproximate(factor *big.Rat, noGamma bool) register.Check {
	return func(t *register.T) {
		t.Domain("e^ε_1 in {1, 4}, δ_1 in {1/100, 1/4}, γ in {1/10, 1/2, 1}, ε_0 in {1/10, 1}; all functions of randomized " +
			"response onto three samples; every threshold")
		for _, e := range rat.List("1", "4") {
			for _, delta := range rat.List("1/100", "1/4") {
				for _, gamma := range rat.List("1/10", "1/2", "1") {
					for _, eps0 := range rat.List("1/10", "1") {
						limit := leastDraws(t, gamma, eps0)
						expEps := precise.Mul(precise.Rat(rat.Mul(e, e)), precise.ExpRat(eps0))
						most := precise.Mul(precise.Rat(rat.Mul(factor, delta)), expEps)
						if !noGamma {
							most = precise.Quo(most, precise.Rat(gamma))
						}
						ours := precise.Exp(impl.ThresholdingLoss(loss.Exp(e), gamma, limit))
						for f, q := range approximate(e, delta) {
							for first := range 4 {
								t.Case()
								laws := bothThresholdings(t, q, first, gamma, limit)
								at := fmt.Sprintf("e^ε_1 = %s, δ_1 = %s, γ = %s, ε_0 = %s, T = %d, answers to samples %v, those from %d on "+
									"not below τ", rat.Show(e), rat.Show(delta), rat.Show(gamma), rat.Show(eps0), limit, f, first+1)
								checkDelta(t, laws, expEps, most, at)
								t.Close(precise.Quo(excess(laws, expEps), most).Float().Lo, "%s", at)
								checkDelta(t, laws, ours, precise.Rat(impl.SelectionDelta(delta, gamma, limit)), at+", by impl.SelectionDelta")
							}
						}
					}
				}
			}
		}
	}
}

// bothThresholdings returns the laws of the output, ⊥ the last, by both rooms, which have to agree.
func bothThresholdings(t *register.T, q neighbours, first int, gamma *big.Rat, limit int) (laws [2]samples) {
	for b := range laws {
		law, none := bothThresholdingLaws(t, q[b], first, gamma, min(limit, 8))
		if limit > 8 {
			law, none = impl.ThresholdingLaw(q[b], first, gamma, limit)
		}
		laws[b] = append(law, none)
	}
	return laws
}

// checkDelta refutes laws that need a larger δ than is claimed.
func checkDelta(t *register.T, laws [2]samples, expEps, most interval.Interval, at string) {
	lost := excess(laws, expEps)
	if lost.Lower.Cmp(most.Upper) > 0 {
		t.Refute("%s: δ is %.9g, claimed %.9g", at, lost.Lower, most.Upper)
	}
}

// excess returns the least δ for which two laws are (ε, δ)-DP.
func excess(laws [2]samples, expEps interval.Interval) interval.Interval {
	delta := precise.Int(0)
	for b := range laws {
		sum := precise.Int(0)
		for i, p := range laws[b] {
			sum = precise.Add(sum, precise.Max0(precise.Sub(precise.Rat(p), precise.Mul(expEps, precise.Rat(laws[1-b][i])))))
		}
		delta = interval.Max(delta, sum)
	}
	return delta
}

// meanDraws counts the draws of spec on all paths.
func meanDraws(share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("1 to 3 samples of probabilities in multiples of 1/3, every threshold, γ in {1/3, 4/5, 1}, T in {1, 2, 4}")
		for q, at := range settings(chances[1:]) {
			for _, limit := range []int{1, 2, 4} {
				t.Case()
				mean := new(big.Rat)
				finite.GoThrough(new(big.Rat), func(c *finite.Coins) {
					spec.Thresholding(programs([]samples{q}, c)[0], float64(at.first), at.gamma, limit, c)
					mean = rat.Add(mean, rat.Mul(c.Pr, rat.Int(drawsOn(c.Path))))
				})
				p1 := at.above(q)
				bound := rat.Mul(share, spec.ThresholdingRuns(p1, at.gamma))
				if fast := rat.Mul(share, impl.ThresholdingRuns(p1, at.gamma)); !rat.Equal(bound, fast) {
					t.Refute("p_1 = %s, γ = %s: the bound is %s by spec, %s by impl", rat.Show(p1), rat.Show(at.gamma),
						rat.Show(bound), rat.Show(fast))
				}
				if mean.Cmp(bound) > 0 || rat.Mul(bound, rat.Max(p1, at.gamma)).Cmp(rat.One) > 0 {
					t.Refute("Q = (%v), %v, T = %d: %s draws on average, claimed at most %s, and that at most 1/p_1 and 1/γ", q, at,
						limit, rat.Show(mean), rat.Show(bound))
				}
				t.CloseTo(mean, bound, "Q = (%v), %v, T = %d", q, at, limit)
			}
		}
	}
}

func givesUp(share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("p_1 in {1/1000, 1/10, 1/2, 99/100}, γ in {1/200, 1/10, 1/2, 1}, ε_0 in {1/1000, 1/10, 1}; the least T " +
			"and 10 more")
		for _, p1 := range rat.List("1/1000", "1/10", "1/2", "99/100") {
			for _, gamma := range rat.List("1/200", "1/10", "1/2", "1") {
				for _, eps0 := range rat.List("1/1000", "1/10", "1") {
					least := leastDraws(t, gamma, eps0)
					for _, limit := range []int{least, least + 10} {
						t.Case()
						q := samples{rat.Complement(p1), p1}
						_, none := impl.ThresholdingLaw(q, 1, gamma, limit)
						if limit <= 20 {
							bothThresholdingLaws(t, q, 1, gamma, limit)
						}
						bound := rat.Mul(share, spec.ThresholdingNone(p1, gamma, eps0))
						if fast := rat.Mul(share, impl.ThresholdingNone(p1, gamma, eps0)); !rat.Equal(bound, fast) {
							t.Refute("p_1 = %s, γ = %s, ε_0 = %s: the bound is %s by spec, %s by impl", rat.Show(p1), rat.Show(gamma),
								rat.Show(eps0), rat.Show(bound), rat.Show(fast))
						}
						if none.Cmp(bound) > 0 {
							t.Refute("p_1 = %s, γ = %s, ε_0 = %s, T = %d: ⊥ has a probability of %.9g, claimed at most %.9g", rat.Show(p1),
								rat.Show(gamma), rat.Show(eps0), limit, rat.Float64(none), rat.Float64(bound))
						}
						t.CloseTo(none, bound, "p_1 = %s, γ = %s, ε_0 = %s, T = %d", rat.Show(p1), rat.Show(gamma), rat.Show(eps0), limit)
					}
				}
			}
		}
	}
}

// withoutLimit checks that Theorem 3.1 holds with γ = 0 and without a limit.
func withoutLimit(share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("e^ε_1 in {3/2, 4, 10}; 36 ε_1-DP oracles over three samples, and the worst ones; every threshold " +
			"with p_1 > 0")
		try := func(e *big.Rat, q neighbours) {
			for first := range 3 {
				t.Case()
				var laws [2]samples
				for b := range q {
					p1 := setting{first, nil}.above(q[b])
					if p1.Sign() == 0 {
						return
					}
					law, none := impl.ThresholdingLaw(q[b], first, new(big.Rat), impl.Unlimited)
					laws[b] = append(law, none)
					runs := spec.ThresholdingRuns(p1, new(big.Rat))
					if !rat.Equal(none, spec.ThresholdingNone(p1, new(big.Rat), new(big.Rat))) ||
						!rat.Equal(runs, impl.ThresholdingRuns(p1, new(big.Rat))) || !rat.Equal(rat.Mul(runs, p1), rat.One) {
						t.Refute("p_1 = %s: ⊥ has the probability %s, and there are %s draws on average", rat.Show(p1), rat.Show(none),
							rat.Show(runs))
					}
				}
				checkLoss(t, laws, logOf(share, 2, e, new(big.Rat)), "e^ε_1 = %s, %v, samples from %d on are not below τ",
					rat.Show(e), q, first+1)
			}
		}
		for _, e := range rat.List("3/2", "4", "10") {
			for q := range pure(e) {
				try(e, q)
			}
			try(e, worst(e, rat.Of("1/1000")))
		}
	}
}
