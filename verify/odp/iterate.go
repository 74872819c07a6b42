package odp

import (
	"math/big"
	"sync"

	"checkrr/exhaustive"
	"checkrr/spec"
	"checkrr/verify"
)

var iterate = []verify.Statement{
	{
		ID:      "ODP-X20",
		Title:   "Stopping early keeps what was reserved for the iterations that were not run",
		Kind:    verify.Exact,
		Verdict: verify.Holds,
		Note:    "Read as: with δ_k = 0, charging Σ ε_k over the iterations that were run is ODP with δ = 0, whatever the stopping criteria.",
		In:      []string{"impl.OptDel", "exhaustive.Exact"},
		Check:   simpleCharges(0),
		Controls: []verify.Claim{
			{Says: "the last iteration before the stop need not be charged", Check: simpleCharges(1)},
		},
	},
	{
		ID: "ODP-A3", Title: "M_iter runs M_1, …, M_{k_n} and ends after k_i if h^[k_i] of the outputs is 1",
		Kind: verify.Definition, Verdict: verify.NotCheckable, Note: "An algorithm; it asserts nothing.",
		In: []string{"spec.Iterate", "spec.IterateLaw"},
	},
	{
		ID: "ODP-X21", Title: "The setting of M_iter: stopping points, criteria, and the partition of outputs by length",
		Kind: verify.Definition, Verdict: verify.NotCheckable, Note: "A definition. Criteria that need the database are mechanisms of their own.",
		In: []string{"spec.Pipeline", "impl.Pipeline", "exhaustive.Pipeline"},
	},
	{
		ID:      "ODP-L11",
		Title:   "M_iter is (𝒫, ℰ, Σ δ^[k_i])-ODP if its first k_i mechanisms compose to (ℰ(P_i), δ^[k_i])-DP",
		Kind:    verify.Exact,
		Verdict: verify.Holds,
		Note:    "Checked with the smallest δ^[k_i] that any composition theorem can give, over all deterministic criteria. The proof writes P_{k_i} for P_i.",
		In:      []string{"spec.Lemma11", "impl.OptDel", "exhaustive.Exact"},
		Check:   lemma11(sum),
		Controls: []verify.Claim{
			{Says: "M_iter is (𝒫, ℰ, max δ^[k_i])-ODP", Check: lemma11(largest)},
		},
	},
	{
		ID: "ODP-X22", Title: "OptDel is the smallest δ of M_iter: for given mechanisms and criteria, and for the worst ones",
		Kind: verify.Definition, Verdict: verify.NotCheckable, Note: "Two definitions.",
		In: []string{"spec.OptDel", "impl.OptDel", "exhaustive.Criteria"},
	},
	{
		ID:      "ODP-L12",
		Title:   "Every (ε, δ)-DP mechanism is a function of randomized response M̃_(ε,δ), on two neighbouring databases",
		Kind:    verify.Exact,
		Verdict: verify.Holds,
		Note:    "The function is constructed: cut both laws down to where e^ε bounds their ratio, take the common part twice, and send outputs 0 and 3 to what was cut.",
		In:      []string{"spec.RandomizedResponse"},
		Check:   simulation(one),
		Controls: []verify.Claim{
			{Says: "every (ε, δ)-DP mechanism is a function of M̃_(ε,δ/2)", Check: simulation(big.NewRat(1, 2))},
		},
	},
	{
		ID:      "ODP-L13",
		Title:   "OptDel of (ε_k, δ_k)-DP mechanisms is the largest over stopping criteria of OptDel of randomized responses",
		Kind:    verify.Exact,
		Verdict: verify.Holds,
		Note: "Checked over finite mechanisms of which the second depends on the output of the first. The proof refers to Lemma 13 where Lemma 14 is meant; " +
			"its restatement in one text takes the supremum over the mechanisms as well, on both sides.",
		In:    []string{"exhaustive.Criteria"},
		Check: responsesAreWorst(func(p pipeline) pipeline { return p }),
		Controls: []verify.Claim{
			{Says: "it is OptDel of randomized responses that run to the end", Check: responsesAreWorst(pipeline.last)},
		},
	},
	{
		ID:      "ODP-L14",
		Title:   "Applying functions to the outputs of the mechanisms, instead of within the criteria, keeps the ODP guarantee of M_iter",
		Kind:    verify.Exact,
		Verdict: verify.Holds,
		Note: "Checked for deterministic functions; a randomized one is a convex combination of them (ODP-X33). The proof's last display has x on both sides of the " +
			"inequality, where the right one must be x'.",
		In:    []string{"spec.Iterate"},
		Check: postProcessing(true),
		Controls: []verify.Claim{
			{Says: "it is kept if the criteria of M read the outputs as they are", Check: postProcessing(false)},
		},
	},
	{
		ID:      "ODP-T15",
		Title:   "OptDel is the maximum over prefix-disjoint Q_{k_i} of Σ_i [Pr_0(Q_{k_i}) − e^ℰ(P_i) Pr_1(Q_{k_i})]",
		Kind:    verify.Exact,
		Verdict: verify.Holds,
		Note: "Compared with the definition: the largest δ that any deterministic criteria need, in either direction. Read with Q_{k_i} ⊆ {0,1,2,3}^(k_i) where ∈ is printed, " +
			"and with the sum to n where the restatement in one text has k_i. A step of the proof is wrong: see ODP-E11 and the control of ODP-E12.",
		In:    []string{"spec.OptDel", "impl.OptDel", "impl.Exact", "exhaustive.Exact", "exhaustive.Enclose"},
		Check: theorem15(prefixDisjoint),
		Controls: []verify.Claim{
			{Says: "it is the maximum without prefix-disjointness", Check: theorem15(sumOfMaxima)},
			{Says: "it is the largest δ of a single stop", Check: theorem15(largestSingle)},
		},
	},
	{
		ID:      "ODP-E3",
		Title:   "The maximum of ODP-T15 is the value of an optimal stopping problem on the tree of outputs",
		Kind:    verify.Exact,
		Verdict: verify.Holds,
		Note:    "The equation itself is ODP-T15. Checked here: the maximum over all families of sets, the tree of all sequences, and the recursion over losses agree exactly.",
		In:      []string{"spec.OptDel", "impl.Exact", "exhaustive.Exact"},
		Check:   threeWays(func(p pipeline) pipeline { return p }),
		Controls: []verify.Claim{
			{Says: "all but the last stop can be left out", Check: threeWays(pipeline.last)},
		},
	},
	{
		ID: "ODP-X23", Title: "Equation 3 takes exponential time; for n = 1 the problem is #P-complete; approximation is open",
		Kind: verify.Opinion, Verdict: verify.NotCheckable,
		Note: "A statement on complexity. checkrr computes OptDel in certified intervals, in polynomial time in the number of reachable losses or of grid points.",
		In:   []string{"impl.OptDel"},
	},
	{
		ID:      "ODP-E4",
		Title:   "The δ of ODP-L11 is the sum over stops of the maximum at each, which is the maximum of the sum",
		Kind:    verify.Exact,
		Verdict: verify.Holds,
		In:      []string{"spec.Lemma11", "spec.Lemma11Joint", "exhaustive.Exact"},
		Check:   equation4(maximumOfSums),
		Controls: []verify.Claim{
			{Says: "it is the maximum of the sum over prefix-disjoint sets", Check: equation4(prefixDisjoint)},
		},
	},
	{
		ID:      "ODP-X24",
		Title:   "If all δ_k > 0, equation 4 is strictly larger than equation 3",
		Kind:    verify.Exact,
		Verdict: verify.Fails,
		Note:    "With a single stop the two equations are the same.",
		In:      []string{"exhaustive.Exact"},
		Check:   strictlyLarger(1),
		Corrected: &verify.Claim{
			Says:  "it is strictly larger if all δ_k > 0 and there are at least two stops",
			Check: strictlyLarger(2),
		},
		Controls: []verify.Claim{
			{Says: "it is strictly larger if there are at least two stops", Check: strictlyLargerWithout},
		},
	},
	{
		ID: "ODP-X25", Title: "ODP can use any DP composition result through ODP-L11; privacy filters need theorems of their own",
		Kind: verify.Opinion, Verdict: verify.NotCheckable, Note: "A comparison of methods. What ODP-L11 asserts is checked there.",
	},
	{
		ID:      "ODP-E10",
		Title:   "For ODP-T15 it is enough to take the supremum over the criteria, with randomized responses as mechanisms",
		Kind:    verify.Exact,
		Verdict: verify.Holds,
		Note:    "The same as ODP-L13, of which it is a consequence; checked by criteria that are run one by one, against the tree.",
		In:      []string{"exhaustive.Criteria", "exhaustive.Exact"},
		Check:   criteriaReach(func(p pipeline) pipeline { return p }),
		Controls: []verify.Claim{
			{Says: "it is enough to take criteria that never stop", Check: criteriaReach(pipeline.last)},
		},
	},
	{
		ID:      "ODP-E11",
		Title:   "OptDel of given criteria is the smallest δ̃ with Σ_i Σ_{q∈Q_{k_i}} R(h, q) (Pr_0(q) − e^ℰ(P_i) Pr_1(q)) ≤ δ̃ for all Q",
		Kind:    verify.Exact,
		Verdict: verify.Fails,
		Note: "The inequality has b = 0 on the left only. ODP asks for both directions, which differ for given criteria; their maxima over all criteria are the same, " +
			"because exchanging outputs 0 and 3, and 1 and 2, exchanges the databases.",
		In:    []string{"spec.IterateLaw", "spec.SmallestDelta", "spec.SmallestDeltaBothWays"},
		Check: givenCriteria(func(laws pair, p pipeline) *big.Rat { return delta(laws[0], laws[1], p.expE) }),
		Corrected: &verify.Claim{
			Says:  "it is the larger of the smallest δ̃ for b = 0 and for b = 1 on the left",
			Check: givenCriteria(func(laws pair, p pipeline) *big.Rat { return deltaBothWays(laws, p.expE) }),
		},
		Controls: []verify.Claim{
			{Says: "it is the smaller of the two", Check: givenCriteria(func(laws pair, p pipeline) *big.Rat {
				return smallest([]*big.Rat{delta(laws[0], laws[1], p.expE), delta(laws[1], laws[0], p.expE)})
			})},
		},
	},
	{
		ID:      "ODP-E12",
		Title:   "The largest OptDel over criteria is the maximum over deterministic criteria h and over sets of what E11 sums",
		Kind:    verify.Exact,
		Verdict: verify.Holds,
		Note: "h^[k_n], which Algorithm 3 does not have, is 1. The step that leads there takes the largest R(h, q) for every q by itself; " +
			"that is an upper bound which is not attained, as the second control shows.",
		In:    []string{"exhaustive.Criteria", "spec.OptDel"},
		Check: equation12(func(t *verify.T, p pipeline) *big.Rat { return must(exhaustive.Criteria(t.Context(), p.exhaustive())) }),
		Controls: []verify.Claim{
			{Says: "it is the same with criteria that never stop", Check: equation12(func(t *verify.T, p pipeline) *big.Rat {
				return p.last().enumerated(t.Context()).OptDel
			})},
			{Says: "it is the same with the maximum over h taken for every q by itself", Check: equation12(func(t *verify.T, p pipeline) *big.Rat {
				return p.enumerated(t.Context()).Lemma11
			})},
		},
	},
	{
		ID:      "ODP-E13",
		Title:   "The maximum over criteria and sets (E12) is the maximum over prefix-disjoint sets (E3)",
		Kind:    verify.Exact,
		Verdict: verify.Holds,
		In:      []string{"exhaustive.Criteria", "spec.OptDel"},
		Check:   equation13(prefixDisjoint),
		Controls: []verify.Claim{
			{Says: "it is the maximum over all sets", Check: equation13(sumOfMaxima)},
		},
	},
}

