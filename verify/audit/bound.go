package audit

import (
	"cmp"
	"math"
	"slices"

	"checkrr/impl/loss"
)

// A lower confidence bound on an ε, or on δ, is the end of a walk over ever weaker
// claims, as long as each is refuted. To walk beyond the truth one has to refute the first claim
// on the way that is true; so the bound is wrong at most as often as one test is, however
// many there are on the way. Bets, events included, are chosen anew for every claim.
//
// Together the bounds have all of α if the claim is refuted, and what the verdict leaves if
// it is not. If the claim is true, it is refuted with probability verdictShare·α, and else the
// bounds err with boundShare·α. If it is false, they err with α at most: those with
// boundShare would err with α, too, as their bets are the same.

// How far apart claims on the way are.
const (
	epsStep    = 0.002 // of an ε beyond the one that is claimed, relative or absolute
	epsParts   = 100   // into which the way to a claimed ε is divided
	deltaStep  = 0.01  // relative, beyond the δ that is claimed
	coarseStep = 0.1   // relative, below it
	firstDelta = 1e-9
)

// epsBound returns a lower bound on the ε of a part, for the other parameters as claimed. It is at
// least the claimed one if that is refuted and nothing else can be at fault.
func (a *auditor) epsBound(part int) float64 {
	claimed := loss.Float64(a.claim.Parts[part].Eps)
	next := func(eps float64) float64 {
		if eps < claimed {
			return min(eps+max(claimed/epsParts, 1e-4), claimed)
		}
		return eps + max(eps*epsStep, epsStep)
	}
	bound := a.walk(0, next, func(eps float64) (hypothesis, []int) { return a.null.with(part, eps), []int{part} })
	switch {
	case !a.refuted():
		return min(bound, claimed)
	case a.claim.IsDP():
		return max(bound, claimed)
	}
	return bound
}

// deltaBound returns a lower bound on δ, for all ε as claimed; if the claim is refuted at least
// the claimed one.
func (a *auditor) deltaBound() float64 {
	claimed := a.null.delta
	next := func(delta float64) float64 {
		if delta < claimed {
			return min(max(delta*(1+coarseStep), firstDelta), claimed)
		}
		return max(delta*(1+deltaStep), firstDelta)
	}
	claim := func(delta float64) (hypothesis, []int) { return hypothesis{a.null.weights, delta}, a.parts }
	if a.refuted() {
		return max(a.walk(claimed, next, claim), claimed)
	}
	return min(a.walk(0, next, claim), claimed)
}

// excluded returns the curve of a part that bounds exclude: with the claimed δ up to eps, and with delta up to the
// claimed ε.
func (a *auditor) excluded(part int, eps, delta float64) Curve {
	low, high := Point{}, Point{eps, a.null.delta}
	if delta > 0 {
		low = Point{loss.Float64(a.claim.Parts[part].Eps), delta}
	}
	if low.Eps > high.Eps {
		low, high = high, low
	}
	most := max(low.Delta, high.Delta)
	return slices.Compact(Curve{{0, most}, {low.Eps, most}, {low.Eps, high.Delta}, high, {high.Eps, 0}})
}

// walk returns the last value that was refuted together with all before it, or 0.
func (a *auditor) walk(value float64, next func(float64) float64,
	claim func(float64) (null hypothesis, parts []int)) float64 {
	share := boundShare
	if a.refuted() {
		share = 1
	}
	share /= float64(len(a.parts) + 1) // there are as many bounds
	if a.hurried() {
		return 0
	}
	wealth := func(p player, value float64) []float64 {
		null, parts := claim(value)
		return p.match.logWealth(p.direction, null, parts, a.goal(1/float64(len(a.parts)+1)))
	}
	players := a.best(func(p player) float64 { return slices.Max(append(wealth(p, value), 0)) })
	bound := 0.0
	for !a.hurried() && a.everWhole(players,
		func(p player) []float64 { return wealth(p, value) }) >= a.threshold(share) {
		bound = value
		value = next(value)
	}
	return bound
}

// everWhole returns the largest logarithm that the whole capital had after a round: one may stop
// then.
func (a *auditor) everWhole(players []player, wealth func(player) []float64) float64 {
	var byRound [][]float64
	for _, p := range players {
		for i, w := range wealth(p) {
			if i == len(byRound) {
				byRound = append(byRound, nil)
			}
			byRound[i] = append(byRound[i], w)
		}
	}
	most := math.Inf(-1)
	for _, all := range byRound {
		most = max(most, a.whole(all))
	}
	return most
}

// player is a pair of inputs in one direction.
type player struct {
	match     *match
	direction int
}

// maxPlayers bounds how many pairs and directions a walk is for: the capital of all others is
// taken for lost, which is on the safe side.
const maxPlayers = 6

// best returns those with the largest wealth.
func (a *auditor) best(wealth func(player) float64) []player {
	var all []player
	for _, t := range a.matches {
		all = append(all, player{t, 0}, player{t, 1})
	}
	if len(all) <= maxPlayers {
		return all
	}
	of := map[player]float64{}
	for _, p := range all {
		of[p] = wealth(p)
	}
	slices.SortStableFunc(all, func(p, q player) int { return cmp.Compare(of[q], of[p]) })
	return all[:maxPlayers]
}
