package audit

import (
	"math"
	"slices"
)

// game is the capital that the bets against a hypothesis have made of 1, in one direction:
// of the outputs on the input with this number over those on the other.
type game struct {
	direction int
	before    []float64 // logarithms of the capital before the last round, by stake
	choices   []choice  // of the last round
	outputs   float64   // before the last round
	now       []float64 // as before, after what was seen of the last round
	wealth    float64   // logarithm of the whole capital
}

// bet begins a round: bets are on events within some parts.
func (g *game) bet(r *round, direction int, null hypothesis, parts []int) {
	if g.now == nil {
		g.now = make([]float64, len(levels))
	}
	g.direction, g.before = direction, g.now
	g.choices = r.choose(direction, null, parts)
}

// look takes in what was seen of the round.
func (g *game) look(r *round, null hypothesis) {
	g.now = slices.Clone(g.before)
	for j, c := range g.choices {
		if c.event != nil {
			g.now[j] += c.log(r.count(g.direction, c.event, len(null.weights)), null)
		}
	}
	g.wealth = logMean(g.now) - rounding(g.outputs+float64(r.freshSize))
}

// history is all that was seen of a pair of inputs: its rounds in order.
type history []*round

// logWealth returns the logarithm of the capital that the bets against a hypothesis would
// have made of 1.
func (h history) logWealth(direction int, null hypothesis, parts []int) float64 {
	var g game
	for _, r := range h {
		g.bet(r, direction, null, parts)
		g.look(r, null)
		g.outputs += float64(r.freshSize)
	}
	return g.wealth
}

// logMean returns ln((Σ_j e^(x_j))/n).
func logMean(x []float64) float64 {
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
	return largest + math.Log(sum/float64(len(x)))
}
