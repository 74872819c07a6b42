package audit

import (
	"math"
	"slices"
)

// partition is a partition of the outputs into cells.
type partition interface {
	cells() []cellInfo
	count(s *Sample) ([]int, error) // how many outputs are in each cell
	// which outputs are in an event; the larger a score, the likelier they are under a law
	describe(e event, likelier law) []string
}

// model is a partition of the outputs, learned from a sample of either input: outputs
// are in a cell if about the same likelihood ratio is estimated for them. The estimate
// of an output is that of its shape, of the leaf of its numbers, and of itself if it came
// more than once, each correcting the one before. What outputs of different shapes have in common is for [wide].
type model struct {
	scale
	groups map[key]*groupModel
	unseen *tree     // a leaf: what is known of outputs whose shape is in no group
	seldom []float64 // by part: outputs of such shapes that were learned from
}

// groupModel scores the outputs of a group.
type groupModel struct {
	describer
	bits   bool // 0 and −0 are not the same
	width  int
	tree   *tree
	counts [2]float64
	repeat map[uint64]repeated // outputs that were seen several times, by hash
}

// minRepeats is how often an output has to be there to be judged for itself, and a shape to be learned of by itself;
// tests make it small.
var minRepeats = 3

// learn learns a model from as many outputs of either input.
func learn(claim Claim, samples [2]*Sample, bits bool) (*model, error) {
	m := &model{scale: scale{claim: claim}, groups: map[key]*groupModel{}, seldom: make([]float64, len(claim.Parts))}
	keys := keysOf(samples)
	if err := m.learnSeldom(keys, samples); err != nil {
		return nil, err
	}
	for _, k := range keys {
		if !isSeldom(k, samples) {
			m.groups[k] = learnGroup(k, samples, bits, m.unseen)
		}
	}
	return m, m.cut(keys, samples)
}

// isSeldom reports whether outputs of a shape came so seldom that it has no group.
func isSeldom(k key, samples [2]*Sample) bool {
	return samples[0].countOf(k)+samples[1].countOf(k) < minRepeats
}

