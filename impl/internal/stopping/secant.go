package stopping

import "math"

// secant is what a search is told in order that it hits a goal, which it misses a little.
type secant struct {
	goal      float64
	at        float64 // what it is told next
	from, hit float64 // what it was told last, and hit then
	error     float64 // of that
	slope     float64 // how much higher it hits when it is told to aim higher by one
	isCorrect bool    // whether it was corrected before
	low, high float64 // between these it hits the goal; infinite if it did not hit less, or more
}

func newSecant(goal float64) secant {
	return secant{goal: goal, at: goal, slope: 1, low: math.Inf(-1), high: math.Inf(1)}
}

// correct moves the aim after a hit that is known up to an error, by the secant through the last two if
// they are far enough from each other. Where that leads out of what is left, or brings little, it is halved: where
// losses are few, what is hit may change by leaps.
func (a *secant) correct(hit, error float64) {
	const most = 40 // that one correction moves the aim by, about: a hit may be the logarithm of 0
	hit = max(hit, a.goal-most)
	if hit < a.goal {
		a.low = max(a.low, a.at)
	} else {
		a.high = min(a.high, a.at)
	}
	isSlow := a.isCorrect && math.Abs(a.goal-hit) > a.miss()/2
	if step := a.at - a.from; a.isCorrect && math.Abs(step) > 100*(error+a.error) {
		if slope := (hit - a.hit) / step; slope > 0.1 && slope < 10 {
			a.slope = slope
		}
	}
	a.hit, a.error, a.from, a.isCorrect = hit, error, a.at, true
	a.at += (a.goal - hit) / a.slope
	isBracket := !math.IsInf(a.high-a.low, 0) && a.low < a.high
	if isBracket && (isSlow || !(a.low < a.at && a.at < a.high)) {
		a.at = a.low + (a.high-a.low)/2
	}
}

// miss is how far the last hit was from the goal.
func (a *secant) miss() float64 { return math.Abs(a.goal - a.hit) }
