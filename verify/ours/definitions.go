package ours

import (
	"math/big"

	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// definitions are what the page begins with.
func definitions() []register.Statement {
	return []register.Statement{
		{
			ID: "OUR-D1", Title: "H_α(P, Q) = sup_S P(S) − α·Q(S), the supremum over events, is ∫ max(0, p − α·q)", Printed: "The statement, first lines",
			Kind: register.Exact, Verdict: register.Holds, In: []string{"spec.HockeyStick"},
			Check:    overEvents(rat.One, 0),
			Controls: []register.Claim{{Says: "without the event that holds all outputs", Check: overEvents(rat.One, 1)}},
			Near:     []register.Claim{{Says: "19/20 of it", Check: overEvents(nearly, 0)}},
		},
		definition("OUR-D2", "(𝒫, ℰ, δ)-ODP of a pipeline that a rule ends: Σ_i (Pr[M(x) ∈ S_i] − e^(E_i)·Pr[M(x′) ∈ S_i]) ≤ δ for every event S_1 ∪ … ∪ S_n", "exhaustive.WorstRule"),
		definition("OUR-D3", "Laws (P_k, Q_k) dominate step k if, whatever the outputs before, H_α(μ, ν) ≤ H_α(P_k, Q_k) for every α ≥ 0", "spec.HockeyStick"),
		definition("OUR-D4", "V_K = pay_n, V_(k−1) = W_k or, at a stop, max(pay_i, W_k), with W_k(a, b) = ∫ V_k(a·p_k(z), b·q_k(z)) dz and pay_i(a, b) = max(0, a − e^(E_i)·b)", "spec.PairsValue"),
	}
}

func definition(id, title string, in ...string) register.Statement {
	return register.Statement{
		ID: id, Title: title, Printed: "The statement",
		Kind: register.Definition, Verdict: register.NotCheckable, In: in, Note: "A definition.",
	}
}

// someOrders are orders below, at and above 1.
var someOrders = rat.List("0", "1/3", "1/2", "1", "3/2", "2", "5")

// overEvents compares a share of H_α with the largest difference over all events but the last ones.
func overEvents(share *big.Rat, without int) register.Check {
	return func(t *register.T) {
		t.Domain("all pairs of laws over up to 3 outputs with probabilities in multiples of 1/4, α in {%s}", rat.Show(someOrders...))
		for p := range finite.Pairs(3, 4) {
			for _, order := range someOrders {
				t.Case()
				most, outputs := new(big.Rat), p[0].Outputs()
				for event := range 1<<len(outputs) - without {
					sum := new(big.Rat)
					for i, o := range outputs {
						if event>>i&1 == 1 {
							sum.Add(sum, rat.Sub(p[0][o], rat.Mul(order, p[1][o])))
						}
					}
					most = rat.Max(most, sum)
				}
				if got := spec.HockeyStick(spec.Laws{p[0], p[1]}, order); !rat.Equal(rat.Mul(share, got), most) {
					t.Refute("%v, α = %s: the sum is %s, the supremum over events %s", p, rat.Show(order), rat.Show(got), rat.Show(most))
				}
			}
		}
	}
}
