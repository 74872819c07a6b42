package audit

import (
	"math"

	"checkrr/impl/loss"
)

// Seen is the smallest violation that an audit of this size finds with probability
// [SeenPower], so that "no violation found" is a number. It is computed by playing the
// game, on counts that are drawn instead of outputs, against mechanisms that break the
// claim by less and less. What is not seen at all is +Inf.
type Seen struct {
	// Eps is, for every part, the smallest ε that would have been seen if all losses of a
	// mechanism that is as private as claimed grew by one factor, at all pairs of inputs. The event that shows it best
	// has the Probability on the less likely side.
	Eps         []float64
	Probability []float64
	// Leaks is, for every part, the smallest probability that would have been seen of an output in it that is
	// possible on one input only of whichever pair, beyond which the claim is kept; NaN where nothing is claimed.
	Leaks []float64
	// Part is the part with the smallest ε, and Delta its leak.
	Part  int
	Delta float64
}

// SeenPower is the probability with which a violation that is reported as seen is found.
const SeenPower = 0.9

// How many games are played for each size of a violation, fewer if there are many parts and pairs of inputs,
// and the steps of a bisection.
const (
	mostGames  = 200
	leastGames = 20
	allGames   = 1600 // of all parts and pairs
	seenSteps  = 10
)

// seen returns the smallest violations that would have been seen.
func (a *auditor) seen() Seen {
	s := Seen{Part: a.lightest()}
	for _, part := range a.parts {
		leak, eps, p := math.NaN(), math.Inf(1), math.NaN()
		if !math.IsInf(a.null.weights[part], 1) || part == s.Part {
			leak = 0
		}
		for _, t := range a.matches {
			if leak >= 0 {
				leak = a.seenLeak(t, part, leak)
			}
			if x, px := a.seenEps(t, part); x < eps {
				eps, p = x, px
			}
		}
		if part == s.Part {
			s.Delta = leak
		}
		s.Leaks, s.Eps, s.Probability = append(s.Leaks, leak), append(s.Eps, eps), append(s.Probability, p)
	}
	return s
}

// seenEps returns the smallest ε of a part that is seen, and the probability of the event
// that has it. The mechanism is thought to be as it was seen, with all losses of the part larger by
// one factor. Where no losses were seen beyond chance, there is none: what may be hidden then is not known.
func (a *auditor) seenEps(t *match, part int) (eps, probability float64) {
	if len(t.history) == 0 || a.hurried() {
		return math.Inf(1), math.NaN()
	}
	last := t.history[len(t.history)-1]
	direction, event := last.telling(part, a.null)
	if event == nil {
		return math.Inf(1), math.NaN()
	}
	losses, masses := last.losses(direction, part, a.null)
	found := func(factor float64) bool {
		v := plant(part, losses, masses, factor)
		v.goal = t.imaginedGoal(a)
		return a.finds(t, v)
	}
	eventAt := func(factor float64) (p [2]float64) { return plant(part, losses, masses, factor).of(event) }
	return a.leastLoss(loss.Float64(a.claim.Parts[part].Eps), eventAt, found)
}

// maxFactor bounds by how much losses are made larger.
const maxFactor = 64

// leastLoss looks for the smallest factor that is found, and returns the ε of the mechanism then, if
// it was at most the claimed one before, and the probability of the event. Cells mix outputs of
// different losses, so the loss of an event would be too small a number, unless nothing is claimed.
func (a *auditor) leastLoss(claimed float64, eventAt func(factor float64) [2]float64,
	found func(factor float64) bool) (least, probability float64) {
	beyond := func(factor float64) bool {
		p := eventAt(factor)
		return p[0] > math.Exp(claimed)*p[1] && found(factor)
	}
	factor := math.Exp(a.least(-math.Log(maxFactor), math.Log(maxFactor),
		func(logarithm float64) bool { return beyond(math.Exp(logarithm)) }))
	if math.IsInf(factor, 1) {
		return factor, math.NaN()
	}
	p := eventAt(factor)
	return max(factor*claimed, math.Log(p[0]/p[1])), p[1]
}

// seenLeak returns the smallest probability of a leak that is seen, or what is known if that is seen.
func (a *auditor) seenLeak(t *match, part int, known float64) float64 {
	if math.IsInf(known, 1) {
		return known
	}
	if len(t.history) == 0 {
		return math.Inf(1)
	}
	last := t.history[len(t.history)-1]
	losses, masses := last.losses(0, part, a.null)
	others, least := plant(part, losses, masses, 1), a.leastOf(t, part)
	for _, cells := range last.bundles(0, part, a.null) {
		others.scores = append(others.scores, last.cells[cells[0]].score)
	}
	others.goal = t.imaginedGoal(a)
	found := func(logarithm float64) bool {
		if logarithm == 0 { // there is nothing else then
			return a.finds(t, a.release(part))
		}
		return a.finds(t, others.leaking(math.Exp(logarithm), least))
	}
	if known > 0 && found(math.Log(known)) {
		return known
	}
	return math.Exp(a.least(math.Log(max(known, a.null.delta+0.1/float64(t.drawn+1))), 0, found))
}

// games returns how many are played for each size of a violation.
func (a *auditor) games() int {
	return min(mostGames, max(leastGames, allGames/(len(a.parts)*len(a.matches))))
}

// lightest returns the part with the smallest ε: where nothing is allowed but δ.
func (a *auditor) lightest() int {
	best := 0
	for i, w := range a.null.weights {
		if w < a.null.weights[best] {
			best = i
		}
	}
	return best
}

// least returns about the least x in [low, high] that is found, or +Inf.
func (a *auditor) least(low, high float64, found func(float64) bool) float64 {
	if !(low < high) || !found(high) {
		return math.Inf(1)
	}
	for step := 0; step < seenSteps && !a.hurried(); step++ {
		if middle := (low + high) / 2; found(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}
