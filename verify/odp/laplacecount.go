package odp

import (
	"math/big"

	"checkrr/impl/ledger"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// countsLaplace checks the filter that admits M_toy as long as the optimal composition
// of the numbers so far, and ahead more, is within the budget.
func countsLaplace(t *register.T, ahead int, tails *big.Rat, of promise) {
	most := t.Size(8, 16)
	t.Domain("e^ε in {3/2, 2, 3}, ε_t up to 3ε, δ_t that of 1 to 4 numbers; M_toy up to %d times; what is found for 4 "+
		"times, played by Algorithm 6", most)
	for rounds := 1; rounds <= most; rounds++ {
		for _, expEps := range []*big.Rat{big.NewRat(3, 2), big.NewRat(2, 1), big.NewRat(3, 1)} {
			for j := range 4 {
				for n := 1; n <= 4; n++ {
					t.Case()
					expEpsT := rat.Power(expEps, j)
					x := laplaceCount{toy(expEps, tails), rounds, ahead, expEpsT, optimalDelta(expEps, n, expEpsT)}
					x.attack(t, of)
				}
			}
		}
	}
}

// laplaceCount is a filter for runs of M_toy that counts the numbers.
type laplaceCount struct {
	toy             ledger.Choice
	rounds, ahead   int
	expEpsT, deltaT *big.Rat
}

// admits says whether M_toy may run after so many numbers.
func (x laplaceCount) admits(count int) bool {
	return optimalDelta(x.toy.ExpE[0], count+x.ahead, x.expEpsT).Cmp(x.deltaT) <= 0
}

// filter is the same as print has it: it sees the ε^[i] so far, and ε for the next one.
func (x laplaceCount) filter(expEps, _ []*big.Rat) (halt bool) {
	count := 0
	for _, e := range expEps {
		count += e.Cmp(rat.One)
	}
	return !x.admits(count - 1)
}

// attack refutes the filter if an adversary breaks what is promised of the budget.
func (x laplaceCount) attack(t *register.T, of promise) {
	expEps, delta := of(x.expEpsT, x.deltaT)
	worst, adversary, err := ledger.WorstAdversary(t.Context(), finite.BothWays(x.toy), x.rounds, laplaceRule(x.admits),
		expEps)
	t.Must(err)
	t.Require(worst.Cmp(delta) <= 0, "e^ε = %s, e^ε_t = %s, δ_t = %s: the adversary that plays %v needs δ = %s",
		x.toy.ExpE[0], expEps, delta, adversary, worst)
	if x.rounds == 4 && x.toy.Delta.Sign() == 0 && rat.Equal(x.toy.Laws[1][2], rat.Half) {
		laws := register.Must(finite.ODPFilterComposition(asAdversary(adversary), x.filter, x.rounds))
		played := laws.Delta(finite.Constant(expEps))
		t.Require(rat.Equal(played, worst), "e^ε = %s, e^ε_t = %s, δ_t = %s: %v needs δ = %s, by Algorithm 6 %s",
			x.toy.ExpE[0], expEps, delta, adversary, worst, played)
	}
	t.Close(partOfBound(worst, delta), "e^ε = %s, e^ε_t = %s, δ_t = %s, %d rounds", x.toy.ExpE[0], expEps, delta, x.rounds)
}

// laplaceRule remembers how many numbers there were.
func laplaceRule(admits func(count int) bool) ledger.Rule {
	return ledger.Rule{
		Start:  []*big.Rat{new(big.Rat)},
		Admits: func(count []*big.Rat, _ *ledger.Choice) bool { return admits(int(count[0].Num().Int64())) },
		Next: func(count []*big.Rat, c *ledger.Choice, output int) []*big.Rat {
			if c.Part[output] == 1 {
				return count
			}
			return []*big.Rat{rat.Add(count[0], rat.One)}
		},
	}
}

// optimalDelta returns the δ at ε_t of n randomized responses with ε: the sum over j of
// C(n, j)·max(0, e^((n−j)ε) − e^ε_t·e^(jε)) / (1 + e^ε)^n.
func optimalDelta(expEps *big.Rat, n int, expEpsT *big.Rat) *big.Rat {
	sum := new(big.Rat)
	for j := range n + 1 {
		excess := rat.Positive(rat.Sub(rat.Power(expEps, n-j), rat.Mul(expEpsT, rat.Power(expEps, j))))
		sum = rat.Add(sum, rat.Mul(new(big.Rat).SetInt(new(big.Int).Binomial(int64(n), int64(j))), excess))
	}
	return rat.Quo(sum, rat.Power(rat.Add(rat.One, expEps), n))
}
