package odp

import (
	"fmt"
	"iter"
	"math/big"
	"slices"
	"strings"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify"
)

var compose = []verify.Statement{
	{
		ID:      "ODP-T7",
		Title:   "Whatever an adversary composes under a budget (ε_t, δ_t), its view is (ε_t, δ_t)-DP",
		Kind:    verify.Exact,
		Verdict: verify.Holds,
		Note: "Read with lines 7 and 8 of Algorithm 1 as in text [B], which subtract what was used; with those of " +
			"text [A] it fails, see the control and ODP-A1. The proof in print subtracts too.",
		In:    []string{"spec.ODPComposition", "spec.ODPCompositionLaw", "impl.WorstAdversary", "impl.SumRule", "exhaustive.WorstAdversary"},
		Check: composes(impl.SumRule),
		Controls: []verify.Claim{
			{Says: "with lines 7 and 8 of text [A]: what is left is what was used last", Check: composes(lastUsed)},
			{Says: "δ is charged by the part that was observed", Check: composes(deltaByPart)},
			{Says: "ε is charged by the cheapest part", Check: composes(cheapestPart)},
			{Says: "a mechanism is admitted if its cheapest part is within the budget", Check: composes(admitCheapest)},
			{Says: "δ is asked for but not charged", Check: composes(deltaIsKept)},
		},
	},
	{
		ID:      "ODP-X9",
		Title:   "The δ that is charged must not depend on the part that was observed: some adversary would break the budget",
		Kind:    verify.Exact,
		Verdict: verify.Holds,
		Note: "The paper mentions a counterexample and does not print it. The one found here is the smallest of its family: " +
			"a mechanism that tells the databases apart with probability δ_t and says ⊥ otherwise, at no charge, is run again " +
			"after ⊥: 2δ_t − δ_t² in all.",
		In:    []string{"impl.WorstAdversary"},
		Check: isBroken(deltaByPart),
		Controls: []verify.Claim{
			{Says: "nor may the whole δ be charged", Check: isBroken(impl.SumRule)},
		},
	},
}

// A budget makes an accountant out of e^(ε_t) and δ_t.
type budget = func(expEpsT, deltaT *big.Rat) impl.Rule

// lastUsed is Algorithm 1 with lines 7 and 8 of text [A].
func lastUsed(expEpsT, deltaT *big.Rat) impl.Rule {
	r := impl.SumRule(expEpsT, deltaT)
	r.Next = func(_ []*big.Rat, c *impl.Choice, output int) []*big.Rat {
		return []*big.Rat{c.ExpE[c.Part[output]], c.Delta}
	}
	return r
}

// deltaByPart charges the δ with which the observed part is subset DP: the terms of Lemma 6.
func deltaByPart(expEpsT, deltaT *big.Rat) impl.Rule {
	r := impl.SumRule(expEpsT, deltaT)
	r.Next = func(left []*big.Rat, c *impl.Choice, output int) []*big.Rat {
		k := c.Part[output]
		return []*big.Rat{quo(left[0], c.ExpE[k]), sub(left[1], partDelta(c, k))}
	}
	return r
}

// partDelta returns the smallest δ with which the part k is subset DP, both ways.
func partDelta(c *impl.Choice, k int) *big.Rat {
	s := forSpec(c)
	inPart := func(output string) bool { return s.Part(output) == k }
	return larger(must(spec.SmallestSubsetDelta(s.Laws[0], s.Laws[1], inPart, c.ExpE[k])),
		must(spec.SmallestSubsetDelta(s.Laws[1], s.Laws[0], inPart, c.ExpE[k])))
}

func cheapestPart(expEpsT, deltaT *big.Rat) impl.Rule {
	r := impl.SumRule(expEpsT, deltaT)
	r.Next = func(left []*big.Rat, c *impl.Choice, _ int) []*big.Rat {
		return []*big.Rat{quo(left[0], smallest(c.ExpE)), sub(left[1], c.Delta)}
	}
	return r
}

func admitCheapest(expEpsT, deltaT *big.Rat) impl.Rule {
	r := impl.SumRule(expEpsT, deltaT)
	r.Admits = func(left []*big.Rat, c *impl.Choice) bool {
		return smallest(c.ExpE).Cmp(left[0]) <= 0 && c.Delta.Cmp(left[1]) <= 0
	}
	return r
}

