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
func criteria() register.Checks {
	first := func(sums ...*big.Rat) *big.Rat { return sums[0] }
	second := func(sums ...*big.Rat) *big.Rat { return sums[1] }
	return register.Checks{
		"ODP-E11": register.Checked(register.With(givenCriteria, first),
			register.AlsoFails(register.ProofStep,
				"the next step: for all sets the left side is at most the same with the largest R over "+
					"deterministic criteria, for every q",
				largestR),
			register.AlsoHolds("the next step, for the sets with the largest sums", largestRAtTheMost),
			near("it is the one for b = 1 on the left", givenCriteria, second),
			register.Corrected("it is the larger of the smallest δ̃ for b = 0 and for b = 1 on the left",
				register.With(givenCriteria, rat.Max)),
		),
		"ODP-E12": register.Checked(register.With(optDelIs, byCriteria),
			near("it is the same with the maximum over h taken for every q by itself", optDelIs,
				func(t *register.T, p finite.Pipeline) *big.Rat { return valuesOf(t, p).Lemma11 }),
			near("it is the same with criteria that stop before the last stop but one, or at the last", optDelIs,
				withoutLastButOne.of(optimalStopping)),
			near("it is the same with criteria that do not depend on the outputs", optDelIs,
				func(t *register.T, p finite.Pipeline) *big.Rat { return rat.Max(valuesOf(t, p).Single...) }),
		),
		"ODP-E13": register.Checked(register.With(optDelIs, prefixDisjoint),
			near("it is the maximum over sets of which those at neighbouring stops are prefix-disjoint", optDelIs,
				neighboursDisjoint),
			near("it is the maximum over sets of which the longer do not end with the shorter", optDelIs, suffixDisjoint),
		),
	}
}

// forCriteria calls visit with pipelines and randomized criteria.
func forCriteria(t *register.T, visit func(p finite.Pipeline, h finite.Criterion)) {
	t.Domain("k = (1) and (1, 2), (e^ε, δ) = (3, 0); (1, 2), (2, 0) and (7/2, 0); (1, 2), one in 5 of all with (3, 0) " +
		"and (3/2, 1/10), that first or second; (1, 2, 3), one in 197 of all with (2, 0) and (7/2, 0); " +
		"all criteria that stop with probability 0, 1/2 or 1, but one in 97 if the first leaks and one in 97 for (1, 2, " +
		"3), e^ℰ in {1, 3/2, 3}")
	pure := finite.Mechanisms[:1]
	for _, domain := range []struct {
		mechanisms      []spec.Mechanism
		points          []int
		every, criteria int
	}{{pure, []int{1}, 1, 1}, {pure, []int{1, 2}, 1, 1}, {unequal, []int{1, 2}, 1, 1},
		{finite.Mechanisms[:2], []int{1, 2}, 5, 97}, {unequal, []int{1, 2, 3}, 197, 97}} {
		for p := range finite.EveryNth(finite.Pipelines(domain.mechanisms, domain.points...), domain.every) {
			early, every := p.Early(p.Responses()), domain.criteria
			if len(early) < 3 {
				every = 1
			}
			if outputs(p) > 14 {
				continue
			}
			for h := range finite.EveryNth(finite.Criteria(finite.Randomized, early), every) {
				t.Case()
				visit(p, h)
			}
		}
	}
}

// givenCriteria checks that the smallest δ by the definition, for given criteria, is what choose takes of the maxima of
// ODP-E11's sum for b = 0 and for b = 1.
func givenCriteria(t *register.T, choose func(sums ...*big.Rat) *big.Rat) {
	forCriteria(t, func(p finite.Pipeline, h finite.Criterion) {
		want, got := defined(p, flipped(p, h)), choose(sum11(p, 0, h), sum11(p, 1, h))
		t.Require(rat.Equal(got, want), "%v; %v: the formula has %s, the definition needs %s", p, h, got, want)
	})
}

