package finite

import (
	"fmt"
	"iter"
	"maps"
	"math/big"
	"slices"
	"strings"

	"checkrr/impl/ledger"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// NewChoice returns the mechanism M with the given laws and charges of the parts, and with its smallest δ, for an
// adversary to choose. It panics unless the outputs are those of the partition, a, b, c, …, there is a charge for each
// part, and the probabilities of each law sum to 1.
func NewChoice(laws Pair, parts Partition, expE []*big.Rat) ledger.Choice {
	for _, output := range laws.Outputs() {
		parts.Part(output)
	}
	if len(expE) != parts.Count() {
		panic(fmt.Sprintf("there are %d charges, must be one for each of the %d parts", len(expE), parts.Count()))
	}
	for b, law := range laws {
		if !rat.Equal(law.Mass(), rat.One) || rat.Min(slices.Collect(maps.Values(law))...).Sign() < 0 {
			panic(fmt.Sprintf("P%d = (%v) has probabilities that must be at least 0 and sum to 1", b, law))
		}
	}
	c := ledger.Choice{
		Name: "M", Part: parts, ExpE: expE,
		Delta: register.Must(spec.SmallestDeltaBothWays(laws[0], laws[1], parts.Part, expE)),
	}
	for i := range parts {
		c.Outputs = append(c.Outputs, Name(i))
		for b := range c.Laws {
			c.Laws[b] = append(c.Laws[b], laws[b].Pr(Name(i)))
		}
	}
	return c
}

// Choices yields all mechanisms M with at most m outputs, probabilities that are multiples of 1/d, any partition and
// charges with the given values, small ones first; once for each way to number the outputs, and with its smallest δ,
// if that is below 1.
func Choices(m, d int, expE []*big.Rat) iter.Seq[ledger.Choice] {
	return slices.Values(knownChoices.Of(fmt.Sprint(m, d, rat.Show(expE...)), func() (all []ledger.Choice) {
		seen := map[string]bool{}
		for laws := range Pairs(m, d) {
			if seen[laws.String()] || !laws.IsSorted() {
				continue
			}
			seen[laws.String()] = true
			for parts := range Partitions(len(laws[0])) {
				for e := range parts.Charges(expE) {
					if c := NewChoice(laws, parts, e); c.Delta.Cmp(rat.One) < 0 {
						all = append(all, c)
					}
				}
			}
		}
		return all
	}))
}

var knownChoices Memo[string, []ledger.Choice]

// IsSorted reports whether the outputs are in the order of their probabilities, the largest under b = 0 first, and
// none is impossible.
func (p Pair) IsSorted() bool {
	for i := range len(p[0]) {
		here := Name(i)
		if p[0][here].Sign() == 0 && p[1][here].Sign() == 0 {
			return false
		}
		if i == 0 {
			continue
		}
		before := Name(i - 1)
		if c := p[0][before].Cmp(p[0][here]); c < 0 || c == 0 && p[1][before].Cmp(p[1][here]) > 0 {
			return false
		}
	}
	return true
}

// ResponseChoice is randomized response with δ = 0 and one part: the worst ε-DP mechanism.
func ResponseChoice(expEps *big.Rat) ledger.Choice {
	likely := rat.Quo(expEps, rat.Add(rat.One, expEps))
	unlikely := rat.Complement(likely)
	return ledger.Choice{
		Name: "response", Outputs: []string{"1", "2"},
		Laws: [2][]*big.Rat{{likely, unlikely}, {unlikely, likely}},
		Part: []int{0, 0}, ExpE: []*big.Rat{expEps}, Delta: new(big.Rat),
	}
}

// BothWays returns a choice, and the same with the databases exchanged.
func BothWays(c ledger.Choice) []ledger.Choice {
	back := c
	back.Name += "′"
	back.Laws = [2][]*big.Rat{c.Laws[1], c.Laws[0]}
	return []ledger.Choice{c, back}
}

// Merged returns a choice with all parts merged to one, which is charged the largest ℰ.
func Merged(c ledger.Choice) ledger.Choice {
	c.Part, c.ExpE = make([]int, len(c.Part)), []*big.Rat{rat.Max(c.ExpE...)}
	return c
}

// ForSpec returns the same choice for package spec.
func ForSpec(c *ledger.Choice) spec.Choice {
	s := spec.Choice{
		Laws:  [2]map[string]*big.Rat{{}, {}},
		Part:  func(output string) int { return c.Part[slices.Index(c.Outputs, output)] },
		ExpE:  c.ExpE,
		Delta: c.Delta,
	}
	for b, law := range c.Laws {
		for z, pr := range law {
			s.Laws[b][c.Outputs[z]] = pr
		}
	}
	return s
}

// Describe says what a choice of [NewChoice] is.
func Describe(c *ledger.Choice) string {
	return fmt.Sprintf("%s has %v, %v with e^ℰ = %s, δ = %s",
		c.Name, PairOf(ForSpec(c).Laws), Partition(c.Part), rat.Show(c.ExpE...), rat.Show(c.Delta))
}

// Menu is what an adversary may choose from, round by round, and the budget it has.
type Menu struct {
	Choices         []ledger.Choice
	Rounds          int
	ExpEpsT, DeltaT *big.Rat
}

// Worst returns the largest δ that what an adversary sees needs at e^ε under a rule, and such an adversary.
func (m Menu) Worst(t *register.T, rule ledger.Rule, expEps *big.Rat) (delta *big.Rat, adversary *ledger.Strategy) {
	delta, adversary, err := ledger.WorstAdversary(t.Context(), m.Choices, m.Rounds, rule, expEps)
	t.Must(err)
	return delta, adversary
}

// Attack describes the worst adversary under a rule, if what it sees is not (ε_t, δ_t)-DP, and returns "" otherwise.
func (m Menu) Attack(t *register.T, rule ledger.Rule) string {
	worst, adversary := m.Worst(t, rule, m.ExpEpsT)
	if worst.Cmp(m.DeltaT) <= 0 {
		return ""
	}
	return fmt.Sprintf("e^ε_t = %s, δ_t = %s: the adversary that plays %v needs δ = %s, where %s",
		rat.Show(m.ExpEpsT), rat.Show(m.DeltaT), adversary, rat.Show(worst), strings.Join(played(adversary), "; "))
}

// played says what the choices of an adversary are.
func played(s *ledger.Strategy) (choices []string) {
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

// ODPComposition returns the laws of the view that [spec.ODPComposition] returns, for b = 0 and b = 1. A view is
// written with commas between its entries, of which outputs have none.
func ODPComposition(a spec.Adversary, expEpsT, deltaT *big.Rat, rounds int, text spec.Text) (Pair, error) {
	return views(func(b int, draw spec.Draw) ([]string, error) {
		return spec.ODPComposition(a, expEpsT, deltaT, b, rounds, text, draw)
	})
}

// ODPFilterComposition does so for [spec.ODPFilterComposition].
func ODPFilterComposition(a spec.Adversary, filter spec.Filter, rounds int) (Pair, error) {
	return views(func(b int, draw spec.Draw) ([]string, error) {
		return spec.ODPFilterComposition(a, filter, b, rounds, draw)
	})
}

// views runs on draws that come out in every way.
func views(run func(b int, draw spec.Draw) ([]string, error)) (laws Pair, err error) {
	for b := range laws {
		laws[b] = Law{}
		(&Coins{least: new(big.Rat), empty: true}).goThrough(func(c *Coins) {
			view, failed := run(b, c.outputOf)
			if strings.Contains(strings.Join(view, ""), ",") {
				failed = fmt.Errorf("view is %q, must have no comma in an entry", view)
			}
			if err == nil {
				err = failed
			}
			laws[b].Add(strings.Join(view, ","), c.Pr)
		})
	}
	if err != nil {
		return Pair{}, err
	}
	return laws, nil
}

// outputOf returns a draw from a law.
func (c *Coins) outputOf(law map[string]*big.Rat) string {
	outputs := Law(law).Outputs()
	var probabilities []*big.Rat
	for _, o := range outputs {
		probabilities = append(probabilities, law[o])
	}
	return outputs[c.Of(probabilities)]
}
