package audit

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// planted is a mechanism that is imagined: the probabilities of cells of one part on either
// input. The first input is the one that P0 is of.
type planted struct {
	part int
	p    [2][]float64 // of every cell; the last one is what is outside of the part
	goal float64      // of the capital
	// scores are those of the cells, as they were learned; nil if they are learned in each game
	scores []float64
	// least is how many outputs in the first cell, if that is a leak, have to be learned from until they are told from
	// others; 0 if it is none
	least int
}

// leaking returns the mechanism with a leak: with some probability, an output on the first input that the second one
// does not have, in a cell of its own.
func (v planted) leaking(probability float64, least int) planted {
	w := planted{part: v.part, goal: v.goal, least: least, p: [2][]float64{{probability}, {0}}}
	w.scores = append([]float64{0}, v.scores...)
	for i, x := range v.p[0] {
		w.p[0], w.p[1] = append(w.p[0], x*(1-probability)), append(w.p[1], v.p[1][i])
	}
	return w
}

// release is the mechanism whose first input has one output only: no others are learned of, and every partition tells
// it from what the second input has. It hangs on the sizes of rounds alone whether that is found, and not on what was
// seen.
func (a *auditor) release(part int) planted {
	nothing := planted{part: part, p: [2][]float64{{1}, {1}}, goal: a.goal(verdictShare)}
	return nothing.leaking(1, minRepeats)
}

// leastOf returns how many outputs of a leak in a part have to be learned from. A number may have others beside it, of
// which the input that has it may have e^ε times as many as the other input has, as far as the claim goes: it has to
// be most of what is there before a tree divides these from it, and to differ from the luckiest of all outputs that
// came again. Words have nothing beside them.
func (a *auditor) leastOf(t *match, part int) int {
	const until = 3 // outputs of the other input are beside it, before a tree divides these from it
	most, odds := float64(minRepeats), a.null.weights[part]
	for k := range t.learn[0].groups {
		if p, err := a.claim.Part(k.part); err != nil || p != part {
			continue
		}
		var hashes []uint64
		for _, s := range t.learn {
			if g := s.groups[k]; g != nil && g.Width() > 0 {
				hashes = append(hashes, hashesOf(g)...)
			}
		}
		if len(hashes) > 0 {
			luck := luckOf(1 + len(repeatedKeys(hashes, minRepeats)))
			most = max(most, until*odds, luck/math.Log1p(1/odds))
		}
	}
	return int(math.Ceil(most))
}

// hashesOf returns those of a group's outputs, which have numbers; see [groupModel.hash].
func hashesOf(g *Group) (hashes []uint64) {
	var hasher groupModel
	for numbers := range slices.Chunk(g.Numbers, g.Width()) {
		hashes = append(hashes, hasher.hash(numbers))
	}
	return hashes
}

// of returns the probabilities of an event.
func (v planted) of(e event) (p [2]float64) {
	for side := range p {
		for _, c := range e {
			p[side] += v.p[side][c]
		}
	}
	return p
}

// A planted mechanism has the most suspicious cells as they are, and the others in so many bundles.
const (
	finest  = 16
	bundled = 24
)

// bundles returns the cells of a part in their order, next to each other in bundles if they are many.
func (r *round) bundles(direction, part int, h hypothesis) [][]int {
	cells := r.order(direction, h, func(p int) bool { return p == part })
	var all [][]int
	for len(cells) > 0 && len(all) < finest {
		all, cells = append(all, cells[:1]), cells[1:]
	}
	n := min(len(cells), bundled)
	for i := range n {
		all = append(all, cells[i*len(cells)/n:(i+1)*len(cells)/n])
	}
	return all
}

// telling returns the direction and the event, as bundles of cells, that has the largest loss
// within a part by all outputs of the round, three standard deviations taken off; nothing if that is none.
func (r *round) telling(part int, h hypothesis) (direction int, e event) {
	most := 1.0
	for d := range 2 {
		var hits [2]float64
		var prefix event
		for i, cells := range r.bundles(d, part, h) {
			prefix = append(prefix, i)
			n := r.seenIn(cells, d)
			hits[0], hits[1] = hits[0]+n[0], hits[1]+n[1]
			low, high := hits[0]-3*math.Sqrt(hits[0]+1), hits[1]+3*math.Sqrt(hits[1]+1)
			if ratio := low / high; ratio > most {
				most, direction, e = ratio, d, append(event(nil), prefix...)
			}
		}
	}
	return direction, e
}

// seenIn returns how many outputs of either input are in some cells, those of the direction's first.
func (r *round) seenIn(cells []int, direction int) (hits [2]float64) {
	for side := range hits {
		for _, c := range cells {
			hits[side] += float64(r.past[side^direction][c] + r.fresh[side^direction][c])
		}
	}
	return hits
}

