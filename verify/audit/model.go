package audit

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// partition is a partition of the outputs into cells.
type partition interface {
	cells() []cellInfo
	count(s *Sample) ([]int, error) // how many outputs are in each cell
	describe(e event) []string      // which outputs are in an event
}

// model is a partition of the outputs, learned from a sample of either input: outputs
// are in a cell if about the same likelihood ratio is estimated for them. The estimate
// of an output is that of its shape, of the leaf of its numbers, and of itself if it came
// more than once, each correcting the one before.
type model struct {
	claim  Claim
	words  vocabulary
	shapes *tree // over features of shapes
	groups map[key]*groupModel
	edges  [][]float64 // by part: the largest score in each cell
	first  []int       // by part: the number of its first cell
}

// groupModel scores the outputs of a group.
type groupModel struct {
	describer
	width  int
	tree   *tree
	counts [2]float64
	repeat map[uint64]repeated // outputs that were seen several times, by hash
}

// repeated is an output that was seen several times.
type repeated struct {
	numbers []float64
	score   float64
	seen    float64
}

// minRepeats is how often an output has to be there to be judged for itself.
const minRepeats = 3

// maxCells bounds the cells of a part.
const maxCells = 128

// learn learns a model from as many outputs of either input.
func learn(claim Claim, samples [2]*Sample, bits bool) (*model, error) {
	m := &model{claim: claim, groups: map[key]*groupModel{}}
	keys := m.learnShapes(samples)
	for _, k := range keys {
		if len(keys) > maxShapes && samples[0].countOf(k)+samples[1].countOf(k) < minRepeats {
			continue
		}
		m.groups[k] = learnGroup(k, samples, bits, m.shapes.find(m.words.describe(k.shape)))
	}
	return m, m.cut(keys, samples)
}

// maxShapes is how many shapes are told apart by their words and, if they are seldom, by themselves. Where
// there are more, features of all places are left to do it; see [wide].
const maxShapes = 10_000

