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
			features, names := d.features(nil, numbers), d.names(width, 0)
			if len(features) != len(names) {
				t.Fatalf("width %d, bits %v: %d features, %d names", width, bits, len(features), len(names))
			}
			for name, want := range map[string]float64{
				"number": 0.5, "number 2": numbers[min(1,
					width-1)], "sum": sum, "largest": float64(width) - 0.5, "smallest": 0.5, "last bit of number 1": -1, "sum of scores for P0": 0,
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
