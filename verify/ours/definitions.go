package ours

import (
	"math/big"

	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// definitions are what the page begins with.
func definitions() register.Checks {
	return register.Checks{
		"OUR-D1": register.Checked(overEvents(rat.One),
			register.NearMiss("19/20 of it", overEvents(nearly)),
		),
	}
}

// someOrders are orders below, at and above 1.
var someOrders = rat.List("0", "1/3", "1/2", "1", "3/2", "2", "5")

// overEvents compares a share of H_α with the largest difference over all events.
func overEvents(share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("all pairs of laws over up to 3 outputs with probabilities in multiples of 1/4, α in {%s}",
			rat.Show(someOrders...))
		for p := range finite.Pairs(3, 4) {
			for _, order := range someOrders {
				t.Case()
				most, outputs := new(big.Rat), p[0].Outputs()
				for event := range 1 << len(outputs) {
					sum := new(big.Rat)
					for i, o := range outputs {
						if event>>i&1 == 1 {
							sum.Add(sum, rat.Sub(p[0][o], rat.Mul(order, p[1][o])))
						}
					}
					most = rat.Max(most, sum)
				}
				if got := stick(p, order); !rat.Equal(rat.Mul(share, got), most) {
					t.Refute("%v, α = %s: the sum is %s, the supremum over events %s", p, rat.Show(order), rat.Show(got),
						rat.Show(most))
				}
			}
		}
	}
}
