package spec

import (
	"math/big"
	"testing"
)

// Values computed by hand. With e^ε = 3 and δ = 0 the sequences 1 and 11 have
// the probabilities (3/4, 1/4) and (9/16, 1/16); all others help nobody here.
func TestPaper_Theorem15ByHand(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name            string
		p               Pipeline
		optDel, lemma11 string
	}{
		{"one mechanism", pipeline("3 0", stop(1, "2")), "1/4", "1/4"},
		{"charge is epsilon", pipeline("3 0", stop(1, "3")), "0", "0"},
		{"charge above epsilon", pipeline("3 0", stop(1, "4")), "0", "0"},
		{"charge is epsilon, with delta", pipeline("3 1/10", stop(1, "3")), "1/10", "1/10"},
		// 1/10 + 9/10 · (3/4 − 2 · 1/4)
		{"one mechanism with delta", pipeline("3 1/10", stop(1, "2")), "13/40", "13/40"},
		{"epsilon is 0", pipeline("1 0", stop(1, "1")), "0", "0"},
		{"delta is 1", pipeline("3 1", stop(1, "1000")), "1", "1"},
		// 9/16 − 2 · 1/16
		{"two mechanisms", pipeline("3 0, 3 0", stop(2, "2")), "7/16", "7/16"},
		// Sequences 11 and 12: 3/4 · 1/2 − 1 · 1/4 · 1/2 each.
		{"second says nothing", pipeline("3 0, 1 0", stop(2, "1")), "1/2", "1/2"},
		// Stop at 1: 3/4 − 1/4. Go on: 9/16 − 4/16.
		{"stop early", pipeline("3 0, 3 0", stop(1, "1"), stop(2, "4")), "1/2", "13/16"},
		// Stop at 1: 3/4 − 2/4. Go on: 9/16 − 4/16.
		{"go on", pipeline("3 0, 3 0", stop(1, "2"), stop(2, "4")), "5/16", "9/16"},
		// Stop at 1 after the output 1: 3/4 − 1/4. After 2, go on: nothing more. Each stop alone: 1/2, 5/16, 9/32.
		{"three stops", pipeline("3 0, 3 0, 3 0", stop(1, "1"), stop(2, "4"), stop(3, "9")), "1/2", "35/32"},
		// δ = 1 of the first mechanism: output 0 wins at either stop, but once.
		{"delta is 1, twice", pipeline("1 1, 1 1", stop(1, "1"), stop(2, "1")), "1", "2"},
		// 0 counts once, 1/2; then 1: 1/2 · (1/2 + 1/2 · 0) by going on. In Lemma 11: 1/2 + 3/4.
		{"delta only", pipeline("1 1/2, 1 1/2", stop(1, "1"), stop(2, "1")), "3/4", "5/4"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for i, f := range []func(Pipeline) (*big.Rat, error){OptDel, Lemma11, Lemma11Joint} {
				want := []string{test.optDel, test.lemma11, test.lemma11}[i]
				if got, err := f(test.p); err != nil || got.Cmp(rat(want)) != 0 {
					t.Errorf("%s = %v, %v, want %s", []string{"OptDel", "Lemma11", "Lemma11Joint"}[i], got, err, want)
				}
			}
		})
	}
}
