package odp

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"checkrr/impl/ledger"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// filter are the statements on ODP filters and Algorithm 6.
func filter() register.Checks {
	return register.Checks{
		"ODP-X31": register.Checked(register.With2(equivalent, spec.SumFilter, asPromised),
			near2("with a filter for a twentieth less δ_t", equivalent,
				func(expEpsT, deltaT *big.Rat) spec.Filter { return spec.SumFilter(expEpsT, shaved(deltaT)) }, asPromised),
			near2("it keeps a twentieth less δ_t", equivalent, spec.SumFilter, lessDelta),
			near2("it keeps a twentieth less e^ε_t", equivalent, spec.SumFilter, lessEps),
		),
		"ODP-A6": register.Checked(register.With(staysWithin, asPromised),
			near("they stay within a twentieth less δ_t", staysWithin, lessDelta),
			near("they stay within a twentieth less e^ε_t", staysWithin, lessEps),
		),
	}
}

// filters makes a filter out of e^(ε_t) and δ_t.
type filters = func(expEpsT, deltaT *big.Rat) spec.Filter

// underFilter goes through experiments and random adversaries, with the views under Algorithm 6 or the error with which
// it refuses a choice.
func underFilter(t *register.T, filter filters,
	check func(t *register.T, p player, views finite.Pair, err error)) {
	try := func(t *register.T, p player) {
		views, err := finite.ODPFilterComposition(p.adversary(), filter(p.expEpsT, p.deltaT), p.rounds)
		check(t, p, views, err)
	}
	t.Domain("%s of these: %s; %s", finite.Share(t.Size(9, 1)), runAgainDomain(t), runInTurnDomain(t))
	for x := range finite.EveryNth(slices.Values(slices.Concat(runAgain(t), runInTurn(t))), t.Size(9, 1)) {
		t.Case()
		try(t, x.player)
	}
	ofPlayers(t, t.Size(100, 1000), try)
}

// staysWithin checks that what the outputs of a view have cost is within what is promised of the budget. An adversary
// that makes a choice that is not allowed has no view.
func staysWithin(t *register.T, of promise) {
	underFilter(t, spec.SumFilter, func(t *register.T, p player, views finite.Pair, _ error) {
		expEps, delta := of(p.expEpsT, p.deltaT)
		for _, view := range views[0].Outputs() { // the same counterexample every time
			used := p.cost(view)
			t.Require(used[0].Cmp(expEps) <= 0 && used[1].Cmp(delta) <= 0,
				"%v: the outputs %s have used e^ε = %s and δ = %s", p, view, used[0], used[1])
			t.Close(min(partOfBound(used[0], expEps), partOfBound(used[1], delta)), "e^ε_t = %s, δ_t = %s", expEps, delta)
		}
	})
}

// cost returns the product of e^ℰ and the sum of δ over the outputs in a view, up to where it was ended.
func (p player) cost(view string) [2]*big.Rat {
	coin, rest, _ := strings.Cut(view, ",")
	expEps, delta, at := rat.One, new(big.Rat), coin
	for _, output := range strings.Split(rest, ",") {
		c := p.at(at)
		z := slices.Index(c.Outputs, output)
		if z < 0 {
			break
		}
		expEps, delta, at = rat.Mul(expEps, c.ExpE[c.Part[z]]), rat.Add(delta, c.Delta), at+","+output
	}
	return [2]*big.Rat{expEps, delta}
}

// equivalent checks that Algorithm 1 and Algorithm 6 with the filter have the same views, in both directions, that
// those are as promised, and that they are what multiplication along the tree says, with the accountant of Algorithm 1
// in place of the filter.
func equivalent(t *register.T, filter filters, of promise) {
	underFilter(t, filter, func(t *register.T, p player, halting finite.Pair, err error) {
		rule := ledger.SumRule(p.expEpsT, p.deltaT)
		g := p.views(byRule(rule), true)
		t.In("%v", p)
		t.Require(g.isFair == (err == nil), "makes no false claim: %v, but Algorithm 6 says %v", g.isFair, err)
		if err != nil {
			return
		}
		t.Require(g.views.Equal(halting), "has %v, under Algorithm 6 %v", g.views, halting)
		quiet := register.Must(finite.ODPComposition(p.obedient(rule).adversary(), p.expEpsT, p.deltaT, p.rounds, spec.TextB))
		t.Require(quiet.Equal(halting), "Algorithm 6 has %v, Algorithm 1 with the adversary that falls silent %v", halting,
			quiet)
		p.keeps(t, halting, of)
	})
}

