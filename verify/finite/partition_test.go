package finite

import (
	"slices"
	"testing"
)

// As many partitions as Bell's numbers say, no two the same, the coarsest first.
func TestPartitions(t *testing.T) {
	t.Parallel()
	for m, want := range []int{1: 1, 2, 5, 15, 52} {
		if m == 0 {
			continue
		}
		seen := map[string]bool{}
		for p := range Partitions(m) {
			if len(seen) == 0 && p.Count() != 1 {
				t.Errorf("the first is %v", p)
			}
			seen[p.String()] = true
			if len(seen) == want && !slices.Equal(p, Singletons(m)) {
				t.Errorf("the last is %v", p)
			}
		}
		if len(seen) != want {
			t.Errorf("%d partitions of %d outputs, must be %d", len(seen), m, want)
		}
	}
}
