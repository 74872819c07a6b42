package spec

import (
	"fmt"
	"math"
	"testing"
)

// listed asks these answers, then STOP.
func listed(answers ...float64) func(string, []bool) (float64, bool) {
	return func(_ string, a []bool) (float64, bool) {
		if len(a) == len(answers) {
			return 0, true
		}
		return answers[len(a)], false
	}
}

// Algorithms 1 and 2 by hand: with ε = 1 the threshold has 2 and ν_i has 4 times a draw;
// with c = 2 these are 4 and 8. T is 1.
func TestAboveThreshold_ByHand(t *testing.T) {
	t.Parallel()
	one := func(answers []float64, noise Noise) ([]bool, error) {
		return AboveThreshold("", listed(answers...), 1, 1, noise)
	}
	two := func(answers []float64, noise Noise) ([]bool, error) {
		return Sparse("", listed(answers...), 1, 2, 1, 0, noise)
	}
	for name, test := range map[string]struct {
		run            func(answers []float64, noise Noise) ([]bool, error)
		answers, draws []float64
		want, scales   string
	}{
		"STOP at once":          {one, nil, []float64{1}, "[]", "[2]"},
		"a tie is ⊤, and halts": {one, []float64{0, 2, 9}, []float64{0.5, 0, 0}, "[false true]", "[2 4 4]"},
		"Sparse draws T̂ again": {two, []float64{2, 2, 9}, []float64{0, 0, 0.5, 0, 0, 0},
			"[true false true]", "[4 8 4 8 8 4]"},
		"Sparse halts at c":      {two, []float64{2, 2, 9}, []float64{0, 0, 0, 0, 0}, "[true true]", "[4 8 4 8 4]"},
		"Sparse, STOP before it": {two, []float64{-9, 9}, []float64{0, 0, 0, 7}, "[false true]", "[4 8 8 4]"},
	} {
		noise := &played{draws: test.draws}
		got, err := test.run(test.answers, noise)
		if scales := fmt.Sprint(noise.scales); err != nil || fmt.Sprint(got) != test.want || scales != test.scales {
			t.Errorf("%s: %v, %v with scales %s, must be %s with %s", name, got, err, scales, test.want, test.scales)
		}
	}
}

func TestAboveThreshold_BadInput(t *testing.T) {
	t.Parallel()
	noise := &played{draws: make([]float64, 9)}
	above := func(q, t, eps float64) error {
		_, err := AboveThreshold("", listed(q), t, eps, noise)
		return err
	}
	sparse := func(c int, eps, delta float64) error {
		_, err := Sparse("", listed(0), 0, c, eps, delta, noise)
		return err
	}
	refuse(t, map[string]error{
		"AboveThreshold: eps is 0, must be positive and finite": above(0, 0, 0),
		"threshold is NaN, must be finite":                      above(0, math.NaN(), 1),
		"query 1: answer is +Inf, must be finite":               above(math.Inf(1), 0, 1),
		"scale of the noise is +Inf, must be":                   above(0, 0, 1e-308),
		"Sparse: c is 0, must be at least 1":                    sparse(0, 1, 0),
		"delta is 1, must be in [0, 1)":                         sparse(1, 1, 1),
		"Sparse: eps is -1, must be positive and finite":        sparse(1, -1, 0),
	})
}
