package odp

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"checkrr/exhaustive"
	"checkrr/impl/ledger"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// player is an adversary that tosses coins and has a choice from its menu for every list of outputs. It may
// claim less of a mechanism than is true, and ask for more than it may.
type player struct {
	menu            []ledger.Choice
	coins, rounds   int
	plan            map[string]int // by coin and outputs, joined by commas: the number of the choice
	expEpsT, deltaT *big.Rat
}

// at is what the player chooses after a coin and outputs.
func (p player) at(view string) *ledger.Choice { return &p.menu[p.plan[view]] }

// adversary plays it on paper.
func (p player) adversary() spec.Adversary {
	return spec.Adversary{Coins: p.coins, Choose: func(coins string, outputs []string) spec.Choice {
		return finite.ForSpec(p.at(strings.Join(append([]string{coins}, outputs...), ",")))
	}}
}

func (p player) String() string {
	text := fmt.Sprintf("e^ε_t = %s, δ_t = %s, %d coins, %d rounds: ",
		rat.Show(p.expEpsT), rat.Show(p.deltaT), p.coins, p.rounds)
	for i := range p.menu {
		text += finite.Describe(&p.menu[i]) + "; "
	}
	var plan []string
	for coin := range p.coins {
		p.eachView(strconv.Itoa(coin), p.rounds, func(view string) {
			plan = append(plan, fmt.Sprintf("(%s) %s", view, p.at(view).Name))
		})
	}
	return text + "after " + strings.Join(plan, ", ")
}

// eachView visits the views that are followed by a choice.
func (p player) eachView(view string, rounds int, visit func(view string)) {
	if rounds == 0 {
		return
	}
	visit(view)
	for _, output := range p.at(view).Outputs {
		p.eachView(view+","+output, rounds-1, visit)
	}
}

// quiet is a mechanism with the fixed output ⊥.
func quiet() ledger.Choice {
	one := []*big.Rat{rat.One}
	return ledger.Choice{Name: "silence", Outputs: []string{spec.Bottom}, Laws: [2][]*big.Rat{one, one}, Part: []int{0},
		ExpE: one, Delta: new(big.Rat)}
}

// randomPlayer has two mechanisms, and what is silent, for up to three rounds. In some, the second claims
// a tenth less δ than it needs, or a tenth less e^ℰ on one part, or what is true in one direction.
func randomPlayer(d register.Dice) player {
	p := player{coins: 1 + d.Roll(2), rounds: 1 + d.Roll(3), expEpsT: rat.One, deltaT: new(big.Rat),
		plan: map[string]int{}}
	p.menu = []ledger.Choice{quiet(), randomChoice(d, "M"), randomChoice(d, "N")}
	for range 1 + d.Roll(p.rounds) {
		c := p.menu[1+d.Roll(2)]
		p.expEpsT = rat.Mul(p.expEpsT, c.ExpE[d.Roll(len(c.ExpE))])
		p.deltaT = rat.Min(rat.One, rat.Add(p.deltaT, c.Delta))
	}
	boast(d, &p.menu[2])
	for coin := range p.coins {
		p.eachView(strconv.Itoa(coin), p.rounds, func(view string) { p.plan[view] = []int{1, 2, 1, 2, 0}[d.Roll(5)] })
	}
	return p
}

// randomChoice is a mechanism with two outputs, in one of four with three, and its smallest δ.
func randomChoice(d register.Dice, name string) ledger.Choice {
	m := 2 + d.Roll(4)/3
	parts := finite.RandomPartition(d, m)
	charges := rat.List("1", "3/2", "2", "3")
	c := finite.NewChoice(finite.RandomPair(d, m, 3), parts,
		parts.Charge(func(int) *big.Rat { return charges[d.Roll(len(charges))] }))
	c.Name = name
	return c
}

// boast makes a choice claim less than is true, in about one of three.
func boast(d register.Dice, c *ledger.Choice) {
	tenthLess := big.NewRat(9, 10)
	switch k := d.Roll(len(c.ExpE)); d.Roll(8) {
	case 4, 5: // what is true in one direction, whichever is less
		s := finite.ForSpec(c)
		at := func(output string) *big.Rat { return c.ExpE[s.Part(output)] }
		c.Delta = rat.Min(finite.PairOf(s.Laws).Delta(at), finite.PairOf(s.Laws).Back().Delta(at))
	case 6:
		c.Delta = rat.Mul(tenthLess, c.Delta)
	case 7:
		c.ExpE[k] = rat.Max(rat.One, rat.Mul(tenthLess, c.ExpE[k]))
	}
}