// shapes are the stopping points of the pipelines that all families of sets can be gone through for.
var shapes = [][]int{{1}, {2}, {1, 2}}

// forPipelines calls visit with pipelines for which all families of sets can be gone
// through: a tenth of a second where k = (2), half a second where k = (1, 2).
func forPipelines(t *verify.T, visit func(p pipeline)) {
	steps := []int{1, t.Size(4, 1), t.Size(19, 3)}
	t.Domain("k = (1), (2) and (1, 2); mechanisms from %s; e^ℰ in {1, 3/2, 3}; every %dth, %dth and %dth of these pipelines", showMenu, steps[0], steps[1], steps[2])
	for i, points := range shapes {
		for p := range some(pipelines(points...), steps[i]) {
			t.Case()
			visit(p)
		}
	}
}

// literal returns the values of a formula of spec, each computed once: several statements
// ask for the same slow ones.
func literal(formula func(spec.Pipeline) (*big.Rat, error)) func(pipeline) *big.Rat {
	var known sync.Map // from the text of a pipeline to a func() *big.Rat
	return func(p pipeline) *big.Rat {
		value, _ := known.LoadOrStore(p.String(), sync.OnceValue(func() *big.Rat { return must(formula(spec.Pipeline(p))) }))
		return value.(func() *big.Rat)()
	}
}

