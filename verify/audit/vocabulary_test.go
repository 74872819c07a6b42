package audit

import (
	"slices"
	"testing"
)

func TestWords(t *testing.T) {
	for shape, want := range map[string][]string{
		`[#,"a",[#,true]]`: {"#", `"a"`, "[#,true]"},
		`"a"`:              {`"a"`},
		`{"a":#}`:          {`{"a":#}`},
		`[]`:               {},
		`["\u0023"]`:       {`"\u0023"`},
	} {
		if got := words(shape); !slices.Equal(got, want) {
			t.Errorf("words of %s are %q, must be %q", shape, got, want)
		}
	}
}

func TestVocabulary(t *testing.T) {
	v := newVocabulary([]string{`["x","y","x"]`, `["z"]`, `["y"]`})
	if want := (vocabulary{`"x"`, `"y"`, `"z"`}); !slices.Equal(v, want) {
		t.Fatalf("words are %q, must be %q", v, want)
	}
	// length; how often, first and last, of each word
	if got, want := v.describe(`["y","x","y"]`), []float64{3, 1, 1, 1, 2, 0, 2, 0, 3, -1}; !slices.Equal(got, want) {
		t.Errorf("features are %v, must be %v", got, want)
	}
	many := make([]string, 0, 100)
	for c := range 100 {
		many = append(many, string(rune('a'+c)))
	}
	if got := newVocabulary(many); len(got) != maxWords {
		t.Errorf("%d words, must be %d", len(got), maxWords)
	}
}
