package stopping

import (
	"context"
	"math"
)

// secant aims a search at a goal that it misses a little: by the secant through its last two hits and, where that
// leads out of what is left, or brings little, between the closest discounts that hit less and more. A search may leap
// over its goal, whatever it is told.
type secant struct {
	goal      float64
	at        float64 // what the search is told next
	from, hit float64 // what it was told last, and hit then
	error     float64 // of that
	slope     float64 // how much higher it hits when it is told to aim higher by one
	isCorrect bool    // whether it was corrected before
	ends      [2]end  // the highest that hit less than the goal, and the lowest that did not
	part      float64 // of ends[1] in what is tried next; 0 if the search is asked
}

// end is discounts and what they hit.
type end struct {
	discounts []float64
	at, hit   float64
}

func newSecant(goal float64) secant { return secant{goal: goal, at: goal, slope: 1} }

// next returns the discounts that are tried next.
func (a *secant) next(ctx context.Context, find search) []float64 {
	if a.part == 0 {
		return find(ctx, math.Exp(a.at))
	}
	discounts := make([]float64, len(a.ends[0].discounts))
	for i, x := range a.ends[0].discounts {
		discounts[i] = x + a.part*(a.ends[1].discounts[i]-x)
	}
	return discounts
}

// correct moves the aim after discounts with a hit that is known up to an error.
func (a *secant) correct(discounts []float64, hit, error float64) {
	const most = 40 // that one correction moves the aim by, about: a hit may be the logarithm of 0
	hit = max(hit, a.goal-most)
	a.bracket(end{discounts, a.at, hit})
	isSlow := a.isCorrect && math.Abs(a.goal-hit) > a.miss()/2
	if step := a.at - a.from; a.isCorrect && math.Abs(step) > 100*(error+a.error) {
		if slope := (hit - a.hit) / step; slope > 0.1 && slope < 10 {
			a.slope = slope
		}
	}
	a.hit, a.error, a.from, a.isCorrect = hit, error, a.at, true
	a.at += (a.goal - hit) / a.slope
	if low, high := a.ends[0], a.ends[1]; low.discounts != nil && high.discounts != nil &&
		(a.part > 0 || isSlow || !(low.at < a.at && a.at < high.at)) {
		a.part = min(max(0.1, (a.goal-low.hit)/(high.hit-low.hit)), 0.9)
		if isSlow {
			a.part = 0.5
		}
		a.at = low.at + a.part*(high.at-low.at)
	}
}

// bracket takes e for the end on its side of the goal if it is nearer than the one before.
func (a *secant) bracket(e end) {
	side := &a.ends[0]
	if e.hit >= a.goal {
		side = &a.ends[1]
	}
	if side.discounts == nil || math.Abs(e.hit-a.goal) < math.Abs(side.hit-a.goal) {
		*side = e
	}
}

// miss is how far the last hit was from the goal.
func (a *secant) miss() float64 { return math.Abs(a.goal - a.hit) }
