package odp

import (
	"fmt"
	"math/big"
	"slices"

	"checkrr/exhaustive"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// criteria are the statements on the worst stopping criteria, and on randomized response, the worst of all (ε, δ)-DP
// mechanisms.
func criteria() register.Checks {
	first := func(sums ...*big.Rat) *big.Rat { return sums[0] }
	second := func(sums ...*big.Rat) *big.Rat { return sums[1] }
	return register.Checks{
		"ODP-E11": checked(with(givenCriteria, first),
			near("it is the one for b = 1 on the left", with(givenCriteria, second)),
			corrected("it is the larger of the smallest δ̃ for b = 0 and for b = 1 on the left",
				with(givenCriteria, rat.Max))),
		"ODP-E12": checked(with(optDelIs, byCriteria),
			singlesAsPrinted(optDelIs, singleSequences),
			near("it is the same with the maximum over h taken for every q by itself",
				with(optDelIs, func(t *register.T, p finite.Pipeline) *big.Rat { return valuesOf(t, p).Lemma11 })),
			near("it is the same with criteria that stop before the last stop but one, or at the last",
				with(optDelIs, withoutLastButOne.of(optimalStopping))),
			near("it is the same with criteria that do not depend on the outputs", with(optDelIs,
				func(t *register.T, p finite.Pipeline) *big.Rat { return rat.Max(valuesOf(t, p).Single...) }))),
		"ODP-E13": checked(with(optDelIs, prefixDisjoint),
			singlesAsPrinted(optDelIs, singleSequences),
			alsoFails(register.Slip, "“E12 ≤ E13” in [A]: h^[k_i] is asked of q_{1..k_l}, l < i",
				with(areAsked, func(_, ki, kl int) (takes, given int) { return ki, kl })),
			alsoHolds("“E12 ≤ E13” in [B]: h^[k_l] is asked of q_{1..k_l}",
				with(areAsked, func(_, _, kl int) (takes, given int) { return kl, kl })),
			near("it is the maximum over sets of which those at neighbouring stops are prefix-disjoint",
				with(optDelIs, neighboursDisjoint))),
		"ODP-X22": checked(all(supremum(itself), with(infimum, finite.Pair.DeltaBothWays)),
			near("the infimum is that in one order of the databases", with(infimum, finite.Pair.Delta)),
			near("it is 19/20 of that", with(infimum,
				func(p finite.Pair, expE func(string) *big.Rat) *big.Rat { return shaved(p.DeltaBothWays(expE)) })),
			near("the supremum is that over criteria that do not stop at the last stop but one",
				supremum(withoutLastButOne))),
		"ODP-L12": checked(with(simulation, rat.One, rat.One),
			alsoFails(register.Slip, "T is a deterministic function of the output, as the word says",
				deterministicFunction),
			near("every (ε, δ)-DP mechanism is a function of M̃_(ε,19δ/20)", with(simulation, nearly, rat.One)),
			near("every (ε, δ)-DP mechanism is a function of M̃ with e^ε less by a twentieth",
				with(simulation, rat.One, nearly))),
		"ODP-L13": checked(with(responsesAreWorst, finite.Deterministic, byRuns),
			alsoFails(register.Slip, "proof, M'' in [A]: h^[k_i] is asked of T̂_1, …, T̂_{k_n}",
				with(areAsked, func(kn, ki, _ int) (takes, given int) { return ki, kn })),
			alsoHolds("proof, M'' in [B]: h^[k_i] is asked of T̂_1, …, T̂_{k_i}",
				with(areAsked, func(_, ki, _ int) (takes, given int) { return ki, ki })),
			near("it is OptDel of randomized responses that do not stop at the last stop but one",
				with(responsesAreWorst, finite.Deterministic, withoutLastButOne.of(byRuns))),
			near("it is 21/20 of that",
				with(responsesAreWorst, finite.Deterministic, times(rat.Of("21/20"), optimalStopping)))),
		"ODP-E10": checked(with(responsesAreWorst, finite.Randomized, optimalStopping),
			near("it is 19/20 of that", with(responsesAreWorst, finite.Randomized, times(nearly, optimalStopping)))),
	}
}

// areAsked checks that a criterion, which is a function on {0,1,2,3}^takes, is asked of so many outputs.
func areAsked(t *register.T, of func(kn, ki, kl int) (takes, given int)) {
	t.Domain("k = (1, 2), (1, 3), (2, 3) and (1, 2, 3); all stops but the last for ℓ, and those after it for i")
	for _, k := range [][]int{{1, 2}, {1, 3}, {2, 3}, {1, 2, 3}} {
		for l := range len(k) - 1 {
			for i := l; i < len(k)-1 || i == l+1; i++ {
				t.At("k = %v, i = %d, l = %d", k, i+1, l+1)
				takes, given := of(last(k), k[i], k[l])
				t.Require(takes == given, "a function of %d outputs is asked of %d", takes, given)
			}
		}
	}
}

// forCriteria calls visit with pipelines and randomized criteria.
func forCriteria(t *register.T, visit func(p finite.Pipeline, h finite.Criterion)) {
	one, two, three := t.Size(11, 5), t.Size(197, 97), t.Size(397, 97)
	t.Domain("k = (1) and (1, 2), (e^ε, δ) = (3, 0); "+
		"(1, 2), (2, 0) and (7/2, 0); (1, 2), one in %d of all with (3, 0) and (3/2, 1/10), that first or second; "+
		"(1, 2, 3), one in 197 of all with (2, 0) and (7/2, 0); all criteria that stop with probability 0, 1/2 or 1, "+
		"but one in %d if the first leaks and one in %d for (1, 2, 3), e^ℰ in {1, 3/2, 3}", one, two, three)
	pure := finite.Mechanisms[:1]
	for _, domain := range []struct {
		mechanisms      []spec.Mechanism
		points          []int
		every, criteria int
	}{{pure, []int{1}, 1, 1}, {pure, []int{1, 2}, 1, 1}, {unequal, []int{1, 2}, 1, 1},
		{finite.Mechanisms[:2], []int{1, 2}, one, two}, {unequal, []int{1, 2, 3}, 197, three}} {
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
				t.Require(got.Cmp(all[q]) <= 0, "%v; %v; Q_{k_%d} = {%s}, the others are empty: "+
					"left side %s, but with the largest R %s", p, h, i+1, q, got, all[q])
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
	return anySets.maximum(0, terms(p, b, stopsAt))
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

// infimum checks, for mechanisms and criteria one by one, that a number is the smallest δ of M_iter by the definition,
// over all sets of outputs.
func infimum(t *register.T, smallest func(p finite.Pair, expE func(output string) *big.Rat) *big.Rat) {
	every := t.Size(131, 1)
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
			t.Require(rat.Equal(got, want), "%v; %v; %v: M_iter is ODP with δ = %s and with no less, claimed is %s",
				c, p, h, want, got)
		}
	})
}

