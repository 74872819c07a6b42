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

// experiment is two rounds of adaptive composition: what the adversary chooses in the first round, and in the
// second one after the outputs whose bit in the set is 1; otherwise the adversary is silent. It has a budget.
type experiment struct {
	first, second   impl.Choice
	set             int
	expEpsT, deltaT *big.Rat
}

// adversary makes these choices.
func (x experiment) adversary() spec.Adversary {
	first, second := finite.ForSpec(&x.first), finite.ForSpec(&x.second)
	return spec.Adversary{Coins: 1, Choose: func(_ string, outputs []string) spec.Choice {
		switch {
		case len(outputs) == 0:
			return first
		case len(outputs) == 1 && x.set>>slices.Index(x.first.Outputs, outputs[0])&1 == 1:
			return second
		}
		return silence()
	}}
}

func (x experiment) String() string {
	var after []string
	otherwise := ""
	for z, output := range x.first.Outputs {
		if x.set>>z&1 == 1 {
			after = append(after, output)
		} else {
			otherwise = ", and otherwise ⊥"
		}
	}
	text := fmt.Sprintf("e^ε_t = %s, δ_t = %s: %s", rat.Show(x.expEpsT), rat.Show(x.deltaT), finite.Describe(&x.first))
	switch {
	case len(after) == 0:
		return text + ", and is run once, then ⊥"
	case x.second.Name == x.first.Name:
		return text + ", and is run again after " + strings.Join(after, " or ") + otherwise
	}
	return text + "; after " + strings.Join(after, " or ") + " runs " + finite.Describe(&x.second) + otherwise
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
	return func(yield func(experiment) bool) {
		for _, c := range small {
			for _, b := range budgets(c, 2) {
				for set := range 1 << len(c.Outputs) {
					if !yield(experiment{c, c, set, b[0], b[1]}) {
						return
					}
				}
			}
		}
	}
}

// runInTurn yields the experiments with two small mechanisms that depend on the data.
func runInTurn(t *register.T) iter.Seq[experiment] {
	firsts, seconds := dependent(2, t.Size(2, 3), 2), dependent(2, 3, 2)
	return func(yield func(experiment) bool) {
		for _, c := range firsts {
			for _, second := range seconds {
				second.Name = "N"
				for _, b := range budgetsOf(c, second) {
					for set := 1; set < 1<<len(c.Outputs); set++ {
						if !yield(experiment{c, second, set, b[0], b[1]}) {
							return
						}
					}
				}
			}
		}
	}
}

// experiments yields both kinds.
func experiments(t *register.T) iter.Seq[experiment] {
	return func(yield func(experiment) bool) {
		for _, kind := range []iter.Seq[experiment]{runAgain(t), runInTurn(t)} {
			for x := range kind {
				if !yield(x) {
					return
				}
			}
		}
	}
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

func algorithm6(filter filters) algorithm {
	return func(a spec.Adversary, expEpsT, deltaT *big.Rat) (finite.Pair, error) {
		return finite.ODPFilterComposition(a, filter(expEpsT, deltaT), 2)
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

// cost returns the product of e^ℰ and the sum of δ over the outputs in a view.
func (x experiment) cost(view string) (expEps, delta *big.Rat) {
	expEps, delta = rat.One, new(big.Rat)
	choices := []impl.Choice{x.first, x.second}
	for i, output := range strings.Split(strings.Trim(view, "()"), ",") {
		c := choices[i]
		if z := slices.Index(c.Outputs, output); z >= 0 {
			expEps, delta = rat.Mul(expEps, c.ExpE[c.Part[z]]), rat.Add(delta, c.Delta)
		}
	}
	return expEps, delta
}
