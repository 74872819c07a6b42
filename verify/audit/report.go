package audit

import "math"

// Verdict is what came of an audit.
type Verdict string

// The verdicts.
const (
	NoViolation Verdict = "no violation found"
	Refuted     Verdict = "refuted"
	TooSmall    Verdict = "budget too small" // not even the release of the input would have been seen
)

// Report is the result of an audit by samples.
type Report struct {
	Verdict  Verdict
	Screened int      // pairs of neighbouring inputs among which those audited were searched for; 0 if they were given
	Samples  int      // outputs drawn for each input of a pair; of the pair with most of them
	Witness  *Witness // if the claim is refuted
	// Eps are lower confidence bounds on the ε of every part, the other parameters as
	// claimed, and Delta is one on δ for all ε as claimed.
	Eps   []float64
	Delta float64
	Seen  *Seen // if the claim is not refuted
	// LowBits is set if numbers were taken as reals, and their last bits tell the inputs
	// apart: as float64, they are more than the claim allows.
	LowBits bool
	Looked  Looked // zero if outputs have at most one number, and few shapes
}

// Witness is an event that the claim does not allow, with the outputs of the round that
// refuted the claim: they were drawn after the event had been chosen.
type Witness struct {
	Pair      int       // its number, from 0
	Inputs    [2]string // P0 is the law of the outputs on the first, P1 that on the second
	Event     []string  // says which outputs are in it
	Hits      [2]int    // how many of Size outputs on either input are in it
	PartHits  []int     // of the second input, by part
	Size      int       // of the round: outputs for each input
	LogWealth float64   // logarithm of what all bets together have made of 1
	Threshold float64   // what it had to reach
}

func (a *auditor) report() *Report {
	r := &Report{Verdict: NoViolation, Witness: a.found, Looked: a.looked()}
	for _, t := range a.matches {
		r.Samples = max(r.Samples, t.drawn)
	}
	for _, part := range a.parts {
		r.Eps = append(r.Eps, a.epsBound(part))
	}
	r.Delta = a.deltaBound()
	if a.refuted() {
		r.Verdict = Refuted
		return r
	}
	seen := a.seen()
	if r.Seen = &seen; math.IsInf(seen.Delta, 1) && a.null.delta < 1 {
		r.Verdict = TooSmall // a claim with δ = 1 is true of everything
	}
	r.LowBits = !a.Bits && !a.hurried() && a.lowBits()
	return r
}

// witness describes the event that earned most: where the capital is largest among those that
// grew in their last round.
func (a *auditor) witness(capital float64) *Witness {
	var best player
	most := math.Inf(-1)
	for _, t := range a.matches {
		for d, g := range t.capitals {
			value := g.wealth
			if !g.betting || g.wealth <= g.before {
				value -= math.MaxFloat32 // only if there is no other
			}
			if len(t.history) > 0 && g.betting && value > most {
				best, most = player{t, d}, value
			}
		}
	}
	t := best.match
	g, last := t.capitals[best.direction], t.history[len(t.history)-1]
	count := g.chosen.view.count(best.direction, g.chosen.event, len(a.parts))
	w := &Witness{
		Pair: t.number, Inputs: t.pair.Inputs, Event: g.chosen.view.model.describe(g.chosen.event),
		Size: last.freshSize, LogWealth: capital, Threshold: a.threshold(verdictShare),
	}
	if best.direction == 1 {
		w.Inputs[0], w.Inputs[1] = w.Inputs[1], w.Inputs[0]
	}
	w.Hits[0] = int(count.first)
	for _, k := range count.second {
		w.PartHits = append(w.PartHits, int(k))
		w.Hits[1] += int(k)
	}
	return w
}
