package audit

import (
	"slices"
	"sort"
)

// scale divides the outputs of every part into cells, by their scores.
type scale struct {
	claim Claim
	edges [][]float64 // by part: the largest score in each cell but the last, which has what scores higher than all
	first []int       // by part: the number of its first cell
}

// maxCells bounds the cells of a part.
const maxCells = 128

// add makes the cells of the next part: every score is one if they are few, and otherwise ranges of scores, finer at
// the two ends.
func (s *scale) add(scores []float64) {
	next := 0
	if n := len(s.first); n > 0 {
		next = s.first[n-1] + len(s.edges[n-1]) + 1
	}
	edges, _ := quantiles(scores, maxCells)
	s.edges, s.first = append(s.edges, edges), append(s.first, next)
}

// cell returns the number of the cell of a score.
func (s *scale) cell(part int, score float64) int {
	return s.first[part] + sort.SearchFloat64s(s.edges[part], score)
}

// inside reports whether a score is in an event.
func (s *scale) inside(e event, part int) func(score float64) bool {
	return func(score float64) bool { return slices.Contains(e, s.cell(part, score)) }
}

// cells returns the cells with their scores.
func (s *scale) cells() []cellInfo {
	var all []cellInfo
	for part, edges := range s.edges {
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

// countBy returns how many outputs are in each cell; each calls f with the scores of a group, and how many have it.
func (s *scale) countBy(sample *Sample,
	each func(part int, g *Group, f func(score float64, count int))) ([]int, error) {
	counts := make([]int, len(s.cells()))
	for _, g := range sample.groups {
		part, err := s.claim.Part(g.Part)
		if err != nil {
			return nil, err
		}
		each(part, g, func(score float64, count int) { counts[s.cell(part, score)] += count })
	}
	return counts, nil
}

// in names a part, if there are several.
func (s *scale) in(part int) string {
	if s.claim.IsDP() {
		return ""
	}
	return " in part " + s.claim.Parts[part].Name
}
