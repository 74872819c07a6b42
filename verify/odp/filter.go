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
		"ODP-X31": checked(with(equivalent, spec.SumFilter, asPromised),
			near("with a filter for a twentieth less δ_t", with(equivalent,
				func(expEpsT, deltaT *big.Rat) spec.Filter { return spec.SumFilter(expEpsT, shaved(deltaT)) },
				asPromised)),
			near("it keeps a twentieth less δ_t", with(equivalent, spec.SumFilter, lessDelta)),
			near("it keeps a twentieth less e^ε_t", with(equivalent, spec.SumFilter, lessEps))),
		"ODP-A6": checked(with(staysWithin, asPromised),
			near("they stay within a twentieth less δ_t", with(staysWithin, lessDelta)),
			near("they stay within a twentieth less e^ε_t", with(staysWithin, lessEps))),
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
	ofPlayers(t, t.Size(60, 1000), try)
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
			t.Close(min(partOfBound(used[0], expEps), partOfBound(used[1], delta)), "e^ε_t = %s, δ_t = %s",
				expEps, delta)
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
		quiet := register.Must(finite.ODPComposition(p.obedient(rule).adversary(), p.expEpsT,
			p.deltaT, p.rounds, spec.TextB))
		t.Require(quiet.Equal(halting), "Algorithm 6 has %v, Algorithm 1 with the adversary that falls silent %v",
			halting, quiet)
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
	return fmt.Sprintf("every mechanism with 2 outputs, probabilities in 1/%d and e^ℰ in {1, 2}, "+
		"and after any of its outputs every one in 1/3; budgets that both use up or that just admit both", t.Size(2, 3))
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

// accountant makes an accountant out of e^(ε_t) and δ_t.
type accountant = func(expEpsT, deltaT *big.Rat) ledger.Rule

// leaving is Algorithm 1, but for what is left after an output in part k, of what was left.
func leaving(next func(left []*big.Rat, c *ledger.Choice, k int) []*big.Rat) accountant {
	return func(expEpsT, deltaT *big.Rat) ledger.Rule {
		r := ledger.SumRule(expEpsT, deltaT)
		r.Next = func(left []*big.Rat, c *ledger.Choice, output int) []*big.Rat { return next(left, c, c.Part[output]) }
		return r
	}
}

// ofTextA is Algorithm 1 with line 7 of text [A], line 8 of it, or both: what was used last is what remains.
func ofTextA(line7, line8 bool) accountant {
	return leaving(func(left []*big.Rat, c *ledger.Choice, k int) []*big.Rat {
		now := []*big.Rat{rat.Quo(left[0], c.ExpE[k]), rat.Sub(left[1], c.Delta)}
		if line7 {
			now[0] = c.ExpE[k]
		}
		if line8 {
			now[1] = c.Delta
		}
		return now
	})
}

// said is a choice that says what it is when it is written.
type said struct{ *ledger.Choice }

func (s said) String() string { return finite.Describe(s.Choice) }

// deltaByPart charges the δ with which the observed part is subset DP: the terms of Lemma 6.
var deltaByPart = leaving(func(left []*big.Rat, c *ledger.Choice, k int) []*big.Rat {
	return []*big.Rat{rat.Quo(left[0], c.ExpE[k]), rat.Sub(left[1], partDelta(c, k))}
})

// partDelta returns the smallest δ with which the part k is subset DP, both ways.
func partDelta(c *ledger.Choice, k int) *big.Rat {
	s := finite.ForSpec(c)
	inPart := func(output string) bool { return s.Part(output) == k }
	return rat.Max(register.Must(spec.SmallestSubsetDelta(s.Laws[0], s.Laws[1], inPart, c.ExpE[k])),
		register.Must(spec.SmallestSubsetDelta(s.Laws[1], s.Laws[0], inPart, c.ExpE[k])))
}