// The formulas of ODP-E3 and of both lines of ODP-E4.
var (
	prefixDisjoint = literal(spec.OptDel)
	sumOfMaxima    = literal(spec.Lemma11)
	maximumOfSums  = literal(spec.Lemma11Joint)
)

// showMenu describes [parameters].
const showMenu = "(e^ε, δ) = (3, 0), (3/2, 1/10), (1, 1/2)"

// simpleCharges checks that pipelines of pure DP mechanisms need no δ if a stop is charged
// the sum of the ε of all mechanisms before it but the last few.
func simpleCharges(few int) verify.Check {
	return func(t *verify.T) {
		most := t.Size(4, 6)
		t.Domain("up to %d mechanisms with e^ε in {1, 3/2, 3}, a stop after each", most)
		for k := 1; k <= most; k++ {
			for code := range pow(len(charges), k) {
				t.Case()
				var p pipeline
				charge := []*big.Rat{one}
				for i := range k {
					m := spec.Mechanism{ExpEps: charges[code/pow(len(charges), i)%len(charges)], Delta: new(big.Rat)}
					p.Mechanisms = append(p.Mechanisms, m)
					charge = append(charge, mul(charge[i], m.ExpEps))
					p.Stops = append(p.Stops, spec.Stop{After: i + 1, ExpEps: charge[max(0, i+1-few)]})
				}
				if got := p.enumerated(t.Context()).OptDel; got.Sign() > 0 {
					t.Refute("%v: OptDel = %s", p, show(got))
				}
			}
		}
	}
}

