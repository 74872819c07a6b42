package audit

import (
	"fmt"
	"math"
)

// Evidence is what the bets of one round on one event have brought against the claim.
type Evidence struct {
	Round int    // its number, from 0
	Hits  [2]int // of Size outputs on either input, as P0 and P1, in the event that was bet on
	Size  int
	Share float64 // of what was bet in the round: the rest was on other events, or other cells
	// Factor is the logarithm of what the bets made of 1. A capital that is divided among all rounds
	// before anything is drawn, and never moved between them, bets the part e^Weight on these: so Factor
	// + Weight refutes the claim by itself if it reaches the threshold.
	Factor, Weight float64
}

// Alone returns the logarithm of what the whole capital would be by this evidence alone.
func (e Evidence) Alone() float64 { return e.Factor + e.Weight }

// weight returns the logarithm of the share of the capital of pair and direction that a round has, if
// nothing is moved: half is for the last round, a quarter for the one before, and so on.
func (r *round) weight() float64 { return -math.Ln2 * float64(r.left+1) }

// evidence returns what every round in which something was bet has brought, and the bets.
func (a *auditor) evidence(p player) (all []Evidence, bets []choice) {
	c := capital{}
	for number, r := range p.match.history {
		c.bet(r, p.direction, a.null, a.parts, a.goal(verdictShare))
		if c.look(r, a.null); c.betting && r.freshSize > 0 {
			all = append(all, r.evidence(p.direction, number, c.chosen, a))
			bets = append(bets, c.chosen)
		}
	}
	return all, bets
}

// evidence returns what a bet on the round has brought: its share of what is bet was fixed before.
func (r *round) evidence(direction, number int, bet choice, a *auditor) Evidence {
	count := bet.view.count(direction, bet.event, len(a.parts))
	e := Evidence{
		Round: number, Size: r.freshSize, Share: bet.weight, Hits: [2]int{int(count.first), 0},
		Factor: bet.log(direction, a.null),
		Weight: r.weight() + math.Log(bet.weight) - math.Log(2*float64(len(a.matches))),
	}
	for _, k := range count.second {
		e.Hits[1] += int(k)
	}
	return e
}

// law is P0 or P1 of a [Witness].
type law int

func (l law) String() string { return fmt.Sprintf("P%d", int(l)) }

// show fills in the event of a witness: that of the round with the most evidence.
func (w *Witness) show(a *auditor, p player) {
	var bets []choice
	w.Evidence, bets = a.evidence(p)
	best := 0
	for i, e := range w.Evidence {
		if e.Alone() > w.Evidence[best].Alone() {
			best = i
		}
	}
	e := w.Evidence[best]
	bet := bets[best]
	w.Round, w.Alone, w.Hits, w.Size = e.Round, e.Alone(), e.Hits, e.Size
	// scores are for the first input of the pair
	w.Event, w.PartHits = bet.view.model.describe(bet.event, law(p.direction)), nil
	for _, k := range bet.view.count(p.direction, bet.event, len(a.parts)).second {
		w.PartHits = append(w.PartHits, int(k))
	}
}
