package spec

import (
	"fmt"
	"math"
	"math/big"
	"testing"
)

// played is a noise that plays draws for scale 1 and keeps the scales.
type played struct {
	draws  []float64
	scales []float64
}

func (p *played) Laplace(scale float64) float64 {
	p.scales = append(p.scales, scale)
	return scale * p.draws[len(p.scales)-1]
}

// Algorithm 2 by hand, with Δ = 1, ε_1 = 1/2 and ε_2 = 1: ρ is 2 times a draw, with c = 2
// each ν_i is 4 times one.
func TestSparseVector_ByHand(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answers []float64 // then STOP
		draws   []float64 // ρ, ν_1, ν_2, …
		want    string
		asked   int
	}{
		"STOP at once":         {nil, []float64{1}, "[]", 1},
		"a tie is ⊤":           {[]float64{2, 1.75}, []float64{0.5, -0.25, -0.25}, "[true false]", 3},
		"⊥ forever":            {[]float64{0, 0, 0, 0}, []float64{1, 0, 0, 0.25, 0.25}, "[false false false false]", 5},
		"c times ⊤ end it":     {[]float64{9, 0, 9, 9}, []float64{0, 0, -1, 0}, "[true false true]", 4},
		"ρ is drawn only once": {[]float64{3, 3, -9}, []float64{1, 0, -0.5, 0}, "[true false false]", 4},
	} {
		asked := 0
		query := func(x string, a []bool) (float64, float64, bool) {
			if asked++; len(a) == len(test.answers) {
				return 0, 0, true
			}
			return test.answers[len(a)], 0.5 * float64(len(x)), false
		}
		noise := &played{draws: test.draws}
		got, err := SparseVector("", query, 1, 2, 0.5, 1, noise)
		if err != nil || fmt.Sprint(got) != test.want || asked != test.asked || len(noise.scales) != len(test.draws) {
			t.Errorf("%s: %v, %v after %d questions and %d draws, must be %s after %d and %d",
				name, got, err, asked, len(noise.scales), test.want, test.asked, len(test.draws))
		}
		for i, scale := range noise.scales {
			if want := map[bool]float64{true: 2, false: 4}[i == 0]; scale != want {
				t.Errorf("%s: scale %d is %g, must be %g", name, i, scale, want)
			}
		}
	}
}

func TestSparseVector_BadInput(t *testing.T) {
	t.Parallel()
	run := func(answer, delta float64, c int, eps1, eps2 float64) error {
		query := func(x float64, _ []bool) (float64, float64, bool) { return x, 0, false }
		return second(SparseVector(answer, query, delta, c, eps1, eps2, &played{draws: []float64{0, 0}}))
	}
	left := func(c, released int) error { return third(SparseRelease(one, one, c, released)) }
	refuse(t, map[string]error{
		"Δ is -1, must be positive and finite":      run(0, -1, 1, 1, 1),
		"ε_1 is NaN, must be positive and finite":   run(0, 1, 1, math.NaN(), 1),
		"ε_2 is 0, must be positive and finite":     run(0, 1, 1, 1, 0),
		"c is -2, must be at least 1":               run(0, 1, -2, 1, 1),
		"scale of the noise is +Inf, must be":       run(0, 1e300, 1, 1e-300, 1),
		"query 1: answer is NaN, must be finite":    run(math.NaN(), 1, 1, 1, 1),
		"SparseVector: query 1: answer is -Inf, mu": run(math.Inf(-1), 1, 1, 1, 1),
		"SparseRelease: c is 0":                     left(0, 0),
		"SparseRelease: c' is 4":                    left(3, 4),
		"SparseRelease: c' is -1":                   left(3, -1),
		"SparseVectorCharge":                        second(SparseVectorCharge(nil, one, 3, 2)),
	})
}

func TestSparseRelease_ByHand(t *testing.T) {
	t.Parallel()
	eps2, eps3 := big.NewRat(1, 3), big.NewRat(1, 2)
	for released, want := range []string{"5/6 <nil>", "13/18 13/18", "11/18 11/36", "1/2 1/6"} {
		left, each, err := SparseRelease(eps2, eps3, 3, released)
		got := left.RatString() + " <nil>"
		if each != nil {
			got = left.RatString() + " " + each.RatString()
		}
		if err != nil || got != want {
			t.Errorf("c' = %d: %s, %v, must be %s", released, got, err, want)
		}
	}
	if charge, err := SparseVectorCharge(eps2, eps3, 3, 2); err != nil || charge.RatString() != "2/3" {
		t.Errorf("charge is %v, %v, must be 2/3", charge, err)
	}
}
