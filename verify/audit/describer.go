package audit

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
)

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

// describer describes an output of a group by its first numbers, and by what they are together: features of
// which the group's own tree is learned. What is made of all that is in an output, of whatever shape, is a [feature].
type describer struct {
	sum additive // nil unless there are two numbers or more
}

// features appends the features of an output's numbers.
func (d describer) features(out, numbers []float64) []float64 {
	columns := numbers[:min(len(numbers), maxColumns)]
	out = append(out, columns...)
	if d.sum != nil {
		out = append(out, d.sum.score(columns), floats.Sum(numbers), slices.Max(numbers), slices.Min(numbers))
	}
	return out
}

// names says what the features are; the larger a score, the likelier an output is under a law.
func (d describer) names(width int, likelier law) []string {
	var names []string
	columns := min(width, maxColumns)
	for i := range columns {
		names = append(names, numberName(i, width))
	}
	if d.sum != nil {
		names = append(names, fmt.Sprintf("sum of scores for %s", likelier), "sum", "largest", "smallest")
	}
	return names
}

// numberName says which number of an output is meant.
func numberName(i, width int) string {
	if width == 1 {
		return "number"
	}
	return fmt.Sprintf("number %d", i+1)
}
