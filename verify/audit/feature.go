package audit

import (
	"fmt"
	"math"
	"slices"
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
	ofSame                   // whether the same text stands at two places
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
		return indicator(s.kind == t.kind && s.text == t.text)
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

// The statistics of the numbers in a list, and of its runs.
const (
	theSum = iota
	theLargest
	theSecond
	theMedian
	theSmallest
	placeOfLargest
	placeOfSmallest
	thePositive
	theRuns
	theLongest
	statisticCount
)

var statisticNames = [statisticCount]string{"sum", "largest", "second largest", "median", "smallest", "place of the largest", "place of the smallest",
	"how many are positive", "runs", "longest run"}

// statistics are of one list.
type statistics [statisticCount]float64

// statisticsOf returns those of a list, computed once for an output.
func (o *output) statisticsOf(i int) *statistics {
	for len(o.stats) < len(o.layout.lists) {
		o.stats = append(o.stats, statistics{theSum: math.NaN()})
	}
	s := &o.stats[i]
	if math.IsNaN(s[theSum]) {
		l := &o.layout.lists[i]
		o.sorted = s.fill(o.layout.spots[l.from:l.to], o.numbers, o.sorted[:0])
	}
	return s
}

// fill computes the statistics of some places. It returns the numbers there in order, in values if there is room.
func (s *statistics) fill(spots []spot, numbers, values []float64) []float64 {
	*s = statistics{}
	for _, i := range []int{theLargest, theSecond, theMedian, theSmallest, placeOfLargest, placeOfSmallest} {
		s[i] = missing
	}
	run := 0.0
	for i := range spots {
		t := &spots[i]
		if i == 0 || !sameSpot(t, &spots[i-1], numbers) {
			s[theRuns]++
			run = 0
		}
		run++
		s[theLongest] = max(s[theLongest], run)
		if t.kind != kindNumber {
			continue
		}
		x := numbers[t.index]
		if len(values) == 0 || x > s[theLargest] {
			s[theLargest], s[placeOfLargest] = x, float64(i)
		}
		if len(values) == 0 || x < s[theSmallest] {
			s[theSmallest], s[placeOfSmallest] = x, float64(i)
		}
		s[thePositive] += indicator(x > 0)
		s[theSum] += x
		values = append(values, x)
	}
	if math.IsInf(s[theSum], 0) || math.IsNaN(s[theSum]) {
		s[theSum] = math.MaxFloat64
	}
	if n := len(values); n > 1 {
		slices.Sort(values)
		s[theSecond], s[theMedian] = values[n-2], values[n/2]
	}
	return values
}

// sameSpot reports whether the same stands at two places.
func sameSpot(s, t *spot, numbers []float64) bool {
	if s.kind != t.kind {
		return false
	}
	if s.kind == kindNumber {
		return numbers[s.index] == numbers[t.index]
	}
	return s.text == t.text
}

// isBinary reports whether a feature says yes or no.
func (f *feature) isBinary() bool {
	switch f.what {
	case ofItem, ofPrefix, ofToken, ofGram, ofSame, ofBit:
		return true
	}
	return false
}

// name says what the feature is; names are those of paths.
func (f *feature) name(names map[pathID]string) string {
	at := orOutput(names[f.path])
	switch f.what {
	case ofKind:
		return fmt.Sprintf("kind of %s (null 1, false 2, true 3, number 4, text 5)", at)
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
		return fmt.Sprintf("count of %q in %s", f.text, at)
	case ofCharFirst:
		return fmt.Sprintf("first place of %q in %s", f.text, at)
	case ofCharLast:
		return fmt.Sprintf("last place of %q in %s", f.text, at)
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
		return fmt.Sprintf("first place of %s in %s", word, at)
	case ofWordLast:
		return fmt.Sprintf("last place of %s in %s", word, at)
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
