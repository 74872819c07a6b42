package audit

import (
	"math"
	"strings"
	"testing"
)

// outputOf is an output that is written as JSON, and the names of its paths.
func outputOf(t *testing.T, text string) (*output, map[pathID]string) {
	t.Helper()
	s := &Sample{}
	if err := s.AddValue("", parse(t, text, false)); err != nil {
		t.Fatal(err)
	}
	g, names := s.Groups()[0], map[pathID]string{}
	o := &output{}
	o.reset(layoutOf("", g.Shape, names), g.Numbers)
	return o, names
}

// pathCalled returns the path with a name; one that no output has if there is none.
func pathCalled(names map[pathID]string, name string) pathID {
	for p, n := range names {
		if n == name {
			return p
		}
	}
	return rootPath.field("of nothing").at(7)
}

// Every feature of an output is what its name says.
func TestFeature(t *testing.T) {
	const text = `{"n":-6,"s":"aab, b7 b: -2.5; c 9","t":true,"f":false,"z":null,"u":"aab, b7 b: -2.5; c 9","l":["x",3,null,"x",5,true,true,3]}`
	o, names := outputOf(t, text)
	number, word := int(kindNumber), int(kindText)
	checked := map[what]bool{}
	for _, c := range []struct {
		feature
		at   string
		want float64
		name string // what its name has in it
	}{
		{feature{what: ofKind}, ".n", 4, "kind of .n"},
		{feature{what: ofKind}, ".s", 5, "kind of .s"},
		{feature{what: ofKind}, ".z", 1, "kind"},
		{feature{what: ofKind}, ".none", 0, "kind"},
		{feature{what: ofValue}, ".n", -6, ".n"},
		{feature{what: ofValue}, ".s", missing, ".s"},
		{feature{what: ofValue}, ".none", missing, "the output"},
		{feature{what: ofItem, index: number, value: -6}, ".n", 1, ".n = -6"},
		{feature{what: ofItem, index: number, value: 6}, ".n", 0, ".n = 6"},
		{feature{what: ofItem, index: word, value: -6}, ".n", 0, ".n is"},
		{feature{what: ofItem, index: word, text: "aab, b7 b: -2.5; c 9"}, ".s", 1, `.s is "aab`},
		{feature{what: ofItem, index: word, text: "aab"}, ".s", 0, `.s is "aab"`},
		{feature{what: ofBit, index: 51}, ".n", 1, "bit 51 of .n"}, // −6 = −1.1₂·4
		{feature{what: ofBit, index: 50}, ".n", 0, "bit 50 of .n"},
		{feature{what: ofLowBit}, ".n", 1, "last bit of .n"},
		{feature{what: ofLength}, ".s", 20, "length of .s"},
		{feature{what: ofLength}, ".n", missing, "length of .n"},
		{feature{what: ofChar, index: 2}, ".s", 'b', "byte 2 of .s"},
		{feature{what: ofChar, index: -1}, ".s", '9', "byte -1 of .s"},
		{feature{what: ofChar, index: 20}, ".s", missing, "byte 20"},
		{feature{what: ofChar, index: -21}, ".s", missing, "byte -21"},
		{feature{what: ofToken, text: "b"}, ".s", 1, `has the word "b"`},
		{feature{what: ofToken, text: "aa"}, ".s", 0, `has the word "aa"`},
		{feature{what: ofNth, index: 0}, ".s", -2.5, "number 1 in .s"},
		{feature{what: ofNth, index: -1}, ".s", 9, "number 1 from the end of .s"},
		{feature{what: ofElements}, ".l", 8, "elements of .l"},
		{feature{what: ofElements}, "", 7, "elements of the output"},
		{feature{what: ofElements}, ".n", missing, "elements"},
		{feature{what: ofStatistic, index: theSum}, ".l", 11, "sum in .l"},
		{feature{what: ofStatistic, index: theLongest}, ".l", 2, "longest run in .l"},
		{feature{what: ofWordCount, index: word, text: "x"}, ".l", 2, `count of "x" in .l`},
		{feature{what: ofWordCount, index: number, value: 3}, ".l", 2, "count of 3 in .l"},
		{feature{what: ofWordCount, index: int(kindNull)}, ".l", 1, "count of null in .l"},
		{feature{what: ofWordFirst, index: number, value: 3}, ".l", 1, "first place of 3"},
		{feature{what: ofWordFirst, index: word, text: "y"}, ".l", 8, `first place of "y"`},
		{feature{what: ofWordLast, index: word, text: "x"}, ".l", 3, `last place of "x"`},
		{feature{what: ofWordLast, index: word, text: "y"}, ".l", -1, `last place of "y"`},
	} {
		f := c.feature
		f.path = pathCalled(names, c.at)
		checked[f.what] = true
		name := f.name(names)
		for hint := range 3 { // wherever it is thought to be
			f.hint = hint
			if got := f.of(o); got != c.want {
				t.Errorf("%s is %g, must be %g", name, got, c.want)
			}
		}
		if !strings.Contains(name, c.name) {
			t.Errorf("the name is %q, must have %q", name, c.name)
		}
		if describings[f.what].yesNo && c.want != 0 && c.want != 1 && c.want != missing {
			t.Errorf("%s says yes or no, and is %g", name, c.want)
		}
	}
	for w := range whats {
		if !checked[w] {
			t.Errorf("feature %d is not checked", w)
		}
	}
}

