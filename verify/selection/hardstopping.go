package selection

import (
	"fmt"
	"math"
	"math/big"

	"checkrr/exhaustive"
	"checkrr/impl/loss"
	"checkrr/impl/selection"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// hardStopping are the statements of Section 3 and Appendix A.2 on selection that stops after T draws at the latest.
func hardStopping() register.Checks {
	return register.Checks{
		"PSC-A3": tight(stoppingRuns(3, true), "19/20", "the coin comes up with probability 19/20·γ",
			register.Control("the last sample is returned", stoppingRuns(3, false).with("1"))),
		"PSC-T3.4": register.Checked(hardStoppingIsApproximate(false).with("1"),
			register.NearMiss("with 19/20 of the δ of selection.SelectionDelta", hardStoppingIsApproximate(true).with("19/20"))),
		"PSC-T3.5": tight(hardStoppingIsDP(0), "19/20", "it is 19/20·(3ε_1 + 3ε_0)-DP",
			register.NearMiss("for a T of 1/128 of that", hardStoppingIsDP(7).with("1"))),
		"PSC-T3.5.s1": hardStoppingLaw(spec.HardStoppingLaw),
		"PSC-T3.5.s2": hardStoppingLaw(selection.HardStoppingLaw),
	}
}

// hardStoppingLaw is what runs for a formula for what can happen: that with a share of γ, or for another T, is wrong.
func hardStoppingLaw(formula func(oracle []*big.Rat, gamma *big.Rat, t int) []*big.Rat) []register.Part {
	check := func(more int) claim {
		return func(t *register.T, share *big.Rat) {
			for m := 1; m <= 3; m++ {
				for q := range oracles(m, 3) {
					for at, x := range finite.Grid(t, "1 to 3 samples of probabilities in multiples of 1/3, γ in {0, 1/3, 4/5, 1}, "+
						"T in {2, 3, 4}") {
						t.Case()
						limit := whole(x[1])
						sameLaw(t, fmt.Sprintf("Q = (%v), %s", q, at), exhaustive.HardStopping(q, x[0], limit),
							formula(q, rat.Mul(share, x[0]), limit+more))
					}
				}
			}
		}
	}
	return tight(check(0), "19/20", "with 19/20 of γ", register.Control("with T − 1 for T", check(-1).with("1")))
}

// hardLimit returns the T of Theorem 3.5, by both rooms.
func hardLimit(t *register.T, gamma, eps0 *big.Rat) int {
	limit := selection.HardStoppingLimit(gamma, eps0)
	twins(t, "T", spec.HardStoppingLimit(rat.Float64(gamma), rat.Float64(eps0)), new(big.Rat).SetInt(limit))
	return int(limit.Int64())
}

// hardStoppingIsDP checks a share of 3ε_1 + 3ε_0, for a T of 1/2^halvings.
func hardStoppingIsDP(halvings uint) claim {
	return func(t *register.T, share *big.Rat) {
		for at, x := range finite.Grid(t, "e^ε_1 in {3/2, 10}, ε_0 in {1/20, 49/100}, γ in {1/10, 1/2, 1, 1/100}; 36 ε_1-DP "+
			"oracles over three samples, for γ = 1/100 the worst one") {
			e, eps0, gamma := x[0], x[1], x[2]
			limit := max(1, hardLimit(t, gamma, eps0)>>halvings)
			ours := selection.HardStoppingLoss(loss.Exp(e), gamma, max(2, limit))
			for q := range pureUnlessRare(e, gamma) {
				t.Case()
				at, laws := fmt.Sprintf("%s, %v, T = %d", at, q, limit), hardStoppings(t, q, gamma, limit)
				losesAtMost(t, at, laws, mul(share, 3, add(ln(e), eps0)))
				lossOf(t, at+", by selection.HardStoppingLoss", laws, ours)
			}
		}
	}
}

// hardStoppingIsApproximate checks a share of the δ of Theorem 3.4, or of the one of selection.SelectionDelta, and this
// itself.
func hardStoppingIsApproximate(ofOurs bool) claim {
	return func(t *register.T, share *big.Rat) {
		for at, x := range finite.Grid(t, "e^ε_1 in {1, 4}, δ_1 in {1/10000, 1/100, 1/4}, γ in {1/10, 1/2, 1}, δ_2 in "+
			"{1/1000000, 1/10}; all functions of randomized response onto three samples") {
			e, delta, gamma := x[0], x[1], x[2]
			count, eps, claimed := selection.ApproximateHardStopping(loss.Exp(e), delta, gamma, x[3])
			limit := int(count.Int64())
			least, literal, literalDelta := spec.ApproximateHardStopping(math.Log(rat.Float64(e)), rat.Float64(delta),
				rat.Float64(gamma), rat.Float64(x[3]))
			twins(t, at+", T", math.Ceil(least-1e-9), limit)
			twins(t, at+", ε", literal, eps)
			twins(t, at+", δ", literalDelta+(float64(limit)-least)*math.Sqrt(2*rat.Float64(delta)), claimed) // T is rounded up
			ours, lost := num(selection.SelectionDelta(delta, gamma, limit)), num(1)
			if limit >= 2 {
				lost = exp(selection.HardStoppingLoss(loss.Exp(e), gamma, limit))
			}
			if ofOurs {
				claimed = ours
			}
			most := mul(share, claimed)
			for f, q := range approximate(e, delta) {
				t.Case()
				at, laws := fmt.Sprintf("%s, T = %d, answers to samples %v", at, limit, f), hardStoppings(t, q, gamma, limit)
				t.Close(quo(needsAtMost(t, at, laws, exp(eps), most), most).Float().Lo, "%s", at)
				if limit >= 2 && !lost.Upper.IsInf() {
					needsAtMost(t, at+", by selection.SelectionDelta", laws, lost, ours)
				}
			}
		}
	}
}

// hardStoppings returns the laws of the output by impl. Where T is small, spec has to agree.
func hardStoppings(t *register.T, q neighbours, gamma *big.Rat, limit int) (laws [2]samples) {
	for b := range q {
		laws[b] = selection.HardStoppingLaw(q[b], gamma, limit)
		if limit <= 8 {
			sameLaw(t, fmt.Sprintf("Q = (%v), γ = %s, T = %d, by impl and by spec", q[b], rat.Show(gamma), limit), laws[b],
				spec.HardStoppingLaw(q[b], gamma, limit))
		}
	}
	return laws
}
