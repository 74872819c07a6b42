package audit

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
)

// leakGame imagines a mechanism that is as it was seen, but for a leak: with some probability, an output
// on the first input is one that the second one does not have. It has a cell for itself once it was seen often enough,
// and shares one with outputs that came as often by chance. The game is played round by round in
// the cells that were learned, by counts that are drawn, so that the leak has to compete with what
// else looks suspicious by chance.
type leakGame struct {
	part   int
	goal   float64 // of the capital
	rounds []imaginedRound
	chance float64       // of the leaking output on either input without a leak
	beside neighbourhood // of one output
}

// coincidence returns the probability that two outputs are the same, where that is so rare that no output is
// known to be possible or not: as of numbers with many digits. Otherwise it returns 0.
func coincidence(s *Sample) float64 {
	n, pairs := float64(s.Count()), 0.0
	for _, g := range s.Groups() {
		if g.Width() == 0 {
			continue
		}
		all := hashesOf(g)
		slices.Sort(all)
		for i, j := 0, 0; i < len(all); i = j {
			for j = i; j < len(all) && all[j] == all[i]; j++ {
			}
			pairs += float64(j-i) * float64(j-i-1)
		}
	}
	if p := pairs / (n*n + 1); p*n <= 1 {
		return p
	}
	return 0
}

// imaginedRound is a round that was played, with what is believed of its cells.
type imaginedRound struct {
	*round
	// of the part, the most suspicious first; the last but one is for the leak, the last one is the rest
	cells []cellInfo
	p     [2][]float64 // of every cell but that of the leak, in their order
}

// finest is how many of the most suspicious cells are not bundled.
const finest = 16

func (a *auditor) newLeakGame(t *match, part int) *leakGame {
	g := &leakGame{part: part, chance: coincidence(t.learn[1]), beside: a.neighbourhood(t, part)}
	if len(t.history) > 0 {
		g.goal = t.imaginedGoal(a)
	}
	for _, r := range t.history {
		if r.freshSize > 0 {
			g.rounds = append(g.rounds, imagine(r, part, a.null))
		}
	}
	return g
}

// imagine takes the cells of a part as all outputs of the round show them.
func imagine(r *round, part int, h hypothesis) imaginedRound {
	all := imaginedRound{round: r}
	order := r.order(0, h, func(p int) bool { return p == part })
	n := float64(r.pastSize + r.freshSize)
	rest := [2]float64{1, 1}
	for i := 0; i < len(order); {
		size := 1
		if i >= finest {
			size = max(1, (len(order)-finest)/maxPlanted)
		}
		var p [2]float64
		bundle := order[i:min(i+size, len(order))]
		for _, c := range bundle {
			for side := range p {
				p[side] += float64(r.past[side][c]+r.fresh[side][c]) / n
			}
		}
		all.cells = append(all.cells, cellInfo{part, r.cells[bundle[0]].score})
		for side, x := range p {
			all.p[side] = append(all.p[side], x)
			rest[side] -= x
		}
		i += size
	}
	all.cells = append(all.cells, cellInfo{part, math.Inf(-1)}, cellInfo{part, math.Inf(-1)})
	for side, x := range rest {
		all.p[side] = append(all.p[side], max(0, x))
	}
	return all
}

// draw returns n outputs of either input by cell, of which so many of the first one are in the cell of the leak, in
// the place of others.
func (i imaginedRound) draw(n, leaking, cell int, source *rand.Rand) (counts [2][]int) {
	for side, p := range i.p {
		others := n
		if side == 0 {
			others -= leaking
		}
		k := multinomial(others, p, source)
		last := len(k) - 1
		counts[side] = append(append(k[:last:last], 0), k[last])
	}
	counts[0][cell] += leaking
	return counts
}

// place returns the cell of the leak, of which so many outputs were learned from, if it has one yet. A leak that scores
// more than all has a cell of its own.
func (g *leakGame) place(cells []cellInfo, learned int) (cell int, ok bool) {
	if learned < minRepeats || !g.beside.tells(learned) {
		return 0, false
	}
	score := math.Log1p(2 * float64(learned))
	known := len(cells) - 2
	at := sort.Search(known, func(c int) bool { return cells[c].score < score })
	if at == 0 {
		cells[known].score = score
		return known, true
	}
	return at - 1, true // the lowest one that reaches up to the score
}

// alone returns the game where the first input has one output only: no others would have been learned of, and every
// partition tells it from what the second input has. It hangs on the sizes of rounds alone whether that is found, and
// not on what was seen.
func (g *leakGame) alone(a *auditor) *leakGame {
	one := &leakGame{part: g.part, goal: a.goal(verdictShare)}
	for _, i := range g.rounds {
		never := cellInfo{g.part, math.Inf(-1)}
		one.rounds = append(one.rounds,
			imaginedRound{round: i.round, cells: []cellInfo{never, never}, p: [2][]float64{{1}, {1}}})
	}
	return one
}

// falseMatches returns how probable outputs are, by input, that are taken for the leak, of which so many outputs were
// learned from.
func (g *leakGame) falseMatches(i imaginedRound, learned int, source *rand.Rand) [2]float64 {
	if g.beside.odds > 0 {
		if q := g.beside.taken(learned, source) / float64(i.pastSize+1); q > 0 {
			return [2]float64{q, q / g.beside.odds}
		}
	}
	return [2]float64{0, g.chance}
}

// wins plays one game with a leak of probability p.
func (g *leakGame) wins(a *auditor, p float64, source *rand.Rand) bool {
	var c capital
	var learned, judged, half int
	take := func(n int) (hits int) {
		hits = binomial(n, p, source)
		mine := binomial(hits, 0.5, source)
		learned, judged, half = learned+mine, judged+hits-mine, half+n/2
		return hits
	}
	if len(g.rounds) == 0 {
		return false
	}
	take(2 * g.rounds[0].pastSize) // of which half is judged by
	for _, i := range g.rounds {
		kept := min(1, float64(i.pastSize)/float64(max(1, half))) // of what is learned from, where memory is short
		known, before := binomial(learned, kept, source), binomial(judged, kept, source)
		r := &round{pastSize: i.pastSize, freshSize: i.freshSize, planned: i.planned, left: i.left}
		r.cells = append(r.cells, i.cells...)
		cell, isPlaced := g.place(r.cells, known)
		if !isPlaced {
			before = 0
		}
		r.past = i.draw(i.pastSize, min(i.pastSize, before), cell, source)
		fresh := take(i.freshSize)
		if !isPlaced {
			fresh = 0
		}
		r.fresh = i.draw(i.freshSize, fresh, cell, source)
		if isPlaced {
			for side, chance := range g.falseMatches(i, known, source) {
				r.past[side][cell] += binomial(i.pastSize, chance, source)
				r.fresh[side][cell] += binomial(i.freshSize, chance, source)
			}
		}
		// What is outside of the part cannot be bet on.
		last := len(r.cells) - 1
		r.cells = r.cells[:last]
		c.bet(r, 0, a.null, []int{g.part}, g.goal)
		if c.look(r, a.null); c.wealth >= g.goal {
			return true
		}
	}
	return false
}

// finds reports whether enough games are won.
func (g *leakGame) finds(a *auditor, p float64) bool {
	return a.wonOften(a.games(), func(source *rand.Rand) bool { return g.wins(a, p, source) })
}