// A sum that is larger than float64 can hold is the largest there is.
func TestFeature_Huge(t *testing.T) {
	for text, want := range map[string]float64{`[1.7e308,-1.7e308]`: 0, `[1.7e308,1.7e308,-1]`: math.MaxFloat64} {
		o, _ := outputOf(t, text)
		if got := o.statisticsOf(0)[theSum]; got != want {
			t.Errorf("the sum of %s is %g, must be %g", text, got, want)
		}
	}
}

// What is said of a feature between two bounds is true of just the outputs where it is, those that have none of it
// among them.
func TestFeatureBetween(t *testing.T) {
	const name, none = "NAME", -math.MaxFloat64
	low, high := math.Inf(-1), math.Inf(1)
	names := map[pathID]string{1: "X"}
	for _, test := range []struct {
		f         feature
		low, high float64
		want      string
	}{
		{feature{what: ofValue, path: 1}, low, high, ""},
		{feature{what: ofValue, path: 1}, none, high, "X is a number"},
		{feature{what: ofValue, path: 1}, low, none, "it is not so that X is a number"},
		{feature{what: ofValue, path: 1}, none, 3, "NAME <= 3"},
		{feature{what: ofValue, path: 1}, low, 3, "NAME <= 3"},
		{feature{what: ofValue, path: 1, isMissed: true}, low, 3, "(NAME <= 3 or it is not so that X is a number)"},
		{feature{what: ofValue, path: 1, isMissed: true}, 2, 3, "2 < NAME <= 3"},
		{feature{what: ofItem, path: 1, isMissed: true}, 0, high, "NAME"},
		{feature{what: ofItem, path: 1, isMissed: true}, none, 0,
			"X is a number or a text, and it is not so that NAME"},
		{feature{what: ofItem, path: 1, isMissed: true}, low, 0, "it is not so that NAME"},
		{feature{what: ofItem, path: 1, isMissed: true}, low, none, "it is not so that X is a number or a text"},
		{feature{what: ofWordFirst, path: 1}, none, high, "X is a list or an object"},
		{feature{what: ofChar, path: 1, index: 4}, none, high, "there is a byte 4 of X"},
	} {
		if got := test.f.between(test.low, test.high, name, names); got != test.want {
			t.Errorf("%+v in (%g, %g]: got %q, must be %q", test.f, test.low, test.high, got, test.want)
		}
	}
}
