package audit

import (
	"math"
	"slices"
)

// A lower confidence bound on an ε, or on δ, is the end of a walk: from a claim that is
// refuted to ever weaker ones, as long as each is refuted, too. To walk beyond the
// truth one has to refute the first claim on the way that is true; so the bound is
// wrong at most as often as one test is, however many there are on the way. Bets,
// events included, are chosen anew for every claim.

// How far apart claims on the way are.
const (
	epsStep    = 0.002 // of an ε beyond the one that is claimed, relative or absolute
	epsParts   = 100   // into which the way to a claimed ε is divided
	deltaStep  = 0.01  // relative
	firstDelta = 1e-9
)

// epsBound returns a lower bound on the ε of a part, for the other parameters as claimed.
func (a *auditor) epsBound(part int) float64 {
	claimed := epsilon(a.claim.Parts[part].Eps)
	next := func(eps float64) float64 {
		if eps < claimed {
			return eps + max(claimed/epsParts, 1e-4)
		}
		return eps + max(eps*epsStep, epsStep)
	}
	return a.walk(claimed, a.claim.IsDP(), next, func(eps float64) (hypothesis, []int) { return a.null.with(part, eps), []int{part} })
}

// deltaBound returns a lower bound on δ, for all ε as claimed.
func (a *auditor) deltaBound() float64 {
	next := func(delta float64) float64 { return max(delta*(1+deltaStep), firstDelta) }
	return a.walk(a.null.delta, true, next, func(delta float64) (hypothesis, []int) {
		return hypothesis{a.null.weights, delta}, a.parts
	})
}

// walk returns the last value that was refuted together with all before it. It begins
// with what is claimed if that is refuted, and at 0 if nothing is.
//
// It is implied by the refutation of the claim that a value must be larger than claimed, if
// nothing else can be at fault.
func (a *auditor) walk(claimed float64, implied bool, next func(float64) float64, claim func(float64) (null hypothesis, parts []int)) float64 {
	value, share, limit := 0.0, boundShare, claimed
	if a.refuted() {
		value, share, limit = claimed, verdictShare, math.Inf(1)
	}
	share /= float64(len(a.parts) + 1) // there are as many bounds
	wealth := func(p player, value float64) float64 {
		null, parts := claim(value)
		return p.table.logWealth(p.direction, null, parts, a.goal(share))
	}
	best := a.best(func(p player) float64 { return wealth(p, value) })
	refuted := func(value float64) bool {
		var all []float64
		for _, p := range best {
			all = append(all, wealth(p, value))
		}
		return a.whole(all) >= a.threshold(share)
	}
	bound := 0.0
	if value > 0 && implied {
		bound = value
	}
	for value <= limit && !a.hurried() && refuted(value) {
		bound = value
		value = next(value)
	}
	return bound
}

// player is a pair of inputs in one direction.
type player struct {
	table     *match
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
	slices.SortStableFunc(all, func(p, q player) int { return compare(of[q], of[p]) })
	return all[:maxPlayers]
}