// isHonest reports whether a choice is ODP as claimed, output by output.
func isHonest(c *ledger.Choice) bool {
	laws, part := finite.PairOf(finite.ForSpec(c).Laws), finite.ForSpec(c).Part
	return laws.DeltaBothWays(func(output string) *big.Rat { return c.ExpE[part(output)] }).Cmp(c.Delta) <= 0
}

// referee is an accountant in some state: whether it admits a choice, and what it is after an output of it.
type referee struct {
	admits func(c *ledger.Choice) bool
	next   func(c *ledger.Choice, output int) referee
}

// byRule is the referee that remembers what a rule does.
func byRule(rule ledger.Rule) referee {
	return referee{
		admits: func(c *ledger.Choice) bool { return rule.Admits(rule.Start, c) },
		next: func(c *ledger.Choice, output int) referee {
			return byRule(ledger.Rule{Start: rule.Next(rule.Start, c, output), Admits: rule.Admits, Next: rule.Next})
		},
	}
}

// guaranteeOf is what a choice claims, with parts that are called by their numbers.
func guaranteeOf(c *ledger.Choice) ledger.Guarantee {
	g := ledger.Guarantee{Delta: c.Delta}
	for k, e := range c.ExpE {
		g.Parts = append(g.Parts, ledger.Part{Name: strconv.Itoa(k), Eps: loss.Exp(e)})
	}
	return g
}

// byAccountant is the referee that keeps the accounts of users.
func byAccountant(a ledger.Accountant) referee {
	return referee{
		admits: func(c *ledger.Choice) bool { return a.Admits(guaranteeOf(c)) == nil },
		next: func(c *ledger.Choice, output int) referee {
			after, _ := a.Spend(guaranteeOf(c), strconv.Itoa(c.Part[output]))
			return byAccountant(after)
		},
	}
}

// accountantOf is the accountant with a budget.
func accountantOf(expEpsT, deltaT *big.Rat) referee {
	return byAccountant(register.Must(ledger.NewAccountant(loss.Exp(expEpsT), deltaT)))
}

// game is how a player is refereed.
type game struct {
	player  player
	halts   bool // a choice that is not admitted ends the game with ⊥, as in Algorithm 6, and is no fault
	views   finite.Pair
	isFair  bool // no choice was dishonest or, unless halts, not admitted
	refused map[string]bool
}

// views returns the laws of the views, by multiplication along the tree, and whether all choices were fair.
func (p player) views(r referee, halts bool) game {
	g := game{player: p, halts: halts, views: finite.Pair{{}, {}}, isFair: true, refused: map[string]bool{}}
	each := big.NewRat(1, int64(p.coins))
	for coin := range p.coins {
		g.play(strconv.Itoa(coin), p.rounds, r, [2]*big.Rat{each, each})
	}
	return g
}

func (g *game) play(view string, rounds int, r referee, pr [2]*big.Rat) {
	if rounds == 0 {
		g.views[0][view], g.views[1][view] = pr[0], pr[1]
		return
	}
	c := g.player.at(view)
	if !isHonest(c) {
		g.isFair = false
		return
	}
	if !r.admits(c) {
		g.refused[view] = true
		if !g.halts {
			g.isFair = false
			return
		}
		g.play(view+strings.Repeat(","+spec.Bottom, rounds), 0, r, pr)
		return
	}
	for z, output := range c.Outputs {
		g.play(view+","+output, rounds-1, r.next(c, z), [2]*big.Rat{rat.Mul(pr[0], c.Laws[0][z]),
			rat.Mul(pr[1], c.Laws[1][z])})
	}
}

// obedient is the player that is silent from where the rule does not admit its choice.
func (p player) obedient(rule ledger.Rule) player {
	refused := p.views(byRule(rule), true).refused
	plan := map[string]int{}
	for view, choice := range p.plan {
		plan[view] = choice
	}
	for view := range refused {
		for i := range p.rounds {
			plan[view+strings.Repeat(","+spec.Bottom, i)] = 0
		}
	}
	p.plan = plan
	return p
}

// ofPlayers goes through n of them.
func ofPlayers(t *register.T, n int, check func(t *register.T, p player)) {
	t.AlsoDomain("%d random adversaries with up to 2 coins, 3 rounds and 2 mechanisms with up to 3 outputs, "+
		"whose choices depend on the coins and on all outputs, some of them with claims that are a tenth too good, "+
		"or true in one direction only", n)
	t.Random(7, n, func(t *register.T, d register.Dice) { check(t, randomPlayer(d)) })
}

