package audit

import "math"

// A lower confidence bound on an ε, or on δ, is the end of a walk: from a claim that is
// refuted to ever weaker ones, as long as each is refuted, too. To walk beyond the
// truth one has to refute the first claim on the way that is true; so the bound is
// wrong at most as often as one test is, however many there are on the way. Bets,
// events included, are chosen anew for every claim.

// epsStep and deltaStep are how far apart claims on the way are, relative to their ε or δ.
const (
	epsStep    = 0.005
	deltaStep  = 0.02
	leastStep  = 0.005 // of an ε
	firstDelta = 1e-9
	firstParts = 100 // of a claimed ε: the steps below it
)

// epsBound returns a lower bound on the ε of a part, for the other parameters as claimed.
func (a *auditor) epsBound(part int) float64 {
	claimed := epsilon(a.claim.Parts[part].Eps)
	bound := 0.0
	for _, t := range a.tables {
		for direction := range 2 {
			refutes := func(eps, share float64) bool {
				null := a.null.with(part, eps)
				return t.logWealth(direction, null, []int{part}) >= a.threshold(share/a.bounds())
			}
			bound = max(bound, a.walk(t, claimed, refutes, func(eps float64) float64 {
				if eps < claimed {
					return eps + max(claimed/firstParts, 1e-4)
				}
				return eps + max(eps*epsStep, leastStep)
			}))
		}
	}
	return bound
}

// deltaBound returns a lower bound on δ, for all ε as claimed.
func (a *auditor) deltaBound() float64 {
	bound := 0.0
	for _, t := range a.tables {
		for direction := range 2 {
			refutes := func(delta, share float64) bool {
				return t.logWealth(direction, hypothesis{a.null.weights, delta}, a.parts) >= a.threshold(share/a.bounds())
			}
			bound = max(bound, a.walk(t, a.null.delta, refutes, func(delta float64) float64 {
				return max(delta*(1+deltaStep), firstDelta)
			}))
		}
	}
	return bound
}

// bounds returns how many bounds there are: they share what a walk may err.
func (a *auditor) bounds() float64 { return float64(len(a.parts) + 1) }

// walk returns the last value that was refuted together with all before it. It begins
// with what is claimed if that is refuted, and at 0 if nothing is.
func (a *auditor) walk(t *gaming, claimed float64, refutes func(value, share float64) bool, next func(float64) float64) float64 {
	value, share, limit := 0.0, boundShare, claimed
	if a.refuted(t) {
		value, share, limit = claimed, verdictShare, math.Inf(1)
	}
	bound := 0.0
	for value <= limit && refutes(value, share) {
		bound = value
		value = next(value)
	}
	return bound
}
