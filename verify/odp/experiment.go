package odp

import (
	"fmt"
	"iter"
	"math/big"
	"slices"
	"strings"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// experiment is a player of two rounds that tosses no coins.
type experiment struct{ player }

// newExperiment chooses first, and then second after the outputs whose bit in the set is 1; otherwise it is silent.
func newExperiment(first, second impl.Choice, set int, budget [2]*big.Rat) experiment {
	plan := map[string]int{"0": 1}
	for z, output := range first.Outputs {
		plan["0,"+output] = 2 * (set >> z & 1)
	}
	return experiment{player{menu: []impl.Choice{quiet(), first, second}, coins: 1, rounds: 2, plan: plan,
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

// silence is a mechanism with the fixed output ⊥.
func silence() spec.Choice {
	c := quiet()
	return finite.ForSpec(&c)
}

// runAgain yields the experiments with a small mechanism that depends on the data, which may
// be run again.
func runAgain(t *register.T) iter.Seq[experiment] {
	small := slices.Concat(dependent(2, 2, 3), dependent(2, 3, 3))
	if t.Size(0, 1) == 1 {
		small = slices.Concat(dependent(3, 2, 3), dependent(2, 4, 3))
	}
	var all []experiment
	for _, c := range small {
		for _, b := range budgets(c, 2) {
			for set := range 1 << len(c.Outputs) {
				all = append(all, newExperiment(c, c, set, b))
			}
		}
	}
	return slices.Values(all)
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
func dependent(m, d int, most int64) (all []impl.Choice) {
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

// algorithm returns the laws of the view in two rounds.
type algorithm = func(a spec.Adversary, expEpsT, deltaT *big.Rat) (finite.Pair, error)

func algorithm1(text spec.Text) algorithm {
	return func(a spec.Adversary, expEpsT, deltaT *big.Rat) (finite.Pair, error) {
		return finite.ODPComposition(a, expEpsT, deltaT, 2, text)
	}
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

// obedient plays as the adversary does until line 4 of Algorithm 1 forbids it, and is
// silent from then on.
func (x experiment) obedient(a spec.Adversary) spec.Adversary {
	return spec.Adversary{Coins: a.Coins, Choose: func(coins string, outputs []string) spec.Choice {
		expEpsR, deltaR := x.expEpsT, x.deltaT
		for i := 0; ; i++ {
			c := a.Choose(coins, outputs[:i])
			if rat.Max(c.ExpE...).Cmp(expEpsR) > 0 || c.Delta.Cmp(deltaR) > 0 {
				return silence()
			}
			if i == len(outputs) {
				return c
			}
			expEpsR, deltaR = rat.Quo(expEpsR, c.ExpE[c.Part(outputs[i])]), rat.Sub(deltaR, c.Delta)
		}
	}}
}