// judged returns the menu and the accountant for exhaustive: its accountant is asked from
// the first move on every time.
func judged(m finite.Menu, rule ledger.Rule) ([]exhaustive.Choice, exhaustive.Admits) {
	var choices []exhaustive.Choice
	for _, c := range m.Choices {
		choices = append(choices, exhaustive.Choice{Laws: c.Laws, Part: c.Part, ExpE: c.ExpE, Delta: c.Delta})
	}
	return choices, func(moves []exhaustive.Move, next int) bool {
		state := rule.Start
		for _, move := range moves {
			state = rule.Next(state, &m.Choices[move.Choice], move.Output)
		}
		return rule.Admits(state, &m.Choices[next])
	}
}

// asAdversary plays a strategy, and is silent where it stops.
func asAdversary(s *ledger.Strategy) spec.Adversary {
	return spec.Adversary{Coins: 1, Choose: func(_ string, outputs []string) spec.Choice {
		at := s
		for _, output := range outputs {
			if at != nil {
				at = at.Then[slices.Index(at.Choice.Outputs, output)]
			}
		}
		c := quiet()
		if at != nil {
			c = *at.Choice
		}
		return finite.ForSpec(&c)
	}}
}

// knows refutes that what three rooms know of the worst adversary on a menu is what is known, if that is not nil, and
// the same: by backward induction, by going through all adversaries, and by playing the one that was found on paper.
func knows(t *register.T, m finite.Menu, at, known *big.Rat) {
	rule := ledger.SumRule(m.ExpEpsT, m.DeltaT)
	fast, s := m.Worst(t, rule, at)
	choices, admits := judged(m, rule)
	slow, _, err := exhaustive.WorstAdversary(t.Context(), choices, m.Rounds, admits, at)
	t.Must(err)
	laws := register.Must(finite.ODPComposition(asAdversary(s), m.ExpEpsT, m.DeltaT, m.Rounds, spec.TextB))
	if known == nil {
		known = fast
	}
	played := laws.Delta(finite.Constant(at))
	found := []*big.Rat{fast, slow, played}
	t.Require(!slices.ContainsFunc(found, func(x *big.Rat) bool { return !rat.Equal(x, known) }),
		"%d rounds of %v: at e^ε = %s they need δ = %s in three rooms, but %s is known",
		m.Rounds, m.Choices, at, found, known)
}

// randomMenu has one or two mechanisms, for few rounds if they have many outputs.
func randomMenu(d register.Dice) finite.Menu {
	m := finite.Menu{Rounds: 3, ExpEpsT: rat.One, DeltaT: new(big.Rat)}
	for i := range 1 + d.Roll(2) {
		c := randomChoice(d, []string{"M", "N"}[i])
		if len(c.Outputs) > 2 {
			m.Rounds = 2
		}
		m.Choices = append(m.Choices, c)
	}
	for range 1 + d.Roll(m.Rounds) {
		c := m.Choices[d.Roll(len(m.Choices))]
		m.ExpEpsT = rat.Mul(m.ExpEpsT, c.ExpE[d.Roll(len(c.ExpE))])
		m.DeltaT = rat.Add(m.DeltaT, c.Delta)
	}
	return m
}

// searches checks that the worst adversary is the same in all rooms, and for randomized response and a leak what is
// known: k rounds with (ε, δ) need 1 − (1 − δ)^k at kε; without δ, they need what optimal composition says at any ε.
func searches(t *register.T, known func(k int) int) {
	random, most := t.Size(30, 600), t.Size(3, 4)
	t.AlsoDomain("the worst adversaries on %d random menus, and those with 1 to %d randomized responses "+
		"or leaks, in three rooms", random, most)
	t.Random(11, random, func(t *register.T, d register.Dice) {
		m := randomMenu(d)
		at := []*big.Rat{m.ExpEpsT, rat.One, big.NewRat(5, 4)}[d.Roll(3)]
		knows(t, m, at, nil)
	})
	for k := 1; k <= most; k++ {
		e, delta := big.NewRat(3, 2), big.NewRat(1, 10)
		t.Case()
		leaked := atLeastOnce(known(k), delta)
		knowsOf(t, leakOrBottom(delta), k, rat.One, leaked)
		if k <= 2 { // its four outputs make too many adversaries for three rounds
			knowsOf(t, responseWith(e, delta), k, rat.Power(e, k), leaked)
		}
		for _, at := range rat.List("1", "7/4") {
			t.Case()
			knowsOf(t, finite.ResponseChoice(e), k, at, optimalDelta(e, known(k), at))
		}
	}
}

