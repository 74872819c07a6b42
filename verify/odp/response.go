package odp

import (
	"fmt"
	"math/big"
	"sync"

	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// response are the statements on randomized response, the worst of all (ε, δ)-DP mechanisms.
func response() register.Checks {
	return register.Checks{
		"ODP-L12": register.Checked(register.With2(simulation, rat.One, rat.One),
			register.AlsoFails(register.Slip, "T is a deterministic function of the output, as the word says",
				deterministicFunction),
			near2("every (ε, δ)-DP mechanism is a function of M̃_(ε,19δ/20)", simulation, big.NewRat(19, 20), rat.One),
			near2("every (ε, δ)-DP mechanism is a function of M̃ with e^ε less by a twentieth", simulation, rat.One,
				big.NewRat(19, 20)),
		),
		"ODP-L13": register.Checked(register.With2(responsesAreWorst, finite.Deterministic, byRuns),
			near2("it is OptDel of randomized responses that do not stop at the last stop but one", responsesAreWorst,
				finite.Deterministic, withoutLastButOne.of(byRuns)),
			near2("it is 21/20 of that", responsesAreWorst, finite.Deterministic, times(rat.Of("21/20"), optimalStopping)),
		),
		"ODP-E10": register.Checked(register.With2(responsesAreWorst, finite.Randomized, optimalStopping),
			near2("it is 19/20 of that", responsesAreWorst, finite.Randomized, times(nearly, optimalStopping)),
		),
	}
}

// deterministicFunction checks that the laws of mechanisms are those of a function of randomized response that flips
// no coins of its own.
func deterministicFunction(t *register.T) {
	t.Domain("all pairs of laws over up to 2 outputs with probabilities in 1/2, e^ε in {1, 3/2, 3}, with the smallest δ")
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
			t.Require(some, "%v, e^ε = %s, δ = %s: no function of the responses without coins of its own", laws, expEps, m.Delta)
		}
	}
}

// simulation checks that the laws of every (ε, δ)-DP mechanism are those of a function of
// randomized response with δ times a factor and e^ε, if it stays above 1, times another.
func simulation(t *register.T, factor, ofExp *big.Rat) {
	m, d := t.Size(3, 4), t.Size(4, 6)
	t.Domain("all pairs of laws over up to %d outputs with probabilities in 1/%d, e^ε in {1, 3/2, 3}, with the "+
		"smallest δ, with 1, and halfway between", m, d)
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
	t.Require(have.Cmp(need) >= 0, "%v, e^ε = %s, δ = %s: need δ = %s at e^ε = %s; the responses, and so every function "+
		"of them, need only %s", laws, m.ExpEps, m.Delta, need, less.ExpEps, have)
	err := finite.Simulation(laws, less).Simulates(laws, less)
	t.Require(err == nil, "%v, e^ε = %s, δ = %s: %v", laws, m.ExpEps, less.Delta, err)
}

// tableOf refutes that the table of M̃ consists of laws that are just (ε, δ)-DP, and are exchanged with the databases.
func tableOf(t *register.T, m spec.Mechanism) {
	table := spec.RandomizedResponse(m)
	for z, pr := range table[0] {
		t.Require(rat.Equal(pr, table[1][3-z]), "M̃ with e^ε = %s, δ = %s: output %d has probability %s for b = 0, and %d "+
			"%s for b = 1", m.ExpEps, m.Delta, z, pr, 3-z, table[1][3-z])
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
	forTrees(t, len(probabilities), func(c finite.Tree, p finite.Pipeline) {
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

// forTrees calls visit with trees and all parameters that they have; fewer in a normal
// run, and if there are more kinds of criteria to go through.
func forTrees(t *register.T, kinds int, visit func(c finite.Tree, p finite.Pipeline)) {
	t.Domain("%s", treesDomain(t, kinds))
	eachTree(t, kinds, visit)
}

// shares returns one in how many trees of two and of three mechanisms, and charges, [forTrees] goes through.
func shares(t *register.T, kinds int) (two, three, charge int) {
	return t.Size(5+2*(kinds-2), 1), 5 + 8*(kinds-2), t.Size(10, 2) * (1 + 3*(kinds-2))
}

func treesDomain(t *register.T, kinds int) string {
	two, three, charge := shares(t, kinds)
	return fmt.Sprintf("%s chains of two of 6 mechanisms with 2 outputs, the second depending on the first, e^ε in {1, "+
		"3/2, 3} with the smallest δ_k, stops after 1 and 2; "+
		"%s chains of three of 2 mechanisms, e^ε = 3, δ_k = 0, stops after 1, 2 and 3, %s e^ℰ; all criteria that stop with "+
		"probability %s, e^ℰ in {1, 3/2, 3}",
		finite.Share(two), finite.Share(three), finite.Share(charge), rat.Show(finite.Randomized[:kinds]...))
}

// eachTree is [forTrees] without the domain.
func eachTree(t *register.T, kinds int, visit func(c finite.Tree, p finite.Pipeline)) {
	two, three, charge := shares(t, kinds)
	for c := range finite.EveryNth(finite.Trees(telling(), "b", "a", ""), two) {
		for _, expEps := range finite.Charges {
			first, second := c.Needs(1, expEps), c.Needs(2, expEps)
			for p := range finite.Charged([]spec.Mechanism{{ExpEps: expEps, Delta: first}, {ExpEps: expEps, Delta: second}}, 1,
				2) {
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
var knownRuns sync.Map

// byRuns returns the largest δ that M_iter over randomized responses needs, run under each deterministic criterion.
func byRuns(_ *register.T, p finite.Pipeline) *big.Rat {
	free := finite.Pipeline{Mechanisms: p.Mechanisms}
	for _, s := range p.Stops {
		free.Stops = append(free.Stops, spec.Stop{After: s.After, ExpEps: rat.One})
	}
	laws, ok := knownRuns.Load(free.String())
	if !ok {
		var all []finite.Pair
		for h := range finite.Criteria(finite.Deterministic, p.Early(p.Responses())) {
			all = append(all, p.Run(h))
		}
		laws = all
		knownRuns.Store(free.String(), laws)
	}
	worst := new(big.Rat)
	for _, l := range laws.([]finite.Pair) {
		worst = rat.Max(worst, l.DeltaBothWays(p.ExpE))
	}
	return worst
}
