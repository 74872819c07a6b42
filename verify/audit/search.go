package audit

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Search is an audit whose neighbouring inputs are searched for.
type Search struct {
	Grammar Grammar
	On      func(input json.RawMessage) Sampler // the mechanism on an input
}

// A search screens many pairs with few outputs, keeps the suspicious ones and draws more
// of them, and so on; what is left is audited with fresh outputs.
const (
	firstPairs  = 512
	maxTries    = 20_000 // to find as many: a small grammar may not have them
	keptShare   = 4      // one pair in so many is kept, with so many times the outputs
	lastPairs   = 2
	screenShare = 4 // at most one output in so many goes into a round of screening
	maxShrinks  = 64
	searchShare = 0.75 // of α; the rest is for what is found in making the pair simpler
)

// Run searches for a pair of neighbouring inputs, and a violation there. Of the budget, a
// part goes into the search. A pair that refutes the claim is made simpler, as long
// as simpler ones refute it, too; see [Run] for the rest.
func (s Search) Run(ctx context.Context, claim Claim, o Options) (*Report, error) {
	if err := s.Grammar.Validate(); err != nil {
		return nil, err
	}
	if _, err := newAuditor(claim, make([]Pair, lastPairs), o); err != nil {
		return nil, err
	}
	rest := o
	candidates, screened, spent, err := s.screen(ctx, claim, o)
	if err != nil {
		return nil, err
	}
	rest.Samples, rest.Alpha = max(1, o.Samples-spent), o.Alpha*searchShare
	report, err := Run(ctx, claim, s.pairs(candidates), rest)
	if err != nil {
		return nil, err
	}
	report.Screened = screened
	if report.Verdict != Refuted {
		return report, nil
	}
	return s.shrink(ctx, claim, o, candidates[report.Witness.Pair], report), nil
}

// pair returns the samplers of a candidate.
func (s Search) pair(c candidate) Pair {
	var p Pair
	for side, list := range c {
		text := s.Grammar.text(list)
		p.Inputs[side], p.Samplers[side] = string(text), s.On(text)
	}
	return p
}

func (s Search) pairs(all []candidate) []Pair {
	pairs := make([]Pair, len(all))
	for i, c := range all {
		pairs[i] = s.pair(c)
	}
	return pairs
}

// screen returns the most suspicious pairs, as far as is known when ctx ends, how many pairs
// there were, and how many outputs were drawn of the input with most.
func (s Search) screen(ctx context.Context, claim Claim, o Options) (kept []candidate, screened, spent int, err error) {
	dice := rand.New(rand.NewChaCha8((&auditor{Options: o}).seed(-2)))
	var candidates []candidate
	for tries := 0; tries < maxTries && len(candidates) < firstPairs; tries++ {
		if c := s.Grammar.random(dice); s.Grammar.contains(c) && !slices.ContainsFunc(candidates, c.same) {
			candidates = append(candidates, c)
		}
	}
	if len(candidates) == 0 {
		return nil, 0, 0, fmt.Errorf("no neighbours were found in the grammar, must be some")
	}
	screened = len(candidates)
	size := smallRound
	for number := 0; len(candidates) > lastPairs && size <= o.Samples/screenShare; number++ {
		suspicion := map[*candidate]float64{}
		var all []*candidate
		for i := range candidates {
			c := &candidates[i]
			suspicion[c], err = s.suspect(ctx, claim, o, *c, size, number, i)
			if ctx.Err() != nil {
				return candidates[:lastPairs], screened, spent, nil
			}
			if err != nil {
				return nil, 0, 0, err
			}
			all = append(all, c)
		}
		slices.SortStableFunc(all, func(a, b *candidate) int { return cmp.Compare(suspicion[b], suspicion[a]) })
		kept = nil
		for _, c := range all[:max(lastPairs, len(all)/keptShare)] {
			kept = append(kept, *c)
		}
		candidates, spent, size = kept, spent+size, size*keptShare
	}
	return candidates[:min(len(candidates), lastPairs)], screened, spent, nil
}

