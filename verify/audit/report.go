package audit

import (
	"math"
)

// Verdict is what came of an audit.
type Verdict string

// The verdicts.
const (
	NoViolation Verdict = "no violation found"
	Refuted     Verdict = "refuted"
	TooSmall    Verdict = "budget too small" // not even the release of the input would have been seen
	// most outputs came once, have no numbers, and are alike in the words that others have
	Shapeless Verdict = "nothing to look at"
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
	// Excluded are the curves of every part: with a probability of 1 − α, all their points, and Eps and
	// Delta, are below what the mechanism needs.
	Excluded []Curve
	Seen     *Seen // if the claim is not refuted
	// Kept is the share of the outputs that were kept to learn from, of the pair with the smallest: 1 if all fit in
	// memory. All that were bet on were counted.
	Kept float64
	// Shapeless is the share of outputs that never repeat and have no numbers or words in common, of the pair with
	// most.
	Shapeless float64
	// Cut is set if time was up before Seen, or the bounds of a refuted claim, were worked out: it is time that
	// limits these numbers then, and not what was drawn.
	Cut bool
	// LowBits is set if numbers were taken as reals, and their last bits tell the inputs
	// apart: as float64, they are more than the claim allows.
	LowBits bool
	Looked  Looked // zero if outputs have at most one number, and few shapes
}

// Witness is an event that the claim does not allow, with the outputs of one round: they were drawn after
// the event had been chosen. Of all rounds it is the one with the most evidence. If Alone reaches
// Threshold, these outputs refute the claim by themselves; if not, it was refuted by the evidence of
// several rounds together.
type Witness struct {
	Pair      int        // its number, from 0
	Inputs    [2]string  // P0 is the law of the outputs on the first, P1 that on the second
	Round     int        // its number, from 0
	Event     []string   // says which outputs are in it
	Hits      [2]int     // how many of Size outputs on either input are in it
	PartHits  []int      // of the second input, by part
	Size      int        // of the round: outputs for each input
	Alone     float64    // logarithm of what the bets on this event have made of 1, see [Evidence]
	Evidence  []Evidence // of all rounds of the pair
	LogWealth float64    // logarithm of what all bets together have made of 1
	Threshold float64    // what it had to reach

	player player
}

func (a *auditor) report() *Report {
	r := &Report{Verdict: NoViolation, Witness: a.found, Kept: 1, Looked: a.looked()}
	for _, t := range a.matches {
		r.Samples = max(r.Samples, t.drawn)
		r.Kept = min(r.Kept, math.Ldexp(1, -t.thin.halvings))
		r.Shapeless = max(r.Shapeless, t.shapeless())
	}
	a.bounds(r)
	if a.refuted() {
		r.Verdict = Refuted
		r.Witness.show(a, r.Witness.player)
		r.Cut = a.cut
		return r
	}
	seen := a.seen()
	r.Cut = a.cut
	if r.Seen = &seen; math.IsInf(seen.Delta, 1) && a.null.delta < 1 {
		r.Verdict = TooSmall // a claim with δ = 1 is true of everything
	} else if r.Shapeless > mostlyShapeless {
		r.Verdict = Shapeless
	}
	r.LowBits = !a.Bits && !a.hurried() && a.lowBits()
	return r
}

// bounds adds what the samples exclude.
func (a *auditor) bounds(r *Report) {
	for _, part := range a.parts {
		r.Eps = append(r.Eps, a.epsBound(part))
	}
	r.Delta = a.deltaBound()
	for _, part := range a.parts {
		delta := 0.0
		if a.claim.IsDP() {
			delta = r.Delta
		}
		r.Excluded = append(r.Excluded, a.excluded(part, r.Eps[part], delta))
	}
}

// witness says where most was earned: where the capital is largest among those that
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
	w := &Witness{Pair: t.number, Inputs: t.pair.Inputs, LogWealth: capital, Threshold: a.threshold(verdictShare),
		player: best}
	if best.direction == 1 {
		w.Inputs[0], w.Inputs[1] = w.Inputs[1], w.Inputs[0]
	}
	return w
}
