package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"checkrr/impl/loss"
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

// A sampler that does not use its seed is noticed by its numbers.
func TestRepeats(t *testing.T) {
	numbers := func(n int, f func(i int) float64) *Sample {
		s := &Sample{}
		for i := range n {
			s.Group("", Number).Add(f(i))
		}
		return s
	}
	identity := func(i int) float64 { return float64(i) }
	signs := func(seed int) *Sample { // outputs of five zeros, which differ in their signs
		s := &Sample{}
		for i := range comparedOutputs {
			var zeros []float64
			for bit := range 5 {
				zeros = append(zeros, math.Copysign(0, float64((i+seed)>>bit%2)-0.5))
			}
			s.Group("", Numbers(5)).Add(zeros...)
		}
		return s
	}
	for _, test := range []struct {
		name string
		s, t *Sample
		want bool
	}{
		{"a beginning", numbers(100, identity), numbers(40, identity), true},
		{"too short", numbers(100, identity), numbers(15, identity), false},
		{"one differs", numbers(100, identity), numbers(100, func(i int) float64 { return float64(i + i/15) }), false},
		{"few values", numbers(100, func(i int) float64 { return float64(i % 7) }),
			numbers(100, func(i int) float64 { return float64(i % 7) }), false},
		{"enough values", numbers(100, func(i int) float64 { return float64(i % 8) }),
			numbers(100, func(i int) float64 { return float64(i % 8) }), true},
		{"zeros of other signs", signs(0), signs(1), false},
		{"zeros of the same signs", signs(0), signs(0), true},
	} {
		if got := test.s.repeats(test.t); got != test.want {
			t.Errorf("%s: repeats is %v, must be %v", test.name, got, test.want)
		}
	}
	deaf := constantSeed{laplaceSampler{0, 1}}
	_, err := Run(t.Context(), DP(loss.Nats(big.NewRat(1, 1)), new(big.Rat)),
		[]Pair{{Samplers: [2]Sampler{deaf, deaf}}}, Options{Samples: 1000, Alpha: 0.01})
	if err == nil || !strings.Contains(err.Error(), "different seeds") {
		t.Errorf("a sampler that does not use its seed: %v", err)
	}
}

// constantSeed always draws with the same seed.
type constantSeed struct{ Sampler }

func (c constantSeed) Sample(ctx context.Context, n int, _ [32]byte, s *Sample) error {
	return c.Sampler.Sample(ctx, n, [32]byte{}, s)
}
