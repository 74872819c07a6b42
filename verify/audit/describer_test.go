package audit

import (
	"math"
	"testing"
)

func TestLowestBit(t *testing.T) {
	for x, want := range map[float64]float64{
		0: -1100, 1: 0, -1: 0, 3: 0, 6: 1, 0.5: -1, 0.75: -2, 1 + 0x1p-52: -52, 0x1p60: 60, -12: 2,
		math.SmallestNonzeroFloat64: -1074, 3 * math.SmallestNonzeroFloat64: -1074, 0x1p-1022: -1022,
		math.MaxFloat64: 971, 0.1: -55,
	} {
		if got := lowestBit(x); got != want {
			t.Errorf("last bit of %g is %g, must be %g", x, got, want)
		}
	}
}
