package odp

import (
	"fmt"
	"iter"
	"maps"
	"math/big"
	"slices"
	"strings"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

func compose() []register.Statement { return slices.Concat(rounds(), lemma20(), toys()) }

// rounds are the statements on Algorithms 1 and 6.
func rounds() []register.Statement {
	return []register.Statement{
		{
			ID:      "ODP-X3",
			Title:   "ODP accounting beats DP accounting from two rounds on, and only for mechanisms with a non-trivial guarantee",
			Kind:    register.Exact,
			Verdict: register.Holds,
			Note: "Read: the sum accountant never admits fewer rounds of a mechanism than simple composition with its DP guarantee " +
				"(Lemma 4), on any outputs; for some outputs and some budget it admits more if and only if ℰ is not constant. " +
				"That the advantage ends at “up to a medium number” of mechanisms is ODP-TB1; that the result is plain DP is ODP-T7.",
			In:       []string{"impl.SumRule"},
			Check:    usefulFor(func(c impl.Choice) bool { return len(c.ExpE) > 1 && !rat.Equal(rat.Max(c.ExpE...), rat.Min(c.ExpE...)) }),
			Controls: []register.Claim{{Says: "for every mechanism", Check: usefulFor(func(impl.Choice) bool { return true })}},
		},
		{
			ID:      "ODP-A1",
			Title:   "Algorithm 1 as printed in [A], with ε_r = ℰ_i(P_{i,k}) and δ_r = δ_i in lines 7 and 8, makes views that are (ε_t, δ_t)-DP",
			Kind:    register.Exact,
			Verdict: register.Fails,
			Note: "An algorithm asserts nothing by itself; checked is Theorem 7 on the text of [A]. Its lines 7 and 8 make what was used last " +
				"the budget that remains, so it can be used again and again. Text [B] prints -=, and both texts speak of subtracting. In " +
				"line 4 both print the outputs up to A_i for those up to A_{i−1}. See ODP-T7.",
			In:    []string{"spec.ODPComposition", "spec.ODPCompositionLaw", "spec.Choice", "spec.Adversary", "impl.Accountant"},
			Check: staysPrivate(algorithm1(spec.TextA)),
			Controls: []register.Claim{{
				Says: "[B] does, with ε_r = 2ε_t and δ_r = 2δ_t in line 2",
				Check: staysPrivate(func(a spec.Adversary, expEpsT, deltaT *big.Rat) ([2]map[string]*big.Rat, error) {
					return algorithm1(spec.TextB)(a, rat.Power(expEpsT, 2), rat.Twice(deltaT))
				}),
			}},
			Corrected: &register.Claim{
				Says:  "Algorithm 1 as printed in [B] does",
				Check: staysPrivate(algorithm1(spec.TextB)),
			},
		},
		{
			ID:      "ODP-X7",
			Title:   "An output in a part with ℰ(P) < sup ℰ costs less ε than the DP guarantee (Lemma 4)",
			Kind:    register.Exact,
			Verdict: register.Holds,
			Note: "The saving is against sup ℰ, which is what Lemma 4 gives. The check asks for the converse too, which is clear. " +
				"A partition with a needlessly large ℰ shows a saving too.",
			In: []string{"spec.ODPComposition"},
			Check: saves(func(expE, sup *big.Rat) bool {
				return expE.Cmp(sup) < 0
			}),
			Controls: []register.Claim{{Says: "whenever ℰ(P) ≤ sup ℰ", Check: saves(func(expE, sup *big.Rat) bool {
				return expE.Cmp(sup) <= 0
			})}},
		},
		{
			ID:      "ODP-X8",
			Title:   "To stop early, mechanisms with a fixed output are always admitted, and add nothing to the view",
			Kind:    register.Exact,
			Verdict: register.Holds,
			Note: "That I can be arbitrarily large is the same: rounds with a fixed output change no probability. " +
				"That the formulation is almost equivalent to one with a filter is ODP-X31.",
			In:    []string{"spec.ODPComposition"},
			Check: stopsWith(silence),
			Controls: []register.Claim{{Says: "so is randomized response", Check: stopsWith(func() spec.Choice {
				c := responseChoice(big.NewRat(2, 1))
				return forSpec(&c)
			})}},
		},
		theorem7,
		{
			ID:      "ODP-X9",
			Title:   "The δ that is charged must not depend on the part that was observed: some adversary would break the budget",
			Kind:    register.Exact,
			Verdict: register.Holds,
			Note: "The paper mentions a counterexample and does not print it. The one found here has ℰ = 0: a mechanism tells the " +
				"databases apart with probability δ_t by a and c, and says b otherwise. The part {b} needs no δ, so none is charged " +
				"for it, and the mechanism may run again after b: 2δ_t − δ_t² in all.",
			In:    []string{"impl.WorstAdversary"},
			Check: isBroken(deltaByPart),
			Controls: []register.Claim{
				{Says: "nor may the whole δ be charged", Check: isBroken(impl.SumRule)},
			},
		},
		{
			ID:      "ODP-X10",
			Title:   "Algorithm 1 as a function from the sample space to the view is measurable",
			Kind:    register.Opinion,
			Verdict: register.NotCheckable,
			Note:    "About mechanisms with uncountably many outputs: on the finite ones that a program can go through, every function is measurable.",
		},
		{
			ID:      "ODP-X30",
			Title:   "With the budget used up only (0, 0)-DP mechanisms are allowed",
			Kind:    register.Exact,
			Verdict: register.Holds,
			Note:    "The rates O(εk) and O(ε²k + ε√k) are asymptotic: see ODP-X4 and ODP-X29.",
			In:      []string{"spec.ODPComposition"},
			Check:   usedUp(new(big.Rat)),
			Controls: []register.Claim{
				{Says: "also with a δ of 1/4 left", Check: usedUp(big.NewRat(1, 4))},
			},
		},
		{
			ID:      "ODP-D19",
			Title:   "Valid ODP filters",
			Kind:    register.Definition,
			Verdict: register.NotCheckable,
			Note:    "A filter is valid if Algorithm 6 with it keeps every adversary within (ε_t, δ_t). See ODP-X31 and ODP-X32.",
			In:      []string{"spec.Filter"},
		},
		{
			ID:      "ODP-X31",
			Title:   "Algorithm 1 is equivalent to Algorithm 6 with the sum filter, which is valid",
			Kind:    register.Exact,
			Verdict: register.Holds,
			Note: "Read: the pairs of laws of the view that adversaries can reach are the same. An adversary that Algorithm 1 admits " +
				"has the same laws under Algorithm 6; and the laws of any adversary under Algorithm 6 are those of the one under " +
				"Algorithm 1 that plays the same until line 4 forbids it, and the fixed output ⊥ from then on. In print the second sum " +
				"has δ^[i] for δ_i.",
			In:    []string{"spec.SumFilter", "spec.ODPFilterComposition", "spec.ODPFilterCompositionLaw"},
			Check: equivalent(spec.SumFilter),
			Controls: []register.Claim{
				{Says: "the filter says HALT already if a sum equals the budget", Check: equivalent(strictFilter)},
				{Says: "the filter looks at the sum of ε only", Check: equivalent(func(expEpsT, _ *big.Rat) spec.Filter {
					return spec.SumFilter(expEpsT, big.NewRat(1000, 1))
				})},
				{Says: "the filter looks at the largest ε^[i] instead of the sum", Check: equivalent(maxFilter)},
				{Says: "the filter takes every δ_i that is not 0 for δ_1", Check: equivalent(firstDeltaFilter)},
			},
		},
		{
			ID:      "ODP-A6",
			Title:   "In Algorithm 6 with the sum filter, the outputs that are shown stay within the budget: Σ ε^[i] ≤ ε_t and Σ δ_i ≤ δ_t",
			Kind:    register.Exact,
			Verdict: register.Holds,
			Note: "An algorithm asserts nothing by itself; checked is that what lines 4 and 9 hand to the filter is what was used. That the " +
				"views are then (ε_t, δ_t)-DP is ODP-X31. In line 3 the outputs up to A_i are printed for those up to A_{i−1}.",
			In:    []string{"spec.ODPFilterComposition", "spec.ODPFilterCompositionLaw", "spec.SumFilter"},
			Check: staysWithin(algorithm6(spec.SumFilter)),
			Controls: []register.Claim{
				{Says: "with a filter that looks at the largest ε^[i] instead of the sum", Check: staysWithin(algorithm6(maxFilter))},
			},
		},
	}
}

var theorem7 = register.Statement{
	ID:      "ODP-T7",
	Title:   "Algorithm 1, with subtraction in lines 7 and 8, makes the view of every adversary (ε_t, δ_t)-DP",
	Kind:    register.Exact,
	Verdict: register.Holds,
	Note: "Read with lines 7 and 8 of Algorithm 1 as in text [B], which subtract what was used; with those of " +
		"text [A] it fails, see the control and ODP-A1. The proof in print subtracts too.",
	In:    []string{"spec.ODPComposition", "spec.ODPCompositionLaw", "impl.WorstAdversary", "impl.SumRule", "impl.Accountant", "exhaustive.WorstAdversary"},
	Check: composes(impl.SumRule),
	Controls: []register.Claim{
		{Says: "with lines 7 and 8 of text [A]: what is left is what was used last", Check: composes(lastUsed)},
		{Says: "δ is charged by the part that was observed", Check: composes(deltaByPart)},
		{Says: "ε is charged by the cheapest part", Check: composes(cheapestPart)},
		{Says: "a mechanism is admitted if its cheapest part is within the budget", Check: composes(admitCheapest)},
		{Says: "δ is asked for but not charged", Check: composes(deltaIsKept)},
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
		return []*big.Rat{rat.Quo(left[0], c.ExpE[k]), rat.Sub(left[1], partDelta(c, k))}
	}
	return r
}

// partDelta returns the smallest δ with which the part k is subset DP, both ways.
func partDelta(c *impl.Choice, k int) *big.Rat {
	s := forSpec(c)
	inPart := func(output string) bool { return s.Part(output) == k }
	return rat.Max(register.Must(spec.SmallestSubsetDelta(s.Laws[0], s.Laws[1], inPart, c.ExpE[k])),
		register.Must(spec.SmallestSubsetDelta(s.Laws[1], s.Laws[0], inPart, c.ExpE[k])))
}

func cheapestPart(expEpsT, deltaT *big.Rat) impl.Rule {
	r := impl.SumRule(expEpsT, deltaT)
	r.Next = func(left []*big.Rat, c *impl.Choice, _ int) []*big.Rat {
		return []*big.Rat{rat.Quo(left[0], rat.Min(c.ExpE...)), rat.Sub(left[1], c.Delta)}
	}
	return r
}

func admitCheapest(expEpsT, deltaT *big.Rat) impl.Rule {
	r := impl.SumRule(expEpsT, deltaT)
	r.Admits = func(left []*big.Rat, c *impl.Choice) bool {
		return rat.Min(c.ExpE...).Cmp(left[0]) <= 0 && c.Delta.Cmp(left[1]) <= 0
	}
	return r
}

func deltaIsKept(expEpsT, deltaT *big.Rat) impl.Rule {
	r := impl.SumRule(expEpsT, deltaT)
	r.Next = func(left []*big.Rat, c *impl.Choice, output int) []*big.Rat {
		return []*big.Rat{rat.Quo(left[0], c.ExpE[c.Part[output]]), left[1]}
	}
	return r
}

// composes checks that no adversary on the menus breaks the budget under the accountant.
func composes(rule budget) register.Check {
	return func(t *register.T) {
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
// It looks at the menus without ℰ first.
func isBroken(rule budget) register.Check {
	return func(t *register.T) {
		t.Domain("%s", menusDomain(t))
		for _, free := range []bool{true, false} {
			for m := range menus(t) {
				if m.isFree() != free {
					continue
				}
				t.Case()
				if broken := m.attack(t, rule); broken != "" {
					t.Domain("the smallest that breaks it: %s", broken)
					return
				}
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

// isFree reports whether ℰ is 0 on all parts.
func (m menu) isFree() bool {
	return !slices.ContainsFunc(m.choices, func(c impl.Choice) bool { return rat.Max(c.ExpE...).Cmp(rat.One) > 0 })
}

// attack returns the worst adversary if it breaks the budget, and "" otherwise.
func (m menu) attack(t *register.T, rule budget) string {
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
		c.Name, pair(s.Laws), partition(c.Part), rat.Show(c.ExpE...), rat.Show(c.Delta))
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

// leakOrBottom tells the databases apart with probability δ, and says ⊥ otherwise.
func leakOrBottom(delta *big.Rat) impl.Choice {
	rest, zero := rat.Complement(delta), new(big.Rat)
	return impl.Choice{
		Name: "leak", Outputs: []string{"0", "⊥", "1"},
		Laws: [2][]*big.Rat{{delta, rest, zero}, {zero, rest, delta}},
		Part: []int{0, 1, 0}, ExpE: []*big.Rat{rat.One, rat.One}, Delta: delta,
	}
}

// choices yields all mechanisms M with at most m outputs, probabilities that are
// multiples of 1/d, and any partition and charges, small ones first; once for each way to
// number the outputs, and with its smallest δ, if that is below 1.
func choices(m, d int) iter.Seq[impl.Choice] {
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
					if c.Delta.Cmp(rat.One) < 0 && !yield(c) {
						return
					}
				}
			}
		}
	}
}

// expEs are the values that e^ℰ takes in the mechanisms.
var expEs = []*big.Rat{rat.One, big.NewRat(2, 1), big.NewRat(3, 1)}

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
		Delta: register.Must(spec.SmallestDeltaBothWays(pair[0], pair[1], p.part, expE)),
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
	products := []*big.Rat{rat.One}
	for range rounds {
		for _, x := range slices.Clone(products) {
			for _, e := range c.ExpE {
				if y := rat.Mul(x, e); !containsRat(products, y) {
					products = append(products, y)
				}
			}
		}
	}
	slices.SortFunc(products, (*big.Rat).Cmp)
	for _, expEpsT := range products {
		for n := range rounds {
			if expEpsT.Cmp(rat.Max(c.ExpE...)) >= 0 && (n == 0 || c.Delta.Sign() > 0) {
				all = append(all, [2]*big.Rat{expEpsT, rat.Mul(rat.Int(n+1), c.Delta)})
			}
		}
	}
	return all
}

func containsRat(xs []*big.Rat, x *big.Rat) bool {
	return slices.ContainsFunc(xs, func(y *big.Rat) bool { return rat.Equal(x, y) })
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

// responseChoice is randomized response with δ = 0 and one part: the worst ε-DP mechanism.
func responseChoice(expEps *big.Rat) impl.Choice {
	likely, unlikely := rat.Quo(expEps, rat.Add(rat.One, expEps)), rat.Quo(rat.One, rat.Add(rat.One, expEps))
	return impl.Choice{
		Name: "response", Outputs: []string{"1", "2"},
		Laws: [2][]*big.Rat{{likely, unlikely}, {unlikely, likely}},
		Part: []int{0, 0}, ExpE: []*big.Rat{expEps}, Delta: new(big.Rat),
	}
}

// silence is a mechanism with the fixed output ⊥.
func silence() spec.Choice {
	return spec.Choice{
		Laws: [2]map[string]*big.Rat{{spec.Bottom: rat.One}, {spec.Bottom: rat.One}},
		Part: func(string) int { return 0 }, ExpE: []*big.Rat{rat.One}, Delta: new(big.Rat),
	}
}

// game is what is played in the first round, and in the second one after the outputs whose
// bit in the set is 1; otherwise the adversary is silent. It has a budget.
type game struct {
	first, second   impl.Choice
	set             int
	expEpsT, deltaT *big.Rat
}

// adversary plays the game.
func (g game) adversary() spec.Adversary {
	first, second := forSpec(&g.first), forSpec(&g.second)
	return spec.Adversary{Coins: 1, Choose: func(_ string, outputs []string) spec.Choice {
		switch {
		case len(outputs) == 0:
			return first
		case len(outputs) == 1 && g.set>>slices.Index(g.first.Outputs, outputs[0])&1 == 1:
			return second
		}
		return silence()
	}}
}

func (g game) String() string {
	var after []string
	otherwise := ""
	for z, output := range g.first.Outputs {
		if g.set>>z&1 == 1 {
			after = append(after, output)
		} else {
			otherwise = ", and otherwise ⊥"
		}
	}
	text := fmt.Sprintf("e^ε_t = %s, δ_t = %s: %s", rat.Show(g.expEpsT), rat.Show(g.deltaT), describeChoice(&g.first))
	switch {
	case len(after) == 0:
		return text + ", and is run once, then ⊥"
	case g.second.Name == g.first.Name:
		return text + ", and is run again after " + strings.Join(after, " or ") + otherwise
	}
	return text + "; after " + strings.Join(after, " or ") + " runs " + describeChoice(&g.second) + otherwise
}

// playedTwice yields the games with a small mechanism that depends on the data, which may
// be run again.
func playedTwice(t *register.T) iter.Seq[game] {
	small := slices.Concat(dependent(2, 2, 3), dependent(2, 3, 3))
	if t.Size(0, 1) == 1 {
		small = slices.Concat(dependent(3, 2, 3), dependent(2, 4, 3))
	}
	return func(yield func(game) bool) {
		for _, c := range small {
			for _, b := range budgets(c, 2) {
				for set := range 1 << len(c.Outputs) {
					if !yield(game{c, c, set, b[0], b[1]}) {
						return
					}
				}
			}
		}
	}
}

// playedInTurn yields the games with two small mechanisms that depend on the data.
func playedInTurn(t *register.T) iter.Seq[game] {
	firsts, seconds := dependent(2, t.Size(2, 3), 2), dependent(2, 3, 2)
	return func(yield func(game) bool) {
		for _, c := range firsts {
			for _, second := range seconds {
				second.Name = "N"
				for _, b := range budgetsOf(c, second) {
					for set := 1; set < 1<<len(c.Outputs); set++ {
						if !yield(game{c, second, set, b[0], b[1]}) {
							return
						}
					}
				}
			}
		}
	}
}

// played yields both kinds of games.
func played(t *register.T) iter.Seq[game] {
	return func(yield func(game) bool) {
		for _, games := range []iter.Seq[game]{playedTwice(t), playedInTurn(t)} {
			for g := range games {
				if !yield(g) {
					return
				}
			}
		}
	}
}

// budgetsOf returns the budgets that both use up, or that only just admit both.
func budgetsOf(c, second impl.Choice) (all [][2]*big.Rat) {
	deltas := []*big.Rat{rat.Max(c.Delta, second.Delta), rat.Add(c.Delta, second.Delta)}
	var products []*big.Rat
	for _, x := range c.ExpE {
		if y := rat.Mul(x, rat.Max(second.ExpE...)); y.Cmp(rat.Max(c.ExpE...)) >= 0 && !containsRat(products, y) {
			products = append(products, y)
		}
	}
	for _, x := range products {
		for _, delta := range deltas {
			all = append(all, [2]*big.Rat{x, delta})
		}
	}
	return all
}

// dependent returns the mechanisms with at most m outputs, probabilities in 1/d and e^ℰ up to
// most that depend on the data.
func dependent(m, d int, most int64) (all []impl.Choice) {
	for c := range choices(m, d) {
		if rat.Max(c.ExpE...).Cmp(big.NewRat(most, 1)) <= 0 && !slices.EqualFunc(c.Laws[0], c.Laws[1], rat.Equal) {
			all = append(all, c)
		}
	}
	return all
}

func playedTwiceDomain(t *register.T) string {
	sizes := "2 outputs and probabilities in 1/2 or 1/3"
	if t.Size(0, 1) == 1 {
		sizes = "2 outputs and probabilities in 1/4, or 3 and in 1/2"
	}
	return "every mechanism with " + sizes + ", any partition and e^ℰ in {1, 2, 3}, with its smallest δ, " +
		"run again after any set of its outputs; every budget that one or two rounds use up"
}

func playedInTurnDomain(t *register.T) string {
	return fmt.Sprintf("every mechanism with 2 outputs, probabilities in 1/%d and e^ℰ in {1, 2}, and after any of its outputs "+
		"every one in 1/3; budgets that both use up or that just admit both", t.Size(2, 3))
}

// algorithm returns the laws of the view in two rounds.
type algorithm = func(a spec.Adversary, expEpsT, deltaT *big.Rat) ([2]map[string]*big.Rat, error)

func algorithm1(text spec.Text) algorithm {
	return func(a spec.Adversary, expEpsT, deltaT *big.Rat) ([2]map[string]*big.Rat, error) {
		return spec.ODPCompositionLaw(a, expEpsT, deltaT, 2, text)
	}
}

// A filters makes a filter out of e^(ε_t) and δ_t.
type filters = func(expEpsT, deltaT *big.Rat) spec.Filter

func algorithm6(filter filters) algorithm {
	return func(a spec.Adversary, expEpsT, deltaT *big.Rat) ([2]map[string]*big.Rat, error) {
		return spec.ODPFilterCompositionLaw(a, filter(expEpsT, deltaT), 2)
	}
}

// strictFilter is the sum filter with ≥ instead of >.
func strictFilter(expEpsT, deltaT *big.Rat) spec.Filter {
	return func(expEps, delta []*big.Rat) bool {
		total, sum := rat.One, new(big.Rat)
		for i := range expEps {
			total, sum = rat.Mul(total, expEps[i]), rat.Add(sum, delta[i])
		}
		return total.Cmp(expEpsT) >= 0 || sum.Cmp(deltaT) >= 0
	}
}

// maxFilter looks at the largest ε^[i] instead of the sum.
func maxFilter(expEpsT, deltaT *big.Rat) spec.Filter {
	return func(expEps, delta []*big.Rat) bool {
		sum := new(big.Rat)
		for _, d := range delta {
			sum = rat.Add(sum, d)
		}
		return rat.Max(expEps...).Cmp(expEpsT) > 0 || sum.Cmp(deltaT) > 0
	}
}

// firstDeltaFilter is the sum filter for the rounds of one mechanism only.
func firstDeltaFilter(expEpsT, deltaT *big.Rat) spec.Filter {
	return func(expEps, delta []*big.Rat) bool {
		alike := slices.Clone(delta)
		for i, d := range delta {
			if d.Sign() > 0 {
				alike[i] = delta[0]
			}
		}
		return spec.SumFilter(expEpsT, deltaT)(expEps, alike)
	}
}

// staysPrivate checks that the views are (ε_t, δ_t)-DP. An adversary that makes a choice
// that is not allowed has no view.
func staysPrivate(run algorithm) register.Check {
	return func(t *register.T) {
		t.Domain("%s", playedTwiceDomain(t))
		for g := range playedTwice(t) {
			t.Case()
			laws, err := run(g.adversary(), g.expEpsT, g.deltaT)
			if err != nil {
				continue
			}
			if delta := register.Must(spec.SmallestDPDelta(laws[0], laws[1], g.expEpsT)); delta.Cmp(g.deltaT) > 0 {
				t.Refute("%v: the views need δ = %s: they have %v", g, rat.Show(delta), shown(laws))
			}
		}
	}
}

// shown are the laws of the outputs in the view, without the only coin toss.
func shown(laws [2]map[string]*big.Rat) (outputs pair) {
	for b, views := range laws {
		outputs[b] = law{}
		for view, pr := range views {
			_, after, _ := strings.Cut(view, ",")
			outputs[b]["("+after+")"] = pr
		}
	}
	return outputs
}

// staysWithin checks that what the outputs of a view have cost is within the budget. An
// adversary that makes a choice that is not allowed has no view.
func staysWithin(run algorithm) register.Check {
	return func(t *register.T) {
		t.Domain("%s; %s", playedTwiceDomain(t), playedInTurnDomain(t))
		for g := range played(t) {
			t.Case()
			laws, err := run(g.adversary(), g.expEpsT, g.deltaT)
			if err != nil {
				continue
			}
			for _, view := range slices.Sorted(maps.Keys(shown(laws)[0])) { // the same counterexample every time
				if expEps, delta := g.cost(view); expEps.Cmp(g.expEpsT) > 0 || delta.Cmp(g.deltaT) > 0 {
					t.Refute("%v: the outputs %s have used e^ε = %s and δ = %s", g, view, rat.Show(expEps), rat.Show(delta))
				}
			}
		}
	}
}

// cost returns the product of e^ℰ and the sum of δ over the outputs in a view.
func (g game) cost(view string) (expEps, delta *big.Rat) {
	expEps, delta = rat.One, new(big.Rat)
	choices := []impl.Choice{g.first, g.second}
	for i, output := range strings.Split(strings.Trim(view, "()"), ",") {
		c := choices[i]
		if z := slices.Index(c.Outputs, output); z >= 0 {
			expEps, delta = rat.Mul(expEps, c.ExpE[c.Part[z]]), rat.Add(delta, c.Delta)
		}
	}
	return expEps, delta
}

// equivalent checks that Algorithm 1 and Algorithm 6 with the filter have the same views, in
// both directions, and that those are (ε_t, δ_t)-DP.
func equivalent(filter filters) register.Check {
	return func(t *register.T) {
		t.Domain("%s; %s", playedTwiceDomain(t), playedInTurnDomain(t))
		for g := range played(t) {
			t.Case()
			a := g.adversary()
			halting := register.Must(algorithm6(filter)(a, g.expEpsT, g.deltaT))
			if admitted, err := algorithm1(spec.TextB)(a, g.expEpsT, g.deltaT); err == nil && !sameLaws(admitted, halting) {
				t.Refute("%v: Algorithm 1 admits the adversary with %v, Algorithm 6 makes it %v", g, shown(admitted), shown(halting))
			}
			silenced := register.Must(algorithm1(spec.TextB)(g.obedient(a), g.expEpsT, g.deltaT))
			if !sameLaws(silenced, halting) {
				t.Refute("%v: Algorithm 6 has %v, Algorithm 1 with the adversary that falls silent %v", g, shown(halting), shown(silenced))
			}
			if delta := register.Must(spec.SmallestDPDelta(halting[0], halting[1], g.expEpsT)); delta.Cmp(g.deltaT) > 0 {
				t.Refute("%v: Algorithm 6 has %v, which needs δ = %s", g, shown(halting), rat.Show(delta))
			}
		}
	}
}

// obedient plays as the adversary does until line 4 of Algorithm 1 forbids it, and is
// silent from then on.
func (g game) obedient(a spec.Adversary) spec.Adversary {
	return spec.Adversary{Coins: a.Coins, Choose: func(coins string, outputs []string) spec.Choice {
		expEpsR, deltaR := g.expEpsT, g.deltaT
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

func sameLaws(x, y [2]map[string]*big.Rat) bool {
	return pair(x).String() == pair(y).String()
}

// saves checks that after an output in P there is room for a mechanism with e^ε_t / e^ℰ(P),
// and that DP accounting would have none exactly where it should say so.
func saves(when func(expE, sup *big.Rat) bool) register.Check {
	return func(t *register.T) {
		t.Domain("every mechanism with 3 outputs, probabilities in 1/%d, any partition and e^ℰ in {1, 2, 3}, each of its outputs; "+
			"e^ε_t twice its largest e^ℰ", t.Size(2, 4))
		for c := range choices(3, t.Size(2, 4)) {
			sup := rat.Max(c.ExpE...)
			plain := c
			plain.Part, plain.ExpE = make([]int, len(c.Part)), []*big.Rat{sup}
			for z, output := range c.Outputs {
				t.Case()
				expE := c.ExpE[c.Part[z]]
				expEpsT := rat.Mul(big.NewRat(2, 1), sup)
				then := responseChoice(rat.Quo(expEpsT, expE))
				if !admittedAfter(c, output, then, expEpsT) {
					t.Refute("%s: after %s there is no room for e^ε = %s of e^ε_t = %s", describeChoice(&c), output, rat.Show(then.ExpE[0]), rat.Show(expEpsT))
				}
				if saved := !admittedAfter(plain, output, then, expEpsT); saved != when(expE, sup) {
					t.Refute("%s: after %s, e^ℰ = %s, saved is %v", describeChoice(&c), output, rat.Show(expE), saved)
				}
			}
		}
	}
}

// admittedAfter reports whether Algorithm 1 admits a choice after the output of another.
func admittedAfter(first impl.Choice, output string, then impl.Choice, expEpsT *big.Rat) bool {
	choices, draws := []spec.Choice{forSpec(&first), forSpec(&then)}, []string{"0", output, then.Outputs[0]}
	a := spec.Adversary{Coins: 1, Choose: func(_ string, outputs []string) spec.Choice { return choices[len(outputs)] }}
	_, err := spec.ODPComposition(a, expEpsT, first.Delta, 0, 2, spec.TextB, func(map[string]*big.Rat) string {
		next := draws[0]
		draws = draws[1:]
		return next
	})
	return err == nil
}

// usefulFor checks that the sum accountant admits more rounds than simple composition, at
// some budget, for these mechanisms only, and never fewer.
func usefulFor(which func(impl.Choice) bool) register.Check {
	return func(t *register.T) {
		t.Domain("every mechanism with 3 outputs, probabilities in 1/%d, any partition and e^ℰ in {1, 2, 3}; every budget that at most "+
			"3 rounds use up", t.Size(3, 4))
		for c := range choices(3, t.Size(3, 4)) {
			t.Case()
			useful := false
			plain := c
			plain.Part, plain.ExpE = make([]int, len(c.Part)), []*big.Rat{rat.Max(c.ExpE...)}
			for _, b := range budgets(c, 3) {
				rule := impl.SumRule(b[0], b[1])
				dp, odp := longest(rule, rule.Start, &plain, 3), longest(rule, rule.Start, &c, 3)
				if odp < dp || odp > dp && odp < 2 {
					t.Refute("%v: %d rounds, %d by DP accounting", step{c, b[0], b[1]}, odp, dp)
				}
				useful = useful || odp > dp
			}
			if useful != which(c) {
				t.Refute("%s: more rounds than by DP accounting at some budget is %v", describeChoice(&c), useful)
			}
		}
	}
}

// longest returns the largest number of rounds of c that are admitted, on any outputs.
func longest(rule impl.Rule, state []*big.Rat, c *impl.Choice, rounds int) int {
	if rounds == 0 || !rule.Admits(state, c) {
		return 0
	}
	best := 0
	for z := range c.Outputs {
		best = max(best, longest(rule, rule.Next(state, c, z), c, rounds-1))
	}
	return 1 + best
}

// stopsWith checks that rounds of the mechanism are admitted after any views, and that
// they add nothing to them.
func stopsWith(last func() spec.Choice) register.Check {
	return func(t *register.T) {
		t.Domain("%s; then 1 to 2 more rounds", playedTwiceDomain(t))
		for g := range playedTwice(t) {
			t.Case()
			a := g.obedient(g.adversary())
			played := register.Must(algorithm1(spec.TextB)(a, g.expEpsT, g.deltaT))
			longer := spec.Adversary{Coins: 1, Choose: func(coins string, outputs []string) spec.Choice {
				if len(outputs) >= 2 {
					return last()
				}
				return a.Choose(coins, outputs)
			}}
			for more := 1; more <= 2; more++ {
				got, err := spec.ODPCompositionLaw(longer, g.expEpsT, g.deltaT, 2+more, spec.TextB)
				if err != nil {
					t.Refute("%v: %v", g, err)
				}
				if !sameLaws(got, [2]law{padded(played[0], more), padded(played[1], more)}) {
					t.Refute("%v: %v became %v", g, shown(played), shown(got))
				}
			}
		}
	}
}

// padded appends ⊥ to every view.
func padded(l law, more int) law {
	longer := law{}
	for view, pr := range l {
		longer[view+strings.Repeat(","+spec.Bottom, more)] = pr
	}
	return longer
}

// usedUp checks that after randomized response has used ε_t, and with δ = delta left, a
// mechanism is allowed only if it is (0, 0)-DP.
func usedUp(delta *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("randomized response with e^ε = 3, then every mechanism with %d outputs and probabilities in 1/4, whatever its partition, "+
			"e^ℰ in {1, 2, 3}", t.Size(3, 4))
		three := big.NewRat(3, 1)
		for c := range choices(t.Size(3, 4), 4) {
			t.Case()
			s := forSpec(&c)
			perfect := register.Must(spec.SmallestDPDelta(s.Laws[0], s.Laws[1], rat.One)).Sign() == 0
			a := spec.Adversary{Coins: 1, Choose: func(_ string, outputs []string) spec.Choice {
				if len(outputs) == 0 {
					r := responseChoice(three)
					return forSpec(&r)
				}
				return s
			}}
			_, err := spec.ODPCompositionLaw(a, three, delta, 2, spec.TextB)
			if allowed := err == nil; allowed && !perfect {
				t.Refute("%s is allowed", describeChoice(&c))
			} else if perfect && rat.Max(c.ExpE...).Cmp(rat.One) == 0 && !allowed {
				t.Refute("%s is not allowed: %v", describeChoice(&c), err)
			}
		}
	}
}