// learnShapes learns what the shapes say, and returns them.
func (m *model) learnShapes(samples [2]*Sample) []key {
	keys := keysOf(samples)
	if len(keys) > maxShapes {
		m.shapes = seldom(keys, samples)
		return keys
	}
	var shapes []string
	for _, k := range keys {
		shapes = append(shapes, k.shape)
	}
	m.words = newVocabulary(shapes)
	t := table{columns: make([][]float64, 1+3*len(m.words))}
	for _, k := range keys {
		for i, x := range m.words.describe(k.shape) {
			t.columns[i] = append(t.columns[i], x)
		}
		for side, s := range samples {
			t.counts[side] = append(t.counts[side], float64(s.countOf(k)))
		}
	}
	m.shapes = grow(t)
	return keys
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

// seldom returns one leaf for all shapes that came seldom.
func seldom(keys []key, samples [2]*Sample) *tree {
	leaf := &tree{feature: -1}
	for _, k := range keys {
		n := [2]float64{float64(samples[0].countOf(k)), float64(samples[1].countOf(k))}
		if n[0]+n[1] < minRepeats {
			leaf.counts[0] += n[0]
			leaf.counts[1] += n[1]
		}
	}
	return leaf
}

// learnGroup learns what the numbers of a group's outputs say.
func learnGroup(k key, samples [2]*Sample, bits bool, leaf *tree) *groupModel {
	g := &groupModel{describer: describer{bits: bits}, repeat: map[uint64]repeated{}}
	for side, s := range samples {
		g.counts[side] = float64(s.countOf(k)) + leaf.share(side)
	}
	for _, s := range samples {
		if group := s.groups[k]; group != nil {
			g.width = group.Width
		}
	}
	if g.width == 0 {
		return g
	}
	rows, counts := rowsOf(k, samples, 1)
	columns := min(g.width, maxColumns)
	few, fewCounts := rows, counts
	if share := maxEntries / float64(columns*len(rows)); share < 1 {
		few, fewCounts = rowsOf(k, samples, share)
	}
	if columns > 1 {
		for i := range columns {
			column := make([]float64, len(few))
			for r, numbers := range few {
				column[r] = numbers[i]
			}
			g.sum = append(g.sum, grow(table{[][]float64{column}, fewCounts}))
		}
	}
	g.tree = grow(table{g.columns(few), fewCounts})
	g.learnRepeats(rows, counts)
	return g
}

// maxEntries bounds the numbers that a group's trees are learned from: with more, outputs
// of many numbers would take longer to learn from than to draw.
const maxEntries = 4_000_000

// rowsOf returns the numbers of a share of the outputs of either input, and how often each came
// from which.
func rowsOf(k key, samples [2]*Sample, share float64) (rows [][]float64, counts [2][]float64) {
	outputs := samples[0].countOf(k) + samples[1].countOf(k)
	rows = make([][]float64, 0, outputs)
	for side := range counts {
		counts[side] = make([]float64, 0, outputs)
	}
	for side, s := range samples {
		group := s.groups[k]
		if group == nil {
			continue
		}
		n := int(math.Ceil(share * float64(group.Count)))
		for numbers := range slices.Chunk(group.Numbers[:n*group.Width], group.Width) {
			rows = append(rows, numbers)
			counts[side] = append(counts[side], 1)
			counts[1-side] = append(counts[1-side], 0)
		}
	}
	return rows, counts
}

// columns returns the features of rows of numbers, by feature.
func (g *groupModel) columns(rows [][]float64) [][]float64 {
	var columns [][]float64
	var buffer []float64
	for r, numbers := range rows {
		buffer = g.features(buffer[:0], numbers)
		if columns == nil {
			columns = make([][]float64, len(buffer))
			for i := range columns {
				columns[i] = make([]float64, len(rows))
			}
		}
		for i, x := range buffer {
			columns[i][r] = x
		}
	}
	return columns
}

// learnRepeats scores the outputs that were seen several times.
func (g *groupModel) learnRepeats(rows [][]float64, counts [2][]float64) {
	type seen struct {
		hash uint64
		row  int32
	}
	all := make([]seen, len(rows))
	for r, numbers := range rows {
		all[r] = seen{g.hash(numbers), int32(r)}
	}
	slices.SortFunc(all, func(a, b seen) int { return cmp.Compare(a.hash, b.hash) })
	for i := 0; i < len(all); {
		j := i
		var sum [2]float64
		for ; j < len(all) && all[j].hash == all[i].hash; j++ {
			sum[0] += counts[0][all[j].row]
			sum[1] += counts[1][all[j].row]
		}
		if j-i >= minRepeats {
			numbers := rows[all[i].row]
			leaf := g.leaf(numbers, nil)
			score := math.Log((sum[0] + leaf.share(0)) / (sum[1] + leaf.share(1)))
			g.repeat[all[i].hash] = repeated{slices.Clone(numbers), score, float64(j - i)} // the others need not be kept
		}
		i = j
	}
}

// hash returns a number that two outputs with the same numbers share, and hardly any others.
// 0 and −0 are the same as reals.
func (g *groupModel) hash(numbers []float64) uint64 {
	h := uint64(14695981039346656037)
	for _, x := range numbers {
		if x == 0 && !g.bits {
			x = 0
		}
		h ^= math.Float64bits(x)
		h *= 0x9E3779B97F4A7C15
		h ^= h >> 29
	}
	return h
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
	return leaf.score()
}

// each calls f with the score of every output of a group, or once for all that share one.
func (m *model) each(g *Group, f func(score float64, count int)) {
	model, known := m.groups[key{g.Part, g.Shape}]
	switch {
	case !known && m.shapes.feature < 0:
		f(m.shapes.score(), g.Count)
	case !known:
		f(m.shapes.find(m.words.describe(g.Shape)).score(), g.Count)
	case g.Width == 0 || g.Count == 0:
		f(model.score(nil, nil), g.Count)
	default:
		buffer := make([]float64, 0, 2*maxColumns+4)
		for numbers := range slices.Chunk(g.Numbers, g.Width) {
			f(model.score(numbers, buffer), 1)
		}
	}
}

// cut makes the cells: every score is one if they are few, and otherwise ranges of
// scores, finer at the two ends.
func (m *model) cut(keys []key, samples [2]*Sample) error {
	scores := make([][]float64, len(m.claim.Parts))
	for _, k := range keys {
		part, err := m.claim.Part(k.part)
		if err != nil {
			return err
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
	cells := 0
	for _, s := range scores {
		edges := quantiles(s, maxCells)
		m.edges, m.first = append(m.edges, edges), append(m.first, cells)
		cells += len(edges) + 1 // one for what scores higher than all
	}
	return nil
}

// cells returns the cells with their scores.
func (m *model) cells() []cellInfo { return cellsOf(m.edges) }

// cellsOf returns the cells between edges of scores, by part.
func cellsOf(edges [][]float64) []cellInfo {
	var all []cellInfo
	for part, edges := range edges {
		for _, e := range edges {
			all = append(all, cellInfo{part, e})
		}
		above := 0.0
		if n := len(edges); n > 0 {
			above = edges[n-1]
		}
		all = append(all, cellInfo{part, above})
	}
	return all
}

// count returns how many outputs are in each cell.
func (m *model) count(s *Sample) ([]int, error) {
	counts := make([]int, len(m.cells()))
	for _, g := range s.groups {
		part, err := m.claim.Part(g.Part)
		if err != nil {
			return nil, err
		}
		m.each(g, func(score float64, count int) {
			counts[m.first[part]+sort.SearchFloat64s(m.edges[part], score)] += count
		})
	}
	return counts, nil
}

// score returns the estimate of a leaf.
func (t *tree) score() float64 { return math.Log((t.counts[0] + 0.5) / (t.counts[1] + 0.5)) }

// share returns which part of a leaf's outputs is of an input.
func (t *tree) share(side int) float64 {
	return (t.counts[side] + 0.5) / (t.counts[0] + t.counts[1] + 1)
}
