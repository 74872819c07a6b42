package finite

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
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

// The sum of the positive parts is the largest excess of a set, for any partition and charges.
func TestPair_Delta(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := rolls{t}
		m := 1 + d.Roll(6)
		p, parts := RandomPair(d, m, 20), RandomPartition(d, m)
		e := parts.Charge(func(int) *big.Rat { return big.NewRat(int64(20+d.Roll(80)), 20) })
		expE := func(output string) *big.Rat { return e[parts.Part(output)] }
		if got, want := p.Delta(expE), register.Must(spec.SmallestDelta(p[0], p[1], parts.Part, e)); got.Cmp(want) != 0 {
			t.Fatalf("%v, %v: δ = %v, spec has %v", p, parts, got, want)
		}
		if got, want := p.DeltaBothWays(expE), register.Must(spec.SmallestDeltaBothWays(p[0], p[1], parts.Part, e)); got.Cmp(want) != 0 {
			t.Fatalf("%v, %v: δ = %v both ways, spec has %v", p, parts, got, want)
		}
		if got, want := p.Delta(Constant(e[0])), register.Must(spec.SmallestDPDelta(p[0], p[1], e[0])); got.Cmp(want) != 0 {
			t.Fatalf("%v, %v: δ = %v of DP, spec has %v", p, parts, got, want)
		}
	})
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
