package audit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// maxDescribed bounds how many lines an event is described by.
const maxDescribed = 12

// leastDescribed is the share of an event's outputs that a line is about, at least, but for the first.
const leastDescribed = 0.002

// clause is a set of outputs in words, and how many were seen of it.
type clause struct {
	text string
	seen float64
}

// describe says which outputs are in an event, those seen most often first.
func (m *model) describe(e event, likelier law) []string {
	var clauses []clause
	for k, g := range m.groups {
		part, err := m.claim.Part(k.part)
		if err != nil {
			panic(fmt.Sprintf("internal error: %v", err)) // they were counted
		}
		clauses = append(clauses, g.describe(k, m.inside(e, part), likelier)...)
	}
	for part, seldom := range m.seldom {
		if seldom > 0 && m.inside(e, part)(m.unseen.value) {
			text := fmt.Sprintf("outputs of shapes that came less than %d times while learning", minRepeats)
			clauses = append(clauses, clause{text + m.in(part), seldom})
		}
	}
	return lines(clauses)
}

// outputs returns how many outputs of a group were learned from.
func (g *groupModel) outputs() float64 { return math.Round(g.counts[0] + g.counts[1] - 1) }

// name is what a group's outputs look like.
func (g *groupModel) name(k key) string {
	if k.part != "" {
		return fmt.Sprintf("%s in part %s", k.shape, k.part)
	}
	return k.shape
}

// lines returns the texts of clauses, those seen most often first, and how many there are beyond maxDescribed.
func lines(clauses []clause) []string {
	slices.SortFunc(clauses, func(a, b clause) int {
		if c := cmp.Compare(b.seen, a.seen); c != 0 {
			return c
		}
		return strings.Compare(a.text, b.text)
	})
	seen := 0.0
	for _, c := range clauses {
		seen += c.seen
	}
	var texts []string
	for i, c := range clauses {
		if i == maxDescribed || i >= 3 && c.seen < seen*leastDescribed {
			return append(texts, fmt.Sprintf("and %d more, rarer", len(clauses)-i))
		}
		texts = append(texts, c.text)
	}
	return texts
}

// describe says which outputs of a group are in an event.
func (g *groupModel) describe(k key, inside func(score float64) bool, likelier law) []clause {
	name := g.name(k)
	if g.tree == nil || g.tree.feature < 0 && len(g.repeat) == 0 {
		if inside(g.score(nil, nil)) {
			return []clause{{name, g.outputs()}}
		}
		return nil
	}
	var clauses []clause
	for _, b := range g.boxes(inside) {
		text := name
		if words := b.words(g.names(g.width, likelier)); words != "" {
			text += " with " + words
		}
		clauses = append(clauses, clause{text, b.seen})
	}
	return append(clauses, g.repeated(name, inside)...)
}

// repeated names the outputs that are in an event, or not, for themselves.
func (g *groupModel) repeated(name string, inside func(score float64) bool) []clause {
	var clauses []clause
	for _, r := range g.repeat {
		leaf := inside(g.leafScore(r.numbers, nil))
		switch in := inside(r.score); {
		case in && !leaf:
			clauses = append(clauses, clause{withNumbers(name, r.numbers), r.seen})
		case leaf && !in:
			clauses = append(clauses, clause{"but not " + withNumbers(name, r.numbers), r.seen})
		}
	}
	return clauses
}

// withNumbers is a name with numbers in the place of each #.
func withNumbers(name string, numbers []float64) string {
	for _, x := range numbers {
		name = strings.Replace(name, "#", fmt.Sprint(x), 1)
	}
	return name
}

// box is a product of intervals (low, high] of features, and how many outputs were in it.
type box struct {
	low, high []float64
	seen      float64
}

// boxes returns the leaves that are in an event.
func (g *groupModel) boxes(inside func(score float64) bool) []box {
	return boxesOf(g.tree, len(g.names(g.width, 0)), func(t *tree) bool { return inside(g.scoreOf(t)) })
}

// boxesOf returns the leaves of a tree that are in an event; neighbours along the only feature are one.
func boxesOf(root *tree, features int, inside func(*tree) bool) []box {
	var all []box
	whole := box{low: slices.Repeat([]float64{math.Inf(-1)}, features),
		high: slices.Repeat([]float64{math.Inf(1)}, features)}
	var walk func(t *tree, b box)
	walk = func(t *tree, b box) {
		if t.feature >= 0 {
			low, high := b.halves(t.feature, t.threshold)
			walk(t.low, low)
			walk(t.high, high)
			return
		}
		if !inside(t) {
			return
		}
		b.seen = t.counts[0] + t.counts[1]
		if n := len(all); n > 0 && features == 1 && all[n-1].high[0] == b.low[0] {
			all[n-1].high[0] = b.high[0]
			all[n-1].seen += b.seen
			return
		}
		all = append(all, b)
	}
	walk(root, whole)
	return all
}

// halves divides a box at a threshold on a feature.
func (b box) halves(feature int, threshold float64) (low, high box) {
	low = box{low: slices.Clone(b.low), high: slices.Clone(b.high)}
	high = box{low: slices.Clone(b.low), high: slices.Clone(b.high)}
	low.high[feature], high.low[feature] = threshold, threshold
	return low, high
}

// words describes the box by those features that are bounded.
func (b box) words(names []string) string {
	var all []string
	for i, name := range names {
		low, high := b.low[i], b.high[i]
		switch {
		case !math.IsInf(low, -1) && !math.IsInf(high, 1):
			all = append(all, fmt.Sprintf("%g < %s <= %g", low, name, high))
		case !math.IsInf(low, -1):
			all = append(all, fmt.Sprintf("%s > %g", name, low))
		case !math.IsInf(high, 1):
			all = append(all, fmt.Sprintf("%s <= %g", name, high))
		}
	}
	return strings.Join(all, ", ")
}
