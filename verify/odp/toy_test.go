package odp

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
)

// The closed form for n randomized responses is what the search finds.
func TestPair_OptimalDelta(t *testing.T) {
	t.Parallel()
	for n := range 8 {
		for _, at := range []*big.Rat{rat.One, big.NewRat(7, 4), big.NewRat(9, 1)} {
			e := big.NewRat(3, 2)
			rule := impl.SumRule(rat.Power(e, n), new(big.Rat))
			got, _, err := impl.WorstAdversary(t.Context(), finite.BothWays(finite.ResponseChoice(e)), n, rule, at)
			if want := optimalDelta(e, n, at); err != nil || got.Cmp(want) != 0 {
				t.Errorf("n = %d, e^ε = %s: %v, %v, want %v", n, rat.Show(at), got, err, want)
			}
		}
	}
}

// Both rooms' M_toy give the same output on the same tape, and draw as often.
func TestTape_Toy(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		heads := rapid.Bool().Draw(t, "heads")
		fx, eps := rapid.Float64Range(-1e6, 1e6).Draw(t, "f(x)"), rapid.Float64Range(1e-6, 1e3).Draw(t, "eps")
		draws := []float64{rapid.Float64Range(-40, 40).Draw(t, "noise")}
		tapes := [2]*finite.Tape{{Draws: draws}, {Draws: draws}}
		coin := func() bool { return heads }
		v0, b0, err0 := spec.Toy(fx, eps, coin, tapes[0])
		v1, b1, err1 := impl.Toy(fx, eps, coin, tapes[1])
		if err0 != nil || err1 != nil || v0 != v1 || b0 != b1 || b0 == heads || len(tapes[0].Scales) != len(tapes[1].Scales) {
			t.Fatalf("spec %g, %v, %v; impl %g, %v, %v", v0, b0, err0, v1, b1, err1)
		}
	})
}

// The cells of M_toy are those of the distribution function in float64, and sum to 1.
func TestPair_ToyCells(t *testing.T) {
	t.Parallel()
	const tolerance = 1e-12 // float64's distribution function loses some digits between cuts that are close
	below := func(x float64) float64 {
		if x < 0 {
			return math.Exp(x) / 2
		}
		return 1 - math.Exp(-x)/2
	}
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.Int64Range(-20, 20).Draw(t, "f(x)")
		eps := rapid.Int64Range(1, 30).Draw(t, "eps")
		n := rapid.IntRange(0, 8).Draw(t, "cuts")
		var cuts []*big.Rat
		var want []float64
		last := 0.0
		for i := range n {
			cut := int64(i*3 - 10)
			cuts = append(cuts, big.NewRat(cut, 2))
			next := below(float64(eps) / 10 * (float64(cut)/2 - float64(f)/4))
			want = append(want, (next-last)/2)
			last = next
		}
		want = append(want, (1-last)/2, 0.5)
		cells, err := impl.ToyCells(big.NewRat(f, 4), big.NewRat(eps, 10), cuts)
		if err != nil || len(cells) != len(want) {
			t.Fatal(len(cells), err)
		}
		sum := 0.0
		for i, cell := range cells {
			got, _ := cell.Lower.Float64()
			if sum += got; math.Abs(got-want[i]) > tolerance || cell.Lower.Cmp(cell.Upper) > 0 {
				t.Fatalf("cell %d: %v, want %g", i, cell, want[i])
			}
		}
		if math.Abs(sum-1) > tolerance {
			t.Fatalf("sum %g", sum)
		}
	})
}
