package audit

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
)

// Grammar is a set of inputs, lists of values, and says which of them are neighbours.
type Grammar struct {
	Values            []json.RawMessage // the simplest first
	Shortest, Longest int               // how many values a list has
	Relation          Relation          // which of them are neighbours
}

// Relation says which lists are neighbours.
type Relation string

// The relations.
const (
	Replace Relation = "replace" // one element is another
	Add     Relation = "add"     // one has one element more
	Shift   Relation = "shift"   // every element differs by at most 1: answers of queries of sensitivity 1
)

// Validate checks that there are inputs, and neighbours.
func (g Grammar) Validate() error {
	switch {
	case len(g.Values) == 0 || len(g.Values) > MaxValues:
		return fmt.Errorf("values are %d, must be 1 to %d", len(g.Values), MaxValues)
	case g.Shortest < 0 || g.Longest < max(1, g.Shortest) || g.Longest > MaxLength:
		return fmt.Errorf("length is from %d to %d, must be from 0 or more to at least 1, at most %d", g.Shortest,
			g.Longest, MaxLength)
	case g.Relation == Add && g.Shortest == g.Longest:
		return fmt.Errorf("length is %d only, must be a range where neighbours have one element more", g.Longest)
	case !slices.Contains([]Relation{Replace, Add, Shift}, g.Relation):
		return fmt.Errorf("neighbours is %q, must be replace, add or shift", g.Relation)
	}
	if g.Relation != Add && len(g.moves()) == 0 {
		return fmt.Errorf("no value can become another, must be possible where neighbours is %s", g.Relation)
	}
	return nil
}

// Limits of a grammar.
const (
	MaxValues = 64
	MaxLength = 64
)

// moves returns which values can become which others in a neighbour.
func (g Grammar) moves() [][2]int {
	var all [][2]int
	for i := range g.Values {
		for j := range g.Values {
			if i != j && (g.Relation != Shift || g.near(i, j)) {
				all = append(all, [2]int{i, j})
			}
		}
	}
	return all
}

// near reports whether two values are numbers that differ by at most 1.
func (g Grammar) near(i, j int) bool {
	x, ok := new(big.Rat).SetString(string(g.Values[i]))
	y, alsoOK := new(big.Rat).SetString(string(g.Values[j]))
	return ok && alsoOK && x.Abs(x.Sub(x, y)).Cmp(one) <= 0
}

// candidate is a pair of neighbours: elements as indices of values.
type candidate [2][]int

// none stands for an element that a list does not have.
const none = -1

// text returns a list as JSON.
func (g Grammar) text(list []int) json.RawMessage {
	var all []string
	for _, i := range list {
		if i != none {
			all = append(all, string(g.Values[i]))
		}
	}
	return json.RawMessage("[" + strings.Join(all, ", ") + "]")
}

// random returns a pair of neighbours. Lists are rather long, and half of them are made of a few
// runs of the same element: what is hard to keep private is often repetitive.
func (g Grammar) random(dice *rand.Rand) candidate {
	length := g.Shortest + max(dice.IntN(g.Longest-g.Shortest+1), dice.IntN(g.Longest-g.Shortest+1))
	length = max(length, 1)
	var c candidate
	moves := g.moves()
	repetitive := dice.IntN(2) == 0
	for len(c[0]) < length {
		run := 1
		if repetitive {
			run += dice.IntN(length - len(c[0]))
		}
		i := dice.IntN(len(g.Values))
		pair := [2]int{i, i}
		if g.Relation == Shift && dice.IntN(4) > 0 {
			pair = moves[dice.IntN(len(moves))]
		}
		for range run {
			c[0], c[1] = append(c[0], pair[0]), append(c[1], pair[1])
		}
	}
	at := dice.IntN(length)
	switch {
	case g.Relation == Add && length > g.Shortest:
		c[1][at] = none
	case g.Relation != Add && slices.Equal(c[0], c[1]):
		pair := moves[dice.IntN(len(moves))]
		c[0][at], c[1][at] = pair[0], pair[1]
	}
	return c
}

