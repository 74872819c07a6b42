package report

import "testing"

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