func deltaIsKept(expEpsT, deltaT *big.Rat) impl.Rule {
	r := impl.SumRule(expEpsT, deltaT)
	r.Next = func(left []*big.Rat, c *impl.Choice, output int) []*big.Rat {
		return []*big.Rat{quo(left[0], c.ExpE[c.Part[output]]), left[1]}
	}
	return r
}

// composes checks that no adversary on the menus breaks the budget under the accountant.
func composes(rule budget) verify.Check {
	return func(t *verify.T) {
		t.Domain("%s", menusDomain(t))
		for m := range menus(t) {
			t.Case()
			if broken := m.attack(t, rule); broken != "" {
				t.Refute("%s", broken)
			}
		}
	}
}

// isBroken checks that some adversary on the menus breaks the budget under the accountant.
func isBroken(rule budget) verify.Check {
	return func(t *verify.T) {
		t.Domain("%s", menusDomain(t))
		for m := range menus(t) {
			t.Case()
			if broken := m.attack(t, rule); broken != "" {
				t.Domain("the smallest that breaks it: %s", broken)
				return
			}
		}
		t.Refute("no adversary breaks it: %s", menusDomain(t))
	}
}

// menu is what an adversary may play on, and the budget it has.
type menu struct {
	choices         []impl.Choice
	rounds          int
	expEpsT, deltaT *big.Rat
}

// attack returns the worst adversary if it breaks the budget, and "" otherwise.
func (m menu) attack(t *verify.T, rule budget) string {
	worst, adversary, err := impl.WorstAdversary(t.Context(), m.choices, m.rounds, rule(m.expEpsT, m.deltaT), m.expEpsT)
	t.Must(err)
	if worst.Cmp(m.deltaT) <= 0 {
		return ""
	}
	return fmt.Sprintf("e^ε_t = %s, δ_t = %s: the adversary that plays %v needs δ = %s, where %s",
		show(m.expEpsT), show(m.deltaT), adversary, show(worst), describe(adversary))
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
		c.Name, pair(s.Laws), partition(c.Part), show(c.ExpE...), show(c.Delta))
}

// menusDomain says what menus goes through.
func menusDomain(t *verify.T) string {
	return fmt.Sprintf("every mechanism with at most 3 outputs, probabilities in 1/4, any partition and e^ℰ in {1, 2, 3}, "+
		"with its smallest δ, on its own, both ways round, for 2 to %d rounds and every budget that some rounds use up; "+
		"and a menu of all those in 1/%d for %d rounds", t.Size(2, 4), t.Size(2, 3), t.Size(3, 3))
}

// menus yields the menus, small ones first. Every mechanism is there both ways round.
func menus(t *verify.T) iter.Seq[menu] {
	return func(yield func(menu) bool) {
		for rounds := 2; rounds <= t.Size(2, 4); rounds++ {
			for c := range mechanisms(3, 4) {
				for _, b := range budgets(c, rounds) {
					if !yield(menu{bothWays(c), rounds, b[0], b[1]}) {
						return
					}
				}
			}
		}
		var all []impl.Choice
		for c := range mechanisms(3, t.Size(2, 3)) {
			c.Name = fmt.Sprintf("M%d", len(all)/2+1)
			all = append(all, bothWays(c)...)
		}
		for _, expEpsT := range []*big.Rat{one, big.NewRat(2, 1), big.NewRat(4, 1), big.NewRat(6, 1)} {
			for _, deltaT := range []*big.Rat{new(big.Rat), big.NewRat(1, 4), big.NewRat(1, 2), big.NewRat(3, 4)} {
				if !yield(menu{all, t.Size(3, 3), expEpsT, deltaT}) {
					return
				}
			}
		}
	}
}

