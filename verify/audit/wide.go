package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// wide is a partition of the outputs by features of all that is in them, whatever their shapes are.
// In every part, features are screened, and one tree or an ensemble is learned of the best.
type wide struct {
	scale
	parts  []*wideModel
	looked Looked
}

// Looked says what was looked at when something was last learned of outputs of many places.
type Looked struct {
	Places   int // where something stands in an output
	Features int // of places, texts, lists and pairs of places that were compared
	Left     int // features that could have been compared, and were not: there were too many
	// Uncounted is set if of the words and numbers that come several times not all were counted: there were too many.
	Uncounted bool
}

// wideModel scores the outputs of one part.
type wideModel struct {
	features []feature
	tree     *tree    // or nil
	boosted  ensemble // if there is no tree
	names    map[pathID]string
	hurdle   hurdle // of the tree
}

// shortlist is what was found in the outputs of one part.
type shortlist struct {
	rows     []row
	features []feature // the best ones
	names    map[pathID]string
	looked   Looked
	hurdle   hurdle
}

// look finds the features of a part that say something.
func look(claim Claim, part int, samples [2]*Sample, bits bool) *shortlist {
	g := &shortlist{rows: rowsOfPart(claim, part, samples)}
	found := survey(g.rows)
	features, left := found.candidates(bits)
	g.names = found.names
	if len(features) <= kept {
		g.features = features // there is nothing to choose
	} else {
		best := slices.Concat(found.counted(), screen(features, g.rows))
		slices.SortStableFunc(best, func(a, b screening) int { return cmp.Compare(b.gain, a.gain) })
		g.features = bestOf(best)
		g.hurdle.screen = bestLeft(best, g.features)
	}
	g.hurdle.total, g.hurdle.often = found.total, leastOften(len(g.rows))
	g.looked = Looked{len(found.order), len(features), left, found.full}
	return g
}

// learnEntries bounds the features of rows that trees are learned from, and boostRows the rows that ensembles are.
const (
	learnEntries = 6_000_000
	boostRows    = 45_000
)

// learnWide learns a partition by one tree in each part, and one by an ensemble.
func learnWide(claim Claim, samples [2]*Sample, bits bool) (byTree, byEnsemble *wide) {
	byTree, byEnsemble = &wide{scale: scale{claim: claim}}, &wide{scale: scale{claim: claim}}
	for part := range claim.Parts {
		g := look(claim, part, samples, bits)
		byTree.looked = byTree.looked.with(g.looked)
		t := tabulate(beginning(g.rows, len(g.features), learnEntries), g.features)
		for i, column := range t.columns {
			g.features[i].isMissed = slices.Contains(column, missing)
		}
		b := newBinned(t)
		root := grow(b)
		g.hurdle.grown(root, len(b.edges), widest(samples), claim.countOf(part, samples))
		byTree.add(root.scores(b.table), b.counts)
		few := b.head(boostRows)
		trees, scores := boost(few)
		byEnsemble.add(scores, few.counts)
		byTree.parts = append(byTree.parts,
			(&wideModel{features: g.features, names: g.names, tree: root, hurdle: g.hurdle}).used())
		byEnsemble.parts = append(byEnsemble.parts,
			(&wideModel{features: g.features, names: g.names, boosted: trees}).used())
	}
	return byTree, byEnsemble
}

// with adds what was looked at in another part.
func (l Looked) with(m Looked) Looked {
	return Looked{max(l.Places, m.Places), l.Features + m.Features, l.Left + m.Left, l.Uncounted || m.Uncounted}
}

// looked returns what was looked at in the last rounds of all pairs, or nothing if outputs are plain.
func (a *auditor) looked() (all Looked) {
	for _, t := range a.matches {
		if len(t.history) == 0 {
			continue
		}
		for _, v := range t.history[len(t.history)-1].others {
			if w := v.model.(*wide); w.looked.Features > 0 {
				all = all.with(w.looked)
			}
		}
	}
	return all
}

// used returns the same model without the features that it does not use.
func (m *wideModel) used() *wideModel {
	index := map[int]int{}
	var features []feature
	var walk func(t *tree)
	walk = func(t *tree) {
		if t.feature < 0 {
			return
		}
		i, ok := index[t.feature]
		if !ok {
			i = len(features)
			index[t.feature] = i
			features = append(features, m.features[t.feature])
		}
		t.feature = i
		walk(t.low)
		walk(t.high)
	}
	if m.tree != nil {
		walk(m.tree)
	}
	for _, t := range m.boosted {
		walk(t)
	}
	m.features = features
	return m
}

// add adds the cells of the next part, by the scores of the rows that were learned from.
func (w *wide) add(scores []float64, counts [][2]float64) {
	const enough = 50_000
	var all []float64
	for i, score := range scores[:min(len(scores), enough)] {
		for range int(min(counts[i][0]+counts[i][1], enough)) {
			all = append(all, score)
		}
	}
	w.scale.add(all)
}