// knowsOf checks what k rounds of a mechanism need, with just their budget.
func knowsOf(t *register.T, c ledger.Choice, k int, at, known *big.Rat) {
	knows(t, finite.Menu{Choices: []ledger.Choice{c}, Rounds: k, ExpEpsT: rat.Power(c.ExpE[0], k),
		DeltaT: rat.Mul(rat.Int(k), c.Delta)}, at, known)
}

// responseWith is randomized response: the worst (ε, δ)-DP mechanism.
func responseWith(expEps, delta *big.Rat) ledger.Choice {
	table := spec.RandomizedResponse(spec.Mechanism{ExpEps: expEps, Delta: delta})
	return ledger.Choice{Name: "response", Outputs: []string{"0", "1", "2", "3"},
		Laws: [2][]*big.Rat{table[0][:], table[1][:]},
		Part: []int{0, 0, 0, 0}, ExpE: []*big.Rat{expEps}, Delta: delta}
}

// expEs are the values that e^ℰ takes in the mechanisms.
var expEs = []*big.Rat{rat.One, big.NewRat(2, 1), big.NewRat(3, 1)}

// menus returns the menus, small ones first. Every mechanism is there both ways round.
func menus(t *register.T) (all []finite.Menu) {
	for rounds := 2; rounds <= t.Size(2, 4); rounds++ {
		for c := range finite.EveryNth(finite.Choices(3, 4, expEs), t.Size(7, 1)) {
			for _, b := range budgets(c, rounds) {
				all = append(all, finite.Menu{Choices: finite.BothWays(c), Rounds: rounds, ExpEpsT: b[0], DeltaT: b[1]})
			}
		}
	}
	return append(all, sharedMenus(t)...)
}

// menusDomain says what menus goes through.
func menusDomain(t *register.T) string {
	return fmt.Sprintf("%s mechanisms with at most 3 outputs, probabilities in 1/4, any partition and e^ℰ in {1, 2, "+
		"3}, with its smallest δ, on its own, both ways round, for up to %d rounds and every budget that some rounds "+
		"use up; a menu of all those in 1/%d for 3 rounds; a menu of M_toy, randomized response and a leak for %d",
		finite.Share(t.Size(7, 1)), t.Size(2, 4), t.Size(2, 3), t.Size(6, 10))
}

// sharedMenus are menus of many mechanisms, to be mixed, and of few, to be run often.
func sharedMenus(t *register.T) (menus []finite.Menu) {
	var many []ledger.Choice
	for c := range finite.Choices(3, t.Size(2, 3), expEs) {
		c.Name = fmt.Sprintf("M%d", len(many)/2+1)
		many = append(many, finite.BothWays(c)...)
	}
	two, quarter := big.NewRat(2, 1), big.NewRat(1, 4)
	few := slices.Concat(finite.BothWays(toy(two)), finite.BothWays(finite.ResponseChoice(two)),
		[]ledger.Choice{leakOrBottom(quarter)})
	for _, expEpsT := range rat.List("1", "2", "4", "6") {
		for _, deltaT := range rat.List("0", "1/4", "1/2", "3/4") {
			menus = append(menus, finite.Menu{Choices: few, Rounds: t.Size(6, 10), ExpEpsT: expEpsT, DeltaT: deltaT},
				finite.Menu{Choices: many, Rounds: 3, ExpEpsT: expEpsT, DeltaT: deltaT})
		}
	}
	return menus
}

// leakOrBottom tells the databases apart with probability δ, and says ⊥ otherwise.
func leakOrBottom(delta *big.Rat) ledger.Choice {
	rest, zero := rat.Complement(delta), new(big.Rat)
	return ledger.Choice{
		Name: "leak", Outputs: []string{"0", "⊥", "1"},
		Laws: [2][]*big.Rat{{delta, rest, zero}, {zero, rest, delta}},
		Part: []int{0, 1, 0}, ExpE: []*big.Rat{rat.One, rat.One}, Delta: delta,
	}
}

// isFree reports whether ℰ is 0 on all parts.
func isFree(m finite.Menu) bool {
	return !slices.ContainsFunc(m.Choices, func(c ledger.Choice) bool { return rat.Max(c.ExpE...).Cmp(rat.One) > 0 })
}
