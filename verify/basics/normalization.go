package basics

import (
	"math/big"

	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// normalization is the intuition of Section 3.4 for the exponential mechanism.
func normalization() register.Checks {
	up, all := []int{0, 1}, []int{-1, 0, 1}
	return register.Checks{
		"AFD-X6": register.Checked(register.With2(lossParts, lossClaim{base: "4", loss: "4"}, all),
			register.AlsoHolds("the ratio of the weights is at most e^ε, and so is that of their sums", register.With2(lossParts,
				lossClaim{base: "4", weights: "4", sums: "4"}, all)),
			register.AlsoHolds("the loss is at most 2ε", register.With2(lossParts, lossClaim{base: "4", loss: "16"}, all)),
			register.AlsoHolds("where all utilities rise or stay, the loss is at most ε, both ways", register.With2(lossParts,
				lossClaim{base: "4", loss: "4"}, up)),
			register.NearMiss("the loss is at most 2ε − ln(20/19)", register.With2(lossParts, lossClaim{base: "4", loss: "76/5"}, all)),
			register.NearMiss("with exp(ε·u(x,r)/(2Δu)), the ratio of the sums is at most 19/20·e^(ε/2)",
				register.With2(lossParts, lossClaim{base: "2", sums: "19/10"}, all)),
			register.NearMiss("with exp(ε·u(x,r)/(2Δu)), the ratio of the weights is at most 19/20·e^(ε/2)",
				register.With2(lossParts, lossClaim{base: "2", weights: "19/10"}, all)),
			register.Corrected("with exp(ε·u(x,r)/(2Δu)) the ratios of the weights and of their sums are at most e^(ε/2) "+
				"each, and the loss is at most ε", register.With2(lossParts, lossClaim{"2", "4", "2", "2"}, all)),
		),
	}
}

// lossClaim bounds, for weights base^u, e^(loss) and the two ratios that it is the product of. What is empty is not
// claimed.
type lossClaim struct{ base, loss, weights, sums string }

// lossParts checks it for utilities that change as given, with e^ε = 4 and Δu = 1.
func lossParts(t *register.T, c lossClaim, moves []int) {
	t.Domain("e^ε = 4, Δu = 1, weights %s^u; two outputs with utilities 0 to 7, three with 0 to 2, that change by %v, "+
		"and back; the law by impl also for a quarter of Δu and of all utilities", c.base, moves)
	base := rat.Of(c.base)
	eachChange(func(u []int) { lawOf(t, base, u) }, moves, func(u, v []int) {
		c.try(t, base, u, v)
		c.try(t, base, v, u)
	})
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
		}{{"of the probabilities", c.loss, whole}, {"of the weights", c.weights, weights},
			{"of the sums", c.sums, rat.Quo(whole, weights)}} {
			if part.most == "" {
				continue
			}
			t.Require(part.ratio.Cmp(rat.Of(part.most)) <= 0, "e^ε = 4, weights %s^u, utilities %v and %v, output %d: the "+
				"ratio %s is %s, claimed at most %s", c.base, u, v, r, part.what, part.ratio, part.most)
			t.CloseTo(part.ratio, rat.Of(part.most), "utilities %v and %v, output %d, the ratio %s", u, v, r, part.what)
		}
	}
}