// supremum checks that no finite mechanisms and criteria need more than OptDel of a variant of the pipeline, and that
// randomized responses need as much.
func supremum(of changed) register.Check {
	everyWay := func(t *register.T, p finite.Pipeline) *big.Rat {
		value := optimalStopping(t, p)
		if outputs(p) <= 14 {
			agree(t, p, value, "by all families of sets", register.Must(spec.OptDel(spec.Pipeline(p))))
		}
		if !tooManyCriteria(p) {
			agree(t, p, value, "by all criteria", byCriteria(t, p))
		}
		return value
	}
	return with(responsesAreWorst, finite.Deterministic, of.of(everyWay))
}

// deterministicFunction checks that the laws of mechanisms are those of a function of randomized response that flips
// no coins of its own.
func deterministicFunction(t *register.T) {
	t.Domain("all pairs of laws over up to 2 outputs with probabilities in 1/2, " +
		"e^ε in {1, 3/2, 3}, with the smallest δ")
	for laws := range finite.Pairs(2, 2) {
		for _, expEps := range finite.Charges {
			t.Case()
			m := spec.Mechanism{ExpEps: expEps, Delta: laws.DeltaBothWays(finite.Constant(expEps))}
			responses, some := finite.Responses(m), false
			outputs := laws[0].Outputs()
			for values := range finite.Tuples(outputs, len(responses[0])) {
				f := map[string]string{}
				for i, z := range responses[0].Outputs() {
					f[z] = values[i]
				}
				some = some || laws.Possible().Equal(finite.Pair{responses[0].Map(f), responses[1].Map(f)}.Possible())
			}
			t.Require(some, "%v, e^ε = %s, δ = %s: no function of the responses without coins of its own",
				laws, expEps, m.Delta)
		}
	}
}

