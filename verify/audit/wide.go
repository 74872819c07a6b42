package audit

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// wide is a partition of the outputs by features of their places, whatever their shapes are. In every part, one tree
// is learned.
type wide struct {
	scale
	parts  []wideModel
	looked Looked
}

// Looked says what was looked at when something was last learned of outputs of many places.
type Looked struct {
	Places   int // where something stands in an output
	Features int // of places that were compared
	Left     int // features that could have been compared, and were not: there were too many
}

// wideModel scores the outputs of one part.
type wideModel struct {
	features []feature
	names    map[pathID]string
	tree     *tree
}

// The cost of learning does not grow with how wide outputs are: wide ones are looked at in fewer rows.
const (
	maxFeatures  = 20_000
	learnEntries = 6_000_000 // features of outputs
	leastLearned = 400       // outputs, however many features there are
	mostSurveyed = 400_000   // outputs that are gone through for their places
	maxSpots     = 3_000_000 // and places of these, about
	lastBytes    = 8         // of a text that are features by their position from the end
	mantissa     = 52        // bits
)

// learnWide learns a partition from a fair choice of the outputs.
func learnWide(claim Claim, samples [2]*Sample, bits bool) *wide {
	w := &wide{scale: scale{claim: claim}}
	dice := rand.New(rand.NewPCG(uint64(samples[0].Count()), 1))
	some := func(n int) [2]*Sample { return [2]*Sample{samples[0].some(n/2, dice), samples[1].some(n/2, dice)} }
	samples = some(mostSurveyed)
	surveyed := some(maxSpots / samples[0].spots())
	for part := range claim.Parts {
		m, looked := survey(rowsOfPart(claim, part, surveyed), bits)
		w.looked = w.looked.with(looked)
		learned, n := samples, max(leastLearned, learnEntries/max(1, len(m.features)))
		_, first := samples[0].bytes()
		if _, second := samples[1].bytes(); int64(n) < first+second {
			learned = some(n)
		}
		t := tabulate(rowsOfPart(claim, part, learned), m.features)
		for i, column := range t.columns {
			m.features[i].isMissed = slices.Contains(column, missing)
		}
		m.tree = grow(newBinned(t))
		w.add(m.tree.scores(t), t.counts)
		w.parts = append(w.parts, m)
	}
	return w
}

// spots returns about how many places an output has.
func (s *Sample) spots() int {
	spots, seen := 0, 0
	for _, g := range s.groups {
		spots, seen = spots+g.Shape.nodes*g.Count, seen+g.Count
	}
	return 1 + spots/max(1, seen)
}

// standing is what stands at a path in some rows.
type standing struct {
	path      pathID
	hint      int
	seen      float64 // outputs
	hasNumber bool
	first     string // text
	varies    bool
	longest   int
}

// survey returns the places of rows, as features of which nothing is learned. Places that hardly any output has, as
// those under names that never come again, tell nothing.
func survey(rows []row, bits bool) (m wideModel, looked Looked) {
	m.names = map[pathID]string{}
	places, total := placesOf(rows, m.names)
	for _, p := range places {
		if least := float64(minRepeats); p.seen < least && p.seen*least < total {
			continue
		}
		looked.Places++
		m.features = append(m.features, p.features(bits)...)
	}
	looked.Left = max(0, len(m.features)-maxFeatures)
	m.features = m.features[:len(m.features)-looked.Left]
	looked.Features = len(m.features)
	return m, looked
}

// placesOf returns what stands where in rows, names the paths, and counts the outputs.
func placesOf(rows []row, names map[pathID]string) (places []*standing, total float64) {
	at := map[pathID]*standing{}
	for _, r := range rows {
		n := r.counts[0] + r.counts[1]
		total += n
		for i := range r.layout.spots {
			s := &r.layout.spots[i]
			p := at[s.path]
			if p == nil {
				p = &standing{path: s.path, hint: i, first: s.text}
				at[s.path] = p
				places = append(places, p)
				if _, isNamed := names[s.path]; !isNamed {
					r.layout.call(names)
				}
			}
			p.seen += n
			p.hasNumber = p.hasNumber || s.kind == kindNumber
			p.varies = p.varies || s.text != p.first
			p.longest = max(p.longest, len(s.text))
		}
	}
	return places, total
}

// features returns those of what stands at a place.
func (p *standing) features(bits bool) []feature {
	var all []feature
	add := func(w what, index int) {
		all = append(all, feature{what: w, path: p.path, hint: p.hint, index: index})
	}
	add(ofKind, 0)
	if p.hasNumber {
		add(ofValue, 0)
	}
	for b := 0; b < mantissa && bits && p.hasNumber; b++ {
		add(ofBit, b)
	}
	for i := 0; i < p.longest && p.varies; i++ {
		add(ofByte, i)
		if i < lastBytes {
			add(ofByte, -1-i)
		}
	}
	return all
}

// with adds what was looked at in another part.
func (l Looked) with(m Looked) Looked {
	return Looked{max(l.Places, m.Places), l.Features + m.Features, l.Left + m.Left}
}

// looked returns what was looked at in the last rounds of all pairs, or nothing if outputs are plain.
func (a *auditor) looked() (all Looked) {
	for _, t := range a.matches {
		if len(t.history) > 0 && t.history[len(t.history)-1].places != nil {
			all = all.with(t.history[len(t.history)-1].places.model.(*wide).looked)
		}
	}
	return all
}

// add adds the cells of the next part, by the scores of the rows that were learned from.
func (w *wide) add(scores []float64, counts [][2]float64) {
	const enough = 50_000
	var all []float64
	for i := 0; i < len(scores); i += 1 + len(scores)/enough {
		for range int(min(counts[i][0]+counts[i][1], enough)) {
			all = append(all, scores[i])
		}
	}
	w.scale.add(all)
}

// count returns how many outputs are in each cell.
func (w *wide) count(s *Sample) ([]int, error) {
	var l layout
	return w.countBy(s, func(part int, g *Group, f func(score float64, count int)) {
		m := &w.parts[part]
		l.read(g.Part, g.Shape)
		if g.Width() == 0 {
			f(m.score(output{&l, nil}), g.Count)
			return
		}
		for numbers := range slices.Chunk(g.Numbers, g.Width()) {
			f(m.score(output{&l, numbers}), 1)
		}
	})
}

// score returns the logarithm of the likelihood ratio that is estimated for an output.
func (m *wideModel) score(o output) float64 {
	return m.tree.leaf(func(i int) float64 { return m.features[i].of(o) }).value
}

// describe says which outputs are in an event.
func (w *wide) describe(e event, _ law) []string {
	var clauses []clause
	for part, m := range w.parts {
		inside := w.inside(e, part)
		for _, b := range boxesOf(m.tree, len(m.features), func(t *tree) bool { return inside(t.value) }) {
			text := "outputs"
			if words := m.words(b); words != "" {
				text += " where " + words
			}
			clauses = append(clauses, clause{text + w.in(part), b.seen})
		}
	}
	return lines(clauses)
}

// words describes a box.
func (m *wideModel) words(b box) string {
	var all []string
	for i := range m.features {
		if text := m.features[i].between(b.low[i], b.high[i], m.names); text != "" {
			all = append(all, text)
		}
	}
	return strings.Join(all, ", ")
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