// lemma11 checks that the δ of M_iter is, under all criteria, at most what total makes of
// the δ of the single stops.
func lemma11(total func([]*big.Rat) *big.Rat) verify.Check {
	return func(t *verify.T) {
		step := t.Size(2, 1)
		t.Domain("k = (1) and (1, 2), all deterministic criteria; mechanisms from %s; e^ℰ in {1, 3/2, 3}; every %dth pipeline", showMenu, step)
		for _, points := range [][]int{{1}, {1, 2}} {
			for p := range some(pipelines(points...), step) {
				bound := total(p.enumerated(t.Context()).Single)
				for h := range criteria("0123", 1) {
					t.Case()
					if got := deltaBothWays(p.runs(h), p.expE); got.Cmp(bound) > 0 {
						t.Refute("%v; %v: needs δ = %s, more than %s", p, h, show(got), show(bound))
					}
				}
			}
		}
	}
}

// theorem15 checks that a formula gives the largest δ that M_iter over randomized
// responses needs under any criteria, in either direction.
func theorem15(formula func(pipeline) *big.Rat) verify.Check {
	return func(t *verify.T) {
		forPipelines(t, func(p pipeline) {
			worst, at := new(big.Rat), criterion{}
			for h := range criteria("0123", 1) {
				if got := deltaBothWays(p.runs(h), p.expE); got.Cmp(worst) > 0 {
					worst, at = got, h
				}
			}
			if value := formula(p); value.Cmp(worst) != 0 {
				t.Refute("%v: the formula has %s, the worst criterion (%v) needs %s", p, show(value), at, show(worst))
			}
		})
	}
}

