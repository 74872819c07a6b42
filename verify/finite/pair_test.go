package finite

import (
	"math/big"
	"testing"

	"checkrr/verify/rat"
)

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

func TestPair(t *testing.T) {
	t.Parallel()
	p := PairOf([2]map[string]*big.Rat{{"a": rat.Half, "b": rat.Half, "c": new(big.Rat)}, {"a": rat.One, "b": new(big.Rat), "c": new(big.Rat)}})
	if got, want := p.String(), "P0 = (a: 1/2, b: 1/2, c: 0), P1 = (a: 1, b: 0, c: 0)"; got != want {
		t.Errorf("%s, must be %s", got, want)
	}
	possible := Pair{{"a": rat.Half, "b": rat.Half}, {"a": rat.One, "b": new(big.Rat)}}
	if got := p.Possible(); !got.Equal(possible) || got.Equal(p) || got.Equal(Pair{possible[1], possible[0]}) {
		t.Errorf("what is possible: %v", got)
	}
	// An output that only one law has counts in one direction.
	leak := Pair{{"a": rat.One}, {"b": rat.One}}
	if got := leak.DeltaBothWays(Constant(rat.Int(100))); got.Cmp(rat.One) != 0 {
		t.Errorf("a leak needs δ = %v", got)
	}
}
