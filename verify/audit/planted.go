package audit

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
)

// planted is a mechanism that is imagined: the probabilities of cells of one part on either
// input. The first input is the one that P0 is of.
type planted struct {
	part int
	p    [2][]float64 // of every cell; the last one is what is outside of the part
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

// maxPlanted bounds the cells of a planted mechanism.
const maxPlanted = 24

// bundles returns the cells of a part in their order, next to each other in bundles if they are many.
func (r *round) bundles(direction, part int, h hypothesis) [][]int {
	cells := r.order(direction, h, func(p int) bool { return p == part })
	var all [][]int
	n := min(len(cells), maxPlanted)
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

// finds reports whether enough games against a planted mechanism are won.
func (a *auditor) finds(t *match, v planted) bool {
	return a.wonOften(a.games(), func(source *rand.Rand) bool { return a.wins(t, v, source) })
}

// wonOften plays games, each with a source of its own, and reports whether a share of SeenPower of them is won. The
// first games decide if the share is not near that.
func (a *auditor) wonOften(games int, wins func(source *rand.Rand) bool) bool {
	enough, won := SeenPower*float64(games), 0.0
	for i := range games {
		if wins(rand.New(rand.NewChaCha8(a.seed(-1, i)))) {
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

// wins plays one game, with as many outputs as were drawn, looking at the ends of rounds only.
func (a *auditor) wins(t *match, v planted, source *rand.Rand) bool {
	var g capital
	cells := len(v.p[0])
	var learned, judged [2][]int
	for side := range v.p {
		learned[side], judged[side] = make([]int, cells), make([]int, cells)
	}
	drawn := 0
	sizes := rounds(a.Samples)
	for number, size := range sizes {
		if drawn >= t.drawn {
			break
		}
		fresh := min(size, t.drawn-drawn) // less if the audit was stopped
		kept := t.thin.keptLike(drawn / 2)
		learnedOf, judgedBy := thinned(learned, drawn/2, kept, source), thinned(judged, drawn/2, kept, source)
		r := &round{past: judgedBy, pastSize: kept, planned: size, freshSize: fresh, left: len(sizes) - 1 - number}
		r.cells = v.scores(learnedOf)
		betting := drawn > 0
		if betting {
			g.bet(r, 0, a.null, []int{v.part}, t.imaginedGoal(a))
		}
		var mine [2][]int
		for side := range v.p {
			r.fresh[side] = multinomial(fresh, v.p[side], source)
			mine[side] = halves(r.fresh[side], source)
		}
		if betting {
			if g.look(r, a.null); g.wealth >= t.imaginedGoal(a) {
				return true
			}
		}
		for side := range v.p {
			for c, k := range mine[side] {
				learned[side][c] += k
				judged[side][c] += r.fresh[side][c] - k
			}
		}
		drawn += fresh
	}
	return false
}

// scores returns the cells with the scores that would have been learned. What is outside of
// the part is in no part that is bet on.
func (v planted) scores(learned [2][]int) []cellInfo {
	cells := make([]cellInfo, len(v.p[0]))
	for c := range cells {
		cells[c] = cellInfo{v.part, math.Log((float64(learned[0][c]) + 0.5) / (float64(learned[1][c]) + 0.5))}
	}
	cells[len(cells)-1].score = math.Inf(-1)
	return cells
}