// score returns the logarithm of the likelihood ratio that is estimated for an output.
func (m *wideModel) score(o *output, buffer []float64) float64 {
	if m.tree != nil {
		return m.tree.leaf(func(i int) float64 { return m.features[i].of(o) }).value
	}
	for i := range m.features {
		buffer[i] = m.features[i].of(o)
	}
	return m.boosted.score(buffer)
}

// count returns how many outputs are in each cell.
func (w *wide) count(s *Sample) ([]int, error) {
	var o output
	var l layout
	var buffer []float64
	return w.countBy(s, func(part int, g *Group, f func(score float64, count int)) {
		m := w.parts[part]
		buffer = slices.Grow(buffer[:0], len(m.features))[:len(m.features)]
		l.read(g.Part, g.Shape, nil)
		if g.Width() == 0 {
			o.reset(&l, nil)
			f(m.score(&o, buffer), g.Count)
			return
		}
		for numbers := range slices.Chunk(g.Numbers, g.Width()) {
			o.reset(&l, numbers)
			f(m.score(&o, buffer), 1)
		}
	})
}

// describe says which outputs are in an event.
func (w *wide) describe(e event, likelier law) []string {
	var clauses []clause
	for part, m := range w.parts {
		suffix, inside := w.in(part), w.inside(e, part)
		if m.tree == nil {
			clauses = append(clauses, w.describeEnsemble(e, part, suffix, likelier)...)
			continue
		}
		names := m.featureNames()
		for _, b := range boxesOf(m.tree, len(names), func(t *tree) bool { return inside(t.value) }) {
			clauses = append(clauses, clause{"outputs" + prefixed(" where ", m.words(b, names)) + suffix, b.seen})
		}
	}
	return lines(clauses)
}

// prefixed is a text after another, if there is one.
func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

// featureNames says what the features are.
func (m *wideModel) featureNames() []string {
	names := make([]string, len(m.features))
	for i := range m.features {
		names[i] = m.features[i].name(m.names)
	}
	return names
}

// words describes a box; what is missing and what is yes or no is said in words.
func (m *wideModel) words(b box, names []string) string {
	var all []string
	for i := range m.features {
		if text := m.features[i].between(b.low[i], b.high[i], names[i], m.names); text != "" {
			all = append(all, text)
		}
	}
	return strings.Join(all, ", ")
}

// describeEnsemble says what the scores are made of.
func (w *wide) describeEnsemble(e event, part int, suffix string, likelier law) []clause {
	m, edges := w.parts[part], w.edges[part]
	var ranges []string
	for i := 0; i <= len(edges); i++ {
		if !slices.Contains(e, w.first[part]+i) {
			continue
		}
		low := "-∞"
		if i > 0 {
			low = fmt.Sprintf("%.4g", edges[i-1])
		}
		for i < len(edges) && slices.Contains(e, w.first[part]+i+1) {
			i++
		}
		if high := "∞"; i == len(edges) {
			ranges = append(ranges, low+" to "+high)
		} else {
			ranges = append(ranges, fmt.Sprintf("%s to %.4g", low, edges[i]))
		}
	}
	if len(ranges) == 0 {
		return nil
	}
	names := m.featureNames()
	if len(names) > maxDescribed {
		names = append(names[:maxDescribed], fmt.Sprintf("%d more", len(names)-maxDescribed))
	}
	return []clause{{fmt.Sprintf("outputs%s whose score for %s of %d small trees is in %s; trees over: %s", suffix,
		likelier, len(m.boosted),
		strings.Join(ranges, ", "), strings.Join(names, "; ")), 1}}
}

// plainShapes is how many shapes without numbers need no features to be told apart.
const plainShapes = 32

// isPlain reports whether outputs are so simple that they say nothing beyond their shape, if that is one of a
// few, or beyond one number.
func isPlain(samples [2]*Sample) bool {
	keys := map[key]bool{}
	for _, s := range samples {
		if len(s.groups) > plainShapes {
			return false
		}
		for k := range s.groups {
			keys[k] = true
		}
	}
	width := widest(samples)
	return width == 0 || width == 1 && len(keys) == 1
}

// furtherViews returns the round by partitions that are learned of features.
func (t *match) furtherViews(a *auditor, r *round) ([]*round, error) {
	if !a.Bits && isPlain(t.learn) {
		return nil, nil
	}
	byTree, byEnsemble := learnWide(a.claim, t.learn, a.Bits)
	var others []*round
	for _, w := range []*wide{byTree, byEnsemble} {
		v, err := newRound(w, t.judge, r.planned, r.left)
		if err != nil {
			return nil, err
		}
		others = append(others, v)
	}
	return others, nil
}