// saves checks that after an output in P there is room for a mechanism with e^ε_t / e^ℰ(P), and that DP accounting
// would have none exactly where it should say so.
func saves(t *register.T, when func(expE, sup *big.Rat) bool) {
	t.Domain("every mechanism with 3 outputs, probabilities in 1/%d, any partition and e^ℰ in {1, 2, 3}, "+
		"each of its outputs; e^ε_t twice its largest e^ℰ, and its δ", t.Size(2, 4))
	leak := leakOrBottom(rat.Of("1/1000"))
	for c := range finite.Choices(3, t.Size(2, 4), expEs) {
		sup := rat.Max(c.ExpE...)
		for z, output := range c.Outputs {
			expE, expEpsT := c.ExpE[c.Part[z]], rat.Twice(sup)
			left := rat.Quo(expEpsT, expE)
			then, more := finite.ResponseChoice(left), finite.ResponseChoice(rat.Mul(left, rat.Of("1.01")))
			t.At("%v: after %s of e^ε_t = %s", said{&c}, output, expEpsT)
			for _, x := range []struct {
				first, then ledger.Choice
				claimed     bool
			}{{c, then, true}, {c, more, false}, {c, leak, false}, {finite.Merged(c), then, !when(expE, sup)}} {
				found := admittedByBoth(t, x.first, output, x.then, expEpsT)
				t.Require(found == x.claimed, "charged %s, room for e^ε = %s: %v", x.first.ExpE, x.then.ExpE[0], found)
			}
		}
	}
}

// admittedByBoth reports whether Algorithm 1 admits a choice after the output of another, which the accountant of impl
// must find too.
func admittedByBoth(t *register.T, first ledger.Choice, output string, then ledger.Choice, expEpsT *big.Rat) bool {
	after := accountantOf(expEpsT, first.Delta).next(&first, slices.Index(first.Outputs, output))
	rounds := onPaper(expEpsT, first.Delta, []ledger.Choice{first, then}, []string{output, then.Outputs[0]})
	t.Require(after.admits(&then) == (rounds == 2), "%v: after %s of e^ε_t = %s, e^ε = %s is admitted by "+
		"the accountant or not, by Algorithm 1 %d rounds are", said{&first}, output, expEpsT, then.ExpE[0], rounds)
	return rounds == 2
}

// onPaper runs Algorithm 1 with choices and their outputs, and returns how many rounds it admits.
func onPaper(expEpsT, deltaT *big.Rat, choices []ledger.Choice, draws []string) (round int) {
	a := spec.Adversary{Coins: 1, Choose: func(_ string, outputs []string) spec.Choice {
		round = len(outputs)
		return finite.ForSpec(&choices[round])
	}}
	draws = slices.Concat([]string{"0"}, draws) // after the coin
	_, err := spec.ODPComposition(a, expEpsT, deltaT, 0, len(choices), spec.TextB, func(map[string]*big.Rat) string {
		next := draws[0]
		draws = draws[1:]
		return next
	})
	if err != nil {
		return round
	}
	return len(choices)
}

// usefulFor checks that Algorithm 1 admits more rounds than simple composition, at some budget, for these mechanisms
// only, and never fewer, nor more without so many rounds in all.
func usefulFor(t *register.T, from int, which func(ledger.Choice) bool) {
	t.Domain("every mechanism with 3 outputs, probabilities in 1/%d, any partition and e^ℰ in {1, 2, 3}; "+
		"every budget that at most 3 rounds use up", t.Size(2, 4))
	for c := range finite.Choices(3, t.Size(2, 4), expEs) {
		t.At("%v", said{&c})
		useful := false
		for _, b := range budgets(c, 3) {
			dp, odp := simpleRounds(&c, b, 3), odpRounds(t, &c, b, 3)
			t.Require(odp == dp || odp > dp && odp >= from, "e^ε_t = %s, δ_t = %s: %d rounds, %d by DP accounting",
				b[0], b[1], odp, dp)
			useful = useful || odp > dp
		}
		t.Require(useful == which(c), "more rounds than by DP accounting at some budget is %v", useful)
	}
}

