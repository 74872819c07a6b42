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
func TestColumns_Names(t *testing.T) {
	for _, width := range []int{1, 2, 3, maxColumns, maxColumns + 5} {
		for _, bits := range []bool{false, true} {
			g := groupModel{width: width, bits: bits}
			numbers := make([]float64, width)
			for i := range numbers {
				numbers[i] = float64((i*7)%width) + 0.5
			}
			features, names := g.features(nil, numbers), g.names()
			columns := g.columns([][]float64{numbers})
			if len(features) != len(names) || len(columns) != len(names) {
				t.Fatalf("width %d, bits %v: %d features, %d columns, %d names", width, bits, len(features), len(columns), len(names))
			}
			for i, column := range columns {
				if column[0] != features[i] {
					t.Errorf("%s is %g while learning, and %g later", names[i], column[0], features[i])
				}
			}
			for name, want := range map[string]float64{"number": 0.5, "number 2": numbers[min(1, width-1)], "last bit of number 1": -1} {
				if i := slices.Index(names, name); i >= 0 && features[i] != want {
					t.Errorf("width %d: %s is %g, must be %g", width, name, features[i], want)
				}
			}
		}
	}
}
