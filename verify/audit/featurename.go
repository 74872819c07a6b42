package audit

import (
	"fmt"
	"math"
)

// What first and last places are of what is not there.
const (
	noFirst = " (its length where there is none)"
	noLast  = " (-1 where there is none)"
)

// name says what the feature is; names are those of paths.
func (f *feature) name(names map[pathID]string) string {
	at := orOutput(names[f.path])
	switch f.what {
	case ofKind:
		return fmt.Sprintf("kind of %s (nothing, a list or an object 0, null 1, false 2, true 3, number 4, text 5)", at)
	case ofValue:
		return at
	case ofItem:
		if f.index == int(kindNumber) {
			return fmt.Sprintf("%s = %v", at, f.value)
		}
		return fmt.Sprintf("%s is %q", at, f.text)
	case ofBit:
		return fmt.Sprintf("bit %d of %s is 1", f.index, at)
	case ofLowBit:
		return "last bit of " + at
	case ofResidue:
		whole := ""
		if f.index > 1 {
			whole = " (of a whole number)"
		}
		return fmt.Sprintf("%s modulo %d%s", at, f.index, whole)
	case ofLength:
		return "length of " + at
	case ofChar:
		return fmt.Sprintf("byte %d of %s", f.index, at)
	case ofPrefix:
		return fmt.Sprintf("%s begins with %q", at, f.text)
	case ofToken:
		return fmt.Sprintf("%s has the word %q", at, f.text)
	case ofGram:
		return fmt.Sprintf("%s has %q", at, f.text)
	case ofCharCount:
		return fmt.Sprintf("count of the byte %q in %s", f.text, at)
	case ofCharFirst:
		return fmt.Sprintf("first place of the byte %q in %s%s", f.text, at, noFirst)
	case ofCharLast:
		return fmt.Sprintf("last place of the byte %q in %s%s", f.text, at, noLast)
	case ofNth:
		if f.index < 0 {
			return fmt.Sprintf("number %d from the end of %s", -f.index, at)
		}
		return fmt.Sprintf("number %d in %s", f.index+1, at)
	case ofAfter:
		return fmt.Sprintf("number after %q in %s", f.text, at)
	case ofTextRuns:
		return "runs in " + at
	}
	return f.nameOfSeveral(at, orOutput(names[f.other]))
}

// needs says what an output must have for the feature not to be missing.
func (f *feature) needs(names map[pathID]string) string {
	at, other := orOutput(names[f.path]), orOutput(names[f.other])
	switch f.what {
	case ofItem:
		return at + " is a number or a text"
	case ofValue, ofBit, ofLowBit:
		return at + " is a number"
	case ofResidue:
		if f.index > 1 {
			return at + " is a whole number"
		}
		return at + " is a number"
	case ofLength, ofPrefix, ofToken, ofGram, ofCharCount, ofCharFirst, ofCharLast, ofTextRuns:
		return at + " is a text"
	case ofElements, ofKindCount, ofWordCount, ofWordFirst, ofWordLast:
		return at + " is a list or an object"
	case ofDifference, ofSigns:
		return fmt.Sprintf("%s and %s are numbers or booleans", at, other)
	case ofSame:
		return fmt.Sprintf("there is something at %s and at %s, and neither is a list or an object", at, other)
	}
	return "there is a " + f.name(names)
}

// between says that a feature is above low and at most high, or nothing if it may be anything.
func (f *feature) between(low, high float64, name string, names map[pathID]string) string {
	needs := f.needs(names)
	switch {
	case math.IsInf(low, -1) && math.IsInf(high, 1):
		return ""
	case high == missing:
		return "it is not so that " + needs
	case low == missing && math.IsInf(high, 1):
		return needs
	case f.isBinary() && low >= 0:
		return name
	case f.isBinary() && low == missing:
		return needs + ", and it is not so that " + name
	case f.isBinary():
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

// nameOfSeveral is name for what is about several places.
func (f *feature) nameOfSeveral(at, other string) string {
	word := fmt.Sprintf("%q", f.text)
	switch kind(f.index) {
	case kindNumber:
		word = fmt.Sprint(f.value)
	case kindNull, kindTrue, kindFalse:
		word = kindNames[f.index]
	}
	switch f.what {
	case ofElements:
		return "elements of " + at
	case ofKindCount:
		return fmt.Sprintf("count of %s in %s", kindNames[f.index], at)
	case ofStatistic:
		return statisticNames[f.index] + " in " + at
	case ofWordCount:
		return fmt.Sprintf("count of %s in %s", word, at)
	case ofWordFirst:
		return fmt.Sprintf("first place of %s in %s%s", word, at, noFirst)
	case ofWordLast:
		return fmt.Sprintf("last place of %s in %s%s", word, at, noLast)
	case ofDifference:
		return at + " - " + other
	case ofSigns:
		return fmt.Sprintf("sign of %s - %v times sign of %s - %v", at, f.value, other, f.center)
	case ofSame:
		return at + " is " + other
	}
	panic("internal error: a feature has no name")
}

// orOutput is the name of a path; an output itself has none.
func orOutput(name string) string {
	if name == "" {
		return "the output"
	}
	return name
}
