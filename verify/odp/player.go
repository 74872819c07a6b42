package odp

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

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
	text := fmt.Sprintf("e^ε_t = %s, δ_t = %s, %d coins, %d rounds: ", rat.Show(p.expEpsT), rat.Show(p.deltaT), p.coins,
		p.rounds)
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

func playersDomain(n int) string {
	return fmt.Sprintf("%d random adversaries with up to 2 coins, 3 rounds and 2 mechanisms with up to 3 outputs, whose "+
		"choices depend on the coins and on all outputs, some of them with claims that are a tenth too good, or true in "+
		"one direction only", n)
}

// ofPlayers goes through n of them.
func ofPlayers(t *register.T, n int, check func(t *register.T, p player)) {
	t.AlsoDomain("%s", playersDomain(n))
	t.Random(7, n, func(t *register.T, d register.Dice) { check(t, randomPlayer(d)) })
}