// simulation checks that the laws of every (ε, δ)-DP mechanism are those of a function of
// randomized response with δ times a factor and e^ε, if it stays above 1, times another.
func simulation(t *register.T, factor, ofExp *big.Rat) {
	m, d := t.Size(3, 4), t.Size(3, 6)
	t.Domain("all pairs of laws over up to %d outputs with probabilities in 1/%d, e^ε in {1, 3/2, 3}, "+
		"with the smallest δ, with 1, and halfway between", m, d)
	for laws := range finite.Pairs(m, d) {
		for _, expEps := range finite.Charges {
			needed := laws.DeltaBothWays(finite.Constant(expEps))
			for _, delta := range []*big.Rat{needed, rat.Quo(rat.Add(needed, rat.One), big.NewRat(2, 1)), rat.One} {
				t.Case()
				less := spec.Mechanism{ExpEps: rat.Max(rat.One, rat.Mul(ofExp, expEps)), Delta: rat.Mul(factor, delta)}
				simulated(t, laws, spec.Mechanism{ExpEps: expEps, Delta: delta}, less)
			}
		}
	}
}

// simulated refutes that laws that are m-DP are those of a function of randomized response
// with the parameters less. No function of the responses needs more δ than they do.
func simulated(t *register.T, laws finite.Pair, m, less spec.Mechanism) {
	tableOf(t, less)
	constant := finite.Constant(less.ExpEps)
	have, need := finite.Responses(less).DeltaBothWays(constant), laws.DeltaBothWays(constant)
	t.Require(have.Cmp(need) >= 0, "%v, e^ε = %s, δ = %s: need δ = %s at e^ε = %s; "+
		"the responses, and so every function of them, need only %s", laws, m.ExpEps, m.Delta, need, less.ExpEps, have)
	err := finite.Simulation(laws, less).Simulates(laws, less)
	t.Require(err == nil, "%v, e^ε = %s, δ = %s: %v", laws, m.ExpEps, less.Delta, err)
}

// tableOf refutes that the table of M̃ consists of laws that are just (ε, δ)-DP, and are exchanged with the databases.
func tableOf(t *register.T, m spec.Mechanism) {
	table := spec.RandomizedResponse(m)
	for z, pr := range table[0] {
		t.Require(rat.Equal(pr, table[1][3-z]), "M̃ with e^ε = %s, δ = %s: output %d has probability %s for b = 0, "+
			"and %d %s for b = 1", m.ExpEps, m.Delta, z, pr, 3-z, table[1][3-z])
	}
	sum, ratio := rat.Sum(table[0][:]...), rat.Sub(table[0][1], rat.Mul(m.ExpEps, table[0][2]))
	t.Require(rat.Equal(sum, rat.One) && ratio.Sign() == 0 && rat.Equal(table[0][0], m.Delta),
		"M̃ with e^ε = %s, δ = %s: for b = 0 the probabilities are %s", m.ExpEps, m.Delta, table[0][:])
}

// telling are pairs of laws over two outputs: of pure DP, of responses that leak, and
// of ones that say nothing.
func telling() []finite.Pair {
	of := func(p0, p1 *big.Rat) finite.Pair {
		return finite.Pair{{"a": p0, "b": rat.Complement(p0)}, {"a": p1, "b": rat.Complement(p1)}}
	}
	zero := new(big.Rat)
	return []finite.Pair{
		of(rat.Half, rat.Half), of(rat.One, rat.Half), of(rat.Half, zero), of(rat.One, zero),
		of(big.NewRat(3, 4), big.NewRat(1, 4)), of(big.NewRat(2, 5), big.NewRat(3, 5)),
	}
}

