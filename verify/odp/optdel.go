package odp

import (
	"math/big"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// optDel are the statements on the value of OptDel.
func optDel() []register.Statement {
	return []register.Statement{
		{
			ID:      "ODP-T15",
			Title:   "OptDel is the maximum over prefix-disjoint Q_{k_i} of Σ_i [Pr_0(Q_{k_i}) − e^ℰ(P_i) Pr_1(Q_{k_i})]",
			Kind:    register.Exact,
			Verdict: register.Holds,
			Note: "Compared with the definition: the largest δ that any deterministic criteria need, in either direction; sets of outputs that occur. Read with Q_{k_i} ⊆ {0,1,2,3}^(k_i) where ∈ is printed. " +
				"The restatement in [A] has the sum to k_i for n, and Pr_b for Pr on the right of the definition of Pr_b^[k_i]. A step of the proof is wrong: see ODP-E11 and the control of ODP-E12.",
			In:    []string{"spec.OptDel", "impl.OptDel", "impl.Exact", "exhaustive.Exact", "exhaustive.Enclose"},
			Check: theorem15(prefixDisjoint),
			Controls: []register.Claim{
				{Says: "it is the maximum without prefix-disjointness", Check: theorem15(sumOfMaxima)},
				{Says: "it is the maximum with prefix-disjointness of neighbouring stops only", Check: theorem15(neighboursDisjoint)},
				{Says: "it is the largest δ of a single stop", Check: theorem15(largestSingle)},
			},
		},
		{
			ID:      "ODP-E3",
			Title:   "The maximum of ODP-T15 is the value of an optimal stopping problem on the tree of outputs",
			Kind:    register.Exact,
			Verdict: register.Holds,
			Note: "The equation itself is ODP-T15. Checked here: the maximum over all families of sets, the tree of all sequences, and the recursion over losses agree exactly; and for a few pipelines " +
				"the maximum over sets of all outputs, also of those that do not occur.",
			In:    []string{"spec.OptDel", "impl.Exact", "exhaustive.Exact"},
			Check: threeWays(prefixDisjoint, func(p finite.Pipeline) finite.Pipeline { return p }),
			Controls: []register.Claim{
				{Says: "all but the last stop can be left out", Check: threeWays(prefixDisjoint, finite.Pipeline.Last)},
				{Says: "it is enough that neighbouring stops are prefix-disjoint", Check: threeWays(neighboursDisjoint, func(p finite.Pipeline) finite.Pipeline { return p })},
			},
		},
		{
			ID: "ODP-X23", Title: "Equation 3 takes exponential time; for n = 1 the problem is #P-complete; approximation is open",
			Kind: register.Opinion, Verdict: register.NotCheckable,
			Note: "A statement on complexity. checkrr computes OptDel in certified intervals, in polynomial time in the number of reachable losses or of grid points.",
			In:   []string{"impl.OptDel"},
		},
		{
			ID:      "ODP-E4",
			Title:   "The δ of ODP-L11 is the sum over stops of the maximum at each, which is the maximum of the sum",
			Kind:    register.Exact,
			Verdict: register.Holds,
			Note:    "[B] adds i = 1, …, n under the second maximum. For a few pipelines both lines are also computed over sets of all outputs, also of those that do not occur.",
			In:      []string{"spec.Lemma11", "spec.Lemma11Joint", "exhaustive.Exact"},
			Check:   equation4(maximumOfSums),
			Controls: []register.Claim{
				{Says: "it is the maximum of the sum over prefix-disjoint sets", Check: equation4(prefixDisjoint)},
			},
		},
		{
			ID:      "ODP-X24",
			Title:   "If all δ_k > 0, equation 4 is strictly larger than equation 3",
			Kind:    register.Exact,
			Verdict: register.Fails,
			Note: "With a single stop, n = 1, the two equations are the same; this trivial case is the only one that fails. For n ≥ 2 the corrected form follows in one line: of the outputs that are all 0, one " +
				"is the beginning of another, so that prefix-disjoint sets must drop one, and lose at least Π δ_k > 0. How much " +
				"larger, which the paper leaves open, is measured in docs/gap.md.",
			In:    []string{"exhaustive.Exact"},
			Check: strictlyLarger(1, leaking),
			Corrected: &register.Claim{
				Says:  "it is strictly larger if all δ_k > 0 and there are at least two stops",
				Check: strictlyLarger(2, leaking),
			},
			Controls: []register.Claim{
				{Says: "it is strictly larger if there are at least two stops", Check: strictlyLarger(2, finite.Mechanisms)},
			},
		},
	}
}

// theorem15 checks that a formula gives the largest δ that M_iter over randomized
// responses needs under any criteria, in either direction.
func theorem15(formula func(finite.Pipeline) *big.Rat) register.Check {
	return func(t *register.T) {
		forPipelines(t, t.Size(5, 1), func(p finite.Pipeline) {
			worst, at := p.Worst(p.Responses(), finite.Deterministic)
			if value := formula(p); value.Cmp(worst) != 0 {
				t.Refute("%v: the formula has %s, the worst criterion (%v) needs %s", p, rat.Show(value), at, rat.Show(worst))
			}
		})
	}
}

// threeWays checks that the families of sets, the tree and the recursion agree, with the
// recursion run on a variant of the pipeline.
func threeWays(sets func(finite.Pipeline) *big.Rat, variant func(finite.Pipeline) finite.Pipeline) register.Check {
	return func(t *register.T) {
		forPipelines(t, 1, func(p finite.Pipeline) {
			all, tree := sets(p), optimalStopping(t, p)
			recursion := recursive(t, variant(p))
			if all.Cmp(tree) != 0 || all.Cmp(recursion) != 0 {
				t.Refute("%v: sets %s, tree %s, recursion %s", p, rat.Show(all), rat.Show(tree), rat.Show(recursion))
			}
		})
		forLiteral(t, func(p finite.Pipeline) {
			if all, literal := sets(p), register.Must(spec.OptDel(spec.Pipeline(p))); all.Cmp(literal) != 0 {
				t.Refute("%v: sets of outputs that occur %s, of all outputs %s", p, rat.Show(all), rat.Show(literal))
			}
		})
	}
}

// recursive returns OptDel by the recursion over losses.
func recursive(t *register.T, p finite.Pipeline) *big.Rat {
	optDel, _, err := impl.Exact(t.Context(), p.Impl())
	return register.Must(optDel, err)
}

// equation4 checks that a formula gives the sum of the single stops' δ, and that the tree does.
func equation4(formula func(finite.Pipeline) *big.Rat) register.Check {
	return func(t *register.T) {
		forPipelines(t, 1, func(p finite.Pipeline) {
			first, second := sumOfMaxima(p), formula(p)
			if tree := enumerated(t, p).Lemma11; first.Cmp(second) != 0 || first.Cmp(tree) != 0 {
				t.Refute("%v: first line %s, second line %s, tree %s", p, rat.Show(first), rat.Show(second), rat.Show(tree))
			}
		})
		forLiteral(t, func(p finite.Pipeline) {
			first, second := register.Must(spec.Lemma11(spec.Pipeline(p))), register.Must(spec.Lemma11Joint(spec.Pipeline(p)))
			if sets := formula(p); sets.Cmp(first) != 0 || sets.Cmp(second) != 0 {
				t.Refute("%v: first line %s, second line %s, over sets of outputs that occur %s", p, rat.Show(first), rat.Show(second), rat.Show(sets))
			}
		})
	}
}

// leaking are the mechanisms with δ > 0.
var leaking = finite.Mechanisms[1:]

// strictlyLarger checks that Lemma 11's δ is more than OptDel for all pipelines of the mechanisms with at least
// the given number of stops.
func strictlyLarger(stops int, mechanisms []spec.Mechanism) register.Check {
	return func(t *register.T) {
		t.Domain("k = (1), (2), (1, 2), (1, 3) and (1, 2, 3); mechanisms from %s; e^ℰ in {1, 3/2, 3}; n ≥ %d", showMenu, stops)
		for _, points := range [][]int{{1}, {2}, {1, 2}, {1, 3}, {1, 2, 3}} {
			if len(points) < stops {
				continue
			}
			for p := range finite.Pipelines(mechanisms, points...) {
				t.Case()
				if v := enumerated(t, p); v.Lemma11.Cmp(v.OptDel) <= 0 {
					t.Refute("%v: equation 3 gives %s, equation 4 gives %s", p, rat.Show(v.OptDel), rat.Show(v.Lemma11))
				}
			}
		}
	}
}
