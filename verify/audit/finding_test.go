package audit

import (
	"fmt"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"checkrr/impl/loss"
	"checkrr/spec"
)

// drawLaw returns a law with few outputs, some of probability 0.
func drawLaw(t *rapid.T, outputs int, name string) map[string]*big.Rat {
	weights := rapid.SliceOfN(rapid.IntRange(0, 6), outputs, outputs).Draw(t, name)
	sum := 0
	for i := range weights {
		if i == 0 {
			weights[i]++
		}
		sum += weights[i]
	}
	law := map[string]*big.Rat{}
	for i, w := range weights {
		law[fmt.Sprint(i)] = big.NewRat(int64(w), int64(sum))
	}
	return law
}

// propCheck compares what is found with spec, which goes through all sets of outputs: exact
// cells decide, at the smallest δ and just below it, and so do intervals that are no more
// than 1e-30 wide, but at the smallest δ itself.
func propCheck(t *rapid.T) {
	n := rapid.IntRange(1, 6).Draw(t, "outputs")
	laws := [2]map[string]*big.Rat{drawLaw(t, n, "law0"), drawLaw(t, n, "law1")}
	parts := rapid.IntRange(1, 3).Draw(t, "parts")
	of := rapid.SliceOfN(rapid.IntRange(0, parts-1), n, n).Draw(t, "part")
	part := func(output string) int { return of[output[0]-'0'] }
	claim := Claim{Delta: new(big.Rat)}
	var expE []*big.Rat
	for k := range parts {
		expE = append(expE, big.NewRat(int64(rapid.IntRange(2, 8).Draw(t, "2e^ε")), 2))
		claim.Parts = append(claim.Parts, Part{fmt.Sprint("part ", k), loss.Exp(expE[k])})
	}
	want, err := spec.SmallestDeltaBothWays(laws[0], laws[1], part, expE)
	if err != nil {
		t.Fatal(err)
	}
	exact, near := Law{Complete: true}, Law{Complete: true}
	for i := range n {
		o := fmt.Sprint(i)
		c := ExactCell(o, of[i], laws[0][o], laws[1][o])
		exact.Cells = append(exact.Cells, c)
		near.Cells = append(near.Cells, Cell{Name: o, Part: of[i], P: c.P})
	}
	little := big.NewRat(1, 1<<60)
	for _, test := range []struct {
		delta           *big.Rat
		refuted, proved bool
	}{{want, false, true}, {new(big.Rat).Sub(want, little), true, false},
		{new(big.Rat).Add(want, little), false, true}} {
		if test.delta.Sign() < 0 || test.delta.Cmp(one) > 0 {
			continue
		}
		claim.Delta = test.delta
		f, err := exact.Check(claim)
		if err != nil || f.Refuted != test.refuted || f.Proved != test.proved || !f.Delta.Contains(want) {
			t.Fatalf("%v, δ %v of %v: refuted %v, proved %v, [%g, %g]", err, test.delta, want, f.Refuted, f.Proved,
				f.Delta.Lower, f.Delta.Upper)
		}
		g, err := near.Check(claim)
		if err != nil || !g.Delta.Contains(want) || g.Refuted && !f.Refuted || g.Proved && !f.Proved {
			t.Fatalf("%v, about, δ %v of %v: refuted %v, proved %v, [%g, %g]", err, test.delta, want, g.Refuted,
				g.Proved, g.Delta.Lower, g.Delta.Upper)
		}
		if test.delta != want && (g.Refuted != f.Refuted || g.Proved != f.Proved) {
			t.Fatalf("about, δ %v of %v: refuted %v, proved %v", test.delta, want, g.Refuted, g.Proved)
		}
	}
}

func TestPair_Check(t *testing.T) { rapid.Check(t, propCheck) }

func FuzzCheck(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propCheck)) }
