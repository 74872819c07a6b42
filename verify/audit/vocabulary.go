package audit

import (
	"fmt"
	"slices"
)

// maxWords bounds how many different words of shapes are told apart.
const maxWords = 16

// vocabulary is the words that are elements of the lists that outputs are.
type vocabulary []string

// words returns the elements of a shape that is a list, or the shape itself.
func words(shape string) []string {
	if len(shape) < 2 || shape[0] != '[' {
		return []string{shape}
	}
	var all []string
	inside := shape[1 : len(shape)-1]
	depth, start, quoted := 0, 0, false
	for i := 0; i < len(inside); i++ {
		switch c := inside[i]; {
		case quoted && c == '\\':
			i++ // the next one ends nothing
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		case c == ',' && depth == 0:
			all = append(all, inside[start:i])
			start = i + 1
		}
	}
	if inside != "" {
		all = append(all, inside[start:])
	}
	return all
}

// newVocabulary collects the words of shapes.
func newVocabulary(shapes []string) vocabulary {
	var v vocabulary
	for _, s := range shapes {
		for _, w := range words(s) {
			if len(v) < maxWords && !slices.Contains(v, w) {
				v = append(v, w)
			}
		}
	}
	return v
}

// describe returns the features of a shape: its length and, for every word, how often it
// is there, and where first and last.
func (v vocabulary) describe(shape string) []float64 {
	list := words(shape)
	features := []float64{float64(len(list))}
	for _, w := range v {
		count, first, last := 0, len(list), -1
		for i, x := range list {
			if x == w {
				count++
				first, last = min(first, i), i
			}
		}
		features = append(features, float64(count), float64(first), float64(last))
	}
	return features
}

// names says what the features are.
func (v vocabulary) names() []string {
	names := []string{"length"}
	for _, w := range v {
		names = append(names, fmt.Sprintf("count of %s", w), fmt.Sprintf("first place of %s%s", w, noFirst), fmt.Sprintf("last place of %s%s", w, noLast))
	}
	return names
}