// suspect draws outputs of a pair, and returns what a bet on it promises for as many.
func (s Search) suspect(ctx context.Context, claim Claim, o Options,
	c candidate, size, number, index int) (float64, error) {
	a, err := newAuditor(claim, []Pair{s.pair(c)}, o)
	if err != nil {
		return 0, err
	}
	t := a.matches[0]
	t.number = -1 - number*firstPairs - index // for seeds of its own
	if err := t.draw(ctx, a, nil, size, 0, 0); err != nil {
		return 0, err
	}
	r, err := t.open(ctx, a, size, 0)
	if err != nil {
		return 0, err
	}
	best := math.Inf(-1)
	for direction := range 2 {
		for _, v := range r.views() {
			for _, part := range a.parts {
				best = max(best, v.suspicion(direction, part, a.null))
			}
		}
	}
	return best, nil
}

// suspicion returns how far the most suspicious event within a part is above what is
// allowed, in standard deviations of one pair of outputs.
func (r *round) suspicion(direction, part int, h hypothesis) float64 {
	most := math.Inf(-1)
	n := float64(r.pastSize) + 1
	var hits [2]float64
	for _, c := range r.order(direction, h, func(p int) bool { return p == part }) {
		hits[0] += float64(r.past[direction][c])
		hits[1] += float64(r.past[1-direction][c])
		p0, p1, w := (hits[0]+0.5)/n, (hits[1]+0.5)/n, h.weights[part]
		most = max(most, (p0-w*p1-h.delta)/math.Sqrt(p0*(1-p0)+w*w*p1*(1-p1)))
	}
	return most
}

// shrink makes a pair that refutes the claim simpler. If all outputs are to be used, that is for the bounds of the
// one that is left, unless more were drawn of the first before time was up.
func (s Search) shrink(ctx context.Context, claim Claim, o Options, c candidate, report *Report) *Report {
	o.Alpha *= (1 - searchShare) / maxShrinks
	few, first := o, report
	few.Samples, few.Full, few.Progress = min(o.Samples, keptShare*report.Samples), false, nil
	c, report = s.simplest(ctx, claim, few, c, report)
	if !o.Full || report == first {
		return report
	}
	o.Seed += maxShrinks // simplest took those before
	whole := s.refutes(ctx, claim, c, o)
	if whole == nil || whole.Samples < first.Samples {
		return first
	}
	whole.Screened = first.Screened
	return whole
}

// simplest returns a pair that refutes the claim, and of which nothing simpler was found to do so, and the report
// about it.
func (s Search) simplest(ctx context.Context, claim Claim, o Options,
	c candidate, report *Report) (candidate, *Report) {
	for tries := 0; tries < maxShrinks-1; { // one is left for the pair that is found
		found := false
		for _, d := range s.Grammar.smaller(c) {
			if tries++; tries >= maxShrinks || ctx.Err() != nil {
				return c, report
			}
			o.Seed++
			if smaller := s.refutes(ctx, claim, d, o); smaller != nil {
				smaller.Screened = report.Screened
				c, report, found = d, smaller, true
				break
			}
		}
		if !found {
			break
		}
	}
	return c, report
}

// refutes returns the report about a pair if it refutes the claim until time is up, or nil: a program that fails
// on a simpler input takes nothing from what was found.
func (s Search) refutes(ctx context.Context, claim Claim, c candidate, o Options) *Report {
	a, err := newAuditor(claim, []Pair{s.pair(c)}, o)
	if err != nil {
		return nil
	}
	a.clock(ctx)
	refuted, err := a.play(ctx)
	switch {
	case !refuted, err != nil && ctx.Err() == nil:
		return nil
	case err != nil:
		a.stopped()
	}
	return a.report()
}