// smaller returns pairs of neighbours that are simpler: without an element, with a simpler
// one, or without the element that is different, where another one becomes so.
func (g Grammar) smaller(c candidate) []candidate {
	var all []candidate
	keep := func(d candidate) {
		if g.contains(d) && !slices.ContainsFunc(all, d.equal) {
			all = append(all, d)
		}
	}
	for i := range c[0] {
		keep(c.without(i))
	}
	for i := range c[0] {
		x, y := c[0][i], c[1][i]
		for v := range g.Values {
			if x == y && v < x || x != y && g.Relation == Shift { // or no longer different
				keep(c.with(i, v, v))
			}
			if x == y {
				continue
			}
			if v < x && g.related(v, y) {
				keep(c.with(i, v, y))
			}
			if v < y && g.related(x, v) {
				keep(c.with(i, x, v))
			}
		}
	}
	for _, d := range g.moved(c) { // last, as there are many
		keep(d)
	}
	return all
}

// moved returns the pairs without the one element that is different, of which another element
// is: it can be what that one was in either list.
func (g Grammar) moved(c candidate) []candidate {
	var all []candidate
	for i := range c[0] {
		d := c.without(i)
		if !slices.Equal(d[0], d[1]) {
			continue
		}
		for j, v := range d[0] {
			for side := range c {
				if w := c[side][i]; (g.Relation != Add || w == none) && g.related(v, w) {
					all = append(all, d.with(j, v, w))
				}
			}
		}
	}
	return all
}

// related reports whether two elements can stand in the same place of neighbours.
func (g Grammar) related(v, w int) bool { return v == w || g.Relation != Shift || g.near(v, w) }

func (c candidate) without(i int) candidate {
	return candidate{slices.Delete(slices.Clone(c[0]), i, i+1), slices.Delete(slices.Clone(c[1]), i, i+1)}
}

func (c candidate) with(i, x, y int) candidate {
	d := candidate{slices.Clone(c[0]), slices.Clone(c[1])}
	d[0][i], d[1][i] = x, y
	return d
}

func (c candidate) equal(d candidate) bool {
	return slices.Equal(c[0], d[0]) && slices.Equal(c[1], d[1])
}

// same reports whether two pairs are of the same lists, in either order.
func (c candidate) same(d candidate) bool { return c.equal(d) || c.equal(candidate{d[1], d[0]}) }

// contains reports whether c is a pair of different lists of the grammar.
func (g Grammar) contains(c candidate) bool {
	lengths := [2]int{}
	for side, list := range c {
		for _, v := range list {
			if v != none {
				lengths[side]++
			}
		}
	}
	return min(lengths[0], lengths[1]) >= g.Shortest && max(lengths[0], lengths[1]) >= 1 && !slices.Equal(c[0], c[1])
}

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
func (s Search) suspect(ctx context.Context, claim Claim, o Options, c candidate, size, number, index int) (float64,
	error) {
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
// one that is left.
func (s Search) shrink(ctx context.Context, claim Claim, o Options, c candidate, report *Report) *Report {
	o.Alpha *= (1 - searchShare) / maxShrinks
	few, first := o, report
	few.Samples, few.Full, few.Progress = min(o.Samples, keptShare*report.Samples), false, nil
	c, report = s.simplest(ctx, claim, few, c, report)
	if !o.Full || report == first || ctx.Err() != nil {
		return report
	}
	o.Seed += maxShrinks // simplest took those before
	if whole := s.refutes(ctx, claim, c, o); whole != nil {
		whole.Screened = report.Screened
		return whole
	}
	return report
}

// simplest returns a pair that refutes the claim, and of which nothing simpler was found to do so, and the report
// about it.
func (s Search) simplest(ctx context.Context, claim Claim, o Options, c candidate, report *Report) (candidate,
	*Report) {
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

// refutes returns the report about a pair if it refutes the claim, or nil: a program that fails
// on a simpler input takes nothing from what was found.
func (s Search) refutes(ctx context.Context, claim Claim, c candidate, o Options) *Report {
	a, err := newAuditor(claim, []Pair{s.pair(c)}, o)
	if err != nil {
		return nil
	}
	if refuted, err := a.play(ctx); err != nil || !refuted {
		return nil
	}
	return a.report()
}
