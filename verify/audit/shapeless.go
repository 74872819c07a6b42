package audit

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

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
	// frequent is how much less often than the most frequent features others may come that are frequent.
	frequent = 4
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
				if g.Width() == 0 && t.countOf(k) == 1 {
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

// alike returns the share of outputs that have the same features, of those without numbers that came once; 0 if
// several features are frequent, as these tell outputs apart.
func (t *match) alike() float64 {
	var all []*layout
	groups := slices.Concat(t.judge[0].Groups(), t.judge[1].Groups())
	for i := 0; i < len(groups); i += 1 + len(groups)/comparedFeatures {
		if g := groups[i]; g.Width() == 0 && t.countOf(g.key()) == 1 {
			all = append(all, layoutOf(g.Part, g.Shape, nil))
		}
	}
	seen, same := repeatedWords(all), map[string]int{}
	for _, l := range all {
		same[l.signature(seen)]++
	}
	counts := slices.Sorted(maps.Values(same))
	n := len(counts)
	if n == 0 || n > 1 && counts[n-2]*frequent > counts[n-1] {
		return 0
	}
	return float64(counts[n-1]) / float64(len(all))
}

// repeatedWords counts in how many outputs every text is, and every word of texts.
func repeatedWords(all []*layout) map[string]int {
	seen, last := map[string]int{}, map[string]int{}
	for i, l := range all {
		for _, s := range l.spots {
			s.eachCommon(func(word string) {
				if last[word] != i+1 {
					last[word] = i + 1
					seen[word]++
				}
			})
		}
	}
	return seen
}

// eachCommon calls f with what a text may have in common with others: itself, and its words.
func (s *spot) eachCommon(f func(word string)) {
	if s.kind == kindText {
		f(`"` + s.text)
		eachWord(s.text, f)
	}
}

// signature returns what is looked at in an output beside bytes and lengths of texts: how it is built, what other
// outputs have as well, by a count of these, and the numbers in texts.
func (l *layout) signature(seen map[string]int) string {
	var b strings.Builder
	for _, x := range l.lists {
		fmt.Fprint(&b, x.length, " ")
	}
	for _, s := range l.spots {
		fmt.Fprint(&b, s.kind, " ")
		s.eachCommon(func(word string) {
			if seen[word] > 1 {
				fmt.Fprintf(&b, "%q", word)
			}
		})
		eachNumber(s.text, func(number string) bool { b.WriteString(number + " "); return true })
	}
	return b.String()
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
