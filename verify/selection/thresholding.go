package selection

import (
	"fmt"
	"iter"
	"math/big"

	"checkrr/exhaustive"
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
		"PSC-A1": register.Checked(thresholdingRuns(selector{}),
			register.Control("q > τ is asked for", thresholdingRuns(selector{later: 1})),
			register.NearMiss("the coin comes up with probability 19/20·γ", thresholdingRuns(selector{share: nearly})),
			register.NearMiss("there are T + 1 draws", thresholdingRuns(selector{more: 1})),
		),
		"PSC-T3.1a": tight(proportional(false), "19/20", "a lower sample has 19/20 of its share",
			register.AlsoFails(register.Slip, "for all (x, q), as in Theorem A.1(a)", proportional(true).with("1"))),
		"PSC-T3.1b": tight(thresholdingIsDP(0), "19/20", "it is 19/20·(2ε_1 + ε_0)-DP",
			register.NearMiss("for a T of a sixteenth", thresholdingIsDP(4).with("1"))),
		"PSC-T3.1c": tight(thresholdingIsApproximate, "1/90", "with 1/30 for 3"),
		"PSC-T3.1d": tight(meanDraws, "19/20", "19/20 of it is enough"),
		"PSC-T3.1e": tight(givesUp, "19/20", "19/20 of it"),
		"PSC-X7":    tight(withoutLimit, "19/20", "it is 19/20·2ε_1-DP"),
	}
}

var chances = rat.List("0", "1/3", "4/5", "1")

// setting is a threshold and γ.
type setting struct {
	first int // samples from there on are not below the threshold
	gamma *big.Rat
}

// settings yields oracles over up to three samples, every threshold, and γ.
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

// at says where it is.
func (s setting) at(q samples, limit int) string {
	return fmt.Sprintf("Q = (%v), γ = %s, samples from %d on are not below τ, T = %d", q, rat.Show(s.gamma), s.first+1,
		limit)
}

// above returns p_1.
func (s setting) above(q samples) *big.Rat { return rat.Sum(append(q[s.first:], new(big.Rat))...) }

// selector is a variant of the algorithm: so many samples more are below the threshold, the coin comes up with a share
// of γ, and there are so many draws more.
type selector struct {
	later, more int
	share       *big.Rat
}

// run returns the output of spec, or ⊥ as the sample after the last.
func (s setting) run(q samples, limit int, c *finite.Coins) int {
	got, isFound := spec.Thresholding(programs(c, q)[0], float64(s.first), s.gamma, limit, c)
	if !isFound {
		return len(q)
	}
	return got.Output
}

// thresholdingRuns goes through all draws of the program of spec and compares its law with that of a variant; impl
// makes the same of the same draws.
func thresholdingRuns(variant selector) register.Check {
	return func(t *register.T) {
		t.Domain("1 to 3 samples of probabilities in multiples of 1/3, every threshold, γ in {%s}, T in {1, 2, 3}",
			rat.Show(chances...))
		for q, s := range settings(chances) {
			for limit := 1; limit <= 3; limit++ {
				t.Case()
				at := s.at(q, limit)
				found, _ := byDraws(t, at, len(q)+1, new(big.Rat), func(c *finite.Coins) int { return s.run(q, limit, c) },
					func(path []finite.Draw) (output, runs int) {
						got, isFound, runs, err := selection.Thresholding(t.Context(), replayed(path), float64(s.first), s.gamma, limit,
							coins(path, false))
						t.Must(err)
						if !isFound {
							return len(q), runs
						}
						return got.Output, runs
					})
				gamma := s.gamma
				if variant.share != nil {
					gamma = rat.Mul(variant.share, gamma)
				}
				law, none := exhaustive.Thresholding(q, s.first+variant.later, gamma, limit+variant.more)
				sameLaw(t, at, found, append(law, none))
			}
		}
	}
}

