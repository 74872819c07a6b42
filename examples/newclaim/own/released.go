package own

import (
	"math/big"

	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// Released returns the laws of randomized response to a bit, with e^ε, whose output b or c is released with probability
// p; otherwise the output is a.
//
// Source: OWN-L1, OWN-L2.
func Released(p, expEps *big.Rat) finite.Pair {
	silent := rat.Complement(p)
	wrong := rat.Quo(p, rat.Add(rat.One, expEps))
	right := rat.Mul(expEps, wrong)
	return finite.Pair{{"a": silent, "b": right, "c": wrong}, {"a": silent, "b": wrong, "c": right}}
}

// Amplified returns 1 + p·(e^ε − 1), the e^ε of what sees a sample of rate p.
//
// Source: OWN-L1.
func Amplified(p, expEps *big.Rat) *big.Rat {
	return rat.Add(rat.One, rat.Mul(p, rat.Sub(expEps, rat.One)))
}

// full is the charge ε, and short nearly.
func full(_, expEps *big.Rat) *big.Rat  { return expEps }
func short(_, expEps *big.Rat) *big.Rat { return rat.Mul(rat.Of("99/100"), expEps) }

// released are the claims about what a released output costs.
func released() register.Checks {
	nearly := register.NearMiss("b and c cost 99/100 of e^ε", register.With(charged, short))
	return register.Checks{
		"OWN-L1": register.Checked(register.With(charged, Amplified), nearly,
			register.Corrected("b and c cost ε", register.With(charged, full))),
		"OWN-L2": register.Checked(register.With(charged, full), nearly),
	}
}

// charged: Released is ODP with δ = 0 if a is charged nothing, and b and c are charged what is claimed, as e^ℰ.
func charged(t *register.T, claimed func(p, expEps *big.Rat) *big.Rat) {
	finite.Each(t, "p in {1/4, 1/2, 1}, e^ε in {3, 5}", func(p, expEps *big.Rat) {
		charges := []*big.Rat{rat.One, claimed(p, expEps)}
		c := finite.NewChoice(Released(p, expEps), finite.Partition{0, 1, 1}, charges)
		t.Require(c.Delta.Sign() == 0, "with e^ℰ = %s, δ is %s", charges[1], c.Delta)
	})
}
