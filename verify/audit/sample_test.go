package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// parse reads JSON, numbers as [json.Number] or as float64.
func parse(t *testing.T, text string, exact bool) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	if exact {
		d.UseNumber()
	}
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestAddValue_Shapes(t *testing.T) {
	for _, test := range []struct {
		text, shape string
		numbers     []float64
	}{
		{`1.5`, `#`, []float64{1.5}},
		{`null`, `null`, nil},
		{`true`, `true`, nil},
		{`"yes"`, `"yes"`, nil},
		{`"#"`, `"\u0023"`, nil},
		{`"<&>\u003c"`, `"<&><"`, nil},
		{`[]`, `[]`, nil},
		{`[[]]`, `[[]]`, nil},
		{`[1, "#", 2]`, `[#,"\u0023",#]`, []float64{1, 2}},
		{`[1, [2, [3]], "x"]`, `[#,[#,[#]],"x"]`, []float64{1, 2, 3}},
		{`{"b": 1, "a": 2}`, `{"a":#,"b":#}`, []float64{2, 1}},
		{`{"#": 1}`, `{"\u0023":#}`, []float64{1}},
		{`{"a": {"c": null, "b": [0]}}`, `{"a":{"b":[#],"c":null}}`, []float64{0}},
		{`-1e-400`, `#`, []float64{0}},
		{`9007199254740992`, `#`, []float64{9007199254740992}},
		{`9007199254740993.0`, `#`, []float64{9007199254740992}},
	} {
		for _, exact := range []bool{false, true} {
			s := &Sample{}
			if err := s.AddValue("p", parse(t, test.text, exact)); err != nil {
				t.Errorf("%s: %v", test.text, err)
				continue
			}
			g := s.Groups()[0]
			if g.Shape.String() != test.shape || g.Part != "p" || g.Count != 1 || g.Width() != len(test.numbers) ||
				!slices.Equal(g.Numbers, test.numbers) {
				t.Errorf("%s is %+v, must have shape %s and numbers %v", test.text, *g, test.shape, test.numbers)
			}
		}
	}
}

// What is no finite number is refused, and so is a whole number that float64 takes for another one.
func TestAddValue_BadNumbers(t *testing.T) {
	for _, bad := range []any{
		json.Number("9007199254740993"), json.Number("-9007199254740993"),
		[]any{1.0, json.Number("123456789012345678901234567890")},
		math.NaN(), math.Inf(1), math.Inf(-1), json.Number("1e400"), json.Number("-1e309"),
		make(chan int), []any{func() {}}, []any{1.0, math.NaN()}, map[string]any{"a": []any{json.Number("1e999")}},
	} {
		s := &Sample{}
		if err := s.AddValue("", bad); err == nil {
			t.Errorf("%v was taken", bad)
		}
		if s.Count() != 0 {
			t.Errorf("%v was added", bad)
		}
	}
}

// A sample is a multiset: groups come in an order of their own, and merging adds.
func TestSample_Merge(t *testing.T) {
	build := func(texts ...string) *Sample {
		s := &Sample{}
		for _, text := range texts {
			part, value, _ := strings.Cut(text, " ")
			if err := s.AddValue(part, parse(t, value, false)); err != nil {
				t.Fatal(err)
			}
		}
		return s
	}
	s, other := build("b [1]", "a 2", "a [3]"), build("a [4]", "c null", "b [5]", "c null")
	s.merge(other)
	var got []string
	for _, g := range s.Groups() {
		got = append(got, fmt.Sprint(g.Part, " ", g.Shape, " ", g.Count, " ", g.Numbers))
	}
	want := []string{"a # 1 [2]", "a [#] 2 [3 4]", "b [#] 2 [1 5]", "c null 2 []"}
	if !slices.Equal(got, want) {
		t.Errorf("groups are\n%s", strings.Join(got, "\n"))
	}
	if s.Count() != 7 || other.Count() != 4 {
		t.Errorf("counts are %d and %d, must be 7 and 4", s.Count(), other.Count())
	}
	if n := s.countOf(key{"b", "[#]"}); n != 2 || s.countOf(key{"b", "null"}) != 0 {
		t.Errorf("[#] in b is there %d times, must be 2", n)
	}
	// what is merged is a copy
	s.Group("a", Numbers(1)).Numbers[1] = 9
	if other.Group("a", Numbers(1)).Numbers[0] != 4 {
		t.Error("the merged sample changed")
	}
}
