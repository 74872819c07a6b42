package audit

import (
	"fmt"
	"math"
	"math/bits"
)

// maxColumns bounds how many numbers of an output are features of their own.
const maxColumns = 32

// features appends the features of an output's numbers: the first of them, and their last bits. What is made of all that
// is in an output, of whatever shape, is a [feature].
func (g *groupModel) features(out, numbers []float64) []float64 {
	columns := numbers[:min(len(numbers), maxColumns)]
	out = append(out, columns...)
	if g.bits {
		for _, x := range columns {
			out = append(out, lowestBit(x))
		}
	}
	return out
}

// names says what the features are.
func (g *groupModel) names() []string {
	var names []string
	columns := min(g.width, maxColumns)
	for i := range columns {
		names = append(names, numberName(i, g.width))
	}
	if g.bits {
		for i := range columns {
			names = append(names, "last bit of "+numberName(i, g.width))
		}
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