// largestR checks that the terms of ODP-E11's sum are at most the same with the largest R over deterministic criteria,
// which is 1: some criterion goes on before q and stops there. Each is that of a family with one sequence.
func largestR(t *register.T) {
	forCriteria(t, func(p finite.Pipeline, h finite.Criterion) {
		for i, all := range everyTerm(p) {
			for _, q := range all.Outputs() {
				got := rat.Mul(share(p, h, q), all[q])
				t.Require(got.Cmp(all[q]) <= 0, "%v; %v; Q_{k_%d} = {%s}, the others are empty: %s, with the largest R %s", p, h,
					i+1, q, got, all[q])
			}
		}
	})
}

// largestRAtTheMost checks that for the families with the largest sums.
func largestRAtTheMost(t *register.T) {
	forCriteria(t, func(p finite.Pipeline, h finite.Criterion) {
		got, bound := sum11(p, 0, h), maximumOfSums(t, p)
		t.Require(got.Cmp(bound) <= 0, "%v; %v: at most %s, with the largest R %s", p, h, got, bound)
		if len(p.Stops) > 1 {
			t.CloseTo(got, bound, "%v; %v", p, h)
		}
	})
}

// flipped returns the law of M_iter over randomized responses if the criteria flip their
// coins beforehand.
func flipped(p finite.Pipeline, h finite.Criterion) finite.Pair {
	out := finite.Pair{{}, {}}
	for g, weight := range h.Drawn() {
		for b, l := range p.Run(g).Possible() {
			out[b] = finite.Combine(rat.One, out[b], weight, l)
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

// byCriteria returns the right side of ODP-E12.
func byCriteria(t *register.T, p finite.Pipeline) *big.Rat {
	return register.Must(exhaustive.Criteria(t.Context(), p.Exhaustive()))
}

// tooManyCriteria reports whether it takes long to go through all criteria of p, on all sequences.
func tooManyCriteria(p finite.Pipeline) bool {
	return len(p.Early(p.Responses())) > 4 || len(p.Stops) == 2 && p.Stops[0].After > 1
}

// infima are the statements on what OptDel is.
func infima() register.Checks {
	return register.Checks{
		"ODP-X22": register.Checked(register.All(supremum(itself), register.With(infimum, finite.Pair.DeltaBothWays)),
			near("the infimum is that in one order of the databases", infimum, finite.Pair.Delta),
			near("it is 19/20 of that", infimum, func(p finite.Pair, expE func(string) *big.Rat) *big.Rat {
				return shaved(p.DeltaBothWays(expE))
			}),
			register.NearMiss("the supremum is that over criteria that do not stop at the last stop but one",
				supremum(withoutLastButOne)),
		),
	}
}

// infimum checks, for mechanisms and criteria one by one, that a number is the smallest δ of M_iter by the definition,
// over all sets of outputs.
func infimum(t *register.T, smallest func(p finite.Pair, expE func(output string) *big.Rat) *big.Rat) {
	every := t.Size(67, 1)
	t.AlsoDomain("the infimum for %s of these", finite.Share(every))
	n := 0
	eachTree(t, len(finite.Deterministic), func(c finite.Tree, p finite.Pipeline) {
		if n++; n%every != 0 {
			return
		}
		for h := range finite.Criteria(finite.Deterministic, p.Early(c)) {
			t.Case()
			law := c.Law(h)
			want, got := defined(p, law), smallest(law, p.ExpE)
			t.Require(rat.Equal(got, want), "%v; %v; %v: M_iter is ODP with δ = %s and with no less, claimed is %s", c, p, h,
				want, got)
		}
	})
}

// supremum checks that no finite mechanisms and criteria need more than OptDel of a variant of the pipeline, and that
// randomized responses need as much.
func supremum(of changed) register.Check {
	return register.With2(responsesAreWorst, finite.Deterministic, of.of(func(t *register.T, p finite.Pipeline) *big.Rat {
		value := optimalStopping(t, p)
		if outputs(p) <= 14 {
			agree(t, p, value, "by all families of sets", register.Must(spec.OptDel(spec.Pipeline(p))))
		}
		if !tooManyCriteria(p) {
			agree(t, p, value, "by all criteria", byCriteria(t, p))
		}
		return value
	}))
}
