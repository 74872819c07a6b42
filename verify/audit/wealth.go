package audit

import (
	"math"
	"slices"
)

// capital is what the bets against a hypothesis have made of 1, in one direction: of
// the outputs on the input with this number over those on the other.
//
// In each round a share of the capital is bet: all of it in the last one, and before that
// less the more rounds are left, so that half is left for the last. A round that
// promises nothing is left out, unless it is the last. What is bet is divided among the
// partitions, by what they promise: a mixture of games that nobody can expect to win is one.
type capital struct {
	direction int
	choices   []choice // of this round, of every partition
	chosen    choice   // the one of them that did best, or first that promises most
	betting   bool     // whether something is bet in this round
	share     float64  // of the capital that is bet
	before    float64  // logarithm of the capital before this round
	wealth    float64  // logarithm of the capital
}

// bet begins a round: bets are on events within some parts. The goal is what the
// logarithm of the capital has to reach.
func (c *capital) bet(r *round, direction int, null hypothesis, parts []int, goal float64) {
	c.direction, c.before, c.share = direction, c.wealth, 1
	if r.left > 0 {
		c.share = math.Ldexp(0.5, -r.left)
	}
	need := max(goal-c.before-math.Log(c.share), 1)
	c.choices = r.choices(direction, null, parts, need)
	c.betting = len(c.choices) > 0
	c.chosen = choice{}
	for i, x := range c.choices {
		if i == 0 || x.promise > c.chosen.promise {
			c.chosen = x
		}
	}
}

// look takes in what was seen of the round.
func (c *capital) look(r *round, null hypothesis) {
	if !c.betting {
		return
	}
	logs := make([]float64, len(c.choices))
	for i, x := range c.choices {
		logs[i] = math.Log(x.weight) + x.log(c.direction, null)
		if i == 0 || logs[i] > slices.Max(logs[:i]) {
			c.chosen = x
		}
	}
	factor := logSum(logs...) - mixRounding
	c.wealth = c.before + logSum(math.Log1p(-c.share), math.Log(c.share)+factor)
}

// mixRounding bounds the error of a logarithm of a weighted sum, and what weights that are rounded may be
// above 1 together.
const mixRounding = 1e-13

// history is all that was seen of a pair of inputs: its rounds in order.
type history []*round

// logWealth returns, after each round, the logarithm of the capital that the bets against a
// hypothesis would have made of 1.
func (h history) logWealth(direction int, null hypothesis, parts []int, goal float64) []float64 {
	var c capital
	wealth := make([]float64, len(h))
	for i, r := range h {
		c.bet(r, direction, null, parts, goal)
		c.look(r, null)
		wealth[i] = c.wealth
	}
	return wealth
}

// logSum returns ln(Σ_j e^(x_j)).
func logSum(x ...float64) float64 {
	largest := math.Inf(-1)
	for _, v := range x {
		largest = max(largest, v)
	}
	if math.IsInf(largest, -1) {
		return largest
	}
	sum := 0.0
	for _, v := range x {
		sum += math.Exp(v - largest)
	}
	return largest + math.Log(sum)
}
