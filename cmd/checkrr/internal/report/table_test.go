package report

import (
	"math/big"
	"testing"
)

func TestEvenly(t *testing.T) {
	t.Parallel()
	for n := range 200 {
		for most := range 50 {
			got := Evenly(n, most)
			if len(got) != min(n, most) {
				t.Fatalf("evenly(%d, %d) has %d numbers", n, most, len(got))
			}
			for i := range got {
				if i > 0 && got[i] <= got[i-1] {
					t.Fatalf("evenly(%d, %d) = %v does not rise", n, most, got)
				}
			}
			if len(got) > 1 && (got[0] != 0 || got[len(got)-1] != n-1) {
				t.Fatalf("evenly(%d, %d) = %v misses an end", n, most, got)
			}
		}
	}
}

// TestWidths: a width that was not reached does not look as if it were.
func TestWidths(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		reached, asked float64
		shown, wanted  string
	}{
		{7.913e-5, 1e-4, "7.9e-05", "0.0001"},
		{9.9999e-4, 1e-3, "0.001", "0.001"}, // it was reached
		{1e-3, 1e-3, "0.001", "0.001"},
		{1.0004e-3, 1e-3, "0.0010004", "0.001"},
		{1.0000000004e-3, 1e-3, "0.0010000000004", "0.001"},
		{2.04e-9, 2e-9, "2.04e-09", "2e-09"},
		{0.13, 0.1, "0.13", "0.1"},
	} {
		if shown, wanted := Widths(big.NewFloat(c.reached), c.asked); shown != c.shown || wanted != c.wanted {
			t.Errorf("Widths(%g, %g) = %s, %s, must be %s, %s", c.reached, c.asked, shown, wanted, c.shown, c.wanted)
		}
	}
}
