package odp

import (
	"iter"
	"maps"
	"slices"

	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// postProcess are the statements on functions of the outputs of M_iter.
func postProcess() []register.Statement {
	return []register.Statement{
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
	}
}

// postProcessing checks that M_iter with f_k ∘ M_k needs no more δ than M_iter with M_k
// and the criteria composed with f, or with the same criteria not composed; for M_2 that do
// not depend on the output before, or do.
func postProcessing(composed, dependent bool) register.Check {
	return func(t *register.T) {
		steps := []int{t.Size(23, 3), t.Size(401, 21), t.Size(20011, 1601)}
		t.Domain("two mechanisms over 2 outputs with probabilities in 1/2 (%s) and in 1/4 (%s), functions f_1, and f_2 that depends on f_1's output; three mechanisms (%s); "+
			"a stop after each, all deterministic criteria, e^ℰ in {1, 3/2, 3}", finite.Share(steps[0]), finite.Share(steps[1]), finite.Share(steps[2]))
		check := func(trees iter.Seq[finite.Tree], k, step int) {
			for x := range finite.EveryNth(processings(trees, k), step) {
				t.Case()
				x.check(t, composed)
			}
		}
		for i, d := range []int{2, 4} {
			mechanisms := slices.Collect(finite.PairsOf(finite.Laws(2, d)))
			if dependent {
				check(finite.Trees(mechanisms, "b", "a", ""), 2, steps[i])
			} else {
				check(independent(mechanisms, 2), 2, steps[i])
			}
		}
		check(independent(telling()[3:], 3), 3, steps[2])
	}
}

// independent yields the trees of k of the mechanisms that do not depend on each other. The last one changes fastest.
func independent(mechanisms []finite.Pair, k int) iter.Seq[finite.Tree] {
	return func(yield func(finite.Tree) bool) {
		for run := range finite.Tuples(mechanisms, k) {
			slices.Reverse(run)
			if !yield(finite.Independent(run...)) {
				return
			}
		}
	}
}

// processed are mechanisms, with stops at the points, and functions of their outputs.
type processed struct {
	mechanisms finite.Tree
	points     []int
	f          finite.Processing
}

// processings yields trees of k mechanisms with all functions of their outputs.
func processings(trees iter.Seq[finite.Tree], k int) iter.Seq[processed] {
	return func(yield func(processed) bool) {
		for c := range trees {
			for f := range finite.Processings(k) {
				if !yield(processed{c, []int{1, 2, 3}[:k], f}) {
					return
				}
			}
		}
	}
}

func (x processed) check(t *register.T, composed bool) {
	sequences := slices.Sorted(maps.Keys(x.mechanisms))[1:] // all but the empty one
	for h := range finite.Criteria(finite.Deterministic, sequences) {
		inner := h
		if composed {
			inner = finite.Criterion{}
			for _, s := range sequences {
				inner[s] = h[x.f.Of(s)]
			}
		}
		before, after := x.mechanisms.Law(inner), x.f.Apply(x.mechanisms).Law(h)
		for p := range finite.Charged(nil, x.points...) {
			if have, need := before.DeltaBothWays(p.ExpE), after.DeltaBothWays(p.ExpE); need.Cmp(have) > 0 {
				t.Refute("%v; %v; %v; %v: M needs δ = %s, M' needs δ = %s", x.mechanisms, x.f, h, p, rat.Show(have), rat.Show(need))
			}
		}
	}
}
