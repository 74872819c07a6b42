package audit

import (
	"cmp"
	"math"
	"slices"
)

// round is one step of the game: cells that were learned from earlier outputs, how many
// earlier outputs (others than those learned from) are in each, and how many fresh ones.
type round struct {
	model *model
	cells []cellInfo
	past  [2][]int // by input and cell
	fresh [2][]int
	// how many outputs there are of either input, and are to be drawn
	pastSize, freshSize, planned int
	left                         int // rounds after this one
}

// cellInfo is a cell of the learned partition.
type cellInfo struct {
	part  int
	score float64 // estimate of the logarithm of the likelihood ratio, first input over second
}

// newRound returns a round in which nothing fresh was drawn yet.
func newRound(m *model, past [2]*Sample, planned, left int) (*round, error) {
	r := &round{model: m, cells: m.cells(), pastSize: past[0].Count(), planned: planned, left: left}
	for side, s := range past {
		var err error
		if r.past[side], err = m.count(s); err != nil {
			return nil, err
		}
		r.fresh[side] = make([]int, len(r.cells))
	}
	return r, nil
}

// add counts fresh outputs. Without a model there is nothing to count.
func (r *round) add(side int, in *intake) {
	if r == nil {
		return
	}
	for i, c := range in.cells {
		r.fresh[side][i] += c
	}
	if side == 0 {
		r.freshSize += in.count
	}
}

// event is a set of cells.
type event []int

// order returns the cells of some parts, the most suspicious of a direction first:
// those with the largest likelihood ratio compared with what the claim allows.
func (r *round) order(direction int, h hypothesis, wanted func(part int) bool) []int {
	var cells []int
	excess := make([]float64, len(r.cells))
	for i, c := range r.cells {
		if wanted(c.part) && !math.IsInf(h.weights[c.part], 1) {
			cells = append(cells, i)
		}
		excess[i] = c.score
		if direction == 1 {
			excess[i] = -c.score
		}
		excess[i] -= math.Log(h.weights[c.part])
	}
	slices.SortStableFunc(cells, func(i, j int) int { return cmp.Compare(excess[j], excess[i]) })
	return cells
}

// choose returns the event and the bet that promise most by the earlier outputs, or false
// if nothing seems to break the hypothesis. Only events that are the beginning of an order are
// tried: of a single part, or of all parts.
func (r *round) choose(direction int, h hypothesis, parts []int, goal float64) (best choice, found bool) {
	p := prospect{goal, float64(r.planned)}
	try := func(wanted func(int) bool) {
		cells := r.order(direction, h, wanted)
		belief := tally{second: make([]float64, len(h.weights)), n: float64(r.pastSize) + 1}
		for i, c := range cells {
			part := r.cells[c].part
			if belief.second[part] == 0 {
				belief.second[part] = 0.5 // what was never seen may come
			}
			belief.first += float64(r.past[direction][c])
			belief.second[part] += float64(r.past[1-direction][c])
			if b, promise, ok := place(belief, h, p); ok && (!found || promise > best.promise) {
				best, found = choice{b, cells[:i+1], promise}, true
			}
		}
	}
	for _, p := range parts {
		try(func(part int) bool { return part == p })
	}
	if len(parts) > 1 {
		try(func(part int) bool { return slices.Contains(parts, part) })
	}
	return best, found
}

// choice is a bet on an event, and the logarithm of the factor by which it should grow.
type choice struct {
	bet
	event   event
	promise float64
}

// count returns how many fresh outputs are in an event.
func (r *round) count(direction int, e event, parts int) tally {
	t := tally{second: make([]float64, parts), n: float64(r.freshSize)}
	for _, c := range e {
		t.first += float64(r.fresh[direction][c])
		t.second[r.cells[c].part] += float64(r.fresh[1-direction][c])
	}
	return t
}
