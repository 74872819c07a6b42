package audit

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// outputOf is an output of part p that is written as JSON, and the names of its paths.
func outputOf(t *testing.T, text string) (output, map[pathID]string) {
	t.Helper()
	shape, numbers, err := ShapeOf(parse(t, text, false))
	if err != nil {
		t.Fatal(err)
	}
	l, names := layoutOf("p", shape), map[pathID]string{}
	l.call(names)
	return output{l, numbers}, names
}

// A layout has what an output has, where that stands. It may be used again.
func TestLayout(t *testing.T) {
	kinds := [kindCount]string{kindNull: "null", kindFalse: "false", kindTrue: "true", kindText: "text "}
	for text, want := range map[string]string{
		`5`:                       `the output: 5`,
		`"a"`:                     `the output: text a`,
		`[]`:                      ``,
		`[[1],null,[true,"x"],2]`: `[0][0]: 1, [1]: null, [2][0]: true, [2][1]: text x, [3]: 2`,
		`{"b":1,"a b":[2,false]}`: `.a b[0]: 2, .a b[1]: false, name 1 in the output: text a b, ` +
			`.b: 1, entry 2 of the output: 1, name 2 in the output: text b`,
		`[{"µ#":"x"}]`: `[0].µ\u0023: text x, entry 1 of [0]: text x, name 1 in [0]: text µ#`,
	} {
		o, names := outputOf(t, text)
		o.layout.read("p", o.layout.shape)
		var all []string
		for i, s := range o.layout.spots {
			is := kinds[s.kind] + s.text
			if s.kind == kindNumber {
				is = fmt.Sprint(o.numbers[s.index])
			}
			all = append(all, names[s.path]+": "+is)
			for _, hint := range []int{0, i, len(o.layout.spots)} {
				if at := o.layout.find(s.path, hint); at != i {
					t.Errorf("%s: place %d is found at %d", text, i, at)
				}
			}
		}
		if want = strings.TrimPrefix(want+", the part: text p", ", "); strings.Join(all, ", ") != want {
			t.Errorf("%s: %q, must be %q", text, all, want)
		}
	}
}

// Every feature of an output is what its name says.
func TestFeature(t *testing.T) {
	o, names := outputOf(t, `{"n":-6,"s":"aab","t":true,"z":null}`)
	for _, c := range []struct {
		feature
		at   string
		want float64
		name string // with a bound
	}{
		{feature{what: ofKind}, ".n", 4,
			"kind of .n (nothing, a list or an object 0, null 1, false 2, true 3, number 4, text 5) > 1"},
		{feature{what: ofKind}, ".s", 5, ""},
		{feature{what: ofKind}, ".z", 1, ""},
		{feature{what: ofKind}, ".none", 0, ""},
		{feature{what: ofKind}, "the part", 5, ""},
		{feature{what: ofValue}, ".n", -6, ".n > 1"},
		{feature{what: ofValue}, "entry 1 of the output", -6, ""},
		{feature{what: ofValue}, ".s", missing, ""},
		{feature{what: ofValue}, ".none", missing, ""},
		{feature{what: ofBit, index: 51}, ".n", 1, "bit 51 of .n > 1"}, // −6 = −1.1₂·4
		{feature{what: ofBit, index: 50}, ".n", 0, ""},
		{feature{what: ofBit, index: 50}, ".s", missing, ""},
		{feature{what: ofByte, index: 2}, ".s", 'b', "byte 2 of .s > 1"},
		{feature{what: ofByte, index: -3}, ".s", 'a', "byte -3 of .s > 1"},
		{feature{what: ofByte, index: 3}, ".s", missing, ""},
		{feature{what: ofByte, index: -4}, ".s", missing, ""},
		{feature{what: ofByte, index: 0}, ".n", missing, ""},
		{feature{what: ofByte, index: 0}, "name 2 in the output", 's', ""},
	} {
		f := c.feature
		for path, name := range names {
			if name == c.at {
				f.path = path
			}
		}
		for f.hint = range 3 { // wherever it is thought to be
			if got := f.of(o); got != c.want {
				t.Errorf("%+v of %s is %g, must be %g", c.feature, c.at, got, c.want)
			}
		}
		if got := f.between(1, math.Inf(1), names); c.name != "" && got != c.name {
			t.Errorf("the name is %q, must be %q", got, c.name)
		}
	}
}

// What is said of a feature between two bounds is true of just the outputs where it is, those that have none of it
// among them.
func TestFeature_Between(t *testing.T) {
	low, high := math.Inf(-1), math.Inf(1)
	value := feature{what: ofValue, path: 1, isMissed: true}
	sure := feature{what: ofValue, path: 1}
	for _, test := range []struct {
		f         feature
		low, high float64
		want      string
	}{
		{value, low, high, ""},
		{value, missing, high, "X is a number"},
		{value, low, missing, "it is not so that X is a number"},
		{value, missing, 3, "X <= 3"},
		{sure, low, 3, "X <= 3"},
		{value, low, 3, "(X <= 3 or it is not so that X is a number)"},
		{value, 2, 3, "2 < X <= 3"},
		{feature{what: ofByte, path: 1, index: 4}, missing, high, "there is a byte 4 of X"},
	} {
		if got := test.f.between(test.low, test.high, map[pathID]string{1: "X"}); got != test.want {
			t.Errorf("%+v in (%g, %g]: got %q, must be %q", test.f, test.low, test.high, got, test.want)
		}
	}
}

// Places that hardly any output has, and what is always the same text, are no features; too many are left out.
func TestSurvey(t *testing.T) {
	var samples [2]*Sample
	for side := range samples {
		samples[side] = sampleOf(saying(func(dice *rand.Rand) string {
			return fmt.Sprintf(`{"%016x":1,"same":"text","other":"%c%d"}`, dice.Uint64(), 'a'+side, dice.IntN(10))
		}), 500, byte(side))
	}
	m, looked := survey(rowsOfPart(nats(1), 0, samples), false)
	// of 1 by its order, of two texts and three names, under two names and by their order
	if looked.Left != 0 || looked.Features != len(m.features) || looked.Places < 5 || looked.Places > 8 {
		t.Errorf("%+v", looked)
	}
	for _, f := range m.features {
		if name := m.names[f.path]; name == ".same" && f.what != ofKind {
			t.Errorf("%+v is a feature of %s", f, name)
		}
	}
	long := &Sample{}
	for i := range 2 {
		text, _ := json.Marshal(strings.Repeat(fmt.Sprint(i), maxFeatures))
		long.Group("", parsed(string(text))).Count = 2
	}
	if m, looked := survey(rowsOfPart(nats(1), 0, [2]*Sample{long, long}), false); len(m.features) != maxFeatures ||
		looked.Left != 1+lastBytes {
		t.Errorf("%d features, %+v", len(m.features), looked)
	}
}
