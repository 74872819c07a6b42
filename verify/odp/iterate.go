package odp

import (
	"fmt"
	"math/big"
	"slices"

	"checkrr/exhaustive"
	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

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
			ID:      "ODP-L12",
			Title:   "Every (ε, δ)-DP mechanism is a function of randomized response M̃_(ε,δ), on two neighbouring databases",
			Kind:    register.Exact,
			Verdict: register.Holds,
			Note:    "The function is constructed: cut both laws down to where e^ε bounds their ratio, take the common part twice, and send outputs 0 and 3 to what was cut.",
			In:      []string{"spec.RandomizedResponse"},
			Check:   simulation(rat.One),
			Controls: []register.Claim{
				{Says: "every (ε, δ)-DP mechanism is a function of M̃_(ε,δ/2)", Check: simulation(rat.Half)},
			},
		},
		{
			ID:      "ODP-L13",
			Title:   "OptDel of (ε_k, δ_k)-DP mechanisms is the largest over stopping criteria of OptDel of randomized responses",
			Kind:    register.Exact,
			Verdict: register.Holds,
			Note: "The supremum on the right, over criteria that are run one by one, is compared with finite mechanisms that depend on earlier outputs: none needs more, and randomized " +
				"responses, which are (ε_k, δ_k)-DP themselves, need as much. Slips in print: the proof refers to Lemma 13 where Lemma 14 is meant, and defines T̂_k by T_1, …, T_{k−1} where T̂_1, …, T̂_{k−1} " +
				"are meant; [A] composes the criteria with T̂_1, …, T̂_{k_n} for T̂_1, …, T̂_{k_i}, has T for T̂ in the last supremum, and restates the lemma with a supremum over the mechanisms M_k, " +
				"which do not occur under it.",
			In:    []string{"spec.IterateLaw"},
			Check: responsesAreWorst(deterministic, supremumOfRuns(func(p pipeline) pipeline { return p })),
			Controls: []register.Claim{
				{Says: "it is OptDel of randomized responses that run to the end", Check: responsesAreWorst(deterministic, supremumOfRuns(pipeline.last))},
				{Says: "it is the δ of ODP-L11", Check: responsesAreWorst(deterministic, func(_ *register.T, p pipeline) *big.Rat { return sumOfMaxima(p) })},
			},
		},
		{
			ID:      "ODP-L14",
			Title:   "Applying functions to the outputs of the mechanisms, instead of within the criteria, keeps the ODP guarantee of M_iter",
			Kind:    register.Exact,
			Verdict: register.Holds,
			Note: "Checked for deterministic functions; that a randomized one is a convex combination of them is checked by ODP-X33. The proof's last display has x on both sides of the " +
				"inequality, where the right one must be x'.",
			In:    []string{"spec.Iterate"},
			Check: postProcessing(true, false),
			Controls: []register.Claim{
				{Says: "it is kept if the criteria of M read the outputs as they are", Check: postProcessing(false, false)},
				{Says: "it is kept if M_2 depends on the output before it", Check: postProcessing(true, true)},
			},
		},
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
			Check: threeWays(prefixDisjoint, func(p pipeline) pipeline { return p }),
			Controls: []register.Claim{
				{Says: "all but the last stop can be left out", Check: threeWays(prefixDisjoint, pipeline.last)},
				{Says: "it is enough that neighbouring stops are prefix-disjoint", Check: threeWays(neighboursDisjoint, func(p pipeline) pipeline { return p })},
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
			Check: strictlyLarger(1),
			Corrected: &register.Claim{
				Says:  "it is strictly larger if all δ_k > 0 and there are at least two stops",
				Check: strictlyLarger(2),
			},
			Controls: []register.Claim{
				{Says: "it is strictly larger if there are at least two stops", Check: strictlyLargerWithout},
			},
		},
		{
			ID: "ODP-X25", Title: "ODP can use any DP composition result through ODP-L11; privacy filters need theorems of their own",
			Kind: register.Opinion, Verdict: register.NotCheckable, Note: "A comparison of methods. What ODP-L11 asserts is checked there.",
		},
		{
			ID:      "ODP-E10",
			Title:   "For ODP-T15 it is enough to take the supremum over the criteria, with randomized responses as mechanisms",
			Kind:    register.Exact,
			Verdict: register.Holds,
			Note: "A consequence of ODP-L13. Checked with randomized criteria: those of randomized responses reach the value of the tree of all sequences, and those of other mechanisms, " +
				"which may depend on earlier outputs, never exceed it.",
			In:    []string{"exhaustive.Exact"},
			Check: responsesAreWorst(randomized, optimalStopping),
			Controls: []register.Claim{
				{Says: "it is enough to take criteria that never stop", Check: responsesAreWorst(randomized, func(t *register.T, p pipeline) *big.Rat {
					return optimalStopping(t, p.last())
				})},
			},
		},
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
				{Says: "it is the same with criteria that never stop", Check: equation12(func(t *register.T, p pipeline) *big.Rat { return optimalStopping(t, p.last()) })},
				{Says: "it is the same with the maximum over h taken for every q by itself", Check: equation12(func(t *register.T, p pipeline) *big.Rat {
					return p.enumerated(t.Context()).Lemma11
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

// shapes are the stopping points of the pipelines of up to two stops.
var shapes = [][]int{{1}, {2}, {1, 2}}

// forPipelines calls visit with all pipelines of the shapes, and with every n-th of those
// with three stops.
func forPipelines(t *register.T, n int, visit func(p pipeline)) {
	t.Domain("k = (1), (2) and (1, 2), mechanisms from %s; %s with k = (1, 2, 3), δ_k = 0, e^ε in {3/2, 3}; e^ℰ in {1, 3/2, 3}", showMenu, every(n))
	for _, points := range shapes {
		for p := range pipelines(points...) {
			t.Case()
			visit(p)
		}
	}
	for p := range some(threeStops(), n) {
		t.Case()
		visit(p)
	}
}

// every describes [some].
func every(n int) string {
	if n == 1 {
		return "all"
	}
	return fmt.Sprintf("one in %d of all", n)
}

// showMenu describes [parameters].
const showMenu = "(e^ε, δ) = (3, 0), (3/2, 1/10), (1, 1/2)"

// simpleCharges checks that pipelines of pure DP mechanisms need no δ if a stop is charged
// the sum of the ε of all mechanisms before it but the last few.
func simpleCharges(few int) register.Check {
	return func(t *register.T) {
		most := t.Size(4, 6)
		t.Domain("up to %d mechanisms with e^ε in {1, 3/2, 3}, a stop after each", most)
		for k := 1; k <= most; k++ {
			for code := range pow(len(charges), k) {
				t.Case()
				var p pipeline
				charge := []*big.Rat{rat.One}
				for i := range k {
					m := spec.Mechanism{ExpEps: charges[code/pow(len(charges), i)%len(charges)], Delta: new(big.Rat)}
					p.Mechanisms = append(p.Mechanisms, m)
					charge = append(charge, rat.Mul(charge[i], m.ExpEps))
					p.Stops = append(p.Stops, spec.Stop{After: i + 1, ExpEps: charge[max(0, i+1-few)]})
				}
				if got := p.enumerated(t.Context()).OptDel; got.Sign() > 0 {
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
		forPipelines(t, step, func(p pipeline) {
			bound := total(p.enumerated(t.Context()).Single...)
			if got, h := p.worst(p.responses(), randomized); got.Cmp(bound) > 0 {
				t.Refute("%v; %v: needs δ = %s, more than %s", p, h, rat.Show(got), rat.Show(bound))
			}
		})
	}
}

// theorem15 checks that a formula gives the largest δ that M_iter over randomized
// responses needs under any criteria, in either direction.
func theorem15(formula func(pipeline) *big.Rat) register.Check {
	return func(t *register.T) {
		forPipelines(t, t.Size(5, 1), func(p pipeline) {
			worst, at := p.worst(p.responses(), deterministic)
			if value := formula(p); value.Cmp(worst) != 0 {
				t.Refute("%v: the formula has %s, the worst criterion (%v) needs %s", p, rat.Show(value), at, rat.Show(worst))
			}
		})
	}
}

// threeWays checks that the families of sets, the tree and the recursion agree, with the
// recursion run on a variant of the pipeline.
func threeWays(sets func(pipeline) *big.Rat, variant func(pipeline) pipeline) register.Check {
	return func(t *register.T) {
		forPipelines(t, 1, func(p pipeline) {
			all, tree := sets(p), optimalStopping(t, p)
			recursion := recursive(t, variant(p))
			if all.Cmp(tree) != 0 || all.Cmp(recursion) != 0 {
				t.Refute("%v: sets %s, tree %s, recursion %s", p, rat.Show(all), rat.Show(tree), rat.Show(recursion))
			}
		})
		forLiteral(t, func(p pipeline) {
			if all, literal := sets(p), register.Must(spec.OptDel(spec.Pipeline(p))); all.Cmp(literal) != 0 {
				t.Refute("%v: sets of outputs that occur %s, of all outputs %s", p, rat.Show(all), rat.Show(literal))
			}
		})
	}
}

// forLiteral calls visit with a few pipelines: a formula of spec takes seconds for one.
func forLiteral(t *register.T, visit func(p pipeline)) {
	step := t.Size(80, 40)
	for _, points := range shapes {
		i := 0
		for p := range pipelines(points...) {
			if i++; i%step == 5 {
				t.Case()
				visit(p)
			}
		}
	}
}

// equation4 checks that a formula gives the sum of the single stops' δ, and that the tree does.
func equation4(formula func(pipeline) *big.Rat) register.Check {
	return func(t *register.T) {
		forPipelines(t, 1, func(p pipeline) {
			first, second := sumOfMaxima(p), formula(p)
			if tree := p.enumerated(t.Context()).Lemma11; first.Cmp(second) != 0 || first.Cmp(tree) != 0 {
				t.Refute("%v: first line %s, second line %s, tree %s", p, rat.Show(first), rat.Show(second), rat.Show(tree))
			}
		})
		forLiteral(t, func(p pipeline) {
			first, second := register.Must(spec.Lemma11(spec.Pipeline(p))), register.Must(spec.Lemma11Joint(spec.Pipeline(p)))
			if sets := formula(p); sets.Cmp(first) != 0 || sets.Cmp(second) != 0 {
				t.Refute("%v: first line %s, second line %s, over sets of outputs that occur %s", p, rat.Show(first), rat.Show(second), rat.Show(sets))
			}
		})
	}
}

// strictlyLarger checks that Lemma 11's δ is more than OptDel for all pipelines with all δ_k > 0
// and at least the given number of stops.
func strictlyLarger(stops int) register.Check {
	return func(t *register.T) { strictly(t, stops, func(m spec.Mechanism) bool { return m.Delta.Sign() > 0 }) }
}

// strictlyLargerWithout leaves out the condition on δ_k.
func strictlyLargerWithout(t *register.T) { strictly(t, 2, func(spec.Mechanism) bool { return true }) }

func strictly(t *register.T, stops int, condition func(spec.Mechanism) bool) {
	t.Domain("k = (1), (2), (1, 2), (1, 3) and (1, 2, 3); mechanisms from %s; e^ℰ in {1, 3/2, 3}; n ≥ %d", showMenu, stops)
	for _, points := range [][]int{{1}, {2}, {1, 2}, {1, 3}, {1, 2, 3}} {
		if len(points) < stops {
			continue
		}
		for p := range pipelines(points...) {
			if all(p.Mechanisms, condition) {
				t.Case()
				if v := p.enumerated(t.Context()); v.Lemma11.Cmp(v.OptDel) <= 0 {
					t.Refute("%v: equation 3 gives %s, equation 4 gives %s", p, rat.Show(v.OptDel), rat.Show(v.Lemma11))
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

// optimalStopping returns OptDel from the tree of all sequences.
func optimalStopping(t *register.T, p pipeline) *big.Rat { return p.enumerated(t.Context()).OptDel }

// givenCriteria checks that the smallest δ by the definition, for given criteria, is what
// choose takes of the maxima of ODP-E11's sum for b = 0 and for b = 1.
func givenCriteria(choose func(directions ...*big.Rat) *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("k = (1) and (1, 2), δ_k = 0 and e^ε = 3, all criteria that stop with probability 0, 1/2 or 1, e^ℰ in {1, 3/2, 3}")
		for _, points := range [][]int{{1}, {1, 2}} {
			for p := range pipelines(points...) {
				if !all(p.Mechanisms, func(m spec.Mechanism) bool { return m == parameters[0] }) {
					continue
				}
				for h := range criteria(randomized, p.at(p.responses())) {
					t.Case()
					want := p.defined(p.flipped(h))
					if got := choose(p.sum11(0, h), p.sum11(1, h)); got.Cmp(want) != 0 {
						t.Refute("%v; %v: the formula has %s, the definition needs %s", p, h, rat.Show(got), rat.Show(want))
					}
				}
			}
		}
	}
}

// flipped returns the law of M_iter over randomized responses if the criteria flip their
// coins beforehand.
func (p pipeline) flipped(h criterion) pair {
	out := pair{law{}, law{}}
	for g, weight := range h.drawn() {
		for b, l := range p.runs(g).positive() {
			for output, pr := range l {
				out[b][output] = rat.Add(rat.Mul(weight, pr), orZero(out[b][output]))
			}
		}
	}
	return out
}

func orZero(x *big.Rat) *big.Rat {
	if x == nil {
		return new(big.Rat)
	}
	return x
}

// defined returns the smallest δ by the definition of ODP, in either direction.
func (p pipeline) defined(laws pair) *big.Rat {
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
func (p pipeline) sum11(b int, h criterion) *big.Rat {
	share := func(q string) *big.Rat { return p.share(h, q) }
	return newFamilies(p.terms(b, share)).maximum(func(int, int) bool { return false })
}

// share returns R(h, q): the probability that h goes on before q and stops at q.
func (p pipeline) share(h criterion, q string) *big.Rat {
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
func equation12(value func(t *register.T, p pipeline) *big.Rat) register.Check {
	return func(t *register.T) {
		forPipelines(t, t.Size(27, 3), func(p pipeline) {
			worst, at := p.worst(p.responses(), randomized)
			if got := value(t, p); got.Cmp(worst) != 0 {
				t.Refute("%v: %s, but the worst criterion (%v) needs %s", p, rat.Show(got), at, rat.Show(worst))
			}
		})
	}
}

// worstDeterministic returns the right side of ODP-E12.
func worstDeterministic(t *register.T, p pipeline) *big.Rat {
	if len(p.Stops) < 3 {
		return register.Must(exhaustive.Criteria(t.Context(), p.exhaustive()))
	}
	worst := new(big.Rat)
	for h := range criteria(deterministic, p.at(p.responses())) {
		worst = rat.Max(worst, p.sum11(0, h))
	}
	return worst
}

// equation13 checks that a maximum over families of sets is the one over criteria.
func equation13(formula func(pipeline) *big.Rat) register.Check {
	return func(t *register.T) {
		forPipelines(t, t.Size(27, 9), func(p pipeline) {
			want := worstDeterministic(t, p)
			if got := formula(p); got.Cmp(want) != 0 {
				t.Refute("%v: %s over sets, %s over criteria", p, rat.Show(got), rat.Show(want))
			}
		})
	}
}