// thresholdingLaw returns the law by impl, ⊥ the last. Where T is small, spec has to agree.
func thresholdingLaw(t *register.T, q samples, first int, gamma *big.Rat, limit int) samples {
	law, none := selection.ThresholdingLaw(q, first, gamma, limit)
	law = append(law, none)
	if limit <= 20 {
		literal, none := spec.ThresholdingLaw(q, first, gamma, limit)
		sameLaw(t, setting{first, gamma}.at(q, limit)+", by impl and by spec", law, append(literal, none))
	}
	return law
}

// proportional checks that law and oracle have one ratio, above the threshold or everywhere; lower samples a share of
// it.
func proportional(everywhere bool) claim {
	return func(t *register.T, share *big.Rat) {
		t.Domain("1 to 3 samples of probabilities in multiples of 1/3, every threshold, γ in {%s}, T in {1, 2, 7}",
			rat.Show(chances...))
		for q, s := range settings(chances) {
			for _, limit := range []int{1, 2, 7} {
				t.Case()
				law := thresholdingLaw(t, q, s.first, s.gamma, limit)
				from := s.first
				if everywhere {
					from = 0
				}
				for i := from; i < len(q); i++ {
					for j := i + 1; j < len(q); j++ {
						if a, b := rat.Mul(law[i], q[j]), rat.Product(share, law[j], q[i]); !rat.Equal(a, b) {
							t.Refute("%s: outputs %d and %d have the probabilities %s", s.at(q, limit), i+1, j+1, rat.Show(law[i], law[j]))
						}
					}
				}
			}
		}
	}
}

// leastDraws returns the least T that the theorem allows.
func leastDraws(t *register.T, gamma, eps0 *big.Rat) int {
	limit := selection.ThresholdingLimit(gamma, eps0)
	twins(t, "T", spec.ThresholdingLimit(rat.Float64(gamma), rat.Float64(eps0)), limit)
	return up(limit)
}

// thresholdingIsDP checks a share of 2ε_1 + ε_0, for a T of 1/2^halvings.
func thresholdingIsDP(halvings uint) claim {
	return func(t *register.T, share *big.Rat) {
		for at, x := range finite.Grid(t, "e^ε_1 in {3/2, 10}, ε_0 in {1/10, 1}, γ in {1/10, 1/2, 1, 1/100}; 36 ε_1-DP "+
			"oracles over three samples, for γ = 1/100 the worst one; every threshold") {
			e, eps0, gamma := x[0], x[1], x[2]
			limit := max(2, leastDraws(t, gamma, eps0)>>halvings)
			ours := selection.ThresholdingLoss(loss.Exp(e), gamma, limit)
			for q := range pureUnlessRare(e, gamma) {
				for first := range 4 {
					t.Case()
					laws := [2]samples{thresholdingLaw(t, q[0], first, gamma, limit), thresholdingLaw(t, q[1], first, gamma, limit)}
					at := fmt.Sprintf("%s, %v, samples from %d on are not below τ, T = %d", at, q, first+1, limit)
					losesAtMost(t, at, laws, mul(share, add(mul(2, ln(e)), eps0)))
					lossOf(t, at+", by selection.ThresholdingLoss", laws, ours)
				}
			}
		}
	}
}

func thresholdingIsApproximate(t *register.T, share *big.Rat) {
	for at, x := range finite.Grid(t, "e^ε_1 in {1, 4}, δ_1 in {1/100, 1/4}, γ in {1/10, 1/2, 1}, ε_0 in {1/10, 1}; all "+
		"functions of randomized response onto three samples; every threshold") {
		e, delta, gamma, eps0 := x[0], x[1], x[2], x[3]
		limit := leastDraws(t, gamma, eps0)
		expEps := mul(e, e, exp(eps0))
		most := mul(share, 3, quo(delta, gamma), expEps)
		ours, oursDelta := exp(selection.ThresholdingLoss(loss.Exp(e), gamma, limit)), num(selection.SelectionDelta(delta, gamma,
			limit))
		for f, q := range approximate(e, delta) {
			for first := range 4 {
				t.Case()
				laws := [2]samples{thresholdingLaw(t, q[0], first, gamma, limit), thresholdingLaw(t, q[1], first, gamma, limit)}
				at := fmt.Sprintf("%s, T = %d, answers to samples %v, those from %d on not below τ", at, limit, f, first+1)
				t.Close(quo(needsAtMost(t, at, laws, expEps, most), most).Float().Lo, "%s", at)
				needsAtMost(t, at+", by selection.SelectionDelta", laws, ours, oursDelta)
			}
		}
	}
}

