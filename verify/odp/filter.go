package odp

import (
	"math/big"
	"slices"

	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// filter are the statements on ODP filters and Algorithm 6.
func filter() []register.Statement {
	return []register.Statement{
		{
			ID:      "ODP-D19",
			Title:   "Valid ODP filters",
			Kind:    register.Definition,
			Verdict: register.NotCheckable,
			Note:    "A filter is valid if Algorithm 6 with it keeps every adversary within (ε_t, δ_t). See ODP-X31 and ODP-X32.",
			In:      []string{"spec.Filter"},
		},
		{
			ID:      "ODP-X31",
			Title:   "Algorithm 1 is equivalent to Algorithm 6 with the sum filter, which is valid",
			Kind:    register.Exact,
			Verdict: register.Holds,
			Note: "Read: the pairs of laws of the view that adversaries can reach are the same. An adversary that Algorithm 1 admits " +
				"has the same laws under Algorithm 6; and the laws of any adversary under Algorithm 6 are those of the one under " +
				"Algorithm 1 that plays the same until line 4 forbids it, and the fixed output ⊥ from then on. In print the second sum " +
				"has δ^[i] for δ_i.",
			In:    []string{"spec.SumFilter", "spec.ODPFilterComposition", "spec.ODPFilterCompositionLaw"},
			Check: equivalent(spec.SumFilter),
			Controls: []register.Claim{
				{Says: "the filter says HALT already if a sum equals the budget", Check: equivalent(strictFilter)},
				{Says: "the filter looks at the sum of ε only", Check: equivalent(func(expEpsT, _ *big.Rat) spec.Filter {
					return spec.SumFilter(expEpsT, big.NewRat(1000, 1))
				})},
				{Says: "the filter looks at the largest ε^[i] instead of the sum", Check: equivalent(maxFilter)},
				{Says: "the filter takes every δ_i that is not 0 for δ_1", Check: equivalent(firstDeltaFilter)},
			},
		},
		{
			ID:      "ODP-A6",
			Title:   "In Algorithm 6 with the sum filter, the outputs that are shown stay within the budget: Σ ε^[i] ≤ ε_t and Σ δ_i ≤ δ_t",
			Kind:    register.Exact,
			Verdict: register.Holds,
			Note: "An algorithm asserts nothing by itself; checked is that what lines 4 and 9 hand to the filter is what was used. That the " +
				"views are then (ε_t, δ_t)-DP is ODP-X31. In line 3 the outputs up to A_i are printed for those up to A_{i−1}.",
			In:    []string{"spec.ODPFilterComposition", "spec.ODPFilterCompositionLaw", "spec.SumFilter"},
			Check: staysWithin(algorithm6(spec.SumFilter)),
			Controls: []register.Claim{
				{Says: "with a filter that looks at the largest ε^[i] instead of the sum", Check: staysWithin(algorithm6(maxFilter))},
			},
		},
	}
}

// filters makes a filter out of e^(ε_t) and δ_t.
type filters = func(expEpsT, deltaT *big.Rat) spec.Filter

// strictFilter is the sum filter with ≥ instead of >.
func strictFilter(expEpsT, deltaT *big.Rat) spec.Filter {
	return func(expEps, delta []*big.Rat) bool {
		return rat.Product(expEps...).Cmp(expEpsT) >= 0 || rat.Sum(delta...).Cmp(deltaT) >= 0
	}
}

// maxFilter looks at the largest ε^[i] instead of the sum.
func maxFilter(expEpsT, deltaT *big.Rat) spec.Filter {
	return func(expEps, delta []*big.Rat) bool {
		return rat.Max(expEps...).Cmp(expEpsT) > 0 || rat.Sum(delta...).Cmp(deltaT) > 0
	}
}

// firstDeltaFilter is the sum filter for the rounds of one mechanism only.
func firstDeltaFilter(expEpsT, deltaT *big.Rat) spec.Filter {
	return func(expEps, delta []*big.Rat) bool {
		alike := slices.Clone(delta)
		for i, d := range delta {
			if d.Sign() > 0 {
				alike[i] = delta[0]
			}
		}
		return spec.SumFilter(expEpsT, deltaT)(expEps, alike)
	}
}

// staysWithin checks that what the outputs of a view have cost is within the budget. An
// adversary that makes a choice that is not allowed has no view.
func staysWithin(run algorithm) register.Check {
	return func(t *register.T) {
		t.Domain("%s; %s", runAgainDomain(t), runInTurnDomain(t))
		for x := range experiments(t) {
			t.Case()
			laws, err := run(x.adversary(), x.expEpsT, x.deltaT)
			if err != nil {
				continue
			}
			for _, view := range shown(laws)[0].Outputs() { // the same counterexample every time
				if expEps, delta := x.cost(view); expEps.Cmp(x.expEpsT) > 0 || delta.Cmp(x.deltaT) > 0 {
					t.Refute("%v: the outputs %s have used e^ε = %s and δ = %s", x, view, rat.Show(expEps), rat.Show(delta))
				}
			}
		}
	}
}

// equivalent checks that Algorithm 1 and Algorithm 6 with the filter have the same views, in
// both directions, and that those are (ε_t, δ_t)-DP.
func equivalent(filter filters) register.Check {
	return func(t *register.T) {
		t.Domain("%s; %s", runAgainDomain(t), runInTurnDomain(t))
		for x := range experiments(t) {
			t.Case()
			a := x.adversary()
			halting := register.Must(algorithm6(filter)(a, x.expEpsT, x.deltaT))
			if admitted, err := algorithm1(spec.TextB)(a, x.expEpsT, x.deltaT); err == nil && !admitted.Equal(halting) {
				t.Refute("%v: Algorithm 1 admits the adversary with %v, Algorithm 6 makes it %v", x, shown(admitted), shown(halting))
			}
			silenced := register.Must(algorithm1(spec.TextB)(x.obedient(a), x.expEpsT, x.deltaT))
			if !silenced.Equal(halting) {
				t.Refute("%v: Algorithm 6 has %v, Algorithm 1 with the adversary that falls silent %v", x, shown(halting), shown(silenced))
			}
			if delta := register.Must(spec.SmallestDPDelta(halting[0], halting[1], x.expEpsT)); delta.Cmp(x.deltaT) > 0 {
				t.Refute("%v: Algorithm 6 has %v, which needs δ = %s", x, shown(halting), rat.Show(delta))
			}
		}
	}
}
