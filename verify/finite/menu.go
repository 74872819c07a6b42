package finite

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"checkrr/impl"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// Menu is what an adversary may choose from, round by round, and the budget it has.
type Menu struct {
	Choices         []impl.Choice
	Rounds          int
	ExpEpsT, DeltaT *big.Rat
}

// Worst returns the largest δ that what an adversary sees needs at e^ε under a rule, and such an adversary.
func (m Menu) Worst(t *register.T, rule impl.Rule, expEps *big.Rat) (delta *big.Rat, adversary *impl.Strategy) {
	delta, adversary, err := impl.WorstAdversary(t.Context(), m.Choices, m.Rounds, rule, expEps)
	t.Must(err)
	return delta, adversary
}

// Attack describes the worst adversary under a rule, if what it sees is not (ε_t, δ_t)-DP, and returns "" otherwise.
func (m Menu) Attack(t *register.T, rule impl.Rule) string {
	worst, adversary := m.Worst(t, rule, m.ExpEpsT)
	if worst.Cmp(m.DeltaT) <= 0 {
		return ""
	}
	return fmt.Sprintf("e^ε_t = %s, δ_t = %s: the adversary that plays %v needs δ = %s, where %s",
		rat.Show(m.ExpEpsT), rat.Show(m.DeltaT), adversary, rat.Show(worst), strings.Join(played(adversary), "; "))
}

// played says what the choices of an adversary are.
func played(s *impl.Strategy) (choices []string) {
	if s == nil {
		return nil
	}
	choices = []string{Describe(s.Choice)}
	for _, then := range s.Then {
		for _, c := range played(then) {
			if !slices.Contains(choices, c) {
				choices = append(choices, c)
			}
		}
	}
	return choices
}
