package basics

import (
	"math/big"

	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// normalization is the intuition of Section 3.4 for the exponential mechanism.
func normalization() []register.Statement {
	up := []int{0, 1}
	return []register.Statement{{
		ID: "AFD-X6", Title: "With probabilities proportional to exp(ε·u(x,r)/Δu) the privacy loss is about ε[u(x,r) − u(y,r)]/Δu, at most ε",
		Printed: "Section 3.4, before Definition 3.4: approximately ln(exp(ε·u(x,r)/Δu)/exp(ε·u(y,r)/Δu)) = ε[u(x,r) − u(y,r)]/Δu ≤ ε; this overlooks the normalization term, for which the mechanism reserves half of the budget",
		Reading: "The loss of the law itself is at most ε.",
		Kind:    register.Exact, Verdict: register.Fails, Weight: register.ProofStep,
		Note: "An intuition, and print itself says what it overlooks: what is printed for the loss is the ratio of the weights, and the ratio of their sums adds up to ε. The loss is below 2ε, and comes as near to that as one likes. Where all utilities rise, or all fall, it is at most ε. " +
			"With half of ε both ratios are at most e^(ε/2), which is Definition 3.4.",
		In:    []string{"spec.ExponentialLaw", "impl.ExponentialLaw"},
		Check: lossParts(lossClaim{base: "4", loss: "4"}, -1, 0, 1),
		Readings: []register.Reading{
			{Claim: register.Claim{Says: "the ratio of the weights is at most e^ε, and so is that of their sums", Check: lossParts(lossClaim{base: "4", weights: "4", sums: "4"}, -1, 0, 1)}, Verdict: register.Holds},
			{Claim: register.Claim{Says: "the loss is at most 2ε", Check: lossParts(lossClaim{base: "4", loss: "16"}, -1, 0, 1)}, Verdict: register.Holds},
			{Claim: register.Claim{Says: "where all utilities rise or stay, the loss is at most ε, both ways", Check: lossParts(lossClaim{base: "4", loss: "4"}, up...)}, Verdict: register.Holds},
		},
		Near: []register.Claim{
			{Says: "the loss is at most 2ε − ln(20/19)", Check: lossParts(lossClaim{base: "4", loss: "76/5"}, -1, 0, 1)},
			{Says: "where all utilities rise or stay, it is at most ε − ln(20/19)", Check: lossParts(lossClaim{base: "4", loss: "19/5"}, up...)},
			{Says: "with exp(ε·u(x,r)/(2Δu)), the ratio of the sums is at most 19/20·e^(ε/2)", Check: lossParts(lossClaim{base: "2", sums: "19/10"}, -1, 0, 1)},
			{Says: "with exp(ε·u(x,r)/(2Δu)), the ratio of the weights is at most 19/20·e^(ε/2)", Check: lossParts(lossClaim{base: "2", weights: "19/10"}, -1, 0, 1)},
		},
		Corrected: &register.Claim{Says: "with exp(ε·u(x,r)/(2Δu)) the ratios of the weights and of their sums are at most e^(ε/2) each, and the loss is at most ε", Check: lossParts(lossClaim{"2", "4", "2", "2"}, -1, 0, 1)},
	}}
}

// lossClaim bounds, for weights base^u, e^(loss) and the two ratios that it is the product of. What is empty is not claimed.
type lossClaim struct{ base, loss, weights, sums string }

// lossParts checks it for utilities that change as given, with e^ε = 4 and Δu = 1.
func lossParts(c lossClaim, moves ...int) register.Check {
	return func(t *register.T) {
		t.Domain("e^ε = 4, Δu = 1, weights %s^u; two outputs with utilities 0 to 7, three with 0 to 2, that change by %v, and back; the law by impl also for a quarter of Δu and of all utilities", c.base, moves)
		base := rat.Of(c.base)
		for _, size := range []struct{ outputs, top int }{{2, 7}, {3, 2}} {
			var utilities []int
			for u := range size.top + 1 {
				utilities = append(utilities, u)
			}
			for u := range finite.Tuples(utilities, size.outputs) {
				inImpl(t, base, u, spec.ExponentialLaw(base, u))
				for change := range finite.Tuples(moves, size.outputs) {
					v := make([]int, len(u))
					for r := range u {
						v[r] = u[r] + change[r]
					}
					c.try(t, base, u, v)
					c.try(t, base, v, u)
				}
			}
		}
	}
}

// try checks one pair of utilities.
func (c lossClaim) try(t *register.T, base *big.Rat, u, v []int) {
	t.Case()
	here, there := spec.ExponentialLaw(base, u), spec.ExponentialLaw(base, v)
	for r := range u {
		whole, weights := rat.Quo(here[r], there[r]), rat.Power(base, u[r]-v[r])
		for _, part := range []struct {
			what, most string
			ratio      *big.Rat
		}{{"of the probabilities", c.loss, whole}, {"of the weights", c.weights, weights}, {"of the sums", c.sums, rat.Quo(whole, weights)}} {
			if part.most == "" {
				continue
			}
			most := rat.Of(part.most)
			if part.ratio.Cmp(most) > 0 {
				t.Refute("e^ε = 4, weights %s^u, utilities %v and %v, output %d: the ratio %s is %s, claimed at most %s", c.base, u, v, r, part.what, rat.Show(part.ratio), part.most)
			}
			t.CloseTo(part.ratio, most, "utilities %v and %v, output %d, the ratio %s", u, v, r, part.what)
		}
	}
}
