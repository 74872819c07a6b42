package impl

import "math"

// aim is what a search is told in order that it hits a goal, which it misses a little.
type aim struct {
	goal      float64
	at        float64 // what it is told next
	from, hit float64 // what it was told last, and hit then
	slope     float64 // how much higher it hits when it is told to aim higher by one
	isCorrect bool    // whether it was corrected before
}

func newAim(goal float64) aim { return aim{goal: goal, at: goal, slope: 1} }

// correct moves the aim after a hit, by the secant through the last two.
func (a *aim) correct(hit float64) {
	if a.isCorrect && a.at != a.from {
		if slope := (hit - a.hit) / (a.at - a.from); slope > 0.1 && slope < 10 {
			a.slope = slope
		}
	}
	a.hit, a.from, a.isCorrect = hit, a.at, true
	a.at += (a.goal - hit) / a.slope
}

// miss is how far the last hit was from the goal.
func (a *aim) miss() float64 { return math.Abs(a.goal - a.hit) }
