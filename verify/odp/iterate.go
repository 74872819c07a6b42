package odp

import (
	"math/big"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// iterate are the statements on M_iter (Algorithm 3) and on what its outputs cost.
func iterate() []register.Statement {
	return []register.Statement{
		{
			ID:      "ODP-X20",
			Title:   "Stopping early keeps what was reserved for the iterations that were not run (for δ_k = 0)",
			Kind:    register.Exact,
			Verdict: register.Holds,
			Note:    "Read as: charging Σ ε_k over the iterations that were run is ODP with δ = 0, whatever the stopping criteria.",
			In:      []string{"impl.OptDel", "exhaustive.Exact"},
			Check:   simpleCharges(0),
			Controls: []register.Claim{
				{Says: "the last iteration before the stop need not be charged", Check: simpleCharges(1)},
			},
		},
		{
			ID:      "ODP-A3",
			Title:   "M_iter runs M_1, …, M_{k_n} and ends after k_i if h^[k_i] of the outputs is 1",
			Kind:    register.Property,
			Verdict: register.Holds,
			Note:    "An algorithm; it asserts nothing. Checked is that spec and impl ask the same mechanisms and criteria the same questions, in the same order, and give the same output.",
			In:      []string{"spec.Iterate", "spec.IterateLaw", "impl.Iterate"},
			Check: sameIteration(func(q questions) []int {
				return register.Must(impl.Iterate(q.points, q.mechanisms, q.criteria, q.x))
			}),
			Controls: []register.Claim{
				{Says: "so does a program that leaves out the first criterion", Check: sameIteration(func(q questions) []int {
					if len(q.criteria) > 0 {
						q.criteria[0] = func([]int) bool { return false }
					}
					return register.Must(impl.Iterate(q.points, q.mechanisms, q.criteria, q.x))
				})},
				{Says: "so does a program that always runs to the end", Check: sameIteration(func(q questions) []int {
					return register.Must(impl.Iterate(q.points[len(q.points)-1:], q.mechanisms, nil, q.x))
				})},
			},
		},
		{
			ID: "ODP-X21", Title: "The setting of M_iter: stopping points, criteria, and the partition of outputs by length",
			Kind: register.Definition, Verdict: register.NotCheckable, Note: "A definition. Criteria that need the database are mechanisms of their own.",
			In: []string{"spec.Pipeline", "impl.Pipeline", "exhaustive.Pipeline"},
		},
		{
			ID:      "ODP-L11",
			Title:   "M_iter is (𝒫, ℰ, Σ δ^[k_i])-ODP if its first k_i mechanisms compose to (ℰ(P_i), δ^[k_i])-DP",
			Kind:    register.Exact,
			Verdict: register.Holds,
			Note:    "Checked with the smallest δ^[k_i] that any composition theorem can give, over deterministic and randomized criteria. The proof writes P_{k_i} for P_i.",
			In:      []string{"spec.Lemma11", "impl.OptDel", "exhaustive.Exact"},
			Check:   lemma11(rat.Sum),
			Controls: []register.Claim{
				{Says: "M_iter is (𝒫, ℰ, max δ^[k_i])-ODP", Check: lemma11(rat.Max)},
			},
		},
		{
			ID: "ODP-X22", Title: "OptDel is the smallest δ of M_iter: for given mechanisms and criteria, and for the worst ones",
			Kind: register.Definition, Verdict: register.NotCheckable, Note: "Two definitions.",
			In: []string{"spec.OptDel", "impl.OptDel", "exhaustive.Criteria"},
		},
		{
			ID: "ODP-X25", Title: "ODP can use any DP composition result through ODP-L11; privacy filters need theorems of their own",
			Kind: register.Opinion, Verdict: register.NotCheckable, Note: "A comparison of methods. What ODP-L11 asserts is checked there.",
		},
	}
}

// simpleCharges checks that pipelines of pure DP mechanisms need no δ if a stop is charged
// the sum of the ε of all mechanisms before it but the last few.
func simpleCharges(few int) register.Check {
	return func(t *register.T) {
		most := t.Size(4, 6)
		t.Domain("up to %d mechanisms with e^ε in {1, 3/2, 3}, a stop after each", most)
		for k := 1; k <= most; k++ {
			for run := range finite.Tuples(finite.Charges, k) {
				t.Case()
				var p finite.Pipeline
				charge := []*big.Rat{rat.One}
				for i, expEps := range run {
					p.Mechanisms = append(p.Mechanisms, finite.Pure(expEps))
					charge = append(charge, rat.Mul(charge[i], expEps))
					p.Stops = append(p.Stops, spec.Stop{After: i + 1, ExpEps: charge[max(0, i+1-few)]})
				}
				if got := enumerated(t, p).OptDel; got.Sign() > 0 {
					t.Refute("%v: OptDel = %s", p, rat.Show(got))
				}
			}
		}
	}
}

// lemma11 checks that the δ of M_iter is, under all criteria, at most what total makes of
// the δ of the single stops.
func lemma11(total func(parts ...*big.Rat) *big.Rat) register.Check {
	return func(t *register.T) {
		step := t.Size(27, 3)
		forPipelines(t, step, func(p finite.Pipeline) {
			bound := total(enumerated(t, p).Single...)
			if got, h := p.Worst(p.Responses(), finite.Randomized); got.Cmp(bound) > 0 {
				t.Refute("%v; %v: needs δ = %s, more than %s", p, h, rat.Show(got), rat.Show(bound))
			}
		})
	}
}
