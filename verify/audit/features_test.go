package audit

import (
	"math"
	"slices"
	"testing"
)

func TestLowestBit(t *testing.T) {
	for x, want := range map[float64]float64{
		0: -1100, 1: 0, -1: 0, 3: 0, 6: 1, 0.5: -1, 0.75: -2, 1 + 0x1p-52: -52, 0x1p60: 60, -12: 2,
		math.SmallestNonzeroFloat64: -1074, 3 * math.SmallestNonzeroFloat64: -1074, 0x1p-1022: -1022, math.MaxFloat64: 971, 0.1: -55,
	} {
		if got := lowestBit(x); got != want {
			t.Errorf("last bit of %g is %g, must be %g", x, got, want)
		}
	}
}

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

// There are as many names as features, and each is of what it says.
func TestDescriber_Names(t *testing.T) {
	for _, width := range []int{1, 2, 3, maxColumns, maxColumns + 5} {
		for _, bits := range []bool{false, true} {
			d := describer{bits: bits}
			if width > 1 {
				for range min(width, maxColumns) {
					d.sum = append(d.sum, leafOf([2]float64{1, 1}))
				}
			}
			numbers := make([]float64, width)
			sum := 0.0
			for i := range numbers {
				numbers[i] = float64((i*7)%width) + 0.5
				sum += numbers[i]
			}
			features, names := d.features(nil, numbers), d.names(width)
			if len(features) != len(names) {
				t.Fatalf("width %d, bits %v: %d features, %d names", width, bits, len(features), len(names))
			}
			for name, want := range map[string]float64{
				"number": 0.5, "number 2": numbers[min(1, width-1)], "sum": sum, "largest": float64(width) - 0.5, "smallest": 0.5, "last bit of number 1": -1, "sum of scores": 0,
			} {
				if i := slices.Index(names, name); i >= 0 && features[i] != want {
					t.Errorf("width %d: %s is %g, must be %g", width, name, features[i], want)
				}
			}
		}
	}
}

func TestAdditive(t *testing.T) {
	leaf := func(first, second float64) *tree { return leafOf([2]float64{first, second}) }
	split := &tree{feature: 0, threshold: 1, low: leaf(1.5, 0.5), high: leaf(0.5, 1.5)}
	if got := (additive{split, split}).score([]float64{1, 2}); !near(got, 0, 1e-15) {
		t.Errorf("score is %g, must be 0", got)
	}
	if got := (additive{split, split}).score([]float64{1, 0}); !near(got, 2*math.Ln2, 1e-15) {
		t.Errorf("score is %g, must be 2·ln 2", got)
	}
}
