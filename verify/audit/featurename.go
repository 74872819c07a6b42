package audit

import (
	"fmt"
	"math"
)

// name says what the feature is; names are those of paths.
func (f *feature) name(names map[pathID]string) string {
	return fmt.Sprintf(describings[f.what].name(f), orOutput(names[f.path]))
}

// needs says what an output must have for the feature not to be missing.
func (f *feature) needs(names map[pathID]string) string {
	if needs := describings[f.what].needs; needs != "" {
		return fmt.Sprintf(needs, orOutput(names[f.path]))
	}
	return "there is a " + f.name(names)
}

// between says that a feature is above low and at most high, or nothing if it may be anything.
func (f *feature) between(low, high float64, name string, names map[pathID]string) string {
	needs, yesNo := f.needs(names), describings[f.what].yesNo
	switch {
	case math.IsInf(low, -1) && math.IsInf(high, 1):
		return ""
	case high == missing:
		return "it is not so that " + needs
	case low == missing && math.IsInf(high, 1):
		return needs
	case yesNo && low >= 0:
		return name
	case yesNo && low == missing:
		return needs + ", and it is not so that " + name
	case yesNo:
		return "it is not so that " + name
	}
	one := box{low: []float64{low}, high: []float64{high}}
	if low == missing {
		one.low[0] = math.Inf(-1)
	}
	text := one.words([]string{name})
	if math.IsInf(low, -1) && f.isMissed {
		text = fmt.Sprintf("(%s or it is not so that %s)", text, needs)
	}
	return text
}

// word is the feature's word as it is shown in a format.
func (f *feature) word() string {
	switch kind(f.index) {
	case kindNumber:
		return fmt.Sprint(f.value)
	case kindText:
		return escaped(f.text)
	}
	return literals[f.index]
}

// orOutput is the name of a path; an output itself has none.
func orOutput(name string) string {
	if name == "" {
		return "the output"
	}
	return name
}