// largestSingle is a wrong formula for OptDel.
func largestSingle(p pipeline) *big.Rat {
	var singles []*big.Rat
	for _, s := range p.Stops {
		singles = append(singles, prefixDisjoint(pipeline{p.Mechanisms[:s.After], []spec.Stop{s}}))
	}
	return largest(singles)
}

// threeWays checks that the families of sets, the tree and the recursion agree, with the
// recursion run on a variant of the pipeline.
func threeWays(variant func(pipeline) pipeline) verify.Check {
	return func(t *verify.T) {
		forPipelines(t, func(p pipeline) {
			sets, tree := prefixDisjoint(p), p.enumerated(t.Context()).OptDel
			recursion := recursive(t, variant(p))
			if sets.Cmp(tree) != 0 || sets.Cmp(recursion) != 0 {
				t.Refute("%v: sets %s, tree %s, recursion %s", p, show(sets), show(tree), show(recursion))
			}
		})
	}
}

// equation4 checks that a formula gives the sum of the single stops' δ, and that the tree does.
func equation4(formula func(pipeline) *big.Rat) verify.Check {
	return func(t *verify.T) {
		forPipelines(t, func(p pipeline) {
			first, second := sumOfMaxima(p), formula(p)
			if tree := p.enumerated(t.Context()).Lemma11; first.Cmp(second) != 0 || first.Cmp(tree) != 0 {
				t.Refute("%v: first line %s, second line %s, tree %s", p, show(first), show(second), show(tree))
			}
		})
	}
}

// strictlyLarger checks that Lemma 11's δ is more than OptDel for all pipelines with all δ_k > 0
// and at least the given number of stops.
func strictlyLarger(stops int) verify.Check {
	return func(t *verify.T) { strictly(t, stops, func(m spec.Mechanism) bool { return m.Delta.Sign() > 0 }) }
}

// strictlyLargerWithout leaves out the condition on δ_k.
func strictlyLargerWithout(t *verify.T) { strictly(t, 2, func(spec.Mechanism) bool { return true }) }

func strictly(t *verify.T, stops int, condition func(spec.Mechanism) bool) {
	t.Domain("k = (1), (2), (1, 2), (1, 3) and (1, 2, 3); mechanisms from %s; e^ℰ in {1, 3/2, 3}; at least %d stops", showMenu, stops)
	for _, points := range [][]int{{1}, {2}, {1, 2}, {1, 3}, {1, 2, 3}} {
		if len(points) < stops {
			continue
		}
		for p := range pipelines(points...) {
			if all(p.Mechanisms, condition) {
				t.Case()
				if v := p.enumerated(t.Context()); v.Lemma11.Cmp(v.OptDel) <= 0 {
					t.Refute("%v: equation 3 gives %s, equation 4 gives %s", p, show(v.OptDel), show(v.Lemma11))
				}
			}
		}
	}
}

func all[X any](xs []X, condition func(X) bool) bool {
	for _, x := range xs {
		if !condition(x) {
			return false
		}
	}
	return true
}

