package odp

import (
	"fmt"
	"iter"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// expEs are the values that e^ℰ takes in the mechanisms.
var expEs = []*big.Rat{rat.One, big.NewRat(2, 1), big.NewRat(3, 1)}

// menus yields the menus, small ones first. Every mechanism is there both ways round.
func menus(t *register.T) iter.Seq[finite.Menu] {
	return func(yield func(finite.Menu) bool) {
		for rounds := 2; rounds <= t.Size(2, 4); rounds++ {
			for c := range finite.Choices(3, 4, expEs) {
				for _, b := range budgets(c, rounds) {
					if !yield(finite.Menu{Choices: finite.BothWays(c), Rounds: rounds, ExpEpsT: b[0], DeltaT: b[1]}) {
						return
					}
				}
			}
		}
		for _, m := range sharedMenus(t) {
			if !yield(m) {
				return
			}
		}
	}
}

// menusDomain says what menus goes through.
func menusDomain(t *register.T) string {
	return fmt.Sprintf("every mechanism with at most 3 outputs, probabilities in 1/4, any partition and e^ℰ in "+
		"{1, 2, 3}, "+
		"with its smallest δ, on its own, both ways round, for up to %d rounds and every budget that some rounds use up; "+
		"a menu of all those in 1/%d for 3 rounds; a menu of M_toy, randomized response and a leak for %d",
		t.Size(2, 4), t.Size(2, 3), t.Size(7, 10))
}

// sharedMenus are menus of many mechanisms, to be mixed, and of few, to be run often.
func sharedMenus(t *register.T) (menus []finite.Menu) {
	var many []impl.Choice
	for c := range finite.Choices(3, t.Size(2, 3), expEs) {
		c.Name = fmt.Sprintf("M%d", len(many)/2+1)
		many = append(many, finite.BothWays(c)...)
	}
	two, quarter := big.NewRat(2, 1), big.NewRat(1, 4)
	few := slices.Concat(finite.BothWays(toy(two, rat.Half)), finite.BothWays(finite.ResponseChoice(two)),
		[]impl.Choice{leakOrBottom(quarter)})
	for _, expEpsT := range []*big.Rat{rat.One, two, big.NewRat(4, 1), big.NewRat(6, 1)} {
		for _, deltaT := range []*big.Rat{new(big.Rat), quarter, rat.Half, big.NewRat(3, 4)} {
			menus = append(menus, finite.Menu{Choices: few, Rounds: t.Size(7, 10), ExpEpsT: expEpsT, DeltaT: deltaT},
				finite.Menu{Choices: many, Rounds: 3, ExpEpsT: expEpsT, DeltaT: deltaT})
		}
	}
	return menus
}

// leakOrBottom tells the databases apart with probability δ, and says ⊥ otherwise.
func leakOrBottom(delta *big.Rat) impl.Choice {
	rest, zero := rat.Complement(delta), new(big.Rat)
	return impl.Choice{
		Name: "leak", Outputs: []string{"0", "⊥", "1"},
		Laws: [2][]*big.Rat{{delta, rest, zero}, {zero, rest, delta}},
		Part: []int{0, 1, 0}, ExpE: []*big.Rat{rat.One, rat.One}, Delta: delta,
	}
}

// isFree reports whether ℰ is 0 on all parts.
func isFree(m finite.Menu) bool {
	return !slices.ContainsFunc(m.Choices, func(c impl.Choice) bool { return rat.Max(c.ExpE...).Cmp(rat.One) > 0 })
}