// keysOf returns the keys of samples in order.
func keysOf(samples [2]*Sample) []key {
	var keys []key
	for k := range samples[0].groups {
		keys = append(keys, k)
	}
	for k := range samples[1].groups {
		if samples[0].groups[k] == nil {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, key.compare)
	return keys
}

// learnSeldom learns what shapes without a group are thought to be like: those that came seldom, or all if there are
// none.
func (m *model) learnSeldom(keys []key, samples [2]*Sample) error {
	var counts [2]float64
	for _, k := range keys {
		part, err := m.claim.Part(k.part)
		if err != nil {
			return err
		}
		for side, s := range samples {
			if n := float64(s.countOf(k)); isSeldom(k, samples) {
				counts[side] += n
				m.seldom[part] += n
			}
		}
	}
	if counts == [2]float64{} {
		counts = [2]float64{float64(samples[0].Count()), float64(samples[1].Count())}
	}
	m.unseen = leafOf(counts)
	return nil
}

// learnGroup learns what the numbers of a group's outputs say.
func learnGroup(k key, samples [2]*Sample, bits bool, leaf *tree) *groupModel {
	g := &groupModel{bits: bits, repeat: map[uint64]repeated{}}
	for side, s := range samples {
		g.counts[side] = float64(s.countOf(k)) + leaf.share(side)
	}
	for _, s := range samples {
		if group := s.groups[k]; group != nil {
			g.width = group.Width()
		}
	}
	if g.width == 0 {
		return g
	}
	rows, counts := rowsOf(k, samples, 1)
	few, fewCounts := rows, counts
	if share := maxEntries / float64(min(g.width, maxColumns)*len(rows)); share < 1 {
		few, fewCounts = rowsOf(k, samples, share)
	}
	g.learnTrees(few, fewCounts)
	g.learnRepeats(rows, counts)
	return g
}

// learnTrees learns what numbers say by themselves, and together.
func (g *groupModel) learnTrees(rows [][]float64, counts [][2]float64) {
	b := newBinned(table{numbersOf(rows, min(g.width, maxColumns)), counts})
	if g.width > 1 {
		for i := range b.columns {
			g.sum = append(g.sum, grow(b.only(i)))
		}
	}
	for _, column := range g.further(rows, len(b.columns)) {
		b.add(column)
	}
	g.tree = grow(b)
}

// maxEntries bounds the numbers that a group's trees are learned from: with more, outputs
// of many numbers would take longer to learn from than to draw.
const maxEntries = 4_000_000

// rowsOf returns the numbers of a share of the outputs of either input, and how often each came
// from which.
func rowsOf(k key, samples [2]*Sample, share float64) (rows [][]float64, counts [][2]float64) {
	outputs := samples[0].countOf(k) + samples[1].countOf(k)
	rows, counts = make([][]float64, 0, outputs), make([][2]float64, 0, outputs)
	for side, s := range samples {
		group := s.groups[k]
		if group == nil {
			continue
		}
		var count [2]float64
		count[side] = 1
		n := int(math.Ceil(share * float64(group.Count)))
		for numbers := range slices.Chunk(group.Numbers[:n*group.Width()], group.Width()) {
			rows, counts = append(rows, numbers), append(counts, count)
		}
	}
	return rows, counts
}

// numbersOf returns the first numbers of rows, by their place.
func numbersOf(rows [][]float64, width int) [][]float64 {
	columns := make([][]float64, width)
	for i := range columns {
		columns[i] = make([]float64, len(rows))
		for r, numbers := range rows {
			columns[i][r] = numbers[i]
		}
	}
	return columns
}

// further returns the features of rows beyond their first numbers.
func (g *groupModel) further(rows [][]float64, first int) [][]float64 {
	columns := make([][]float64, len(g.names(g.width, 0))-first)
	for i := range columns {
		columns[i] = make([]float64, len(rows))
	}
	var buffer []float64
	for r, numbers := range rows {
		buffer = g.features(buffer[:0], numbers)
		for i := range columns {
			columns[i][r] = buffer[first+i]
		}
	}
	return columns
}

// score returns the logarithm of the likelihood ratio that is estimated for an output.
func (g *groupModel) score(numbers, buffer []float64) float64 {
	if len(g.repeat) > 0 {
		if r, ok := g.repeat[g.hash(numbers)]; ok {
			return r.score
		}
	}
	return g.leafScore(numbers, buffer)
}

// leafScore is score for an output that was not seen several times.
func (g *groupModel) leafScore(numbers, buffer []float64) float64 {
	if g.tree == nil {
		return g.scoreOf(nil)
	}
	return g.scoreOf(g.leaf(numbers, buffer))
}

// leaf returns the leaf of an output.
func (g *groupModel) leaf(numbers, buffer []float64) *tree {
	if g.tree.feature < 0 {
		return g.tree
	}
	return g.tree.find(g.features(buffer[:0], numbers))
}

// scoreOf returns the estimate for the outputs of a leaf: that of the group if it was not
// divided.
func (g *groupModel) scoreOf(leaf *tree) float64 {
	if leaf == nil || g.tree.feature < 0 {
		return math.Log(g.counts[0] / g.counts[1])
	}
	return leaf.value
}

// each calls f with the score of every output of a group, or once for all that share one.
func (m *model) each(g *Group, f func(score float64, count int)) {
	model, known := m.groups[g.key()]
	switch {
	case !known:
		f(m.unseen.value, g.Count)
	case g.Width() == 0 || g.Count == 0:
		f(model.score(nil, nil), g.Count)
	default:
		buffer := make([]float64, 0, 2*maxColumns+4)
		for numbers := range slices.Chunk(g.Numbers, g.Width()) {
			f(model.score(numbers, buffer), 1)
		}
	}
}

// cut makes the cells.
func (m *model) cut(keys []key, samples [2]*Sample) error {
	scores := make([][]float64, len(m.claim.Parts))
	for _, k := range keys {
		part, err := m.claim.Part(k.part)
		if err != nil {
			return err
		}
		if g := m.groups[k]; g != nil {
			// others in the leaf of one that is judged for itself will come, and must not be taken for what scores
			// higher
			for _, r := range g.repeat {
				scores[part] = append(scores[part], g.leafScore(r.numbers, nil))
			}
		}
		for _, s := range samples {
			if g := s.groups[k]; g != nil {
				m.each(g, func(score float64, count int) {
					for range count {
						scores[part] = append(scores[part], score)
					}
				})
			}
		}
	}
	for _, s := range scores {
		m.add(s)
	}
	return nil
}

// count returns how many outputs are in each cell.
func (m *model) count(s *Sample) ([]int, error) {
	return m.countBy(s, func(_ int, g *Group, f func(score float64, count int)) { m.each(g, f) })
}

// share returns which part of a leaf's outputs is of an input.
func (t *tree) share(side int) float64 {
	return (t.counts[side] + 0.5) / (t.counts[0] + t.counts[1] + 1)
}
