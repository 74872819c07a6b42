package impl

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/testkit"
	"checkrr/impl/noise"
)

func TestSparseVector_BadInput(t *testing.T) {
	t.Parallel()
	random := noise.New([32]byte{})
	ask := func(q, threshold float64) func(int, []bool) (float64, float64, bool) {
		return func(int, []bool) (float64, float64, bool) { return q, threshold, false }
	}
	for _, bad := range []struct {
		delta      float64
		c          int
		eps1, eps2 float64
		q, t       float64
		want       string
	}{
		{0, 1, 1, 1, 0, 0, "Δ is 0, must be positive and finite"},
		{1, 0, 1, 1, 0, 0, "c is 0, must be at least 1"},
		{1, 1, -1, 1, 0, 0, "ε_1 is -1, must be positive and finite"},
		{1, 1, 1, math.NaN(), 0, 0, "ε_2 is NaN, must be positive and finite"},
		{1, 1, math.Inf(1), 1, 0, 0, "ε_1 is +Inf, must be positive and finite"},
		{1e-300, 1, 1e300, 1, 0, 0, "scale of the noise is 0, must be positive and finite"},
		{1e300, 1, 1, 1e-300, 0, 0, "scale of the noise is +Inf, must be positive and finite"},
		{1, 1, 1, 1, math.NaN(), 0, "query 1: answer is NaN, must be finite"},
		{1, 1, 1, 1, 0, math.Inf(1), "query 1: threshold is +Inf, must be finite"},
	} {
		a, err := SparseVector(0, ask(bad.q, bad.t), bad.delta, bad.c, bad.eps1, bad.eps2, random)
		testkit.ExpectError(t, err, bad.want)
		if a != nil {
			t.Errorf("%s: outputs are %v, must be none", bad.want, a)
		}
	}
}

// A run that has ended compares nothing any more, nor does a copy that was made before, or the zero value: there is
// no noise left to hide behind.
func TestSparseRuns_Ended(t *testing.T) {
	t.Parallel()
	random := noise.New([32]byte{1})
	vector, err1 := NewSparseVectorRun(1, 1, 1, 1, random)
	sparse, err2 := NewSparseRun(0, 1, 1, 0, random)
	numeric, err3 := NewNumericSparseRun(0, 1, 1, 0, random)
	if err := cmp.Or(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	copied, again, other := vector, sparse, numeric
	var noVector SparseVectorRun
	var noSparse SparseRun
	var noNumeric NumericSparseRun
	for name, runs := range map[string][3]func() (bool, error){ // the run, its copy, and the zero value
		"SparseVectorRun": {func() (bool, error) { return vector.Compare(1e9, 0) },
			func() (bool, error) { return copied.Compare(1e9, 0) }, func() (bool, error) { return noVector.Compare(1e9, 0) }},
		"SparseRun": {func() (bool, error) { return sparse.Compare(1e9) },
			func() (bool, error) { return again.Compare(1e9) }, func() (bool, error) { return noSparse.Compare(1e9) }},
		"NumericSparseRun": {func() (bool, error) { v, err := numeric.Answer(1e9); return v.Above, err },
			func() (bool, error) { v, err := other.Answer(1e9); return v.Above, err },
			func() (bool, error) { v, err := noNumeric.Answer(1e9); return v.Above, err }},
	} {
		if above, err := runs[0](); !above || err != nil {
			t.Errorf("%s: 1e9 against 0: %v, %v", name, above, err)
		}
		for _, ended := range runs {
			if above, err := ended(); above || err == nil || !strings.Contains(err.Error(), "the run has ended") {
				t.Errorf("%s: %v, %v, want that it has ended", name, above, err)
			}
		}
	}
	if !vector.Done() || !again.Done() || !other.Done() {
		t.Error("a run is not done after its last ⊤")
	}
}

func TestSparseVectorRun_NoAllocation(t *testing.T) {
	run, err := NewSparseVectorRun(1, 1000, 1, 1, noise.New([32]byte{2}))
	if err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() { _, _ = run.Compare(-1e9, 0) }); n != 0 {
		t.Errorf("%g allocations for a query", n)
	}
}

func TestSparseRelease_BadInput(t *testing.T) {
	t.Parallel()
	_, _, err := SparseRelease(rational.One, rational.One, 3, 4)
	testkit.ExpectError(t, err, "c' is 4, must be at least 0 and at most 3")
	_, _, err = SparseRelease(rational.One, nil, 3, 1)
	testkit.ExpectError(t, err, "eps is missing")
	_, err = SparseVectorCharge(big.NewRat(-1, 1), rational.One, 3, 1)
	testkit.ExpectError(t, err, "eps is -1, must be at least 0")
}

// scales is a Noise of zeros that keeps what was asked for.
type scales []float64

func (s *scales) Laplace(scale float64) float64 {
	*s = append(*s, scale)
	return 0
}

// Lines 1 and 6 of Algorithm 2: one draw with scale Δ/ε_1, and then one with 2cΔ/ε_2 for each query.
func TestSparseVectorRun_Scales(t *testing.T) {
	t.Parallel()
	var asked scales
	run, err := NewSparseVectorRun(3, 5, 0.5, 2, &asked)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []float64{-1, 0, -1} {
		if above, err := run.Compare(q, 0); above != (q == 0) || err != nil {
			t.Errorf("%g against 0, without noise: %v, %v", q, above, err)
		}
	}
	if want := (scales{6, 15, 15, 15}); !slices.Equal(asked, want) {
		t.Errorf("scales %v, must be %v", asked, want)
	}
}
