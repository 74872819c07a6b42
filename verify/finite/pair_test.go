package finite

import "testing"

// Every pair with probabilities in 1/d is there, small ones are first, and all are in some 1/d' with d' | d.
func TestPairs(t *testing.T) {
	t.Parallel()
	seen, most := map[string]bool{}, 0
	for p := range Pairs(3, 4) {
		if !isLaw(p[0]) || !isLaw(p[1]) {
			t.Fatal(p)
		}
		if seen[p.String()] = true; len(seen) == 1 {
			most = len(p[0])
		}
	}
	if most != 1 {
		t.Errorf("the first pair has %d outputs", most)
	}
	for m := 1; m <= 3; m++ {
		for p := range PairsOf(Laws(m, 4)) {
			if !seen[p.String()] {
				t.Errorf("%v is missing", p)
			}
		}
	}
	if want := 1 + 5*5 + 15*15; len(seen) != want {
		t.Errorf("%d pairs, must be %d", len(seen), want)
	}
}
