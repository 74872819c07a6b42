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
	// comparedFeatures is about how many of them are looked at for their features.
	comparedFeatures = 2000
)

// shapeless returns the share of the outputs kept of a pair that came once and have no numbers, and the features of
// which are those of nearly all of their kind. It is 0 if nothing was learned.
func (t *match) shapeless() float64 {
	if len(t.history) == 0 {
		return 0
	}
	total, once := 0, 0
	for _, pool := range t.pools() {
		for _, s := range pool {
			total += s.Count()
			for k, g := range s.groups {
				if g.Width == 0 && t.countOf(k) == 1 {
					once++
				}
			}
		}
	}
	if total < leastOutputs || once == 0 {
		return 0
	}
	return float64(once) / float64(total) * t.alike()
}

// alike returns the largest share of outputs without numbers that came once that have the same features.
func (t *match) alike() float64 {
	var parts, shapes []string
	all := t.judge[0].Groups()
	for i := 0; i < len(all); i += 1 + len(all)/comparedFeatures {
		if g := all[i]; g.Width == 0 && t.countOf(key{g.Part, g.Shape}) == 1 {
			parts, shapes = append(parts, g.Part), append(shapes, g.Shape)
		}
	}
	words, most := newVocabulary(shapes), 0
	same := map[string]int{}
	for i, shape := range shapes {
		features := fmt.Sprint(parts[i], words.describe(shape))
		same[features]++
		most = max(most, same[features])
	}
	return float64(most) / float64(max(len(shapes), 1))
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
