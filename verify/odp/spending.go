package odp

import (
	"math/big"
	"strconv"

	"checkrr/impl"
	"checkrr/impl/loss"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// amount is e^ε and δ.
type amount struct{ expEps, delta *big.Rat }

func (a amount) plus(b amount) amount {
	return amount{rat.Mul(a.expEps, b.expEps), rat.Add(a.delta, b.delta)}
}

// is reports whether impl has the same amount.
func (a amount) is(b impl.Amount) bool {
	return b.Eps.Cmp(loss.Of(loss.Exp(a.expEps))) == 0 && b.Delta.Cmp(loss.OfRat(a.delta)) == 0
}

// comparesWith checks that the accountant charges every round ℰ(P) and δ, and compares that with what the round costs
// without ODP: by Lemma 4 what is claimed, and what is known if that is better.
func comparesWith(without func(expE, sup *big.Rat) *big.Rat) register.Check {
	return func(t *register.T) {
		t.AlsoDomain("in up to 3 rounds, also if the second is known to be (ln(4/3), 1/8)-DP")
		for c := range finite.Choices(3, t.Size(2, 4), expEs) {
			for z := range c.Outputs {
				t.Case()
				expE := c.ExpE[c.Part[z]]
				round := amount{without(expE, rat.Max(c.ExpE...)), c.Delta}
				comparesRounds(t, c, z, round, round)
				comparesRounds(t, c, z, round, amount{big.NewRat(4, 3), big.NewRat(1, 8)})
			}
		}
	}
}

// comparesRounds runs three rounds of c with the output z, or as many as a δ of 1 allows. The second costs something of
// its own without ODP, unless what is claimed is at most that.
func comparesRounds(t *register.T, c impl.Choice, z int, round, second amount) {
	charged, compared := amount{rat.One, new(big.Rat)}, amount{rat.One, new(big.Rat)}
	a := register.Must(impl.NewAccountant(loss.Exp(rat.Power(rat.Max(c.ExpE...), 3)), rat.One))
	for _, known := range []amount{round, second, round} {
		cost := known
		if round.expEps.Cmp(known.expEps) <= 0 && round.delta.Cmp(known.delta) <= 0 {
			cost = round
		}
		charged, compared = charged.plus(amount{c.ExpE[c.Part[z]], c.Delta}), compared.plus(cost)
		if charged.delta.Cmp(rat.One) > 0 {
			return
		}
		g := guaranteeOf(&c)
		if known != round {
			g.DP = &impl.DPGuarantee{Eps: loss.Exp(known.expEps), Delta: known.delta}
		}
		a = register.Must(a.Spend(g, strconv.Itoa(c.Part[z])))
		if s := a.Spent(); !charged.is(s.ODP) || !compared.is(s.WithoutODP) {
			t.Refute("%s: %d times %s: spent ε = %v, δ = %v, without ODP ε = %v, δ = %v; claimed are e^ε = %s, δ = %s and e^ε "+
				"= %s, δ = %s", finite.Describe(&c), s.Events, c.Outputs[z],
				s.ODP.Eps, s.ODP.Delta, s.WithoutODP.Eps, s.WithoutODP.Delta, rat.Show(charged.expEps), rat.Show(charged.delta),
				rat.Show(compared.expEps), rat.Show(compared.delta))
		}
	}
}