// admitsRounds checks that a budget for n rounds of a mechanism, of ε and of δ, admits rounds(n) in all rooms.
func admitsRounds(t *register.T, rounds func(n int) int) {
	t.AlsoDomain("leaks of probability 1/4 with δ_t = 3/4 and 1, " +
		"and randomized response with e^ε = 2 and e^ε_t = 8, 16")
	for _, c := range []ledger.Choice{leakOrBottom(big.NewRat(1, 4)), finite.ResponseChoice(rat.Int(2))} {
		for n := 3; n <= 4; n++ {
			t.At("%v, %d rounds", said{&c}, n)
			found := odpRounds(t, &c, [2]*big.Rat{rat.Power(rat.Max(c.ExpE...), n), rat.Mul(rat.Int(n), c.Delta)}, n+1)
			t.Require(found == rounds(n), "their budget admits %d rounds, must be %d", found, rounds(n))
		}
	}
}

// simpleRounds is the largest n, up to most, with n·sup ℰ ≤ ε_t and n·δ ≤ δ_t.
func simpleRounds(c *ledger.Choice, budget [2]*big.Rat, most int) int {
	n := 0
	for n < most && rat.Power(rat.Max(c.ExpE...), n+1).Cmp(budget[0]) <= 0 &&
		rat.Mul(rat.Int(n+1), c.Delta).Cmp(budget[1]) <= 0 {
		n++
	}
	return n
}

// odpRounds is the largest number of rounds that are admitted, up to most, on any outputs: all rooms must find it.
func odpRounds(t *register.T, c *ledger.Choice, budget [2]*big.Rat, most int) int {
	n := byRule(ledger.SumRule(budget[0], budget[1])).longest(c, most)
	if budget[1].Cmp(rat.One) <= 0 {
		kept := accountantOf(budget[0], budget[1]).longest(c, most)
		t.Require(kept == n, "%v: %d rounds by the rule, %d by the accountant", step{*c, budget[0], budget[1]}, n, kept)
	}
	if n < 2 || n == most { // the others would take seconds
		return n
	}
	part := finite.ForSpec(c).Part
	cheapest := slices.MinFunc(c.Outputs, func(x, y string) int { return c.ExpE[part(x)].Cmp(c.ExpE[part(y)]) })
	paper := onPaper(budget[0], budget[1], slices.Repeat([]ledger.Choice{*c}, n+1),
		slices.Repeat([]string{cheapest}, n+1))
	t.Require(paper == n, "%v: %d rounds by the rule, by Algorithm 1 %d", step{*c, budget[0], budget[1]}, n, paper)
	return n
}

// longest returns the largest number of rounds of c that are admitted, on any outputs.
func (r referee) longest(c *ledger.Choice, rounds int) int {
	if rounds == 0 || !r.admits(c) {
		return 0
	}
	best := 0
	for z := range c.Outputs {
		best = max(best, r.next(c, z).longest(c, rounds-1))
	}
	return 1 + best
}

// budgets returns the budgets, as e^(ε_t) and δ_t, that at most so many rounds of a mechanism use up, the smallest that
// admit one.
func budgets(c ledger.Choice, rounds int) (all [][2]*big.Rat) {
	products := []*big.Rat{rat.One}
	for range rounds {
		for _, x := range products {
			for _, e := range c.ExpE {
				products = append(products, rat.Mul(x, e))
			}
		}
	}
	slices.SortFunc(products, (*big.Rat).Cmp)
	for _, expEpsT := range slices.CompactFunc(products, rat.Equal) {
		for n := range rounds {
			if expEpsT.Cmp(rat.Max(c.ExpE...)) >= 0 && (n == 0 || c.Delta.Sign() > 0) {
				all = append(all, [2]*big.Rat{expEpsT, rat.Mul(rat.Int(n+1), c.Delta)})
			}
		}
	}
	return all
}

// budgetsOf returns the budgets that both use up, or that only just admit both.
func budgetsOf(c, second ledger.Choice) (all [][2]*big.Rat) {
	seen := map[string]bool{}
	for _, e := range c.ExpE {
		expEpsT := rat.Mul(e, rat.Max(second.ExpE...))
		if key := rat.Show(expEpsT); !seen[key] && expEpsT.Cmp(rat.Max(c.ExpE...)) >= 0 {
			seen[key] = true
			all = append(all, [2]*big.Rat{expEpsT, rat.Max(c.Delta, second.Delta)},
				[2]*big.Rat{expEpsT, rat.Add(c.Delta, second.Delta)})
		}
	}
	return all
}
