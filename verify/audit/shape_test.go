package audit

import (
	"slices"
	"testing"
)

// What is made of shapes is the shape of the value, and is written with its numbers in their places.
func TestShape_Made(t *testing.T) {
	for _, test := range []struct {
		made    *Shape
		value   any
		written string
		filled  string
	}{
		{Number, 2.0, `#`, `2`},
		{Null, nil, `null`, `null`},
		{Bool(true), true, `true`, `true`},
		{Bool(false), false, `false`, `false`},
		{Text("a#\n"), "a#\n", `"a\u0023\n"`, `"a\u0023\n"`},
		{List(), []any{}, `[]`, `[]`},
		{Numbers(2), []any{2.0, 3.0}, `[#,#]`, `[2,3]`},
		{List(Number, List(Text("#"), Number), Null), []any{2.0, []any{"#", 3.0}, nil},
			`[#,["\u0023",#],null]`, `[2,["\u0023",3],null]`},
	} {
		s, numbers, err := ShapeOf(test.value)
		if err != nil || len(numbers) != s.Width() {
			t.Fatalf("%v: %d numbers, %v", test.value, len(numbers), err)
		}
		for _, x := range []*Shape{test.made, s} {
			filled := x.with([]string{"2", "3"}[:x.Width()])
			if x.String() != test.written || filled != test.filled || x.nodes != s.nodes {
				t.Errorf("%v is %s and %s, must be %s and %s", test.value, x, filled, test.written, test.filled)
			}
		}
		one, other := layoutOf("", test.made), layoutOf("", s)
		if !slices.Equal(one.spots, other.spots) {
			t.Errorf("%v: %+v, must be %+v", test.value, one, other)
		}
	}
}
