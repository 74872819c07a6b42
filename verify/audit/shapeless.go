package audit

import "fmt"

// An output that came once only says nothing by itself: it speaks by its features, that is by what it has in common
// with others. If it has none of those that are looked at, it says nothing at all, and a mechanism all of whose outputs
// are so can hide anything in them.

const (
	// mostlyShapeless is the share of such outputs from which on an audit has not seen the mechanism.
	mostlyShapeless = 0.5
	// leastOutputs is how many outputs there must be to say that they never repeat.
	leastOutputs = 200
	// comparedFeatures is how many of them are looked at for their features.
	comparedFeatures = 5000
)

// shapeless returns the share of the outputs kept of a pair that came once and have no numbers, and the features of
// which are those of nearly all of their kind. It is 0 if nothing was learned.
func (t *match) shapeless() float64 {
	if len(t.history) == 0 || t.history[len(t.history)-1].model == nil {
		return 0
	}
	m := t.history[len(t.history)-1].model
	total, once, looked, most := 0, 0, 0, 0
	same := map[string]int{} // how many have the same features
	for _, pool := range t.pools() {
		for _, s := range pool {
			total += s.Count()
			for _, g := range s.Groups() {
				if g.Width > 0 || t.countOf(key{g.Part, g.Shape}) > 1 {
					continue
				}
				if once++; looked < comparedFeatures {
					looked++
					features := fmt.Sprint(g.Part, m.words.describe(g.Shape))
					same[features]++
					most = max(most, same[features])
				}
			}
		}
	}
	if total < leastOutputs || looked == 0 {
		return 0
	}
	return float64(once) / float64(total) * float64(most) / float64(looked)
}

// countOf returns how many outputs of a pair that are kept have a part and a shape.
func (t *match) countOf(k key) (n int) {
	for _, pool := range t.pools() {
		for _, s := range pool {
			n += s.countOf(k)
		}
	}
	return n
}
