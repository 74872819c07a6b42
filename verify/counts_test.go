package verify

import (
	"flag"
	"testing"

	"checkrr/verify/register"
)

var full = flag.Bool("full", false, "compare on 11,000 small problems, solve 100,000 large ones in many ways, and 10,000 with the recursion")

// TestCounts compares impl with the truth on many random problems that are the
// same on every run: problem number i comes from the seed i.
func TestCounts(t *testing.T) {
	t.Parallel()
	numbers := map[terms]int{ratios: 200, decimals: 20, mixed: 20}
	switch {
	case *full:
		numbers = map[terms]int{ratios: 10000, decimals: 500, mixed: 500}
	case testing.Short():
		numbers = map[terms]int{ratios: 20, decimals: 5, mixed: 5}
	}
	for terms, n := range numbers {
		t.Run(terms.String(), func(t *testing.T) {
			t.Parallel()
			for i := range n {
				p := randomProblem(register.Seeded(uint64(i)), terms, most)
				checkMethods(t, p, terms)
			}
			t.Logf("%d problems", n)
		})
	}
}

// checkMethods compares every method of impl with the truth. In ratios it leaves
// out the bracket, which takes a hundred times as long as the others.
func checkMethods(t reporter, p problem, kind terms) {
	methods, want := everyWay, enclosed
	if kind == ratios {
		methods, want = everyWay[:3], exactly
	}
	truth := want(t, p)
	for _, o := range methods {
		checkTruth(t, p, o, solve(t, p, o), truth)
	}
}
