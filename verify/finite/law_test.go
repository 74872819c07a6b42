package finite

import (
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"checkrr/impl/noise"
	"checkrr/spec"
	"checkrr/verify/rat"
)

// rolls is a Dice of rapid.
type rolls struct{ *rapid.T }

func (r rolls) Roll(n int) int { return rapid.IntRange(0, n-1).Draw(r.T, "roll") }

func isLaw(l Law) bool {
	for _, pr := range l {
		if pr.Sign() < 0 {
			return false
		}
	}
	return l.Mass().Cmp(rat.One) == 0
}

// There are C(m + d − 1, d) laws, and no two are the same.
func TestLaws(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{1, 3}, {2, 4}, {3, 4}, {4, 2}} {
		m, d := size[0], size[1]
		seen := map[string]bool{}
		for l := range Laws(m, d) {
			if !isLaw(l) || len(l) != m || seen[l.String()] {
				t.Errorf("m = %d, d = %d: %v", m, d, l)
			}
			seen[l.String()] = true
		}
		if want := new(big.Int).Binomial(int64(m+d-1), int64(d)); want.Cmp(big.NewInt(int64(len(seen)))) != 0 {
			t.Errorf("m = %d, d = %d: %d laws, must be %d", m, d, len(seen), want)
		}
	}
}

// Random laws are laws, with all outputs, and what may be 0 is.
func TestRandom(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := rolls{t}
		m := 1 + d.Roll(5)
		p, parts := RandomPair(d, m, d.Roll(4)), RandomPartition(d, m)
		if !isLaw(p[0]) || !isLaw(p[1]) || len(p[0]) != m || len(p[1]) != m {
			t.Fatal(p)
		}
		if len(parts) != m || parts[0] != 0 || parts.Count() > m {
			t.Fatal(parts)
		}
	})
	zero := Random(zeros{}, 3, 1)
	if zero.String() != "a: 1, b: 0, c: 0" {
		t.Error(zero)
	}
}

// zeros always rolls 0.
type zeros struct{}

func (zeros) Roll(int) int { return 0 }

func TestTape(t *testing.T) {
	t.Parallel()
	tape := &Tape{Draws: []float64{1, -0.5}}
	var _, _ = spec.Noise(tape), noise.Source(tape)
	var got []float64
	for _, scale := range []float64{2, 4, 8} {
		got = append(got, tape.Laplace(scale))
	}
	if !slices.Equal(got, []float64{2, -2, 8}) || !slices.Equal(tape.Scales, []float64{2, 4, 8}) {
		t.Errorf("played %v for %v", got, tape.Scales)
	}
}

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
