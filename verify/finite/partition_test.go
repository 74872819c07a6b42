package finite

import (
	"fmt"
	"slices"
	"testing"

	"checkrr/verify/rat"
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

func TestPartition(t *testing.T) {
	t.Parallel()
	p := Partition{0, 1, 0}
	if p.String() != "parts {ac}, {b}" || p.Count() != 2 || p.Part("b") != 1 || p.Part("c") != 0 {
		t.Errorf("%v, %d parts, b in %d, c in %d", p, p.Count(), p.Part("b"), p.Part("c"))
	}
	var all []string
	for e := range p.Charges(rat.List("1", "2")) {
		all = append(all, rat.Show(e...))
	}
	if got := fmt.Sprint(all); got != "[1, 1 2, 1 1, 2 2, 2]" {
		t.Errorf("charges %s", got)
	}
}