// responsesAreWorst checks that no tree of mechanisms, under any criterion, needs more δ than a value of the pipeline
// of its parameters, and that it is OptDel.
func responsesAreWorst(t *register.T, probabilities []*big.Rat, claimed value) {
	known := map[string]*big.Rat{}
	t.Domain("%s", treesDomain(t, len(probabilities)))
	eachTree(t, len(probabilities), func(c finite.Tree, p finite.Pipeline) {
		t.Case()
		bound := known[p.String()]
		if bound == nil {
			bound = claimed(t, p)
			known[p.String()] = bound
			agree(t, p, optimalStopping(t, p), "claimed is", bound)
		}
		got, h := p.Worst(c, probabilities)
		t.In("%v; %v; %v", c, p, h)
		t.AtMost(got, bound, "needs δ = %s, more than %s", got, bound)
	})
}

// shares returns one in how many trees of two and of three mechanisms, and charges, [eachTree] goes through.
func shares(t *register.T, kinds int) (two, three, charge int) {
	return t.Size(7+12*(kinds-2), 1), t.Size(7+16*(kinds-2), 5+8*(kinds-2)), t.Size(10, 2) * (1 + 3*(kinds-2))
}

func treesDomain(t *register.T, kinds int) string {
	two, three, charge := shares(t, kinds)
	return fmt.Sprintf("%s chains of two of 6 mechanisms with 2 outputs, the second depending on the first, "+
		"e^ε in {1, 3/2, 3} with the smallest δ_k, stops after 1 and 2; %s chains of three of 2 mechanisms, e^ε = 3, "+
		"δ_k = 0, stops after 1, 2 and 3, %s e^ℰ; all criteria that stop with probability %s, e^ℰ in {1, 3/2, 3}",
		finite.Share(two), finite.Share(three), finite.Share(charge), rat.Show(finite.Randomized[:kinds]...))
}

// eachTree calls visit with trees and all parameters that they have; fewer in a normal run, and if there are more kinds
// of criteria to go through.
func eachTree(t *register.T, kinds int, visit func(c finite.Tree, p finite.Pipeline)) {
	two, three, charge := shares(t, kinds)
	for c := range finite.EveryNth(finite.Trees(telling(), "b", "a", ""), two) {
		for _, expEps := range finite.Charges {
			first, second := c.Needs(1, expEps), c.Needs(2, expEps)
			mechanisms := []spec.Mechanism{{ExpEps: expEps, Delta: first}, {ExpEps: expEps, Delta: second}}
			for p := range finite.Charged(mechanisms, 1, 2) {
				visit(c, p)
			}
		}
	}
	pure := finite.Pure(finite.Charges[2])
	for c := range finite.EveryNth(finite.Trees(telling()[4:], finite.Earlier(3)...), three) {
		for p := range finite.EveryNth(finite.Charged([]spec.Mechanism{pure, pure, pure}, 1, 2, 3), charge) {
			visit(c, p)
		}
	}
}

// knownRuns are the laws of M_iter under all criteria, which do not depend on ℰ.
var knownRuns finite.Memo[string, []finite.Pair]

// byRuns returns the largest δ that M_iter over randomized responses needs, run under each deterministic criterion.
func byRuns(_ *register.T, p finite.Pipeline) *big.Rat {
	free := finite.Pipeline{Mechanisms: p.Mechanisms}
	for _, s := range p.Stops {
		free.Stops = append(free.Stops, spec.Stop{After: s.After, ExpEps: rat.One})
	}
	laws := knownRuns.Of(free.String(), func() (all []finite.Pair) {
		for h := range finite.Criteria(finite.Deterministic, p.Early(p.Responses())) {
			all = append(all, p.Run(h))
		}
		return all
	})
	worst := new(big.Rat)
	for _, l := range laws {
		worst = rat.Max(worst, l.DeltaBothWays(p.ExpE))
	}
	return worst
}
