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
	hint     int     // where the path probably is in a layout
	index    int     // a position, a bit, a kind or a statistic
	text     string  // a word
	value    float64 // the number itself
	isMissed bool    // whether it is missing in some outputs
}

// missing is the value of a feature where there is nothing to describe.
const missing = -math.MaxFloat64

// what is which function a feature is.
type what uint8

// What there is to say: of a number, of a text, of a list or an object.
const (
	ofKind      what = iota // what stands there, as a number
	ofValue                 // the number
	ofItem                  // whether a certain text or number is there
	ofBit                   // a bit of the number's mantissa
	ofLowBit                // the place of its last bit that is 1
	ofLength                // of a text
	ofChar                  // the byte at a position, from the end if that is negative
	ofToken                 // whether a word is in it
	ofNth                   // a number in it, by position
	ofElements              // of a list
	ofStatistic             // of the numbers in it
	ofWordCount             // how often a word or a number is in it
	ofWordFirst             // and where first
	ofWordLast              // and last
	whats
)

// describing is how a feature is computed, and how it is said: where %[1]s is its place.
type describing struct {
	number func(f *feature, x float64) float64 // nil where only other things are described
	text   func(f *feature, s string) float64
	list   func(f *feature, o *output, l int) float64

	name  func(f *feature) string
	needs string // what an output must have for the feature not to be missing; "there is a" and the name if empty
	yesNo bool   // whether it says yes or no
}

const (
	isList = "%[1]s is a list or an object"
	isText = "%[1]s is a text"
)

// describings are the functions that features can be. There is always a kind.
var describings = [whats]describing{
	ofKind: {name: named("kind of %[1]s (nothing, a list or an object 0, null 1, false 2, true 3, number 4, text 5)")},
	ofValue: {
		number: func(_ *feature, x float64) float64 { return x },
		name:   named("%[1]s"), needs: "%[1]s is a number",
	},
	ofItem: {
		number: func(f *feature, x float64) float64 { return indicator(f.index == int(kindNumber) && x == f.value) },
		text:   func(f *feature, s string) float64 { return indicator(f.index == int(kindText) && s == f.text) },
		name: func(f *feature) string {
			if f.index == int(kindNumber) {
				return "%[1]s = " + fmt.Sprint(f.value)
			}
			return "%[1]s is " + escaped(f.text)
		},
		needs: "%[1]s is a number or a text", yesNo: true,
	},
	ofBit: {
		number: func(f *feature, x float64) float64 { return float64(math.Float64bits(x) >> f.index & 1) },
		name:   func(f *feature) string { return fmt.Sprintf("bit %d of %%[1]s is 1", f.index) },
		needs:  "%[1]s is a number", yesNo: true,
	},
	ofLowBit: {
		number: func(_ *feature, x float64) float64 { return lowestBit(x) },
		name:   named("last bit of %[1]s"), needs: "%[1]s is a number",
	},
	ofLength: {
		text: func(_ *feature, s string) float64 { return float64(len(s)) },
		name: named("length of %[1]s"), needs: isText,
	},
	ofChar: {
		text: byteAt,
		name: func(f *feature) string { return fmt.Sprintf("byte %d of %%[1]s", f.index) },
	},
	ofToken: {
		text: func(f *feature, s string) float64 { return indicator(hasWord(s, f.text)) },
		name: func(f *feature) string { return "%[1]s has the word " + escaped(f.text) }, needs: isText, yesNo: true,
	},
	ofNth: {
		text: func(f *feature, s string) float64 { return nthNumber(s, f.index) },
		name: func(f *feature) string {
			if f.index < 0 {
				return fmt.Sprintf("number %d from the end of %%[1]s", -f.index)
			}
			return fmt.Sprintf("number %d in %%[1]s", f.index+1)
		},
	},
	ofElements: {
		list: func(_ *feature, o *output, l int) float64 { return float64(o.layout.lists[l].length) },
		name: named("elements of %[1]s"), needs: isList,
	},
	ofStatistic: {
		list: func(f *feature, o *output, l int) float64 { return o.statisticsOf(l)[f.index] },
		name: func(f *feature) string { return statisticNames[f.index] + " in %[1]s" },
	},
	ofWordCount: {
		list: func(f *feature, o *output, l int) float64 { count, _, _ := f.words(o, l); return float64(count) },
		name: func(f *feature) string { return "count of " + f.word() + " in %[1]s" }, needs: isList,
	},
	ofWordFirst: {
		list: func(f *feature, o *output, l int) float64 { _, first, _ := f.words(o, l); return float64(first) },
		name: func(f *feature) string {
			return "first place of " + f.word() + " in %[1]s (its length where there is none)"
		},
		needs: isList,
	},
	ofWordLast: {
		list:  func(f *feature, o *output, l int) float64 { _, _, last := f.words(o, l); return float64(last) },
		name:  func(f *feature) string { return "last place of " + f.word() + " in %[1]s (-1 where there is none)" },
		needs: isList,
	},
}

// named is a name that is always the same.
func named(format string) func(*feature) string { return func(*feature) string { return format } }

// escaped quotes a text within a format.
func escaped(text string) string { return strings.ReplaceAll(fmt.Sprintf("%q", text), "%", "%%") }

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
	d := &describings[f.what]
	if d.list != nil {
		if l := o.layout.findList(f.path); l >= 0 {
			return d.list(f, o, l)
		}
		return missing
	}
	at := o.layout.find(f.path, f.hint)
	if at < 0 {
		if f.what == ofKind {
			return float64(kindNothing)
		}
		return missing
	}
	s := &o.layout.spots[at]
	switch {
	case f.what == ofKind:
		return float64(s.kind)
	case s.kind == kindNumber && d.number != nil:
		return d.number(f, o.numbers[s.index])
	case s.kind == kindText && d.text != nil:
		return d.text(f, s.text)
	}
	return missing
}

// byteAt returns the byte of a text at the feature's position.
func byteAt(f *feature, s string) float64 {
	i := f.index
	if i < 0 {
		i += len(s)
	}
	if i < 0 || i >= len(s) {
		return missing
	}
	return float64(s[i])
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// words returns how often the feature's word is in a list, and where first and last.
func (f *feature) words(o *output, l int) (count, first, last int) {
	at := &o.layout.lists[l]
	spots := o.layout.spots[at.from:at.to]
	first, last = len(spots), -1
	for i := range spots {
		if f.isWord(&spots[i], o.numbers) {
			count++
			first, last = min(first, i), i
		}
	}
	return count, first, last
}

// isWord reports whether the feature's word stands somewhere.
func (f *feature) isWord(s *spot, numbers []float64) bool {
	if s.kind != kind(f.index) {
		return false
	}
	return s.text == f.text && (s.kind != kindNumber || numbers[s.index] == f.value)
}
