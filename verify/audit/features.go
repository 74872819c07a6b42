package audit

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Outputs are described by numbers, the features, of which trees are learned. Features of
// a group's outputs are made of their numbers, and features of a shape of its words.

// maxColumns bounds how many numbers of an output are features of their own.
const maxColumns = 32

// additive is a sum of functions of single numbers. If the numbers of an output are
// independent, the logarithm of the likelihood ratio is such a sum.
type additive []*tree

func (a additive) score(numbers []float64) float64 {
	sum := 0.0
	for i, t := range a {
		sum += t.find(numbers[i : i+1]).value
	}
	return sum
}

// describer makes features of the numbers of an output.
type describer struct {
	sum  additive // nil unless there are two numbers or more
	bits bool     // the last bits are features, too
}

// features appends the features of an output's numbers.
func (d describer) features(out, numbers []float64) []float64 {
	columns := numbers[:min(len(numbers), maxColumns)]
	out = append(out, columns...)
	if d.sum != nil {
		out = append(out, d.sum.score(columns), floats.Sum(numbers), slices.Max(numbers), slices.Min(numbers))
	}
	if d.bits {
		for _, x := range columns {
			out = append(out, lowestBit(x))
		}
	}
	return out
}

// names says what the features are.
func (d describer) names(width int) []string {
	var names []string
	columns := min(width, maxColumns)
	for i := range columns {
		names = append(names, numberName(i, width))
	}
	if d.sum != nil {
		names = append(names, "sum of scores", "sum", "largest", "smallest")
	}
	if d.bits {
		for i := range columns {
			names = append(names, "last bit of "+numberName(i, width))
		}
	}
	return names
}

// lowestBit returns the exponent of the last bit of x that is 1: floating-point sums of
// an answer and noise keep no bits below the larger one's last.
func lowestBit(x float64) float64 {
	if x == 0 {
		return -1100
	}
	fraction, exponent := math.Frexp(x)
	mantissa := uint64(math.Abs(math.Ldexp(fraction, 53)))
	return float64(exponent - 53 + bits.TrailingZeros64(mantissa))
}

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

// numberName says which number of an output is meant.
func numberName(i, width int) string {
	if width == 1 {
		return "number"
	}
	return fmt.Sprintf("number %d", i+1)
}
