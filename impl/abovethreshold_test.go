package impl

import (
	"math"
	"math/big"
	"testing"

	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/testkit"
	"checkrr/impl/interval"
	"checkrr/impl/noise"
)

func TestAboveThreshold_BadInput(t *testing.T) {
	t.Parallel()
	ask := func(q float64, _ []bool) (float64, bool) { return q, false }
	above := func(q, t, eps float64) error {
		_, err := AboveThreshold(q, ask, t, eps, noise.New([32]byte{}))
		return err
	}
	sparse := func(c int, eps, delta float64) error {
		_, err := Sparse(0, ask, 0, c, eps, delta, noise.New([32]byte{}))
		return err
	}
	for want, err := range map[string]error{
		"AboveThreshold: eps is 0, must be positive and finite": above(0, 0, 0),
		"threshold is NaN, must be finite":                      above(0, math.NaN(), 1),
		"query 1: answer is +Inf, must be finite":               above(math.Inf(1), 0, 1),
		"scale of the noise is +Inf, must be":                   above(0, 0, 1e-308),
		"Sparse: c is 0, must be at least 1":                    sparse(0, 1, 0),
		"delta is 1, must be at least 0 and less than 1":        sparse(1, 1, 1),
	} {
		testkit.ExpectError(t, err, want)
	}
}

func TestSparseRun_Ended(t *testing.T) {
	t.Parallel()
	run, err := NewSparseRun(0, 1, 1, 0, noise.New([32]byte{1}))
	if err != nil {
		t.Fatal(err)
	}
	if above, err := run.Compare(1e9); !above || err != nil || !run.Done() {
		t.Fatalf("1e9 against 0: %v, %v, done %v", above, err, run.Done())
	}
	_, err = run.Compare(1e9)
	testkit.ExpectError(t, err, "the run has ended")
}

func TestLaplaceMechanism_BadInput(t *testing.T) {
	t.Parallel()
	random := noise.New([32]byte{})
	_, err := LaplaceMechanism([]float64{0, math.NaN()}, 1, 1, random)
	testkit.ExpectError(t, err, "LaplaceMechanism: number 2 is NaN, must be finite")
	_, err = LaplaceMechanism(nil, 0, 1, random)
	testkit.ExpectError(t, err, "sensitivity is 0, must be positive and finite")
	_, err = ReportNoisyMax(nil, 1, random)
	testkit.ExpectError(t, err, "ReportNoisyMax: there are 0 counts, must be at least 1")
	_, err = ReportNoisyMax([]float64{0, math.Inf(1)}, 1, random)
	testkit.ExpectError(t, err, "count 2 is +Inf, must be finite")
	_, err = ReportNoisyMax([]float64{0}, 1e-320, random)
	testkit.ExpectError(t, err, "scale of the noise is +Inf, must be positive and finite")
}

// Cells sum to 1, and those on one side of the mean keep their relative accuracy.
func TestLaplaceCells(t *testing.T) {
	t.Parallel()
	cuts := []*big.Rat{rational.MustParse("-100"), rational.MustParse("-1"), rational.MustParse("3"), rational.MustParse("200"), rational.MustParse("201")}
	cells, err := LaplaceCells(rational.One, rational.MustParse("2"), cuts)
	if err != nil || len(cells) != 6 {
		t.Fatal(len(cells), err)
	}
	n := interval.Precision(laplacePrec)
	sum := n.Int(0)
	for i, c := range cells {
		if sum = n.Add(sum, c); c.RelWidth() > 1e-60 {
			t.Errorf("cell %d has relative width %g", i, c.RelWidth())
		}
	}
	if !sum.Contains(rational.One) {
		t.Errorf("sum is [%g, %g], must contain 1", sum.Lower, sum.Upper)
	}
	far := math.Exp(-199.0/2)/2 - math.Exp(-200.0/2)/2
	if x, _ := cells[4].Lower.Float64(); math.Abs(x/far-1) > 1e-12 {
		t.Errorf("from 200 to 201: %g, must be %g", x, far)
	}
	if none, err := LaplaceCells(rational.One, rational.One, nil); err != nil || len(none) != 1 || !none[0].Contains(rational.One) {
		t.Errorf("no cuts: %v, %v", none, err)
	}
	_, err = LaplaceCells(rational.One, new(big.Rat), nil)
	testkit.ExpectError(t, err, "scale 0, must be a number and a positive one")
	_, err = LaplaceCells(rational.One, rational.One, []*big.Rat{rational.One, rational.One})
	testkit.ExpectError(t, err, "cut 2 is 1, must be a number, more than the one before")
}