// experiment is a player of two rounds that tosses no coins.
type experiment struct{ player }

// newExperiment chooses first, and then second after the outputs whose bit in the set is 1; otherwise it is silent.
func newExperiment(first, second ledger.Choice, set int, budget [2]*big.Rat) experiment {
	plan := map[string]int{"0": 1}
	for z, output := range first.Outputs {
		plan["0,"+output] = 2 * (set >> z & 1)
	}
	return experiment{player{menu: []ledger.Choice{quiet(), first, second}, coins: 1, rounds: 2, plan: plan,
		expEpsT: budget[0], deltaT: budget[1]}}
}

func (x experiment) String() string {
	var after []string
	otherwise := ""
	for _, output := range x.menu[1].Outputs {
		if x.plan["0,"+output] == 2 {
			after = append(after, output)
		} else {
			otherwise = ", and otherwise ⊥"
		}
	}
	text := step{x.menu[1], x.expEpsT, x.deltaT}.String()
	switch {
	case len(after) == 0:
		return text + ", and is run once, then ⊥"
	case x.menu[2].Name == x.menu[1].Name:
		return text + ", and is run again after " + strings.Join(after, " or ") + otherwise
	}
	return text + "; after " + strings.Join(after, " or ") + " runs " + finite.Describe(&x.menu[2]) + otherwise
}

// runAgain are the experiments with a small mechanism that depends on the data, which may be run again.
func runAgain(t *register.T) (all []experiment) {
	small := slices.Concat(dependent(2, 2, 3), dependent(2, 3, 3))
	if t.Size(0, 1) == 1 {
		small = slices.Concat(dependent(3, 2, 3), dependent(2, 4, 3))
	}
	for _, c := range small {
		for _, b := range budgets(c, 2) {
			for set := range 1 << len(c.Outputs) {
				all = append(all, newExperiment(c, c, set, b))
			}
		}
	}
	return all
}

// runInTurn are the experiments with two small mechanisms that depend on the data.
func runInTurn(t *register.T) (all []experiment) {
	for _, c := range dependent(2, t.Size(2, 3), 2) {
		for _, second := range dependent(2, 3, 2) {
			second.Name = "N"
			for _, b := range budgetsOf(c, second) {
				for set := 1; set < 1<<len(c.Outputs); set++ {
					all = append(all, newExperiment(c, second, set, b))
				}
			}
		}
	}
	return all
}

// dependent returns the mechanisms with at most m outputs, probabilities in 1/d and e^ℰ up to
// most that depend on the data.
func dependent(m, d int, most int64) (all []ledger.Choice) {
	for c := range finite.Choices(m, d, expEs) {
		if rat.Max(c.ExpE...).Cmp(big.NewRat(most, 1)) <= 0 && !slices.EqualFunc(c.Laws[0], c.Laws[1], rat.Equal) {
			all = append(all, c)
		}
	}
	return all
}

func runAgainDomain(t *register.T) string {
	sizes := "2 outputs and probabilities in 1/2 or 1/3"
	if t.Size(0, 1) == 1 {
		sizes = "2 outputs and probabilities in 1/4, or 3 and in 1/2"
	}
	return "every mechanism with " + sizes + ", any partition and e^ℰ in {1, 2, 3}, with its smallest δ, " +
		"run again after any set of its outputs; every budget that one or two rounds use up"
}

func runInTurnDomain(t *register.T) string {
	return fmt.Sprintf("every mechanism with 2 outputs, probabilities in 1/%d and e^ℰ in {1, 2}, and after any of "+
		"its outputs "+
		"every one in 1/3; budgets that both use up or that just admit both", t.Size(2, 3))
}

// shown are the laws of the outputs in the view, without the only coin toss.
func shown(laws finite.Pair) (outputs finite.Pair) {
	for b, views := range laws {
		outputs[b] = finite.Law{}
		for view, pr := range views {
			_, after, _ := strings.Cut(view, ",")
			outputs[b]["("+after+")"] = pr
		}
	}
	return outputs
}
