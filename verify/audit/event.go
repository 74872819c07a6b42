package audit

import (
	"cmp"
	"math"
	"slices"
)

// round is one step of the game: cells that were learned from earlier outputs, how many
// earlier outputs (others than those learned from) are in each, and how many fresh ones.
type round struct {
	model  partition
	places *round // for the same outputs, by their places; nil if they are plain
	cells  []cellInfo
	past   [2][]int // by input and cell
	fresh  [2][]int
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
func newRound(m partition, past [2]*Sample, planned, left int) (*round, error) {
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
	for i, v := range r.views() {
		for c, k := range in.cells[i] {
			v.fresh[side][c] += k
		}
		if side == 0 {
			v.freshSize += in.count
		}
	}
}

// views returns the round once for every partition.
func (r *round) views() []*round {
	if r.places == nil {
		return []*round{r}
	}
	return []*round{r, r.places}
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

// classes is how many classes of events are told apart, by the share of the outputs on the first input.
const classes = 3

// classOf returns the class of an event with a share of the outputs.
func classOf(share float64) int {
	switch {
	case share <= 0.003:
		return 0
	case share <= 0.05:
		return 1
	}
	return 2
}

// choose returns, for every class of events, the event and the bet that promise most by the
// earlier outputs, or nothing if none seems to break the hypothesis. A large event promises more by chance than a small
// one does in truth. Only events that are the beginning of an order are tried: of a
// single part, or of all parts.
func (r *round) choose(direction int, h hypothesis, parts []int, goal float64) []choice {
	var best [classes]choice
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
			b, promise, ok := place(belief, h, p)
			if !ok {
				continue
			}
			class := &best[classOf(belief.first/belief.n)]
			if class.event == nil || promise > class.promise {
				*class = choice{bet: b, view: r, event: cells[:i+1], promise: promise}
			}
		}
	}
	for _, p := range parts {
		try(func(part int) bool { return part == p })
	}
	if len(parts) > 1 {
		try(func(part int) bool { return slices.Contains(parts, part) })
	}
	return slices.DeleteFunc(best[:], func(c choice) bool { return c.event == nil })
}

// choice is a bet on an event, and the logarithm of the factor by which it should grow.
type choice struct {
	bet
	view    *round // the partition that the event is of
	event   event
	promise float64
	weight  float64 // the share of what is bet in the round
}

// choices returns the bets of all partitions on which something is to be won, and the weights that they
// have by the earlier outputs: those that promise the growth e^p have weights like e^p, up to what is wanted, but
// a part of the capital is shared evenly, as a promise may be broken.
func (r *round) choices(direction int, h hypothesis, parts []int, goal float64) []choice {
	const even = 0.2
	var all []choice
	var logs []float64
	for _, v := range r.views() {
		for _, c := range v.choose(direction, h, parts, goal) {
			if r.left == 0 || c.promise > 0 {
				all, logs = append(all, c), append(logs, max(0, min(c.promise, 2*goal)))
			}
		}
	}
	sum := logSum(logs...)
	for i := range all {
		all[i].weight = even/float64(len(all)) + (1-even)*math.Exp(logs[i]-sum)
	}
	return all
}

// log returns the logarithm of what the bet has made of 1 by the fresh outputs.
func (c choice) log(direction int, h hypothesis) float64 {
	t := c.view.count(direction, c.event, len(h.weights))
	return c.bet.log(t, h) - rounding(t.n)
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
