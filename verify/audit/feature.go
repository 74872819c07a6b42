package audit

import (
	"math"
	"strings"
)

// what is what a feature says about an output.
type what uint8

// What there is to say.
const (
	ofKind       what = iota // what stands at a place, as a number
	ofValue                  // the number there
	ofItem                   // whether a certain text or number stands there
	ofBit                    // a bit of the number's mantissa
	ofLowBit                 // the place of its last bit that is 1
	ofResidue                // what is left of the number modulo another one
	ofLength                 // of a text
	ofChar                   // the byte at a position, from the end if that is negative
	ofPrefix                 // whether a text begins so
	ofToken                  // whether a word is in a text
	ofGram                   // whether three bytes are in it, next to each other
	ofCharCount              // how often a byte is in it
	ofCharFirst              // and where first
	ofCharLast               // and last
	ofNth                    // a number in a text, by position
	ofAfter                  // a number in a text, after a word
	ofTextRuns               // runs of the same byte
	ofElements               // of a list
	ofKindCount              // how often a kind is in it
	ofStatistic              // of the numbers in it
	ofWordCount              // how often a word or a number is in it
	ofWordFirst              // and where first
	ofWordLast               // and last
	ofDifference             // of the numbers at two places
	ofSigns                  // the product of their signs, from the medians
	ofSame                   // whether the same stands at two places
	whats
)

// missing is the value of a feature where there is nothing to describe.
const missing = -math.MaxFloat64

// feature is a number that describes outputs.
type feature struct {
	what        what
	path, other pathID
	hint, next  int     // where the paths probably are in a layout
	index       int     // a position, a bit, a kind or a statistic
	text        string  // a word, or the byte
	value       float64 // the number itself, or the median at path
	center      float64 // the median at other
	isMissed    bool    // whether it is missing in some outputs
}

// output is one output.
type output struct {
	layout  *layout
	numbers []float64
	stats   []statistics // of lists, once they are known
	sorted  []float64    // to sort numbers in
}

// reset makes it another output.
func (o *output) reset(l *layout, numbers []float64) {
	o.layout, o.numbers, o.stats = l, numbers, o.stats[:0]
}

// of returns the feature of an output.
func (f *feature) of(o *output) float64 {
	switch f.what {
	case ofElements, ofKindCount, ofStatistic, ofWordCount, ofWordFirst, ofWordLast:
		i := o.layout.findList(f.path)
		if i < 0 {
			return missing
		}
		return f.ofList(o, i)
	case ofDifference, ofSigns, ofSame:
		return f.ofPair(o)
	}
	i := o.layout.find(f.path, f.hint)
	if i < 0 {
		if f.what == ofKind {
			return 0
		}
		return missing
	}
	s := &o.layout.spots[i]
	switch {
	case f.what == ofKind:
		return float64(s.kind)
	case s.kind == kindNumber:
		return f.ofNumber(o.numbers[s.index])
	case s.kind == kindText:
		return f.ofText(s.text)
	}
	return missing
}

// ofNumber is of for a number.
func (f *feature) ofNumber(x float64) float64 {
	switch f.what {
	case ofValue:
		return x
	case ofItem:
		return indicator(f.index == int(kindNumber) && x == f.value)
	case ofBit:
		return float64(math.Float64bits(x) >> f.index & 1)
	case ofLowBit:
		return lowestBit(x)
	case ofResidue:
		return wholeResidue(x, f.index)
	}
	return missing
}

// ofText is of for a text.
func (f *feature) ofText(s string) float64 {
	switch f.what {
	case ofItem:
		return indicator(f.index == int(kindText) && s == f.text)
	case ofLength:
		return float64(len(s))
	case ofChar:
		i := f.index
		if i < 0 {
			i += len(s)
		}
		if i < 0 || i >= len(s) {
			return missing
		}
		return float64(s[i])
	case ofPrefix:
		return indicator(strings.HasPrefix(s, f.text))
	case ofToken:
		return indicator(hasWord(s, f.text))
	case ofGram:
		return indicator(strings.Contains(s, f.text))
	case ofCharCount:
		return float64(strings.Count(s, f.text))
	case ofCharFirst:
		return float64(firstOr(strings.Index(s, f.text), len(s)))
	case ofCharLast:
		return float64(strings.LastIndex(s, f.text))
	case ofNth:
		return nthNumber(s, f.index)
	case ofAfter:
		return numberAfter(s, f.text)
	case ofTextRuns:
		return float64(textRuns(s))
	}
	return missing
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// firstOr returns i, or the other if i says that there is none.
func firstOr(i, other int) int {
	if i < 0 {
		return other
	}
	return i
}

// textRuns counts runs of the same byte.
func textRuns(s string) int {
	runs := 0
	for i := range len(s) {
		if i == 0 || s[i] != s[i-1] {
			runs++
		}
	}
	return runs
}

// ofList is of for a list.
func (f *feature) ofList(o *output, i int) float64 {
	l := &o.layout.lists[i]
	spots := o.layout.spots[l.from:l.to]
	switch f.what {
	case ofElements:
		return float64(l.length)
	case ofKindCount:
		n := 0
		for _, s := range spots {
			n += int(indicator(s.kind == kind(f.index)))
		}
		return float64(n)
	case ofStatistic:
		return o.statisticsOf(i)[f.index]
	}
	count, first, last := 0, len(spots), -1
	for at := range spots {
		if f.isWord(&spots[at], o.numbers) {
			count++
			first, last = min(first, at), at
		}
	}
	switch f.what {
	case ofWordCount:
		return float64(count)
	case ofWordFirst:
		return float64(first)
	}
	return float64(last)
}

// isWord reports whether the feature's word stands somewhere.
func (f *feature) isWord(s *spot, numbers []float64) bool {
	if s.kind != kind(f.index) {
		return false
	}
	return s.text == f.text && (s.kind != kindNumber || numbers[s.index] == f.value)
}

// ofPair is of for two places.
func (f *feature) ofPair(o *output) float64 {
	i, j := o.layout.find(f.path, f.hint), o.layout.find(f.other, f.next)
	if i < 0 || j < 0 {
		return missing
	}
	s, t := &o.layout.spots[i], &o.layout.spots[j]
	if f.what == ofSame {
		return indicator(s.kind == t.kind && s.text == t.text && (s.kind != kindNumber || o.numbers[s.index] == o.numbers[t.index]))
	}
	x, y := o.scalar(s), o.scalar(t)
	switch {
	case x == missing || y == missing:
		return missing
	case f.what == ofDifference:
		return max(-math.MaxFloat64/2, min(x-y, math.MaxFloat64))
	}
	return float64(sign(x-f.value) * sign(y-f.center))
}

// scalar is a number, or a boolean as one.
func (o *output) scalar(s *spot) float64 {
	switch s.kind {
	case kindNumber:
		return o.numbers[s.index]
	case kindTrue, kindFalse:
		return indicator(s.kind == kindTrue)
	}
	return missing
}

// sign is −1 up to 0, and else 1: a median of few values is one of them.
func sign(x float64) int {
	if x > 0 {
		return 1
	}
	return -1
}

// isBinary reports whether a feature says yes or no.
func (f *feature) isBinary() bool {
	switch f.what {
	case ofItem, ofPrefix, ofToken, ofGram, ofSame, ofBit:
		return true
	}
	return false
}