// mechanisms yields all mechanisms M with at most m outputs, probabilities that are
// multiples of 1/d, and any partition and charges, small ones first; once for each way to
// number the outputs, and with its smallest δ, if that is below 1.
func mechanisms(m, d int) iter.Seq[impl.Choice] {
	return func(yield func(impl.Choice) bool) {
		seen := map[string]bool{}
		for pair := range pairs(m, d) {
			if seen[pair.String()] || !pair.isSorted() {
				continue
			}
			seen[pair.String()] = true
			for p := range partitions(len(pair[0])) {
				for e := range chargesIn(p, expEs) {
					c := offer(pair, p, e)
					if c.Delta.Cmp(one) < 0 && !yield(c) {
						return
					}
				}
			}
		}
	}
}

// expEs are the values that e^ℰ takes in the mechanisms.
var expEs = []*big.Rat{one, big.NewRat(2, 1), big.NewRat(3, 1)}

// chargesIn yields all e^ℰ on the parts of p with the given values.
func chargesIn(p partition, values []*big.Rat) iter.Seq[[]*big.Rat] {
	return func(yield func([]*big.Rat) bool) {
		n := p.count()
		for code := range pow(len(values), n) {
			if !yield(p.charge(func(k int) *big.Rat { return values[code/pow(len(values), k)%len(values)] })) {
				return
			}
		}
	}
}

// isSorted reports whether the outputs are in the order of their probabilities, the
// largest under b = 0 first, and none is impossible.
func (p pair) isSorted() bool {
	for i := range len(p[0]) {
		here := name(i)
		if p[0][here].Sign() == 0 && p[1][here].Sign() == 0 {
			return false
		}
		if i == 0 {
			continue
		}
		before := name(i - 1)
		if c := p[0][before].Cmp(p[0][here]); c < 0 || c == 0 && p[1][before].Cmp(p[1][here]) > 0 {
			return false
		}
	}
	return true
}

// offer makes a choice of a pair of laws, with its smallest δ.
func offer(pair pair, p partition, expE []*big.Rat) impl.Choice {
	c := impl.Choice{
		Name: "M", Part: p, ExpE: expE,
		Delta: must(spec.SmallestDeltaBothWays(pair[0], pair[1], p.part, expE)),
	}
	for i := range p {
		c.Outputs = append(c.Outputs, name(i))
		for b := range c.Laws {
			c.Laws[b] = append(c.Laws[b], pair[b][name(i)])
		}
	}
	return c
}

// bothWays returns a choice, and the same with the databases exchanged.
func bothWays(c impl.Choice) []impl.Choice {
	back := c
	back.Name += "′"
	back.Laws = [2][]*big.Rat{c.Laws[1], c.Laws[0]}
	return []impl.Choice{c, back}
}

// budgets returns the budgets, as e^(ε_t) and δ_t, that at most so many rounds of a
// mechanism use up, the smallest that admit one.
func budgets(c impl.Choice, rounds int) (all [][2]*big.Rat) {
	products := []*big.Rat{one}
	for range rounds {
		for _, x := range slices.Clone(products) {
			for _, e := range c.ExpE {
				if y := mul(x, e); !containsRat(products, y) {
					products = append(products, y)
				}
			}
		}
	}
	slices.SortFunc(products, (*big.Rat).Cmp)
	for _, expEpsT := range products {
		for n := range rounds {
			if expEpsT.Cmp(largest(c.ExpE)) >= 0 && (n == 0 || c.Delta.Sign() > 0) {
				all = append(all, [2]*big.Rat{expEpsT, mul(big.NewRat(int64(n+1), 1), c.Delta)})
			}
		}
	}
	return all
}

func containsRat(xs []*big.Rat, x *big.Rat) bool {
	return slices.ContainsFunc(xs, func(y *big.Rat) bool { return x.Cmp(y) == 0 })
}

// forSpec returns the same choice for spec.
func forSpec(c *impl.Choice) spec.Choice {
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

func add(x, y *big.Rat) *big.Rat { return new(big.Rat).Add(x, y) }
func sub(x, y *big.Rat) *big.Rat { return new(big.Rat).Sub(x, y) }
func mul(x, y *big.Rat) *big.Rat { return new(big.Rat).Mul(x, y) }
func quo(x, y *big.Rat) *big.Rat { return new(big.Rat).Quo(x, y) }

func larger(x, y *big.Rat) *big.Rat { return largest([]*big.Rat{x, y}) }
