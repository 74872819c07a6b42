package audit

import (
	"fmt"
	"math"
	"strings"
)

// feature is a number that describes outputs: a place in the tree of an output, and a function of what is there.
type feature struct {
	what     what
	path     pathID
	hint     int  // where the path probably is in a layout
	index    int  // a bit, or the position of a byte, from the end if that is negative
	isMissed bool // whether it is missing in some outputs
}

// missing is the value of a feature where there is nothing to describe.
const missing = -math.MaxFloat64

// what is which function a feature is.
type what uint8

const (
	ofKind  what = iota // what stands there, as a number; never missing
	ofValue             // the number
	ofBit               // a bit of the number's mantissa
	ofByte              // of a text
)

// names of features, and of what an output has where they are not missing.
var whatNames = [...][2]string{
	ofKind:  {"kind of %s (nothing, a list or an object 0, null 1, false 2, true 3, number 4, text 5)", "there is %s"},
	ofValue: {"%s", "%s is a number"},
	ofBit:   {"bit %[2]d of %[1]s", "%s is a number"},
	ofByte:  {"byte %[2]d of %[1]s", "there is a byte %[2]d of %[1]s"},
}

// output is one output.
type output struct {
	layout  *layout
	numbers []float64
}

// of returns the feature of an output.
func (f *feature) of(o output) float64 {
	s := &spot{}
	if at := o.layout.find(f.path, f.hint); at >= 0 {
		s = &o.layout.spots[at]
	}
	switch {
	case f.what == ofKind:
		return float64(s.kind)
	case f.what == ofByte && s.kind == kindText:
		return byteAt(s.text, f.index)
	case f.what == ofByte || s.kind != kindNumber:
		return missing
	case f.what == ofBit:
		return float64(math.Float64bits(o.numbers[s.index]) >> f.index & 1)
	}
	return o.numbers[s.index]
}

// byteAt returns the byte of a text at a position, from the end if that is negative.
func byteAt(s string, i int) float64 {
	if i < 0 {
		i += len(s)
	}
	if i < 0 || i >= len(s) {
		return missing
	}
	return float64(s[i])
}

// between says that a feature is above low and at most high, or nothing if it may be anything; names are of paths.
func (f *feature) between(low, high float64, names map[pathID]string) string {
	say := func(format string) string {
		if !strings.Contains(format, "[2]") {
			return fmt.Sprintf(format, names[f.path])
		}
		return fmt.Sprintf(format, names[f.path], f.index)
	}
	name, needs := say(whatNames[f.what][0]), say(whatNames[f.what][1])
	below := math.IsInf(low, -1)
	switch {
	case below && math.IsInf(high, 1):
		return ""
	case high == missing:
		return "it is not so that " + needs
	case low == missing && math.IsInf(high, 1):
		return needs
	case low == missing:
		low = math.Inf(-1)
	}
	text := box{low: []float64{low}, high: []float64{high}}.words([]string{name})
	if below && f.isMissed {
		text = fmt.Sprintf("(%s or it is not so that %s)", text, needs)
	}
	return text
}