// losses returns what all outputs of the round show of the cells of a part: their losses, but for what may be chance,
// the variance of which is taken off the square (James and Stein), and their probabilities on both inputs together.
func (r *round) losses(direction, part int, h hypothesis) (losses, masses []float64) {
	n := float64(r.pastSize+r.freshSize) + 1
	for _, cells := range r.bundles(direction, part, h) {
		k := r.seenIn(cells, direction)
		k[0], k[1] = k[0]+0.5, k[1]+0.5
		loss := math.Log(k[0] / k[1])
		if loss != 0 {
			loss *= max(0, 1-(1/k[0]+1/k[1])/(loss*loss))
		}
		losses, masses = append(losses, loss), append(masses, (k[0]+k[1])/n)
	}
	return losses, masses
}

// plant returns a mechanism with cells of these masses, and losses of them times a factor.
func plant(part int, losses, masses []float64, factor float64) planted {
	v := planted{part: part}
	for i, mass := range masses {
		share := 1 / (1 + math.Exp(-factor*losses[i])) // of the first input
		v.p[0] = append(v.p[0], mass*share)
		v.p[1] = append(v.p[1], mass*(1-share))
	}
	for side := range v.p {
		sum := floats.Sum(v.p[side])
		for i := range v.p[side] {
			v.p[side][i] /= max(1, sum)
		}
		v.p[side] = append(v.p[side], max(0, 1-sum))
	}
	return v
}

// finds reports whether a share of SeenPower of the games against a planted mechanism is won, each with a source of its
// own. The first games decide if the share is not near that.
func (a *auditor) finds(t *match, v planted) bool {
	games := a.games()
	enough, won := SeenPower*float64(games), 0.0
	for i := range games {
		if a.wins(t, v, rand.New(rand.NewChaCha8(a.seed(-1, i)))) {
			won++
		}
		if left := float64(games - i - 1); won >= enough || won+left < enough { // the others change nothing
			break
		}
		if played := float64(i + 1); played == firstGames {
			slack := 1.5 * math.Sqrt(SeenPower*(1-SeenPower)*firstGames)
			if off := won - SeenPower*firstGames; math.Abs(off) > slack {
				return off > 0
			}
		}
	}
	return won >= enough
}

// firstGames is after how many games it is asked whether the others are needed.
const firstGames = 50

// imaginedGoal returns what the capital of an imagined game has to reach, which is played in the cells of one
// partition: what a real one bets may be divided evenly among several, of which the others win nothing.
func (t *match) imaginedGoal(a *auditor) float64 {
	last := t.history[len(t.history)-1]
	return a.goal(verdictShare) + math.Log(float64(len(last.views())))
}

// wins plays one game, in rounds like those of the audit, looking at their ends only.
func (a *auditor) wins(t *match, v planted, source *rand.Rand) bool {
	var g capital
	var halves [2][2][]int // what was drawn to learn from, and to judge by, of either input
	var drawn [2]int       // in either half
	cells := len(v.p[0])
	for half := range halves {
		halves[half] = [2][]int{make([]int, cells), make([]int, cells)}
	}
	draw := func(size int) [2][]int {
		fresh := [2][]int{make([]int, cells), make([]int, cells)}
		for half, n := range [2]int{size / 2, size - size/2} {
			drawn[half] += n
			for side, p := range v.p {
				for c, k := range multinomial(n, p, source) {
					halves[half][side][c] += k
					fresh[side][c] += k
				}
			}
		}
		return fresh
	}
	first := t.drawn
	for _, r := range t.history {
		first -= r.freshSize
	}
	draw(first)
	for _, played := range t.history {
		r := &round{pastSize: played.pastSize, planned: played.planned, freshSize: played.freshSize, left: played.left}
		r.cells = v.cells(thinned(halves[0], drawn[0], r.pastSize, source))
		r.past = thinned(halves[1], drawn[1], r.pastSize, source)
		g.bet(r, 0, a.null, []int{v.part}, v.goal)
		r.fresh = draw(r.freshSize)
		if g.look(r, a.null); g.wealth >= v.goal {
			return true
		}
	}
	return false
}

// cells returns the cells with the scores that were learned, or would have been. What is outside of
// the part, and a leak that is not told from others yet, are in no event but that of all.
func (v planted) cells(learned [2][]int) []cellInfo {
	cells := make([]cellInfo, len(v.p[0]))
	for c := range cells {
		cells[c] = cellInfo{v.part, math.Log((float64(learned[0][c]) + 0.5) / (float64(learned[1][c]) + 0.5))}
		if c > 0 && c < len(v.scores) {
			cells[c].score = v.scores[c]
		}
	}
	if learned[0][0] < v.least {
		cells[0].score = math.Inf(-1)
	}
	cells[len(cells)-1].score = math.Inf(-1)
	return cells
}