// criteriaReach checks that the criteria of a variant, run one by one, reach OptDel.
func criteriaReach(variant func(pipeline) pipeline) verify.Check {
	return func(t *verify.T) {
		t.Domain("k = (1), (2), (1, 2) and (1, 3), all deterministic criteria; mechanisms from %s; e^ℰ in {1, 3/2, 3}; every %dth pipeline", showMenu, t.Size(5, 1))
		for _, points := range [][]int{{1}, {2}, {1, 2}, {1, 3}} {
			for p := range some(pipelines(points...), t.Size(5, 1)) {
				t.Case()
				want := p.enumerated(t.Context()).OptDel
				if got := must(exhaustive.Criteria(t.Context(), variant(p).exhaustive())); got.Cmp(want) != 0 {
					t.Refute("%v: the criteria reach %s, OptDel is %s", p, show(got), show(want))
				}
			}
		}
	}
}

// givenCriteria checks that a formula gives the smallest δ by the definition, for given
// criteria.
func givenCriteria(formula func(laws pair, p pipeline) *big.Rat) verify.Check {
	return func(t *verify.T) {
		t.Domain("k = (1) and (1, 2), δ_k = 0 and e^ε = 3, all deterministic criteria, e^ℰ in {1, 3/2, 3}")
		for _, points := range [][]int{{1}, {1, 2}} {
			for p := range pipelines(points...) {
				if !all(p.Mechanisms, func(m spec.Mechanism) bool { return m == parameters[0] }) {
					continue
				}
				for h := range criteria("12", 1) {
					t.Case()
					laws := p.runs(h).positive()
					part := func(output string) int { return pointOf(points, output) }
					var e []*big.Rat
					for _, s := range p.Stops {
						e = append(e, s.ExpEps)
					}
					want := must(spec.SmallestDeltaBothWays(laws[0], laws[1], part, e))
					if got := formula(laws, p); got.Cmp(want) != 0 {
						t.Refute("%v; %v: the formula has %s, the definition needs %s", p, h, show(got), show(want))
					}
				}
			}
		}
	}
}

// positive leaves out what has probability 0 under both laws.
func (p pair) positive() pair {
	out := pair{law{}, law{}}
	for output := range p[0] {
		if p[0][output].Sign() > 0 || p[1][output].Sign() > 0 {
			out[0][output], out[1][output] = p[0][output], p[1][output]
		}
	}
	return out
}

func pointOf(points []int, output string) int {
	for i, k := range points {
		if len(output) == k {
			return i
		}
	}
	panic("internal error: no stop after " + output)
}

// equation12 checks that a value is the largest δ over all deterministic criteria.
func equation12(value func(t *verify.T, p pipeline) *big.Rat) verify.Check {
	return func(t *verify.T) {
		t.Domain("k = (1), (2) and (1, 2), all deterministic criteria; mechanisms from %s; e^ℰ in {1, 3/2, 3}; every %dth pipeline", showMenu, t.Size(2, 1))
		for _, points := range shapes {
			for p := range some(pipelines(points...), t.Size(2, 1)) {
				t.Case()
				worst := new(big.Rat)
				for h := range criteria("0123", 1) {
					worst = largest([]*big.Rat{worst, deltaBothWays(p.runs(h), p.expE)})
				}
				if got := value(t, p); got.Cmp(worst) != 0 {
					t.Refute("%v: %s, but the worst criterion needs %s", p, show(got), show(worst))
				}
			}
		}
	}
}

// equation13 checks that a maximum over families of sets is the one over criteria.
func equation13(formula func(pipeline) *big.Rat) verify.Check {
	return func(t *verify.T) {
		forPipelines(t, func(p pipeline) {
			want := must(exhaustive.Criteria(t.Context(), p.exhaustive()))
			if got := formula(p); got.Cmp(want) != 0 {
				t.Refute("%v: %s over sets, %s over criteria", p, show(got), show(want))
			}
		})
	}
}
