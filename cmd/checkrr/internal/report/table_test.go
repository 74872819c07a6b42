package report

import (
	"math/big"
	"testing"

	"checkrr/impl/interval"
)

// A gain is rounded down, and told as a number only where both ends of an interval agree on its digits.
func TestGain(t *testing.T) {
	t.Parallel()
	for want, ends := range map[string][2]float64{
		"1.048":            {1.0482, 1.0483},
		"1.000":            {1, 1.00008},
		"1.2422 to 1.2434": {1.24229, 1.24331},
		"10.00":            {9.99999999, 10},
	} {
		if got := Gain(interval.Interval{Lower: big.NewFloat(ends[0]), Upper: big.NewFloat(ends[1])}); got != want {
			t.Errorf("[%g, %g]: got %s, want %s", ends[0], ends[1], got, want)
		}
	}
}
