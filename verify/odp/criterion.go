package odp

import (
	"math/big"
	"slices"
	"strings"

	"checkrr/exhaustive"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// criteria are the statements on the worst stopping criteria.
func criteria() []register.Statement {
	return []register.Statement{
		{
			ID:      "ODP-E11",
			Title:   "OptDel of given criteria is the smallest δ̃ with Σ_i Σ_{q∈Q_{k_i}} R(h, q) (Pr_0(q) − e^ℰ(P_i) Pr_1(q)) ≤ δ̃ for all Q",
			Kind:    register.Exact,
			Verdict: register.Fails,
			Note: "The inequality has b = 0 on the left only. ODP asks for both directions, which differ for given criteria; their maxima over all criteria are the same, " +
				"because exchanging outputs 0 and 3, and 1 and 2, exchanges the databases. The sum is compared with M_iter as it runs: a randomized criterion flips its coins, " +
				"and is then a deterministic one.",
			In:    []string{"spec.IterateLaw", "spec.SmallestDeltaBothWays"},
			Check: givenCriteria(func(directions ...*big.Rat) *big.Rat { return directions[0] }),
			Corrected: &register.Claim{
				Says:  "it is the larger of the smallest δ̃ for b = 0 and for b = 1 on the left",
				Check: givenCriteria(rat.Max),
			},
			Controls: []register.Claim{
				{Says: "it is the smaller of the two", Check: givenCriteria(rat.Min)},
			},
		},
		{
			ID:      "ODP-E12",
			Title:   "The largest OptDel over criteria is the maximum over deterministic criteria h and over sets of what E11 sums",
			Kind:    register.Exact,
			Verdict: register.Holds,
			Note: "On the left the criteria may be randomized: they need no more than deterministic ones. h^[k_n], which Algorithm 3 does not have, is 1. The step that leads there takes the largest R(h, q) " +
				"for every q by itself; that is an upper bound which is not attained, as the second control shows.",
			In:    []string{"exhaustive.Criteria", "spec.OptDel"},
			Check: equation12(worstDeterministic),
			Controls: []register.Claim{
				{Says: "it is the same with criteria that never stop", Check: equation12(func(t *register.T, p finite.Pipeline) *big.Rat { return optimalStopping(t, p.Last()) })},
				{Says: "it is the same with the maximum over h taken for every q by itself", Check: equation12(func(t *register.T, p finite.Pipeline) *big.Rat {
					return enumerated(t, p).Lemma11
				})},
			},
		},
		{
			ID:      "ODP-E13",
			Title:   "The maximum over criteria and sets (E12) is the maximum over prefix-disjoint sets (E3)",
			Kind:    register.Exact,
			Verdict: register.Holds,
			Note:    "In “E12 ≤ E13”, [A] prints h^[k_i](q_{1..k_l}) where h^[k_l](q_{1..k_l}) is meant; as printed, the step does not follow.",
			In:      []string{"exhaustive.Criteria", "spec.OptDel"},
			Check:   equation13(prefixDisjoint),
			Controls: []register.Claim{
				{Says: "it is the maximum over all sets", Check: equation13(sumOfMaxima)},
				{Says: "it is the maximum over sets of which those at neighbouring stops are prefix-disjoint", Check: equation13(neighboursDisjoint)},
			},
		},
	}
}

// givenCriteria checks that the smallest δ by the definition, for given criteria, is what
// choose takes of the maxima of ODP-E11's sum for b = 0 and for b = 1.
func givenCriteria(choose func(directions ...*big.Rat) *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("k = (1) and (1, 2), δ_k = 0 and e^ε = 3, all criteria that stop with probability 0, 1/2 or 1, e^ℰ in {1, 3/2, 3}")
		for _, points := range [][]int{{1}, {1, 2}} {
			for p := range finite.Pipelines(finite.Mechanisms[:1], points...) {
				for h := range finite.Criteria(finite.Randomized, p.Early(p.Responses())) {
					t.Case()
					want := defined(p, flipped(p, h))
					if got := choose(sum11(p, 0, h), sum11(p, 1, h)); got.Cmp(want) != 0 {
						t.Refute("%v; %v: the formula has %s, the definition needs %s", p, h, rat.Show(got), rat.Show(want))
					}
				}
			}
		}
	}
}

// flipped returns the law of M_iter over randomized responses if the criteria flip their
// coins beforehand.
func flipped(p finite.Pipeline, h finite.Criterion) finite.Pair {
	out := finite.Pair{{}, {}}
	for g, weight := range h.Drawn() {
		for b, l := range p.Run(g).Possible() {
			for output, pr := range l {
				out[b].Add(output, rat.Mul(weight, pr))
			}
		}
	}
	return out
}

// defined returns the smallest δ by the definition of ODP, in either direction.
func defined(p finite.Pipeline, laws finite.Pair) *big.Rat {
	var e []*big.Rat
	for _, s := range p.Stops {
		e = append(e, s.ExpEps)
	}
	part := func(output string) int {
		return slices.IndexFunc(p.Stops, func(s spec.Stop) bool { return s.After == len(output) })
	}
	return register.Must(spec.SmallestDeltaBothWays(laws[0], laws[1], part, e))
}

// sum11 returns the largest value of ODP-E11's sum over all families of sets.
func sum11(p finite.Pipeline, b int, h finite.Criterion) *big.Rat {
	stopsAt := func(q string) *big.Rat { return share(p, h, q) }
	return newFamilies(terms(p, b, stopsAt), strings.HasPrefix).maximum(never)
}

// share returns R(h, q): the probability that h goes on before q and stops at q.
func share(p finite.Pipeline, h finite.Criterion, q string) *big.Rat {
	share := rat.One
	for _, s := range p.Stops {
		switch {
		case s.After < len(q):
			share = rat.Mul(share, rat.Complement(h[q[:s.After]]))
		case s.After == len(q) && h[q] != nil:
			share = rat.Mul(share, h[q])
		}
	}
	return share
}

// equation12 checks that a value is the largest δ over all criteria, also randomized ones.
func equation12(value func(t *register.T, p finite.Pipeline) *big.Rat) register.Check {
	return func(t *register.T) {
		forPipelines(t, t.Size(27, 3), func(p finite.Pipeline) {
			worst, at := p.Worst(p.Responses(), finite.Randomized)
			if got := value(t, p); got.Cmp(worst) != 0 {
				t.Refute("%v: %s, but the worst criterion (%v) needs %s", p, rat.Show(got), at, rat.Show(worst))
			}
		})
	}
}

// worstDeterministic returns the right side of ODP-E12.
func worstDeterministic(t *register.T, p finite.Pipeline) *big.Rat {
	if len(p.Stops) < 3 {
		return register.Must(exhaustive.Criteria(t.Context(), p.Exhaustive()))
	}
	worst := new(big.Rat)
	for h := range finite.Criteria(finite.Deterministic, p.Early(p.Responses())) {
		worst = rat.Max(worst, sum11(p, 0, h))
	}
	return worst
}

// equation13 checks that a maximum over families of sets is the one over criteria.
func equation13(formula func(finite.Pipeline) *big.Rat) register.Check {
	return func(t *register.T) {
		forPipelines(t, t.Size(27, 9), func(p finite.Pipeline) {
			want := worstDeterministic(t, p)
			if got := formula(p); got.Cmp(want) != 0 {
				t.Refute("%v: %s over sets, %s over criteria", p, rat.Show(got), rat.Show(want))
			}
		})
	}
}