// meanDraws counts the draws of spec on all paths.
func meanDraws(t *register.T, share *big.Rat) {
	t.Domain("1 to 3 samples of probabilities in multiples of 1/3, every threshold, γ in {1/3, 4/5, 1}, T in {1, 2, 4}")
	for q, s := range settings(chances[1:]) {
		for _, limit := range []int{1, 2, 4} {
			t.Case()
			at, p1, mean := s.at(q, limit), s.above(q), new(big.Rat)
			finite.GoThrough(new(big.Rat), func(c *finite.Coins) {
				s.run(q, limit, c)
				mean.Add(mean, rat.Mul(c.Pr, rat.Int(drawsOn(c.Path))))
			})
			bound := same(t, at+", the bound", spec.ThresholdingRuns(p1, s.gamma), selection.ThresholdingRuns(p1, s.gamma))
			within(t, at, "the mean number of draws", mean, share, bound)
			if rat.Mul(bound, rat.Max(p1, s.gamma)).Cmp(rat.One) > 0 {
				t.Refute("%s: the bound is %s, more than 1/p_1 or 1/γ", at, rat.Show(bound))
			}
		}
	}
}

func givesUp(t *register.T, share *big.Rat) {
	for at, x := range finite.Grid(t, "p_1 in {1/1000, 1/10, 1/2, 99/100}, γ in {1/200, 1/10, 1/2, 1}, ε_0 in {1/1000, "+
		"1/10, 1}; the least T and 10 more") {
		p1, gamma, eps0 := x[0], x[1], x[2]
		least := leastDraws(t, gamma, eps0)
		for _, limit := range []int{least, least + 10} {
			t.Case()
			none := thresholdingLaw(t, samples{rat.Complement(p1), p1}, 1, gamma, limit)[2]
			rising(t, fmt.Sprintf("%s, T = %d", at, limit), none,
				mul(share, same(t, at, spec.ThresholdingNone(p1, gamma, eps0), selection.ThresholdingNone(p1, gamma, eps0))))
		}
	}
}

// withoutLimit checks that Theorem 3.1 holds with γ = 0 and without a limit: a share of 2ε_1.
func withoutLimit(t *register.T, share *big.Rat) {
	zero := new(big.Rat)
	try := func(at string, q neighbours, first int, most any) {
		var laws [2]samples
		for b := range q {
			p1 := setting{first, nil}.above(q[b])
			if p1.Sign() == 0 {
				return
			}
			law, none := selection.ThresholdingLaw(q[b], first, zero, selection.Unlimited)
			laws[b] = append(law, none)
			same(t, at+", ⊥", spec.ThresholdingNone(p1, zero, zero), none)
			runs := same(t, at+", the mean number of draws", spec.ThresholdingRuns(p1, zero), selection.ThresholdingRuns(p1, zero))
			same(t, at+", the mean number of draws by p_1", rat.One, rat.Mul(runs, p1))
		}
		losesAtMost(t, at, laws, num(most))
	}
	for at, x := range finite.Grid(t, "e^ε_1 in {3/2, 4, 10}; 36 ε_1-DP oracles over three samples, and the worst ones; "+
		"every threshold with p_1 > 0") {
		for q := range pure(x[0], "1/1000") {
			for first := range 3 {
				t.Case()
				try(fmt.Sprintf("%s, %v, samples from %d on are not below τ", at, q, first+1), q, first, mul(share, 2, ln(x[0])))
			}
		}
	}
}
