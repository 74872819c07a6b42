package audit

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// An output that came once only says nothing by itself: it speaks by what it has in common with others. If that is
// the same for all of them, a mechanism can hide anything in the rest: of a text only bytes are looked at.

const (
	// mostlyShapeless is the share of such outputs from which on an audit has not seen the mechanism.
	mostlyShapeless = 0.5
	// leastOutputs is how many outputs there must be to say that they never repeat.
	leastOutputs = 200
	// comparedOnce is about how many of them are compared.
	comparedOnce = 2000
	// frequent is how much less often than the most frequent outputs, by their words, others may come.
	frequent = 4
)

// shapeless returns the share of the outputs kept of a pair that came once and have no numbers, and are like nearly all
// of their kind in what others have, too. It is 0 if nothing was learned.
func (t *match) shapeless() float64 {
	counts, shapes, total := map[key]int{}, map[key]*Shape{}, 0
	for _, pool := range t.pools() {
		for _, s := range pool {
			total += s.Count()
			for k, g := range s.groups {
				if g.Width() == 0 {
					counts[k] += g.Count
					shapes[k] = g.Shape
				}
			}
		}
	}
	maps.DeleteFunc(counts, func(_ key, n int) bool { return n > 1 })
	if len(t.history) == 0 || total < leastOutputs || len(counts) == 0 {
		return 0
	}
	var some []*layout
	for i, k := range slices.SortedFunc(maps.Keys(counts), key.compare) {
		if i%(1+len(counts)/comparedOnce) == 0 {
			some = append(some, layoutOf(k.part, shapes[k]))
		}
	}
	return float64(len(counts)) / float64(total) * alike(some)
}

// alike returns the share of outputs that are alike in what others have, too; 0 if there are several frequent kinds,
// as these tell outputs apart.
func alike(all []*layout) float64 {
	seen := map[string]int{}
	for _, l := range all {
		words := l.words()
		slices.Sort(words)
		for _, w := range slices.Compact(words) {
			seen[w]++
		}
	}
	same := map[string]int{}
	for _, l := range all {
		same[fmt.Sprintf("%q", slices.DeleteFunc(l.words(), func(w string) bool { return seen[w] == 1 }))]++
	}
	counts := slices.Sorted(maps.Values(same))
	if n := len(counts); n > 1 && counts[n-2]*frequent > counts[n-1] {
		return 0
	}
	return float64(counts[len(counts)-1]) / float64(len(all))
}

// words returns what the places of outputs may have in common: what kind of thing is there, texts, and words of texts.
func (l *layout) words() (all []string) {
	isOther := func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '_' }
	for i, s := range l.spots {
		all = append(all, fmt.Sprint(i, " ", s.kind))
		if s.kind == kindText {
			all = append(append(all, s.text), strings.FieldsFunc(s.text, isOther)...)
		}
	}
	return all
}
