package odp

import (
	"fmt"
	"iter"
	"math/big"
	"slices"
	"strings"

	"checkrr/impl"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// menu is what an adversary may play on, and the budget it has.
type menu struct {
	choices         []impl.Choice
	rounds          int
	expEpsT, deltaT *big.Rat
}

// isFree reports whether ℰ is 0 on all parts.
func (m menu) isFree() bool {
	return !slices.ContainsFunc(m.choices, func(c impl.Choice) bool { return rat.Max(c.ExpE...).Cmp(rat.One) > 0 })
}

// attack returns the worst adversary if it breaks the budget, and "" otherwise.
func (m menu) attack(t *register.T, rule accountant) string {
	worst, adversary, err := impl.WorstAdversary(t.Context(), m.choices, m.rounds, rule(m.expEpsT, m.deltaT), m.expEpsT)
	t.Must(err)
	if worst.Cmp(m.deltaT) <= 0 {
		return ""
	}
	return fmt.Sprintf("e^ε_t = %s, δ_t = %s: the adversary that plays %v needs δ = %s, where %s",
		rat.Show(m.expEpsT), rat.Show(m.deltaT), adversary, rat.Show(worst), describe(adversary))
}

// describe says what the choices of an adversary are.
func describe(s *impl.Strategy) string {
	var text []string
	var visit func(*impl.Strategy)
	visit = func(s *impl.Strategy) {
		if s == nil {
			return
		}
		if d := describeChoice(s.Choice); !slices.Contains(text, d) {
			text = append(text, d)
		}
		for _, then := range s.Then {
			visit(then)
		}
	}
	visit(s)
	return strings.Join(text, "; ")
}

func describeChoice(c *impl.Choice) string {
	s := forSpec(c)
	return fmt.Sprintf("%s has %v, %v with e^ℰ = %s, δ = %s",
		c.Name, finite.PairOf(s.Laws), finite.Partition(c.Part), rat.Show(c.ExpE...), rat.Show(c.Delta))
}

// menusDomain says what menus goes through.
func menusDomain(t *register.T) string {
	return fmt.Sprintf("every mechanism with at most 3 outputs, probabilities in 1/4, any partition and e^ℰ in {1, 2, 3}, "+
		"with its smallest δ, on its own, both ways round, for up to %d rounds and every budget that some rounds use up; "+
		"a menu of all those in 1/%d for 3 rounds; a menu of M_toy, randomized response and a leak for %d",
		t.Size(2, 4), t.Size(2, 3), t.Size(7, 10))
}

// menus yields the menus, small ones first. Every mechanism is there both ways round.
func menus(t *register.T) iter.Seq[menu] {
	return func(yield func(menu) bool) {
		for rounds := 2; rounds <= t.Size(2, 4); rounds++ {
			for c := range choices(3, 4) {
				for _, b := range budgets(c, rounds) {
					if !yield(menu{bothWays(c), rounds, b[0], b[1]}) {
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

// sharedMenus are menus of many mechanisms, to be mixed, and of few, to be run often.
func sharedMenus(t *register.T) (menus []menu) {
	var many []impl.Choice
	for c := range choices(3, t.Size(2, 3)) {
		c.Name = fmt.Sprintf("M%d", len(many)/2+1)
		many = append(many, bothWays(c)...)
	}
	two, quarter := big.NewRat(2, 1), big.NewRat(1, 4)
	few := slices.Concat(bothWays(toy(two, rat.Half)), bothWays(responseChoice(two)), []impl.Choice{leakOrBottom(quarter)})
	for _, expEpsT := range []*big.Rat{rat.One, two, big.NewRat(4, 1), big.NewRat(6, 1)} {
		for _, deltaT := range []*big.Rat{new(big.Rat), quarter, rat.Half, big.NewRat(3, 4)} {
			menus = append(menus, menu{few, t.Size(7, 10), expEpsT, deltaT}, menu{many, 3, expEpsT, deltaT})
		}
	}
	return menus
}
